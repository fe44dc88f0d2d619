"""Positions of set bits, as the CPU packs them where it can and as the loop writes them elsewhere."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numba import njit

from gistmark_engine.intrinsics import has_compress
from gistmark_engine.kernels import reading


@pytest.mark.parametrize("name", ["_unpack_bits", "_unpack_block"])
def test_positions_of_set_bits(name: str) -> None:
    if name == "_unpack_block" and not has_compress():
        pytest.skip("this CPU cannot pack the bytes of a block (AVX-512 VBMI2)")
    unpack: Any = getattr(reading, name)
    call: Any = njit(lambda bits, at, positions, count: unpack(bits, at, positions, count))
    rng = random.Random(0)
    blocks = [0, 1, 1 << 63, 2**64 - 1, *(rng.getrandbits(64) & rng.getrandbits(64) for _ in range(200))]
    for bits in blocks:
        positions = np.full(200, -1, np.int64)
        expected = [k + 128 for k in range(64) if bits >> k & 1]
        assert call(np.uint64(bits), 128, positions, 3) == 3 + len(expected)
        assert positions[3 : 3 + len(expected)].tolist() == expected
        assert positions[:3].tolist() == [-1, -1, -1]
