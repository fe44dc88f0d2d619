"""From counted units to precision, recall and F1 for every type of ROUGE and every rule for several references."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.rouge import EMPTY_REFERENCE, EMPTY_SUMMARY, OK, F, P, R, _combine, _most_references

POOLED, BEST_RECALL = 5, 6
DECIMALS = 1e5
SPLIT = 134217729.0
"""2**27 + 1: halves a float64's digits, so that the product of two halves is exact."""


class Units(NamedTuple):
    """What is counted, by type.

    hits       float64 [types, pairs], pairs in order of group, reference, member
    summary    float64 [types, rows] and `reference` [types, references]: units of each text
    power      float64 [types]: a total is units^power, a share (hits / total)^(1 / power); 1 but for ROUGE-W
    rounded    bool [types]: whether the program looks for the best reference after rounding
    """

    hits: np.ndarray
    summary: np.ndarray
    reference: np.ndarray
    power: np.ndarray
    rounded: np.ndarray


@kernel
def unit_scores(cut, groups, units, rule, printed, parity):
    """float64 [3 · types + 1, rows]: p, r, F1 of each type, then the status; NaN for null (null rows are not looked at).

    rule     as for `kernels.rouge.rouge_scores`, or POOLED, BEST_RECALL; ARGMAX_ROUGE1 goes by type 0
    printed  p, r and F1 as ROUGE-1.5.5 prints them: five decimals, F1 from the rounded p and r
    parity   empty references count; otherwise they are left out, and null if all are empty
    """
    types, pair = len(units.power), np.int64(0)
    out = np.full((3 * types + 1, len(cut.summary)), np.nan)
    kept, scores = np.empty(_most_references(cut), np.int64), np.empty((types, _most_references(cut), 3))
    for g in range(len(groups.offsets) - 1):
        first, last = cut.reference_offsets[g], cut.reference_offsets[g + 1]
        size = groups.offsets[g + 1] - groups.offsets[g]
        for m in range(size):
            row, count = groups.members[groups.offsets[g] + m], 0
            for k in range(first, last):
                if parity or cut.reference[k, 1] > cut.reference[k, 0]:
                    kept[count] = k
                    count += 1
            if count > 0:
                hits = units.hits[:, pair + m : pair + size * (last - first) : size]
                _score(units, hits, row, kept[:count], first, rule, printed, scores, out[:, row])
            empty = cut.summary[row, 1] == cut.summary[row, 0]
            out[3 * types, row] = EMPTY_REFERENCE if count == 0 else (EMPTY_SUMMARY if empty else OK)
        pair += size * (last - first)
    return out


@inlined
def _score(units, hits, row, kept, first, rule, printed, scores, out):
    """One row of output; hits [types, references], `kept`: the references that count, `first`: the group's first."""
    for t in range(len(units.power)):
        power, mine = units.power[t], units.summary[t, row] ** units.power[t]
        hit, size, base, best, most = 0.0, 0.0, 0.0, 0, -1.0
        for n in range(len(kept)):
            found, total = hits[t, kept[n] - first], units.reference[t, kept[n]] ** power
            _measure(found, mine, total, power, printed, scores[t, n])
            hit, size, base = hit + found, size + mine, base + total
            recall = _share(found, units.reference[t, kept[n]], power, printed and units.rounded[t])
            if recall > most:
                best, most = n, recall
        if rule == POOLED:
            _measure(hit, size, base, power, printed, out[3 * t : 3 * t + 3])
        elif rule == BEST_RECALL:
            out[3 * t : 3 * t + 3] = scores[t, best]
    if rule != POOLED and rule != BEST_RECALL:
        _combine(scores[:, : len(kept)], rule, out)


@inlined
def _measure(hits, size, base, power, printed, out):
    p, r = _share(hits, size, power, printed), _share(hits, base, power, printed)
    out[P], out[R], out[F] = p, r, 0.0
    if p + r > 0:
        out[F] = _round(p * r / (0.5 * p + 0.5 * r)) if printed else 2 * p * r / (p + r)


@inlined
def _share(hits, total, power, printed):
    """(hits / total)^(1 / power), 0 of nothing."""
    if total == 0:
        return 0.0
    share = (hits / total) ** (1 / power)
    return _round(share) if printed else share


@inlined
def _round(value):
    """A number from 0 to 1 to five decimals, as C prints it: by the exact value, an exact tie to the even digit."""
    scaled = value * DECIMALS
    high = value * SPLIT - (value * SPLIT - value)
    rest = (high * DECIMALS - scaled) + (value - high) * DECIMALS  # what rounding took off `scaled`
    near = np.rint(scaled)
    if np.abs(scaled - np.floor(scaled) - 0.5) == 0.0 and rest != 0.0:
        near = np.floor(scaled) + np.float64(rest > 0)
    return near / DECIMALS
