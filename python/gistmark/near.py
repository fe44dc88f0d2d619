"""The name a reader may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def near(wanted: str, known: Iterable[str]) -> str:
    """` (did you mean 'x'?)` for the known name closest to `wanted`, or nothing if none is close."""
    by_lower = {name.lower(): name for name in known}
    found = difflib.get_close_matches(wanted.lower(), by_lower, n=1, cutoff=0.6)
    return f" (did you mean {by_lower[found[0]]!r}?)" if found else ""
