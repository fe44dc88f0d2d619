"""Coverage, density, compression, novelty and repetition of summaries against their sources."""

from __future__ import annotations

import numpy as np

from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.copying import make_copying, way_of
from gistmark_engine.kernels.fragments import SINGLES, copied, forget_places, learn_places
from gistmark_engine.kernels.lcs import make_masks
from gistmark_engine.kernels.novelty import novelty_by_places
from gistmark_engine.kernels.novelty_tables import forget_source, learn_source, make_gram_tables, novelty_by_tables
from gistmark_engine.kernels.places import PLACE_WORDS, fits_places
from gistmark_engine.kernels.spans import longest
from gistmark_engine.metric import STATUS

OK, EMPTY_SUMMARY, EMPTY_SOURCE = STATUS["ok"], STATUS["empty_summary"], STATUS["empty_source"]
TOO_SHORT = STATUS["too_short"]
COVERAGE, DENSITY, COMPRESSION, SUMMARY_LENGTH, GRAMS = range(5)


@kernel
def datastats(cut, groups, orders, scan, by_token, parity):
    """float64 [4 + 2 · orders + 1, rows]: coverage, density, compression, length, novelty and repetition of every order
    of n-gram in turn, status; NaN for null (rows with a null text are not looked at).

    orders  ascending n-gram orders; `scan`: NEWSROOM or LONGEST; `by_token`: novelty by occurrences, not distinct n-grams
    parity  0.0 instead of null, as the reference implementations return or average it
    """
    out = np.full((GRAMS + 2 * len(orders) + 1, len(cut.summary)), np.nan)
    vocabulary, summaries, sources = _largest(cut)
    copying = make_copying(vocabulary, summaries, sources)
    tables = make_gram_tables(vocabulary, summaries, sources, orders[-1] if len(orders) else 1)
    masks = make_masks(vocabulary, min(summaries, 64 * PLACE_WORDS), 0)
    _all_rows(cut, groups, orders, scan, by_token, parity, copying, tables, masks, out)
    return out


@inlined
def _all_rows(cut, groups, orders, scan, by_token, parity, copying, tables, masks, out):
    """Every row, group by group: what a source needs is made once for all its summaries."""
    cut, groups, orders, out = borrowed(cut), borrowed(groups), borrowed(orders), borrowed(out)
    copying, tables, masks = borrowed(copying), borrowed(tables), borrowed(masks)
    top = orders[-1] if len(orders) else np.int64(1)
    for g in range(len(groups.offsets) - 1):
        start, stop = cut.source[g, 0], cut.source[g, 1]
        numbered = learn_places(cut.ids, start, stop, copying.places)
        ready, learned = SINGLES, False
        for m in range(groups.offsets[g], groups.offsets[g + 1]):
            row = groups.members[m]
            summary, summary_stop = cut.summary[row, 0], cut.summary[row, 1]
            way, ready = way_of(cut.ids, summary, summary_stop, start, stop, numbered, ready, copying)
            _row(cut.ids, summary, summary_stop, start, stop, numbered, scan, way, copying, parity, out[:, row])
            shares = out[GRAMS:, row]
            if fits_places(summary_stop - summary, top):
                novelty_by_places(cut.ids, summary, summary_stop, start, stop, orders, by_token, parity, masks, shares)
            else:
                if not learned:
                    learn_source(cut.ids, start, stop, tables)
                    learned = True
                novelty_by_tables(
                    cut.ids, summary, summary_stop, orders, by_token, parity, tables, stop - start, shares
                )
            out[len(out) - 1, row] = _status(summary_stop - summary, stop - start, orders)
        forget_places(cut.ids, start, numbered, copying.places)
        if learned:
            forget_source(cut.ids, start, stop, tables)


@inlined
def _largest(cut):
    """(ids, tokens of the longest summary, of the longest source)."""
    vocabulary = np.int64(0)
    for g in range(len(cut.vocabulary)):
        vocabulary = max(vocabulary, cut.vocabulary[g])
    return vocabulary, longest(cut.summary), longest(cut.source)


@inlined
def _row(ids, summary, summary_stop, start, stop, numbered, scan, way, copying, parity, out):
    """Coverage, density and compression of one summary."""
    length = summary_stop - summary
    out[SUMMARY_LENGTH] = length
    if length == 0:
        if parity:
            out[COVERAGE], out[DENSITY], out[COMPRESSION] = 0.0, 0.0, 0.0
        return
    count = copied(ids, summary, summary_stop, start, stop, numbered, scan, way, copying)
    total, squares = np.int64(0), np.int64(0)
    for k in range(count):
        total += copying.fragments.length[k]
        squares += copying.fragments.length[k] * copying.fragments.length[k]
    out[COVERAGE], out[DENSITY], out[COMPRESSION] = total / length, squares / length, (stop - start) / length


@inlined
def _status(summary, source, orders):
    if summary == 0:
        return EMPTY_SUMMARY
    if source == 0:
        return EMPTY_SOURCE
    return TOO_SHORT if len(orders) and summary < orders[-1] else OK
