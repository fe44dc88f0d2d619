"""Words by number where tokens are characters: a word is a path of characters through the gram table.

For chrF++, which compares characters and words of the same texts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.grams import add_gram, find_gram, gram_key, gram_shift


class Words(NamedTuple):
    """Spans [rows, 2] and [references, 2] in `ids`, int32; -1 is a word that no text it is compared with has."""

    ids: np.ndarray
    summary: np.ndarray
    reference: np.ndarray
    vocabulary: int


@kernel
def number_words(cut, groups):
    """The words of all summaries and references of a cut by characters whose sentences are words."""
    words = Words(
        np.empty(len(cut.sentence_stops), np.int32),
        np.zeros_like(cut.summary),
        np.zeros_like(cut.reference),
        np.int64(0),
    )
    count, vocabulary = np.int64(0), np.int64(0)
    for g in range(len(groups.offsets) - 1):
        room = _reference_characters(cut, g)
        shift = gram_shift(room)
        table, keys = np.zeros(np.int64(1) << (64 - shift), np.uint32), np.empty(room + 2, np.uint64)
        size = np.int64(0)
        for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
            first = count
            count, size = _number_text(
                cut, cut.reference[k], cut.reference_sentences[k], True, table, keys, shift, size, words.ids, count
            )
            words.reference[k, 0], words.reference[k, 1] = first, count
        for m in range(groups.offsets[g], groups.offsets[g + 1]):
            row, first = groups.members[m], count
            count, size = _number_text(
                cut, cut.summary[row], cut.summary_sentences[row], False, table, keys, shift, size, words.ids, count
            )
            words.summary[row, 0], words.summary[row, 1] = first, count
        vocabulary = max(vocabulary, size)
    return Words(words.ids, words.summary, words.reference, vocabulary)


@inlined
def _reference_characters(cut, g):
    count = np.int64(0)
    for k in range(cut.reference_offsets[g], cut.reference_offsets[g + 1]):
        count += cut.reference[k, 1] - cut.reference[k, 0]
    return count


@inlined
def _number_text(cut, span, sentences, insert, table, keys, shift, size, ids, count):
    """Append the words of one text to `ids`; returns how many words and paths there are now."""
    start = span[0]
    for s in range(sentences[0], sentences[1]):
        stop = cut.sentence_stops[s]
        if stop > start:
            entry, size = _walk(cut.ids, start, stop, insert, table, keys, shift, size)
            ids[count] = entry - 1
            count += 1
        start = stop
    return count, size


@inlined
def _walk(ids, start, stop, insert, table, keys, shift, size):
    """(entry of the path of characters ids[start:stop], 0 if there is none and it is not to be made; paths so far)."""
    entry = np.int64(0)
    for i in range(start, stop):
        if ids[i] < 0:
            return np.int64(0), size
        key = gram_key(entry, np.int64(ids[i]) + 1)
        if insert:
            entry, size = add_gram(key, table, shift, keys, size)
        else:
            _, entry = find_gram(key, table, shift, keys)
            if entry == 0:
                break
    return entry, size
