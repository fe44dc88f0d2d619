"""Union-LCS of two texts cut into sentences (ROUGE-Lsum): hits as `rouge_score` 0.1.2 counts them.

For each reference sentence one particular LCS with every sentence of the summary is found, the reference positions are
united, and a position counts while both texts still have an unused occurrence of its token (see `kernels.union_lcs`).

Backtracking steps over a reference token that the summary lacks, wherever it stands, and a run of summary tokens that the
reference lacks acts as one; so only tokens that both texts have are kept, and one 0 for each such run. A sentence without
any is left out, and of many sentences those that repeat others are too, since they unite nothing more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.intrinsics import borrowed, trailing_zeros
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.distinct import Distinct, forget_sentences, make_distinct, note_sentence
from gistmark_engine.kernels.lcs import clear_masks, set_masks
from gistmark_engine.kernels.long_lcs import forget_long, learn_long, make_long, unite_long
from gistmark_engine.kernels.places import PLACE_WORDS, width_of
from gistmark_engine.kernels.records import NULL
from gistmark_engine.kernels.sentence_index import SentenceIndex, forget_index, learn_index, make_index
from gistmark_engine.kernels.spans import longest
from gistmark_engine.kernels.union_lcs import ROOM, make_union, unite

U0, U1 = np.uint64(0), np.uint64(1)
MANY = 64
"""Sentences of a summary up to which each is looked at for each of the reference."""


class Sentences(NamedTuple):
    """Texts [texts] as spans of `ids`, and spans of `stops`, which says where in `ids` each sentence stops."""

    ids: np.ndarray
    stops: np.ndarray
    text: np.ndarray
    sentence: np.ndarray


class Base(NamedTuple):
    """Entries (id + 1) of a reference that the summary has too, where its sentences stop, how many of each are unused."""

    entries: np.ndarray
    stops: np.ndarray
    left: np.ndarray


class Target(NamedTuple):
    """Entries of a summary that the reference has too, its sentences, how many of each entry are unused; `holders`: by what a
    sentence has, if there are many."""

    entries: np.ndarray
    sentences: Distinct
    left: np.ndarray
    holders: SentenceIndex


@kernel
def union_hits(references, reference_of, summaries, summary_of, vocabulary):
    """Hits of each pair (reference_of[p], summary_of[p]): int64 [pairs]; a null summary gives 0."""
    out = np.zeros(len(reference_of), np.int64)
    size, other, most = longest(references.text), longest(summaries.text), longest(summaries.sentence)
    base = Base(
        np.empty(size + 1, np.int64), np.empty(longest(references.sentence) + 1, np.int64),
        np.zeros(vocabulary + 2, np.int32),
    )  # fmt: skip
    target = Target(
        np.empty(other + 1, np.int64), make_distinct(summaries), np.zeros(vocabulary + 2, np.int32),
        make_index(vocabulary if most > MANY else 0, other if most > MANY else 0, most),
    )  # fmt: skip
    union, long = make_union(vocabulary, size), make_long(vocabulary, size, other)
    _all_hits(references, reference_of, summaries, summary_of, base, target, union, long, out)
    return out


@inlined
def _all_hits(references, reference_of, summaries, summary_of, base, target, union, long, out):
    references, summaries, out = borrowed(references), borrowed(summaries), borrowed(out)
    reference_of, summary_of = borrowed(reference_of), borrowed(summary_of)
    base, target, union, long = borrowed(base), borrowed(target), borrowed(union), borrowed(long)
    for p in range(len(out)):
        if summaries.text[summary_of[p], 0] != NULL:
            out[p] = _pair_hits(references, reference_of[p], summaries, summary_of[p], base, target, union, long)


@inlined
def count_tokens(ids, span, counts, step):
    """Count a text's tokens (step 1) or zero its counts (step 0)."""
    for i in range(span[0], span[1]):
        counts[ids[i] + 1] = counts[ids[i] + 1] + 1 if step else 0


@inlined
def _pair_hits(references, reference, summaries, summary, base, target, union, long):
    count_tokens(summaries.ids, summaries.text[summary], target.left, 1)
    target.left[0] = 0
    size = _keep_reference(references, reference, base, target.left)
    count, widest = _keep_summary(summaries, summary, target, base.left)
    if count > MANY:
        learn_index(target.entries, target.sentences.spans, count, target.holders)
    many, hits, start = references.sentence[reference, 1] - references.sentence[reference, 0], np.int64(0), np.int64(0)
    for s in range(many):
        stop = base.stops[s]
        words = width_of(stop - start)
        if stop - start > 64 * PLACE_WORDS or words * widest > ROOM:
            hits += _long_hits(start, stop, count, base, target, long)
        elif stop > start:
            hits += _sentence_hits(start, stop, words, count, s + 1, base, target, union)
        start = stop
    if count > MANY:
        forget_index(target.entries, target.sentences.spans, count, target.holders)
    for i in range(size):
        base.left[base.entries[i]] = 0
    count_tokens(summaries.ids, summaries.text[summary], target.left, 0)
    return hits


