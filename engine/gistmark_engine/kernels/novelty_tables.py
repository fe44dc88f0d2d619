"""How many n-grams of a summary its source lacks, and how many it repeats, counted in tables: for long summaries and orders
beyond those that bits of places serve."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.grams import add_gram, find_gram, gram_key, gram_shift


class GramTables(NamedTuple):
    """Per order k (row k): table and keys of the source's grams and of a summary's, and how often the summary has each.

    Entries of order 1 are token ids + 1; `source_has` counts those of the source. `own`, `theirs`: for each summary
    position its gram's entry in the summary's table and in the source's (0: the source lacks it).
    """

    source_table: np.ndarray
    source_keys: np.ndarray
    source_has: np.ndarray
    table: np.ndarray
    keys: np.ndarray
    times: np.ndarray
    own: np.ndarray
    theirs: np.ndarray
    prefix: np.ndarray


@inlined
def make_gram_tables(vocabulary, summaries, sources, top):
    source_slots = np.int64(1) << (64 - gram_shift(sources))
    slots = np.int64(1) << (64 - gram_shift(summaries))
    return GramTables(
        np.empty((top + 1, source_slots), np.uint32), np.empty((top + 1, sources + 2), np.uint64),
        np.zeros(vocabulary + 2, np.int32),
        np.empty(slots, np.uint32), np.empty(summaries + 2, np.uint64), np.zeros(max(vocabulary, summaries) + 2, np.int32),
        np.empty(summaries + 1, np.int64), np.empty(summaries + 1, np.int64), np.empty(sources + 1, np.int64),
    )  # fmt: skip


@inlined
def learn_source(ids, start, stop, tables):
    """Number the source's grams of every order."""
    shift = gram_shift(stop - start)
    for i in range(start, stop):
        tables.source_has[ids[i] + 1] += 1
        tables.prefix[i - start] = ids[i] + 1
    for order in range(2, len(tables.source_table)):
        table, keys = tables.source_table[order], tables.source_keys[order]
        table[: np.int64(1) << (64 - shift)] = 0
        size = np.int64(0)
        for i in range(stop - start - order + 1):
            prefix, token = tables.prefix[i], np.int64(ids[start + i + order - 1]) + 1
            tables.prefix[i] = 0
            if prefix > 0 and token > 0:
                tables.prefix[i], size = add_gram(gram_key(prefix, token), table, shift, keys, size)


@inlined
def forget_source(ids, start, stop, tables):
    for i in range(start, stop):
        tables.source_has[ids[i] + 1] = 0


@inlined
def novelty_by_tables(ids, summary, summary_stop, orders, by_token, parity, tables, source_length, out):
    """out[2k], out[2k + 1]: novel and repeated share of the summary's grams of orders[k], left as they are (NaN) where
    it has none; 0.0 then under `parity`."""
    length, asked = summary_stop - summary, 0
    for i in range(length):
        entry = np.int64(ids[summary + i]) + 1
        tables.own[i] = entry
        tables.theirs[i] = entry if tables.source_has[entry] > 0 else 0
    for order in range(1, orders[-1] + 1 if len(orders) else 1):
        grams = max(length - order + 1, 0)
        if order > 1:
            _extend(ids, summary, grams, order, gram_shift(length), gram_shift(source_length), tables)
        if orders[asked] == order:
            if grams > 0:
                out[2 * asked], out[2 * asked + 1] = _shares(grams, by_token, tables)
            elif parity:
                out[2 * asked], out[2 * asked + 1] = 0.0, 0.0
            asked += 1


@inlined
def _extend(ids, summary, grams, order, shift, source_shift, tables):
    """Turn the summary's gram entries of order - 1 into those of `order`."""
    tables.table[: np.int64(1) << (64 - shift)] = 0
    size = np.int64(0)
    for i in range(grams):
        token = np.int64(ids[summary + i + order - 1]) + 1
        theirs = np.int64(0)
        if tables.theirs[i] > 0 and tables.source_has[token] > 0:
            key = gram_key(tables.theirs[i], token)
            _, theirs = find_gram(key, tables.source_table[order], source_shift, tables.source_keys[order])
        tables.theirs[i] = theirs
        tables.own[i], size = add_gram(gram_key(tables.own[i], token), tables.table, shift, tables.keys, size)


@inlined
def _shares(grams, by_token, tables):
    """(novel, repeated) shares: of distinct grams, or novel of all occurrences."""
    distinct, novel, repeated, absent = 0, 0, 0, 0
    for i in range(grams):
        entry = tables.own[i]
        tables.times[entry] += 1
        if tables.times[entry] == 1:
            distinct += 1
            novel += tables.theirs[i] == 0
        elif tables.times[entry] == 2:
            repeated += 1
        absent += tables.theirs[i] == 0
    for i in range(grams):
        tables.times[tables.own[i]] = 0
    return absent / grams if by_token else novel / distinct, repeated / distinct
