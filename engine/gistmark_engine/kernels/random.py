"""A counter-based random generator: what is drawn depends on seed, stream and position alone, never on who drew before.

Philox-4x32-10 (Salmon et al. 2011, "Parallel random numbers: as easy as 1, 2, 3", section 4.3), so that replicates may
be computed in any order and on any number of threads and stay the same to the bit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.jit import inlined

_MASK = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_MULTIPLY = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_STEP = (np.uint64(0x9E3779B9), np.uint64(0xBB67AE85))


@inlined
def philox(key: np.uint64, stream: np.uint64, block: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Four 32-bit numbers for one 64-bit key and a 128-bit counter (`block` low, `stream` high)."""
    k0, k1 = key & _MASK, key >> _HALF
    c0, c1, c2, c3 = block & _MASK, block >> _HALF, stream & _MASK, stream >> _HALF
    for _ in range(10):
        p0, p1 = _MULTIPLY[0] * c0, _MULTIPLY[1] * c2
        c0, c1, c2, c3 = (p1 >> _HALF) ^ c1 ^ k0, p1 & _MASK, (p0 >> _HALF) ^ c3 ^ k1, p0 & _MASK
        k0, k1 = (k0 + _STEP[0]) & _MASK, (k1 + _STEP[1]) & _MASK
    return c0, c1, c2, c3


@inlined
def resample(seed: int, replicate: int, times: NDArray[np.int64]) -> None:
    """How many times a bootstrap replicate holds each of `times.size` things: as many draws with replacement.

    A draw is ⌊u·size / 2³²⌋ for a 32-bit u; its bias is below size/2³².
    """
    size = np.uint64(times.size)
    times[:] = 0
    for block in range((times.size + 3) // 4):
        four = philox(np.uint64(seed), np.uint64(replicate), np.uint64(block))
        for k in range(min(4, times.size - 4 * block)):
            times[np.int64((four[k] * size) >> _HALF)] += 1


@inlined
def exchange(seed: int, replicate: int, swapped: NDArray[np.bool_]) -> None:
    """Which of `swapped.size` pairs a replicate exchanges: each by one bit, so with probability ½."""
    for block in range((swapped.size + 127) // 128):
        four = philox(np.uint64(seed), np.uint64(replicate), np.uint64(block))
        for k in range(min(128, swapped.size - 128 * block)):
            swapped[128 * block + k] = (four[k >> 5] >> np.uint64(k & 31)) & np.uint64(1)
