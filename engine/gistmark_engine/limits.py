"""How long a text may be; `clipping` sees to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from gistmark_engine.errors import OptionError


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `length` characters (code points) in a text; `long` says what becomes of a longer one."""

    length: int
    long: Literal["refuse", "truncate"] = "refuse"

    def __post_init__(self) -> None:
        if not isinstance(self.length, int) or isinstance(self.length, bool) or self.length < 1:
            raise OptionError(f"the longest text has a positive whole number of characters, not {self.length!r}")
        if self.long not in ("refuse", "truncate"):
            raise OptionError(f"long texts are refused or truncated: 'refuse' or 'truncate', not {self.long!r}")
