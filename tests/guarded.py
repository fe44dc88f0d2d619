"""Scores texts that end, and texts that begin, at a page no one may touch: a read beyond a text kills the process.

Where guarded_malloc.c stands in for malloc, so does an access beyond any array that the kernels make themselves (by more than
the 80 bytes of alignment that Numba adds), and any to one that was freed. Run as a program: prints one JSON object: how many
texts and pages of guarded arrays there were, and the texts whose scores differ from those of plain copies.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

import gistmark as gm
from gistmark_engine.metric import Metric
from gistmark_engine.plan import score_batch

LIBC = ctypes.CDLL(None, use_errno=True)
PAGE = mmap.PAGESIZE


class Guarded:
    """Whole pages that can be written, between two that cannot be read."""

    def __init__(self, size: int) -> None:
        self.pages = -(-max(size, 1) // PAGE) * PAGE
        self.memory = mmap.mmap(-1, self.pages + 2 * PAGE)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self.memory)) + PAGE
        for guard in (self.start - PAGE, self.start + self.pages):
            if LIBC.mprotect(ctypes.c_void_p(guard), ctypes.c_size_t(PAGE), 0):
                raise OSError(ctypes.get_errno(), "mprotect")

    def text(self, text: str, *, at_end: bool) -> pa.Array:
        """One text as an Arrow array over these pages."""
        data = text.encode()
        address = self.start + (self.pages - len(data) if at_end else 0)
        ctypes.memmove(address, data, len(data))
        offsets = pa.array([0, len(data)], pa.int64()).buffers()[1]
        return pa.LargeStringArray.from_buffers(1, offsets, pa.foreign_buffer(address, len(data), base=self))


def metrics() -> list[Metric]:
    """Every kernel that reads texts."""
    names = ("datastats", "abstraction", "bleu", "chrfpp", "ter", "meteor", "meteor15")
    return [
        gm.metrics.rouge(("1", "2", "9", "L", "Lsum"), stem=True),
        gm.metrics.rouge(("1", "L"), tokenizer="word_lower", prefix="w_"),
        gm.metrics.rouge(("1", "L", "W", "SU4"), parity="rouge155", stem=True, prefix="program_"),
        *(getattr(gm.metrics, name)() for name in names),
    ]


def scored(summary: pa.Array, other: pa.Array, guard: Callable[[int], int] = lambda on: 0) -> dict[str, object]:
    """Every field on one row, with guarded arrays."""
    batch, every = pa.record_batch({"summary": summary, "references": other, "source": other}), metrics()
    guard(1)
    found: dict[str, object] = score_batch(batch, every, threads=1).to_pylist()[0]
    guard(0)
    return found


def main() -> None:
    warnings.simplefilter("ignore")
    lines = Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()
    texts = [json.loads(line)["text"] for line in lines]
    guard = getattr(LIBC, "guard", lambda on: 0)
    differ = []
    for row, summary in enumerate(texts):
        other = texts[(7 * row + 3) % len(texts)]
        wanted = scored(pa.array([summary], pa.large_string()), pa.array([other], pa.large_string()))
        for at_end in (True, False):
            ours, theirs = (Guarded(len(text.encode())).text(text, at_end=at_end) for text in (summary, other))
            if scored(ours, theirs, guard) != wanted:
                differ.append([row, at_end])
    print(json.dumps({"texts": len(texts), "differ": differ, "pages": guard(0)}))


if __name__ == "__main__":
    main()
