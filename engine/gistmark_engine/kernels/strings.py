"""Where the strings of an Arrow array lie, and how long they are: offsets or views and a bitmap, read in one pass."""

from __future__ import annotations

import numpy as np

from gistmark_engine.intrinsics import load_byte, load_half, load_word
from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.records import NULL

VIEW, INSIDE = 16, 12
"""Bytes of a view, and of the longest string that lies inside one."""


@kernel
def locate_strings(width, places, bitmap, shift, buffers, at, address, length):
    """Fill `address` and `length`, an element a string, the length of a null one NULL.

    width    4 or 8: bytes of each of the offsets that lie at `places`; 16: views lie there
    bitmap   where the bits of those that are not null lie, 0 if all are; `shift`: the array's first of places and bits
    buffers  int64, where the bytes lie, or each of the buffers that views name
    at       int64, which strings are wanted, -1 for a null; all of them in order if it is empty
    """
    for k in range(len(address)):
        place = at[k] if len(at) > 0 else np.int64(k)
        if place < 0 or _is_null(bitmap, shift + place):
            address[k], length[k] = 0, NULL
        elif width == VIEW:
            address[k], length[k] = _view(places + VIEW * (shift + place), buffers)
        else:
            start = _offset(places, width, shift + place)
            address[k], length[k] = buffers[0] + start, _length(places, width, shift + place)


@kernel
def add_lengths(width, places, bitmap, shift, sizes):
    """Add to each element of `sizes`, one a string, its bytes and one more; the others as in `locate_strings`."""
    for k in range(len(sizes)):
        if not _is_null(bitmap, shift + k):
            sizes[k] += _length(places, width, shift + k)
        sizes[k] += 1


@inlined
def _length(places, width, place):
    if width == VIEW:
        return load_half(places + VIEW * place)
    return _offset(places, width, place + 1) - _offset(places, width, place)


@inlined
def _is_null(bitmap, place):
    return bitmap != 0 and (load_byte(bitmap + (place >> 3)) >> np.uint64(place & 7)) & np.uint64(1) == 0


@inlined
def _offset(places, width, place):
    return load_half(places + 4 * place) if width == 4 else np.int64(load_word(places + 8 * place))


@inlined
def _view(view, buffers):
    """(address, length). A view is its length, then the string itself or a prefix, the number of a buffer and an offset."""
    length = load_half(view)
    if length <= INSIDE:
        return view + 4, length
    return buffers[load_half(view + 8)] + load_half(view + 12), length
