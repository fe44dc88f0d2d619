"""How long texts are, by their spans."""

from __future__ import annotations

import numpy as np

from gistmark_engine.jit import inlined


@inlined
def longest(spans):
    """The largest length among spans [texts, 2], 0 of none; a null text's is 0."""
    most = np.int64(0)
    for k in range(len(spans)):
        most = max(most, spans[k, 1] - spans[k, 0])
    return most
