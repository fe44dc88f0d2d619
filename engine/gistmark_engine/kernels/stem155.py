"""The stemmer of ROUGE-1.5.5 over bytes: Porter's of 1980 with its author's later changes, and one of Lin's in step 4.

Beside `kernels.stem` it lacks NLTK's additions (they → thei, died → di, sky → sky), and step 4 tries -ment after -ement and
-ent after both: statement → statem.
"""

from __future__ import annotations

from typing import Final

from gistmark_engine.jit import inlined, kernel
from gistmark_engine.kernels.stem import (
    ED_ING,
    EED,
    OLD,
    STEP_1A,
    STEP_1B,
    STEP_3,
    A,
    Bytes,
    E,
    I,
    Ints,
    L,
    O,
    S,
    U,
    W,
    X,
    Y,
    Z,
    _rules,
    ends_with,
    first_rule,
    has_vowel,
    is_consonant,
    measure,
    measured_step,
    rewrite,
    step_5b,
)

UNSTEMMED = 3
"""Tokens of up to this many bytes stay as they are."""

STEP_2: Final = _rules(
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize "
    "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log"
)
STEP_4: Final = _rules("al: ance: ence: er: ic: able: ible: ant: ement: ou: ism: ate: iti: ous: ive: ize:")
MENT: Final = _rules("ment:")
ENT_ION: Final = _rules("ent: s|ion:s t|ion:t")


@kernel
def stem_program_tokens(buffer: Bytes, offsets: Ints) -> Ints:
    """Stem every token `buffer[offsets[i]:offsets[i + 1]]` in place; returns the end of each stem, int64[tokens]."""
    ends = offsets[1:].copy()
    for i in range(len(ends)):
        if offsets[i + 1] - offsets[i] > UNSTEMMED:
            ends[i] = _stem(buffer, offsets[i], offsets[i + 1])
    return ends


@inlined
def _stem(buffer: Bytes, start: int, end: int) -> int:
    found = first_rule(buffer, start, end, STEP_1A)
    end = end if found < 0 else rewrite(buffer, end, STEP_1A[found])
    end = _step_1b(buffer, start, end)
    if buffer[end - 1] == Y and has_vowel(buffer, start, end - 1):
        buffer[end - 1] = I
    end = measured_step(buffer, start, end, STEP_2, 0)
    end = measured_step(buffer, start, end, STEP_3, 0)
    end = measured_step(buffer, start, end, STEP_4, 1)
    end = measured_step(buffer, start, end, MENT, 1)
    end = measured_step(buffer, start, end, ENT_ION, 1)
    return step_5b(buffer, start, _step_5a(buffer, start, end))


@inlined
def _step_1b(buffer: Bytes, start: int, end: int) -> int:
    """Past forms: agreed → agree, plastered → plaster, tried → tri, died → di."""
    if ends_with(buffer, start, end, EED[0]):
        return measured_step(buffer, start, end, EED, 0)
    found = first_rule(buffer, start, end, ED_ING)
    if found < 0 or not has_vowel(buffer, start, end - ED_ING[found, OLD]):
        return end
    return _mend(buffer, start, end - ED_ING[found, OLD])


@inlined
def _mend(buffer: Bytes, start: int, end: int) -> int:
    """What is left before -ed or -ing made a word again: conflat → conflate, hopp → hop, fil → file."""
    found = first_rule(buffer, start, end, STEP_1B)
    if found >= 0:
        return rewrite(buffer, end, STEP_1B[found])
    last = buffer[end - 1]
    if end - start >= 2 and last == buffer[end - 2] and last not in (A, E, I, O, U, Y, L, S, Z):
        return end - 1
    if measure(buffer, start, end) == 1 and _ends_cvc(buffer, start, end):
        buffer[end] = E
        return end + 1
    return end


@inlined
def _step_5a(buffer: Bytes, start: int, end: int) -> int:
    """Final e: probate → probat, cease → ceas, but rate → rate."""
    if buffer[end - 1] != E:
        return end
    m = measure(buffer, start, end - 1)
    return end - 1 if m > 1 or (m == 1 and not _ends_cvc(buffer, start, end - 1)) else end


@inlined
def _ends_cvc(buffer: Bytes, start: int, end: int) -> bool:
    """Porter's *o: consonant, vowel, consonant other than w, x, y."""
    if end - start < 3 or buffer[end - 1] in (W, X, Y):
        return False
    outer = is_consonant(buffer, start, end - 3) and is_consonant(buffer, start, end - 1)
    return outer and not is_consonant(buffer, start, end - 2)
