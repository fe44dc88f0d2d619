"""Porter's stemmer over bytes: one lower-case ASCII token, stemmed where it lies.

Equal to `nltk.stem.porter.PorterStemmer` in its default mode (NLTK_EXTENSIONS, nltk 3.10.4): Porter, "An algorithm for
suffix stripping", Program 14(3), 1980, with his later changes, NLTK's own and its table of irregular forms. Digits are
consonants. A stem is never longer than its token, so nothing is allocated.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.jit import inlined, kernel

Bytes = NDArray[np.uint8]
Ints = NDArray[np.int64]

A, E, I, L, O, S, U, W, X, Y, Z = (ord(letter) for letter in "aeilosuwxyz")  # noqa: E741

# A rule is a row of `WIDTH` numbers: length of the old ending, length of the new one, how many letters of the old one
# belong to the stem whose measure is asked for, then the letters of both endings.
OLD, NEW, KEPT, LETTERS, WIDTH = 0, 1, 2, 3, 20


def _rules(text: str) -> Ints:
    """Rules written `old:new`, a bar after those letters of `old` that count as part of the stem: `l|ogi:log`."""
    rows = np.zeros((len(text.split()), WIDTH), np.int64)
    for row, rule in zip(rows, text.split(), strict=True):
        old, new = rule.split(":")
        letters = (old.replace("|", "") + new).encode()
        row[:LETTERS] = len(letters) - len(new), len(new), max(old.find("|"), 0)
        row[LETTERS : LETTERS + len(letters)] = list(letters)
    return rows


IRREGULAR: Final = _rules(
    "skies:sky sky:sky dying:die lying:lie tying:tie news:news innings:inning inning:inning outings:outing "
    "outing:outing cannings:canning canning:canning howe:howe proceed:proceed exceed:exceed succeed:succeed"
)
STEP_1A: Final = _rules("sses:ss ies:i ss:ss s:")
STEP_1B: Final = _rules("at:ate bl:ble iz:ize")
ALLI: Final = _rules("alli:al")
STEP_2: Final = _rules(
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble entli:ent eli:e ousli:ous ization:ize "
    "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble fulli:ful l|ogi:log"
)
STEP_3: Final = _rules("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
STEP_4: Final = _rules(
    "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: s|ion:s t|ion:t ou: ism: ate: iti: ous: ive: ize:"
)
IED: Final = _rules("ied:i")
EED: Final = _rules("eed:ee")
ED_ING: Final = _rules("ed: ing:")


@inlined
def stem_token(buffer: Bytes, start: int, end: int) -> int:
    """Stem the token `buffer[start:end]` in place and return the stem's end.

    buffer  uint8; the token holds only a-z and 0-9 and may have any length
    returns an end in [start, end]; of `buffer` nothing outside [start, end) changes
    """
    found = first_rule(buffer, start, end, IRREGULAR)
    if found >= 0 and end - start == IRREGULAR[found, OLD]:
        return rewrite(buffer, end, IRREGULAR[found])
    if end - start <= 2:
        return end
    end = step_1a(buffer, start, end)
    end = step_1b(buffer, start, end)
    end = step_1c(buffer, start, end)
    end = step_2(buffer, start, end)
    end = measured_step(buffer, start, end, STEP_3, 0)
    end = measured_step(buffer, start, end, STEP_4, 1)
    end = step_5a(buffer, start, end)
    return step_5b(buffer, start, end)


@kernel
def stem_tokens(buffer: Bytes, offsets: Ints) -> Ints:
    """Stem every token `buffer[offsets[i]:offsets[i + 1]]` in place; returns the end of each stem, int64[tokens]."""
    ends = np.empty(len(offsets) - 1, np.int64)
    for i in range(len(ends)):
        ends[i] = stem_token(buffer, offsets[i], offsets[i + 1])
    return ends


@inlined
def step_1a(buffer: Bytes, start: int, end: int) -> int:
    """Plurals: caresses → caress, ponies → poni, cats → cat; ties → tie, because it has four letters."""
    found = first_rule(buffer, start, end, STEP_1A)
    if found < 0:
        return end
    if found == 1 and end - start == 4:
        return end - 1
    return rewrite(buffer, end, STEP_1A[found])


@inlined
def step_1b(buffer: Bytes, start: int, end: int) -> int:
    """Past forms: agreed → agree, plastered → plaster, motoring → motor; tried → tri, but died → die."""
    if ends_with(buffer, start, end, IED[0]):
        return end - 1 if end - start == 4 else rewrite(buffer, end, IED[0])
    if ends_with(buffer, start, end, EED[0]):
        return measured_step(buffer, start, end, EED, 0)
    found = first_rule(buffer, start, end, ED_ING)
    if found < 0:
        return end
    stem = end - ED_ING[found, OLD]
    return mend(buffer, start, stem) if has_vowel(buffer, start, stem) else end


@inlined
def mend(buffer: Bytes, start: int, end: int) -> int:
    """What is left before -ed or -ing made a word again: conflat → conflate, hopp → hop, fil → file."""
    found = first_rule(buffer, start, end, STEP_1B)
    if found >= 0:
        return rewrite(buffer, end, STEP_1B[found])
    if ends_double_consonant(buffer, start, end):
        last = buffer[end - 1]
        return end if last in (L, S, Z) else end - 1
    if measure(buffer, start, end) == 1 and ends_cvc(buffer, start, end):
        buffer[end] = E
        return end + 1
    return end


@inlined
def step_1c(buffer: Bytes, start: int, end: int) -> int:
    """Final y after a consonant that is not the first letter: happy → happi, but enjoy, by."""
    if end - start > 2 and buffer[end - 1] == Y and is_consonant(buffer, start, end - 2):
        buffer[end - 1] = I
    return end


@inlined
def step_2(buffer: Bytes, start: int, end: int) -> int:
    """Double suffixes: predication → predicate; -alli first, so that operationalli → operational → operate."""
    end = measured_step(buffer, start, end, ALLI, 0)
    return measured_step(buffer, start, end, STEP_2, 0)


@inlined
def step_5a(buffer: Bytes, start: int, end: int) -> int:
    """Final e: probate → probat, cease → ceas, but rate → rate."""
    if end == start or buffer[end - 1] != E:
        return end
    m = measure(buffer, start, end - 1)
    if m > 1 or (m == 1 and not ends_cvc(buffer, start, end - 1)):
        return end - 1
    return end


@inlined
def step_5b(buffer: Bytes, start: int, end: int) -> int:
    """Final double l: controll → control, but roll → roll."""
    double = end - start >= 2 and buffer[end - 1] == L and buffer[end - 2] == L
    return end - 1 if double and measure(buffer, start, end - 1) > 1 else end


@inlined
def measured_step(buffer: Bytes, start: int, end: int, rules: Ints, above: int) -> int:
    """Apply the first rule whose old ending fits, if the measure of what stands before it is more than `above`."""
    found = first_rule(buffer, start, end, rules)
    if found < 0 or measure(buffer, start, end - rules[found, OLD] + rules[found, KEPT]) <= above:
        return end
    return rewrite(buffer, end, rules[found])


@inlined
def first_rule(buffer: Bytes, start: int, end: int, rules: Ints) -> int:
    """The first of `rules` whose old ending the token has, or -1."""
    for i in range(len(rules)):
        if ends_with(buffer, start, end, rules[i]):
            return i
    return -1


@inlined
def ends_with(buffer: Bytes, start: int, end: int, rule: Ints) -> bool:
    """Whether the token has the rule's old ending."""
    first = end - rule[OLD]
    if first < start:
        return False
    for i in range(rule[OLD]):
        if buffer[first + i] != rule[LETTERS + i]:
            return False
    return True


