"""Union-LCS of two texts cut into sentences (ROUGE-Lsum): hits as `rouge_score` 0.1.2 counts them.

For each reference sentence one particular LCS with every sentence of the summary is found, the reference positions are
united, and a position counts while both texts still have an unused occurrence of its token. The LCS is the one that
`rouge_score` backtracks: from the end, diagonally on equal tokens, else back in the summary where the table's left
cell is strictly larger, else back in the reference. Left is larger exactly where bit i of the summary's row is clear, so
rows of bits replace the table, and the next step that is not back in the reference is found at once: the highest bit
that is set in the token's mask or clear in its row.

Such steps pass over reference tokens that the summary lacks, wherever they stand, and a run of summary tokens that the
reference lacks acts as one; so only tokens that both texts have are kept, and one 0 for each such run.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.arrow import NULL
from gistmark_engine.intrinsics import borrowed, leading_zeros, load_word, trailing_zeros
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.lcs import Masks, clear_masks, make_masks, set_masks
from gistmark_engine.kernels.long_lcs import Long, forget_long, learn_long, make_long, unite_long
from gistmark_engine.kernels.places import PLACE_WORDS, width_of
from gistmark_engine.wide import complement, load, store, words_in, zero

U0, U1, U63 = np.uint64(0), np.uint64(1), np.uint64(63)
ONES = ~np.uint64(0)
ROOM = 1 << 14
"""Words of rows kept for a sentence of the summary; a longer one goes the way of long sentences."""


class Sentences(NamedTuple):
    """Texts [texts] as spans of `ids`, and spans of `stops`, which says where in `ids` each sentence stops."""

    ids: np.ndarray
    stops: np.ndarray
    text: np.ndarray
    sentence: np.ndarray


class Kept(NamedTuple):
    """Entries (id + 1) of one text that the other has too, and where in them each sentence stops; of the reference how many
    of each are unused, of both."""

    entries: np.ndarray
    stops: np.ndarray
    left: np.ndarray


class Union(NamedTuple):
    """What a pair needs: masks of a reference sentence, the rows of a summary sentence, the united places; `long`: all that
    for long sentences."""

    masks: Masks
    rows: np.ndarray
    united: np.ndarray
    long: Long


@kernel
def union_hits(references, reference_of, summaries, summary_of, vocabulary):
    """Hits of each pair (reference_of[p], summary_of[p]): int64 [pairs]; a null summary gives 0."""
    out = np.zeros(len(reference_of), np.int64)
    longest, other = longest_text(references), longest_text(summaries)
    union = Union(
        make_masks(vocabulary, min(longest, 64 * PLACE_WORDS), 0), np.empty(ROOM, np.uint64),
        np.zeros(PLACE_WORDS, np.uint64), make_long(vocabulary, longest, other),
    )  # fmt: skip
    kept = _make_kept(references, vocabulary), _make_kept(summaries, vocabulary)
    _all_hits(references, reference_of, summaries, summary_of, kept, union, out)
    return out


@inlined
def _make_kept(texts, vocabulary):
    most = np.int64(0)
    for t in range(len(texts.sentence)):
        most = max(most, texts.sentence[t, 1] - texts.sentence[t, 0])
    return Kept(
        np.empty(longest_text(texts) + 1, np.int64), np.empty(most + 1, np.int64), np.zeros(vocabulary + 2, np.int32)
    )


@inlined
def _all_hits(references, reference_of, summaries, summary_of, kept, union, out):
    references, summaries, out = borrowed(references), borrowed(summaries), borrowed(out)
    reference_of, summary_of = borrowed(reference_of), borrowed(summary_of)
    kept, union = borrowed(kept), borrowed(union)
    for p in range(len(out)):
        if summaries.text[summary_of[p], 0] != NULL:
            out[p] = _pair_hits(references, reference_of[p], summaries, summary_of[p], kept[0], kept[1], union)


@inlined
def longest_text(texts):
    longest = np.int64(0)
    for t in range(len(texts.text)):
        longest = max(longest, texts.text[t, 1] - texts.text[t, 0])
    return longest


@inlined
def count_tokens(ids, span, counts, step):
    """Count a text's tokens (step 1) or zero its counts (step 0)."""
    for i in range(span[0], span[1]):
        counts[ids[i] + 1] = counts[ids[i] + 1] + 1 if step else 0


