"""The Snowball stemmer for English (Porter2), as it stood when METEOR 1.5 took it in.

Later releases of Snowball changed it (add for adding, organiz for organized), NLTK's port differs in a few words more.
"""

from __future__ import annotations

VOWELS = frozenset("aeiouy")
DOUBLES = frozenset(("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt"))
LI_ENDINGS = frozenset("cdeghkmnrt")
IRREGULAR = {
    "skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie", "idly": "idl", "gently": "gentl",
    "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl",
} | {word: word for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")}  # fmt: skip
KEPT = frozenset(("inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"))

STEP_2 = {
    "tional": "tion", "enci": "ence", "anci": "ance", "abli": "able", "entli": "ent", "izer": "ize", "ization": "ize",
    "ational": "ate", "ation": "ate", "ator": "ate", "alism": "al", "aliti": "al", "alli": "al", "fulness": "ful",
    "ousli": "ous", "ousness": "ous", "iveness": "ive", "iviti": "ive", "biliti": "ble", "bli": "ble", "ogi": "og",
    "fulli": "ful", "lessli": "less", "li": "",
}  # fmt: skip
STEP_3 = {
    "tional": "tion", "ational": "ate", "alize": "al", "icate": "ic", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
    "ative": "",
}  # fmt: skip
STEP_4 = dict.fromkeys(
    "al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion".split(), ""  # noqa: SIM905
)  # fmt: skip
STEP_1B = {"eed": "ee", "eedly": "ee", "ed": "", "edly": "", "ing": "", "ingly": ""}


def stem_english(word: str) -> str:
    """The stem of a lower-case word."""
    if word in IRREGULAR:
        return IRREGULAR[word]
    if len(word) < 3:
        return word
    word = _marked(word)
    r1, r2 = _regions(word)
    word = _step_1a(_without(word, ("'s'", "'s", "'")))
    if word not in KEPT:
        word = _step_1c(_step_1b(word, r1))
        word = _step_2(word, r1)
        word = _step_3(word, r1, r2)
        word = _step_5(_step_4(word, r2), r1, r2)
    return word.replace("Y", "y")


def _marked(word: str) -> str:
    """Without an apostrophe in front, and with Y for every y that is a consonant."""
    letters = list(word.removeprefix("'"))
    if letters[0] == "y":
        letters[0] = "Y"
    for i in range(1, len(letters)):
        if letters[i] == "y" and letters[i - 1] in VOWELS:
            letters[i] = "Y"
    return "".join(letters)


def _regions(word: str) -> tuple[int, int]:
    """Where R1 and R2 begin."""
    first = next((len(start) for start in ("gener", "commun", "arsen") if word.startswith(start)), None)
    r1 = _region(word, 0) if first is None else first
    return r1, _region(word, r1)


def _region(word: str, start: int) -> int:
    """The place behind the first consonant after a vowel."""
    for i in range(start + 1, len(word)):
        if word[i] not in VOWELS and word[i - 1] in VOWELS:
            return i + 1
    return len(word)


def _without(word: str, endings: tuple[str, ...]) -> str:
    """The word without the first of these endings that it has."""
    for ending in endings:
        if word.endswith(ending):
            return word.removesuffix(ending)
    return word


def _longest(word: str, endings: dict[str, str]) -> str:
    """The longest of these endings that the word has, "" for none."""
    return max((ending for ending in endings if word.endswith(ending)), key=len, default="")


def _has_vowel(text: str) -> bool:
    return any(letter in VOWELS for letter in text)


def _ends_short(word: str) -> bool:
    """Whether the word ends in a short syllable."""
    if len(word) == 2:
        return word[0] in VOWELS and word[1] not in VOWELS
    return len(word) > 2 and (
        word[-3] not in VOWELS and word[-2] in VOWELS and word[-1] not in VOWELS and word[-1] not in "wxY"
    )


def _step_1a(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _step_1b(word: str, r1: int) -> str:
    ending = _longest(word, STEP_1B)
    stem = word.removesuffix(ending)
    if ending.startswith("eed"):
        return stem + "ee" if len(stem) >= r1 else word
    if not ending or not _has_vowel(stem):
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if stem[-2:] in DOUBLES:
        return stem[:-1]
    return stem + "e" if len(stem) <= r1 and _ends_short(stem) else stem


def _step_1c(word: str) -> str:
    return word[:-1] + "i" if len(word) > 2 and word[-1] in "yY" and word[-2] not in VOWELS else word


def _step_2(word: str, r1: int) -> str:
    ending = _longest(word, STEP_2)
    stem = word.removesuffix(ending)
    if not ending or len(stem) < r1 or (ending == "ogi" and not stem.endswith("l")):
        return word
    if ending == "li" and stem[-1:] not in LI_ENDINGS:
        return word
    return stem + STEP_2[ending]


def _step_3(word: str, r1: int, r2: int) -> str:
    ending = _longest(word, STEP_3)
    stem = word.removesuffix(ending)
    return stem + STEP_3[ending] if ending and len(stem) >= (r2 if ending == "ative" else r1) else word


def _step_4(word: str, r2: int) -> str:
    ending = _longest(word, STEP_4)
    stem = word.removesuffix(ending)
    return stem if ending and len(stem) >= r2 and (ending != "ion" or stem.endswith(("s", "t"))) else word


def _step_5(word: str, r1: int, r2: int) -> str:
    stem = word[:-1]
    if word.endswith("e") and (len(stem) >= r2 or (len(stem) >= r1 and not _ends_short(stem))):
        return stem
    return stem if word.endswith("ll") and len(stem) >= r2 else word
