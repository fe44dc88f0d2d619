"""Texts longer than a model takes, in overlapping windows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from gistmark.models.pieces import Inputs, Pieces
from gistmark.models.ragged import Ints, Ragged, bounds_of


@dataclass(frozen=True, slots=True)
class Parts:
    """What a model reads of texts, and which of its output is theirs.

    inputs  a row a part; a text has one part or, in windows, several
    text    int64 (parts,): whose part it is
    skip    int64 (parts,): how many of its tokens another part stands in for
    keep    int64 (parts,): how many tokens after those are taken
    at      int64 (parts,): where in the text the tokens taken belong
    whole   the texts with their special tokens, as long as their parts together
    """

    inputs: Inputs
    text: Ints
    skip: Ints
    keep: Ints
    at: Ints
    whole: Ragged


def single(pieces: Pieces, bodies: Ragged) -> Parts:
    """Every text as one part, cut where the model takes no more."""
    inputs = pieces.single(bodies)
    rows = np.arange(len(bodies))
    none = np.zeros_like(rows)
    return Parts(inputs, rows, none, inputs.ids.lengths, none, inputs.ids)


def windowed(pieces: Pieces, bodies: Ragged) -> Parts:
    """Texts that do not fit as windows at half a window's distance, the last at the text's end; a token is taken from
    the window in which it stands nearer to the middle."""
    room, prefix, suffix = pieces.room, len(pieces.prefix), len(pieces.suffix)
    lengths = bodies.lengths
    counts = np.where(lengths <= room, 1, 1 - (room - lengths) // max(room // 2, 1))  # windows of each text
    text = np.repeat(np.arange(len(bodies)), counts)
    nth = np.arange(len(text)) - bounds_of(counts)[text]
    last = nth == counts[text] - 1
    start = np.where(last, np.maximum(lengths[text] - room, 0), nth * (room // 2))
    stop = np.minimum(start + room, lengths[text])
    low = np.where(nth == 0, 0, (start + np.roll(stop, 1)) // 2)  # the middle of what it shares with the one before
    high = np.where(last, stop, np.roll(low, -1))
    cut = bodies.slices(text, start, stop - start)
    inputs = pieces.single(cut)
    keep = high - low + np.where(nth == 0, prefix, 0) + np.where(last, suffix, 0)
    skip = np.where(nth == 0, 0, prefix + low - start)
    at = np.where(nth == 0, 0, prefix + low)
    return Parts(inputs, text, skip, keep, at, pieces.around(bodies))
