"""Porter stems of words in any script, as NLTK 3.10.4 makes them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

REMEMBERED = 1 << 17
"""How many words' stems a process keeps, after which it starts anew: batches of a corpus share most of their words."""

_stems: dict[str, str] = {}


def stem_words(words: Sequence[str]) -> list[str]:
    """The stem of each word, in lower case: `nltk.stem.porter.PorterStemmer().stem`."""
    known = _stems
    new = [word for word in words if word not in known]
    found = dict(zip(new, _stemmed(new), strict=True)) if new else {}
    stems = [found[word] if word in found else known[word] for word in words]
    _remember(found)
    return stems


def _remember(found: dict[str, str]) -> None:
    """Keep stems for later calls; a full memory is replaced, never emptied, since other threads may be reading it."""
    global _stems
    if len(_stems) + len(found) > REMEMBERED:
        _stems = {}
    _stems.update(found)


def _stemmed(words: Sequence[str]) -> list[str]:
    """The stems themselves.

    The kernel stems bytes. Its rules rewrite endings of ASCII letters only; of another character they ask no more than
    whether it equals its neighbour, so that two bytes can stand for all of them.
    """
    from gistmark_engine.kernels.stem import stem_tokens

    lower = [word.lower() for word in words]
    narrow = [word.encode() if word.isascii() else _narrow(word) for word in lower]
    offsets = np.zeros(len(words) + 1, np.int64)
    np.cumsum([len(word) for word in narrow], out=offsets[1:])
    buffer = np.frombuffer(bytearray(b"".join(narrow)), np.uint8)
    ends = stem_tokens(buffer, offsets).tolist()
    text = buffer.tobytes()
    stems = [_widen(text[start:end], word) for word, start, end in zip(lower, offsets.tolist(), ends, strict=False)]
    return [low if len(word) <= 2 else stem for word, low, stem in zip(words, lower, stems, strict=True)]


def _narrow(word: str) -> bytes:
    """A byte a character: neighbours outside ASCII get equal bytes if and only if they are equal."""
    codes = bytearray()
    before = ""
    for character in word:
        if character.isascii():
            codes.append(ord(character))
        elif before.isascii():
            codes.append(0x80)
        else:
            codes.append(codes[-1] if character == before else codes[-1] ^ 1)
        before = character
    return bytes(codes)


def _widen(stem: bytes, word: str) -> str:
    """A stem in characters: up to its last byte outside ASCII it is the word's beginning."""
    kept = len(stem.rstrip(bytes(range(0x80))))
    return word[:kept] + stem[kept:].decode("ascii")
