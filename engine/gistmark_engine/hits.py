"""What a summary shares with a reference, for every type of ROUGE."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.tokens import Tokens

if TYPE_CHECKING:
    from gistmark_engine.kernels.summary_lcs import Sentences
    from gistmark_engine.kernels.unit_scores import Units

Ints = NDArray[np.int64]
Counts = NDArray[np.int64 | np.float64]

KIND = re.compile(r"(?P<order>[1-9])|L|Lsum|W|S(?P<words>U?)(?P<gap>0|[1-9]\d?)")
"""A type of ROUGE: n of ROUGE-N, or L, Lsum, W, S<gap>, SU<gap>."""


@functools.cache
def orders_of(types: tuple[str, ...]) -> Ints:
    """n of each type that counts n-grams, 1 for the others."""
    return np.array([int(kind) if kind.isdigit() else 1 for kind in types], np.int64)


@functools.cache
def gap_of(kind: str) -> int | None:
    """Most words between the two of a skip-bigram; None for types that count others."""
    match = KIND.fullmatch(kind)
    return int(match["gap"]) if match and match["gap"] else None


def count_hits(tokens: Tokens, types: tuple[str, ...]) -> Counts:
    """Hits [types, pairs] of every summary with every reference of its group, pairs by group, reference, member."""
    from gistmark_engine.kernels.kept import MULTISET
    from gistmark_engine.kernels.overlap import overlap_pairs

    pairs = tokens.reference_pairs()
    grams = tuple(sorted({kind for kind in types if kind.isdigit()}))
    by_type: dict[str, Counts] = {}
    if grams or "L" in types:
        counts: Counts = overlap_pairs(pairs, orders_of(grams), MULTISET, "L" in types, -1)
        if types == (*grams, "L"):
            return counts
        by_type = dict(zip((*grams, "L"), counts, strict=True))
    if "Lsum" in types:
        by_type["Lsum"] = _union_hits(tokens)
    if "W" in types:
        by_type["W"] = _weighted_hits(tokens)
    for gap in {gap_of(kind) for kind in types} - {None}:
        from gistmark_engine.kernels.skips import skip_hits

        skips, words = skip_hits(pairs, gap)
        by_type |= {f"S{gap}": skips, f"SU{gap}": skips + words}
    return np.array([by_type[kind] for kind in types])


def count_units(tokens: Tokens, types: tuple[str, ...]) -> Units:
    """Hits of every pair and units of every text, for any types."""
    from gistmark_engine.kernels.unit_scores import Units
    from gistmark_engine.kernels.weighted_lcs import WEIGHT, weighted_lengths

    cut = tokens.cut
    summary, reference = (np.maximum(spans[:, 1] - spans[:, 0], 0) for spans in (cut.summary, cut.reference))
    bases = [weighted_lengths(_references(tokens)) if kind == "W" else _units(kind, reference) for kind in types]
    return Units(
        count_hits(tokens, types).astype(np.float64),
        np.stack([_units(kind, summary) for kind in types]).astype(np.float64),
        np.stack(bases).astype(np.float64),
        np.array([WEIGHT if kind == "W" else 1.0 for kind in types]),
        np.array([kind not in ("Lsum", "W") for kind in types]),
    )


def _units(kind: str, lengths: Ints) -> Ints:
    """The units of texts of so many words: n-grams, words, or skip-bigrams (and all words but the last)."""
    if kind.isdigit():
        return np.maximum(lengths - int(kind) + 1, 0)
    gap = gap_of(kind)
    if gap is None:
        return lengths
    begins = np.maximum(lengths - 1, 0)
    most = np.minimum(gap + 1, begins)
    skips: Ints = most * begins - most * (most - 1) // 2
    return skips + begins if "U" in kind else skips


def _union_hits(tokens: Tokens) -> Ints:
    from gistmark_engine.kernels.pairs import union_pairs
    from gistmark_engine.kernels.summary_lcs import union_hits

    reference_of, summary_of = union_pairs(tokens.cut, tokens.groups)
    hits: Ints = union_hits(_references(tokens), reference_of, _summaries(tokens), summary_of, tokens.vocabulary)
    return hits


def _weighted_hits(tokens: Tokens) -> NDArray[np.float64]:
    from gistmark_engine.kernels.pairs import union_pairs
    from gistmark_engine.kernels.weighted_lcs import weighted_hits

    reference_of, summary_of = union_pairs(tokens.cut, tokens.groups)
    hits: NDArray[np.float64] = weighted_hits(
        _references(tokens), reference_of, _summaries(tokens), summary_of, tokens.vocabulary
    )
    return hits


def _references(tokens: Tokens) -> Sentences:
    return _sentences(tokens, tokens.cut.reference, tokens.cut.reference_sentences)


def _summaries(tokens: Tokens) -> Sentences:
    return _sentences(tokens, tokens.cut.summary, tokens.cut.summary_sentences)


def _sentences(tokens: Tokens, texts: Ints, sentences: Ints) -> Sentences:
    """Texts with their sentences; a text given as tokens has none and is taken for one."""
    from gistmark_engine.kernels.summary_lcs import Sentences

    ids, stops = tokens.cut.ids, tokens.cut.sentence_stops
    given = (texts[:, 1] > texts[:, 0]) & (sentences[:, 1] == sentences[:, 0])
    if given.any():
        whole = len(stops) + np.arange(len(texts))
        sentences = np.where(given[:, None], np.stack((whole, whole + 1), axis=1), sentences)
        stops = np.concatenate((stops, texts[:, 1]))
    return Sentences(ids, stops, texts, sentences)
