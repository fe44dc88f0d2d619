"""A rating as the expectation over what the model could have said in its place."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from gistmark.judges.contract import Token
from gistmark.judges.schema import Spec


def expected_value(tokens: Sequence[Token], name: str, spec: Spec) -> float | None:
    """Σ s·p(s) / Σ p(s) over the levels s of the integer field `name` (Liu et al. 2023, G-Eval, §2).

    The probabilities are those of the alternatives at the token that holds the field's number in a JSON reply, or the
    last number of any other reply. None where no level is among them, or the token cannot be told.
    """
    alternatives = _alternatives(tokens, name)
    levels = range(int(spec["minimum"]), int(spec["maximum"]) + 1)
    weights = dict.fromkeys(levels, 0.0)
    for text, logprob in alternatives.items():
        word = text.strip(' "')
        if word.isdecimal() and word.isascii() and int(word) in weights:
            weights[int(word)] += math.exp(logprob)
    total = sum(weights.values())
    return sum(level * weight for level, weight in weights.items()) / total if total > 0 else None


def _alternatives(tokens: Sequence[Token], name: str) -> dict[str, float]:
    """What the model could have said where it said the number of `name`."""
    text = "".join(token.text for token in tokens)
    found = list(re.finditer(rf'"{re.escape(name)}"\s*:\s*"?([0-9])', text)) or list(re.finditer(r"([0-9])\D*$", text))
    if not found:
        return {}
    at = found[-1].start(1)
    for token in tokens:
        at -= len(token.text)
        if at < 0:
            return dict(token.top)
    return {}
