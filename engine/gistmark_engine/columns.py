"""What the faces hand to the engine: an Arrow column, the name its user knows it by, and what its values are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

Kind = Literal["text", "tokens", "sentences"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column in a role.

    values  Arrow array or chunked array. Kind "text": any string type; in the references role a list of strings or
            plain strings (one reference a row). Kind "tokens": a list of strings or integers a text, cut by the user.
            Kind "sentences": a list of strings a text, one a sentence. In the references role a list of those.
    name    what the user calls it; errors speak of it
    """

    values: pa.Array | pa.ChunkedArray
    name: str
    kind: Kind = "text"
