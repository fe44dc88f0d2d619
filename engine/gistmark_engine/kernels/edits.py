"""Edits with block shifts between two token sequences: the numerator of the translation edit rate, one pair in loops.

Tercom's greedy search as sacreBLEU 2.6.0 runs it (Snover et al., AMTA 2006, section 2): as long as it lowers the edit
distance, move the block of the hypothesis whose move lowers it most. The edit distance looks only at a band around the
pseudo-diagonal. A move leaves the rows above and below the words it touches as they were, so only those between are
computed again: `cost` holds the distances of prefixes, `rest` those of suffixes, and a row of each meet in the middle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.jit import inlined

Ids = NDArray[np.int32]

MAX_SHIFT_SIZE, MAX_SHIFT_DISTANCE, MAX_CANDIDATES, BAND = 10, 50, 1000, 25
FAR = np.int32(1 << 29)


class Board(NamedTuple):
    """n words, their m reference tokens, and the band: row i has the columns first[i]..stop[i].

    In each table, int32[n + 1, width], column j of row i lies at j - first[i] + 1; whatever is outside the band is FAR.
    """

    words: Ids
    reference: Ids
    first: Ids
    stop: Ids
    cost: Ids  # distance of the first i words to the first j reference tokens
    rest: Ids  # distance of the words from i on to the reference tokens from j on
    trial: Ids  # as cost, of shifted words
    moved: Ids  # shifted words


@inlined
def shift_edits(hypothesis, reference):
    """Insertions, deletions, substitutions and block shifts that turn the hypothesis into the reference."""
    if len(hypothesis) == 0 or len(reference) == 0:
        return len(hypothesis) + len(reference)
    board = set_up(hypothesis, reference)
    shifts, candidates = 0, 0
    while True:
        fill(board)
        gain, start, length, target, candidates = best_shift(board, candidates)
        if candidates >= MAX_CANDIDATES or gain <= 0:
            return shifts + np.int64(board.rest[0, 1])
        board.words[:] = shifted(board, start, length, target)
        shifts += 1


@inlined
def set_up(hypothesis, reference):
    """The board of a pair: its band, 25 columns to either side or as many as keep successive rows overlapping."""
    n, m = len(hypothesis), len(reference)
    ratio = m / n
    half = math.ceil(ratio / 2 + BAND) if ratio / 2 > BAND else BAND
    first, stop = np.zeros(n + 1, np.int32), np.full(n + 1, m + 1, np.int32)
    for i in range(1, n + 1):
        diagonal = math.floor(i * ratio)
        first[i] = max(0, diagonal - half)
        if i < n:
            stop[i] = min(m + 1, diagonal + half)
    width = 2 * half + math.ceil(ratio) + 4
    stop[0] = min(m + 1, width - 2)
    cost, rest = np.full((n + 1, width), FAR, np.int32), np.full((n + 1, width), FAR, np.int32)
    cost[0, 1 : stop[0] + 1] = np.arange(stop[0])
    return Board(hypothesis.copy(), reference, first, stop, cost, rest, cost.copy(), hypothesis.copy())


@inlined
def fill(board):
    """Fill `cost` from the top and `rest` from the bottom."""
    n = len(board.words)
    for i in range(1, n + 1):
        fill_row(board, board.words, i, board.cost[i - 1], board.cost[i])
    for i in range(n, -1, -1):
        fill_rest(board, i)


@inlined
def fill_row(board, words, i, above, row):
    """Row i of the distances of prefixes of `words`, from the row above."""
    first, word = board.first[i], words[i - 1]
    skipped = first - board.first[i - 1]
    left = FAR
    for k in range(1, board.stop[i] - first + 1):
        best = min(above[k + skipped], left) + np.int32(1)
        j = first + k - 1
        if j > 0:
            best = min(best, above[k + skipped - 1] + np.int32(word != board.reference[j - 1]))
        row[k] = left = best


@inlined
def fill_rest(board, i):
    """Row i of the distances of suffixes, from the row below."""
    n, m = len(board.words), len(board.reference)
    right = FAR
    for j in range(board.stop[i] - 1, board.first[i] - 1, -1):
        best = np.int32(0) if i == n and j == m else right + np.int32(1)
        below = j - board.first[i + 1] + 1 if i < n else 0
        if i < n and below > 0:
            best = min(best, board.rest[i + 1, below] + np.int32(1))
        if i < n and below >= 0 and j < m:
            best = min(best, board.rest[i + 1, below + 1] + np.int32(board.words[i] != board.reference[j]))
        board.rest[i, j - board.first[i] + 1] = right = best


@inlined
def align(board):
    """Trace one cheapest rewriting back; of equal ones substitution goes before deletion, deletion before insertion.

    Returns per reference token the index of the word it is written over or behind, and per word and per reference token
    whether it is an error.
    """
    words, reference, first = board.words, board.reference, board.first
    i, j = len(words), len(reference)
    partner, wrong, missed = np.empty(j, np.int32), np.ones(i, np.int32), np.ones(j, np.int32)
    while i > 0:
        here, above = board.cost[i, j - first[i] + 1], j - first[i - 1] + 1
        if j > 0 and here == board.cost[i - 1, above - 1] + (words[i - 1] != reference[j - 1]):
            i, j = i - 1, j - 1
            partner[j] = i
            wrong[i] = missed[j] = words[i] != reference[j]
        elif here == board.cost[i - 1, above] + 1:
            i -= 1
        else:
            j -= 1
            partner[j] = i - 1
    partner[:j] = -1
    return partner, wrong, missed


@inlined
def best_shift(board, candidates):
    """The shift that lowers the distance most: (gain, start, length, target, candidates tried so far).

    A block may move if it equals a block of the reference at most 50 tokens away and both hold an error. Of equal gains
    the longest block, then the earliest start, then the earliest target wins.
    """
    partner, wrong, missed = align(board)
    best = (0, 0, 0, 0)  # gain, length, -start, -target
    n, m = len(board.words), len(board.reference)
    for start in range(n):
        for place in range(max(0, start - MAX_SHIFT_DISTANCE), min(m, start + MAX_SHIFT_DISTANCE + 1)):
            wrongs, misses = 0, 0
            for length in range(1, common_length(board, start, place) + 1):
                wrongs += wrong[start + length - 1]
                misses += missed[place + length - 1]
                if wrongs == 0 or misses == 0 or start <= partner[place] < start + length:
                    continue
                tried, found = best_target(board, partner, start, place, length)
                candidates += tried
                if found > best:
                    best = found
                if candidates >= MAX_CANDIDATES:
                    return best[0], -best[2], best[1], -best[3], candidates
    return best[0], -best[2], best[1], -best[3], candidates


@inlined
def common_length(board, start, place):
    """How many tokens, up to the longest block, are equal from `start` in the words and `place` in the reference."""
    limit = min(MAX_SHIFT_SIZE, len(board.words) - start, len(board.reference) - place)
    length = 0
    while length < limit and board.words[start + length] == board.reference[place + length]:
        length += 1
    return length


@inlined
def best_target(board, partner, start, place, length):
    """Try one block in every place its partners point to: (places tried, (gain, length, -start, -target) of the best)."""
    distance = np.int64(board.rest[0, 1])
    tried, before, best = 0, -1, (0, 0, 0, 0)
    for j in range(place - 1, place + length):
        target = partner[j] + 1 if j >= 0 else 0
        if target == before:
            continue
        before = target
        found = (distance - distance_after(board, start, length, target), length, -start, -target)
        if tried == 0 or found > best:
            best = found
        tried += 1
    return tried, best


@inlined
def distance_after(board, start, length, target):
    """The distance once the block has moved: new rows between the first and the last word it touches."""
    moved = shifted(board, start, length, target)
    top, bottom = min(start, target), block_stop(board, start, length, target)
    above = board.cost[top]
    for i in range(top + 1, bottom + 1):
        fill_row(board, moved, i, above, board.trial[i])
        above = board.trial[i]
    least = np.int64(2 * FAR)
    for k in range(1, board.stop[bottom] - board.first[bottom] + 1):
        least = min(least, np.int64(above[k] + board.rest[bottom, k]))
    return least


@inlined
def block_stop(board, start, length, target):
    """One past the last word that a shift touches.

    A target inside the block counts from the block's start in what is left once the block is taken out.
    """
    if target < start:
        return start + length
    return target if target > start + length else min(target + length, len(board.words))


@inlined
def shifted(board, start, length, target):
    """The words with `length` of them moved from `start` to before `target`, which counts the words before the move."""
    words, moved, stop = board.words, board.moved, block_stop(board, start, length, target)
    moved[:] = words
    block = words[start : start + length]
    if target < start:
        moved[target : target + length], moved[target + length : stop] = block, words[target:start]
    else:
        moved[start : stop - length], moved[stop - length : stop] = words[start + length : stop], block
    return moved