@inlined
def rewrite(buffer: Bytes, end: int, rule: Ints) -> int:
    """Put the rule's new ending in place of the old one, which the token has; returns the new end."""
    first = end - rule[OLD]
    for i in range(rule[NEW]):
        buffer[first + i] = rule[LETTERS + rule[OLD] + i]
    return int(first + rule[NEW])


@inlined
def is_vowel(letter: int, after_consonant: bool) -> bool:
    """Whether a letter is a vowel: a, e, i, o, u, and y after a consonant."""
    if letter == Y:
        return after_consonant
    return letter in (A, E, I, O, U)


@inlined
def measure(buffer: Bytes, start: int, end: int) -> int:
    """How often a consonant follows a vowel: Porter's m, 0 for tree, 1 for trees, 2 for private."""
    m = 0
    vowel = True  # so that a leading y is a consonant
    for i in range(start, end):
        before, vowel = vowel, is_vowel(buffer[i], not vowel)
        m += i > start and before and not vowel
    return m


@inlined
def has_vowel(buffer: Bytes, start: int, end: int) -> bool:
    """Whether the token has a vowel."""
    for i in range(start, end):
        if not is_consonant(buffer, start, i):
            return True
    return False


@inlined
def is_consonant(buffer: Bytes, start: int, at: int) -> bool:
    """Whether the letter at `at` is a consonant; a run of y alternates, from what stands before it."""
    first = at
    while first > start and buffer[first] == Y:
        first -= 1
    consonant = not is_vowel(buffer[first], False)
    return consonant == ((at - first) % 2 == 0)


@inlined
def ends_double_consonant(buffer: Bytes, start: int, end: int) -> bool:
    """Porter's *d: -tt, -ss; also -yy and -88."""
    return end - start >= 2 and buffer[end - 1] == buffer[end - 2] and is_consonant(buffer, start, end - 1)


@inlined
def ends_cvc(buffer: Bytes, start: int, end: int) -> bool:
    """Porter's *o: consonant, vowel, consonant other than w, x, y; or a whole token of vowel and consonant."""
    if end - start < 2 or is_consonant(buffer, start, end - 2) or not is_consonant(buffer, start, end - 1):
        return False
    last = buffer[end - 1]
    plain = last != W and last != X and last != Y
    return end - start == 2 or (plain and is_consonant(buffer, start, end - 3))