@inlined
def _pair_hits(references, reference, summaries, summary, base, target, union):
    count_tokens(summaries.ids, summaries.text[summary], target.left, 1)
    target.left[0] = 0
    size = _keep_reference(references, reference, base, target.left)
    widest = _keep_summary(summaries, summary, target, base.left)
    many, hits, start = references.sentence[reference, 1] - references.sentence[reference, 0], np.int64(0), np.int64(0)
    for s in range(many):
        stop = base.stops[s]
        words = width_of(stop - start)
        if stop - start > 64 * PLACE_WORDS or words * widest > ROOM:
            hits += _long_hits(start, stop, summaries.sentence[summary], base, target, union.long)
        elif stop > start:
            hits += _sentence_hits(start, stop, words, summaries.sentence[summary], base, target, union)
        start = stop
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
    """Keep the tokens of a summary that the reference has, and 0 for each run of others in a sentence; returns how many the
    longest sentence has."""
    size, start, widest = np.int64(0), texts.text[t, 0], np.int64(0)
    for s in range(texts.sentence[t, 0], texts.sentence[t, 1]):
        before, last = np.int64(0), size
        for i in range(start, texts.stops[s]):
            entry = np.int64(texts.ids[i]) + 1
            entry = entry if found[entry] > 0 else np.int64(0)
            target.entries[size] = entry
            size += np.int64(entry + before > 0)
            before = entry
        start = texts.stops[s]
        target.stops[s - texts.sentence[t, 0]] = size
        widest = max(widest, size - last)
    return widest


@inlined
def _sentence_hits(start, stop, words, sentences, base, target, union):
    """Hits of one reference sentence, base.entries[start:stop], with all sentences of the summary."""
    united, first = union.united, np.int64(0)
    united[:words] = U0
    set_masks(base.entries, start, stop, words, union.masks)
    for s in range(sentences[1] - sentences[0]):
        last = target.stops[s]
        _rows_of_width(words, first, last, target.entries, union)
        _backtrack(first, last, stop - start, words, target.entries, union)
        first = last
    clear_masks(stop - start, words, union.masks)
    hits = np.int64(0)
    for w in range(words):
        bits = united[w]
        while bits != U0:
            hits += _use(base.entries[start + 64 * w + trailing_zeros(bits)], base.left, target.left)
            bits &= bits - U1
    return hits


@inlined
def _use(entry, left, other):
    """1 if both texts have an unused occurrence, which is used."""
    counts = np.int64(left[entry] > 0) & np.int64(other[entry] > 0)
    left[entry] -= counts
    other[entry] -= counts
    return counts


@inlined
def _rows_of_width(words, first, last, entries, union):
    if words == 1:
        _rows(zero(1), first, last, entries, union)
    elif words == 2:
        _rows(zero(2), first, last, entries, union)
    elif words == 3:
        _rows(zero(3), first, last, entries, union)
    elif words == 4:
        _rows(zero(4), first, last, entries, union)
    elif words == 6:
        _rows(zero(6), first, last, entries, union)
    else:
        _rows(zero(8), first, last, entries, union)


@inlined
def _rows(nothing, first, last, entries, union):
    """The row of bits after each token of the summary sentence entries[first:last]."""
    row, width = complement(nothing), 8 * words_in(nothing)
    bits, to = union.masks.masks.ctypes.data, union.rows.ctypes.data
    for j in range(first, last):
        common = row & load(nothing, bits + width * entries[j])
        row = (row + common) | (row ^ common)
        store(row, to + width * (j - first))


@inlined
def _backtrack(first, last, size, words, entries, union):
    """Mark the places of the LCS: from the last token on, the highest place below the one before where the token stands,
    which is taken, or where its row grows."""
    united, bits, rows, width = union.united, union.masks.masks.ctypes.data, union.rows.ctypes.data, 8 * words
    for j in range(last - 1, first - 1, -1):
        if size == 0:
            return
        w, limit = (size - 1) >> 6, ONES >> (U63 - np.uint64((size - 1) & 63))
        mask = load_word(bits + width * entries[j] + 8 * w)
        found = (mask | ~load_word(rows + width * (j - first) + 8 * w)) & limit
        while found == U0 and w > 0:
            w -= 1
            mask = load_word(bits + width * entries[j] + 8 * w)
            found = mask | ~load_word(rows + width * (j - first) + 8 * w)
        if found == U0:
            return
        place = 63 - leading_zeros(found)
        taken = mask & (U1 << np.uint64(place))
        united[w] |= taken
        size = 64 * w + place + np.int64(taken == U0)


@inlined
def _long_hits(start, stop, sentences, base, target, long):
    """As `_sentence_hits`, for sentences too long for it."""
    first, hits = np.int64(0), np.int64(0)
    learn_long(base.entries, start, stop, long)
    for s in range(sentences[1] - sentences[0]):
        last = target.stops[s]
        if last > first:
            unite_long(base.entries, start, stop, target.entries, first, last, long)
        first = last
    for i in range(start, stop):
        if long.united[i - start]:
            hits += _use(base.entries[i], base.left, target.left)
    forget_long(base.entries, start, stop, long)
    return hits
