"""Rows of text to rows of characters: every character is a token, white space left out or not.

An ASCII character is its own number; any other gets the next one where it is first met, and keeps it for all rows.
"""

from __future__ import annotations

import numpy as np

from gistmark_engine.intrinsics import borrowed
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.letters import ASCII, Page, Pen, read_letters
from gistmark_engine.kernels.records import NULL, Cut
from gistmark_engine.kernels.scratch import SLACK, count_references, nth_text, room


@kernel
def cut_characters(rows, groups, rules, numbers):
    """Cut all texts into characters; returns (cut, whether every text was UTF-8).

    `numbers` is int32 zeros, one for each code point, and is so again afterwards.
    """
    count, shared = len(rows.reference_first), len(groups.offsets) - 1
    _, total = room(rows, groups)
    slots = count + shared + count_references(rows, groups)
    text, sentence = np.full((slots, 2), NULL, np.int64), np.full((slots, 2), NULL, np.int64)
    offsets = np.zeros(shared + 1, np.int64)
    page = Page(
        np.empty(total + SLACK, np.int32),
        np.empty(total + 3 if rules.sentences else 1, np.int64),
        numbers,
        np.empty(min(total, len(numbers)), np.int32),
        np.empty(64, np.uint8),
        np.empty(64, np.uint8),
    )
    page.stops[0] = 0
    pen = _read(rows, groups, rules, page, text, sentence, offsets)
    for k in range(pen.numbers - ASCII):
        numbers[page.points[k]] = 0
    last = count + shared + offsets[shared]
    cut = Cut(
        page.ids[: max(pen.ids, 0) + SLACK], page.stops[: pen.stops], text[:count], sentence[:count],
        text[count : count + shared], sentence[count : count + shared],
        offsets, text[count + shared : last], sentence[count + shared : last], np.full(shared, pen.numbers, np.int64),
    )  # fmt: skip
    return cut, pen.ids >= 0


@inlined
def _read(rows, groups, rules, page, text, sentence, offsets):
    """Fill the spans: summaries by row, sources by group, references; stops at a text that is not UTF-8."""
    rows, groups, rules, page = borrowed(rows), borrowed(groups), borrowed(rules), borrowed(page)
    text, sentence, offsets = borrowed(text), borrowed(sentence), borrowed(offsets)
    pen = Pen(np.int64(0), np.int64(1), np.int64(ASCII), False)
    count, shared = len(rows.reference_first), len(groups.offsets) - 1
    slot = count + shared
    for g in range(shared):
        members, row = groups.offsets[g + 1] - groups.offsets[g], groups.members[groups.offsets[g]]
        many = rows.reference_last[row] - rows.reference_first[row]
        for step in range(many + members + 1):
            t, place = nth_text(step, many, slot, g, rows, groups)
            if t < 0 or rows.start[t] == NULL:
                continue
            before = pen
            pen = read_letters(t, pen, rows, rules, page)
            if pen.ids < 0:
                return pen
            text[place, 0], text[place, 1] = before.ids, pen.ids
            sentence[place, 0], sentence[place, 1] = before.stops, pen.stops
            slot += np.int64(step < many)
        offsets[g + 1] = slot - count - shared
    return pen
