"""n-grams by number: a gram of order k is its prefix gram of order k - 1 and one more token, and gets a dense id.

So every count over n-grams (overlap, novelty, repetition) is a count over integers, whatever the order. Entries are
ids + 1; 0 is "no such gram". `table` has 2**(64 - shift) slots, `keys[entry]` holds prefix entry << 32 | token entry.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.jit import inlined
from gistmark_engine.kernels.token import MIX_A, table_shift

U32 = np.uint64(32)


@inlined
def gram_shift(count):
    """The shift of a table that holds `count` grams at most a quarter full, half full beyond a thousand."""
    return table_shift(max(4 * count, 16) if count < 1024 else max(2 * count, 4096))


@inlined
def gram_key(prefix, token):
    return (np.uint64(prefix) << U32) | np.uint64(token)


@inlined
def find_gram(key, table, shift, keys):
    """(slot, entry) of a gram: its entry, or 0 and the free slot that is to hold it; `keys[0]` is the search's own."""
    last = (np.int64(1) << (64 - shift)) - 1
    slot = np.int64((key * MIX_A) >> np.uint64(shift))
    keys[0] = key
    while True:
        entry = np.int64(table[slot])
        if keys[entry] == key:
            return slot, entry
        slot = (slot + 1) & last


@inlined
def add_gram(key, table, shift, keys, size):
    """(entry, number of entries) of a gram, made if it is new."""
    slot, known = find_gram(key, table, shift, keys)
    new = known == 0
    size += np.int64(new)
    entry = size if new else known
    table[slot] = entry
    keys[entry] = key
    return entry, size