@inlined
def _keep_reference(texts, t, base, found):
    """Keep and count the tokens of a reference that the summary has; returns how many."""
    size, start = np.int64(0), texts.text[t, 0]
    for s in range(texts.sentence[t, 0], texts.sentence[t, 1]):
        for i in range(start, texts.stops[s]):
            entry = np.int64(texts.ids[i]) + 1
            base.entries[size] = entry
            shared = np.int64(found[entry] > 0)
            base.left[entry] += shared
            size += shared
        start = texts.stops[s]
        base.stops[s - texts.sentence[t, 0]] = size
    return size


@inlined
def _keep_summary(texts, t, target, found):
    """Keep the tokens of a summary that the reference has, and 0 for each run of others in a sentence; returns how many
    sentences have any, and how many tokens the longest of them."""
    start, widest, count, size = texts.text[t, 0], np.int64(0), np.int64(0), np.int64(0)
    spans, many = target.sentences.spans, texts.sentence[t, 1] - texts.sentence[t, 0] > MANY
    for s in range(texts.sentence[t, 0], texts.sentence[t, 1]):
        first, before, shared = size, np.int64(0), np.int64(0)
        for i in range(start, texts.stops[s]):
            entry = np.int64(texts.ids[i]) + 1
            entry = entry if found[entry] > 0 else np.int64(0)
            target.entries[size] = entry
            size += np.int64(entry + before > 0)
            shared |= entry
            before = entry
        start = texts.stops[s]
        if shared == 0:
            size = first
            continue
        spans[count, 0], spans[count, 1] = first, size
        count += note_sentence(target.entries, first, size, count, target.sentences) if many else np.int64(1)
        widest = max(widest, size - first)
    if many:
        forget_sentences(count, target.sentences)
    return count, widest


@inlined
def _sentence_hits(start, stop, words, count, turn, base, target, union):
    """Hits of one reference sentence, base.entries[start:stop], the `turn`-th of its text, with all of the summary's."""
    united, spans = union.united, target.sentences.spans
    united[:words] = U0
    set_masks(base.entries, start, stop, words, union.masks)
    if count <= MANY:
        for k in range(count):
            unite(spans[k, 0], spans[k, 1], stop - start, words, target.entries, union)
    else:
        _unite_found(start, stop, words, turn, base, target, union)
    clear_masks(stop - start, words, union.masks)
    hits = np.int64(0)
    for w in range(words):
        bits = united[w]
        while bits != U0:
            hits += _use(base.entries[start + 64 * w + trailing_zeros(bits)], base.left, target.left)
            bits &= bits - U1
    return hits


@inlined
def _unite_found(start, stop, words, turn, base, target, union):
    """The same for those of many sentences that share a token with this one."""
    index, spans = target.holders, target.sentences.spans
    for i in range(start, stop):
        entry = base.entries[i]
        place = index.head[entry] if index.asked[entry] != turn else np.int64(NULL)
        index.asked[entry] = turn
        while place != NULL:
            k = index.sentence[place]
            if index.found[k] != turn:
                index.found[k] = turn
                unite(spans[k, 0], spans[k, 1], stop - start, words, target.entries, union)
            place = index.following[place]


@inlined
def _use(entry, left, other):
    """1 if both texts have an unused occurrence, which is used."""
    counts = np.int64(left[entry] > 0) & np.int64(other[entry] > 0)
    left[entry] -= counts
    other[entry] -= counts
    return counts


@inlined
def _long_hits(start, stop, count, base, target, long):
    """As `_sentence_hits`, for sentences too long for it."""
    hits, spans = np.int64(0), target.sentences.spans
    learn_long(base.entries, start, stop, long)
    for k in range(count):
        unite_long(base.entries, start, stop, target.entries, spans[k, 0], spans[k, 1], long)
    for i in range(start, stop):
        if long.united[i - start]:
            hits += _use(base.entries[i], base.left, target.left)
    forget_long(base.entries, start, stop, long)
    return hits
