"""Numbers and choices written as text, read by a grammar that prefers no answer to a wrong one."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TypeVar

Spec = Mapping[str, object]
Number = int | float
T = TypeVar("T")

NUMBER = r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_SCALE = rf"(?:[ \t]*(?:/|out[ \t]+of|of)[ \t]*({NUMBER}))?"
_WHOLE = re.compile(rf"\s*({NUMBER}){_SCALE}\s*")
_DRESS = " \t\r\n*_`\"'“”‘’[]()"
# What may follow a number in prose without making it part of something longer: "4 claims", "4-5", "4+", "4,5" do not.
_END = r"(?=\s*$|[ \t]*[\n|(]|[.,;:!?)\]*_\"'`”’](?![ \t]*[0-9])|[ \t]+[-–—][ \t]+(?![0-9]))"
_GENERIC = ("score", "rating", "result", "grade", "verdict", "overall", "choice", "answer", "winner")
_CHOICE_WORD = r"(?:(?:response|answer|option|summary|choice|candidate)\s+)?"


def read_number(text: str, spec: Spec) -> tuple[Number | None, str]:
    """The number that `text` is as a whole ("4", "4/5", ".8", "8e-1", "6 out of 10"), or None and a reason."""
    found = _WHOLE.fullmatch(text)
    return _scaled(found[1], found[2], spec) if found else (None, "wrong_type")


def check_number(value: Number, spec: Spec) -> tuple[Number | None, str]:
    """`value` if the JSON Schema `spec` admits it (integral where it says integer, within bounds), or a reason."""
    if isinstance(value, float) and not math.isfinite(value):
        return None, "out_of_range"
    if spec.get("type") == "integer":
        if isinstance(value, float) and not value.is_integer():
            return None, "wrong_type"
        value = int(value)
    allowed = spec.get("enum")
    if isinstance(allowed, Sequence):
        return (value, "") if value in allowed else (None, "out_of_range")
    low, high = spec.get("minimum", -math.inf), spec.get("maximum", math.inf)
    return (value + 0, "") if low <= value <= high else (None, "out_of_range")  # type: ignore[operator]


def _scaled(text: str, scale: str | None, spec: Spec) -> tuple[Number | None, str]:
    """A number and the scale it was given on: "4/5" is 4 where 5 is the maximum, and nothing where it is not."""
    if scale is not None and float(scale) != spec.get("maximum"):
        return None, "wrong_scale"
    return check_number(float(text) + 0.0, spec)


def labelled_number(
    text: str, name: str, spec: Spec, alone: bool, texts: Collection[str] = (), kin: tuple[str, ...] = ()
) -> tuple[Number | None, str]:
    """The number that prose gives under the label `name`; `alone` admits general labels, but for `kin`, and a bare number.

    What stands in one of `texts` letter for letter, label and all, is a quotation.
    Several labelled numbers must agree. A parenthesised range after the label ("Rating (1-5): 3") is no number.
    """
    if alone:
        bare = text.strip(_DRESS).rstrip(".").strip(_DRESS)
        if _WHOLE.fullmatch(bare):
            return read_number(bare, spec)
    hits = _unquoted(_label(_names(name, alone, kin)).finditer(text), texts)
    found = [_scaled(hit[1], hit[2], spec) for hit in hits]
    return _agreed(found, "no_score")


@lru_cache(maxsize=256)
def _label(words: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(re.escape(word).replace("_", r"[_\s]") for word in words)
    close, gap = r"[\s*_\"'`”’\])]{0,6}", r"[\s*_\"'`“‘\[(]{0,6}"
    between = rf"{close}(?:\([^()\n]{{0,20}}\){close})?(?:(?:[:=–—]|-(?=\s)|is\s|of\s){gap}){{0,2}}{gap}"
    return re.compile(
        rf"(?<![\w-])(?:{names})(?=\W|_)(?:\s+(?:score|rating|grade))?{between}({NUMBER}){_SCALE}{_END}", re.IGNORECASE
    )


def _names(name: str, alone: bool, kin: tuple[str, ...]) -> tuple[str, ...]:
    return (name, *(word for word in _GENERIC if word not in kin)) if alone else (name,)


def read_choice(text: str, levels: Sequence[str]) -> str | None:
    """The one of `levels` that `text` is, whatever its case, emphasis or label word ("**Response B**")."""
    found = re.fullmatch(rf"{_CHOICE_WORD}({_alternatives(levels)})", text.strip(_DRESS + "."), re.IGNORECASE)
    return _level(found[1], levels) if found else None


def labelled_choice(
    text: str,
    name: str,
    levels: Sequence[str],
    alone: bool,
    texts: Collection[str] = (),
    kin: tuple[str, ...] = (),
) -> tuple[str | None, str]:
    """The one of `levels` that prose gives under the label `name`; several labelled choices must agree."""
    if alone and (whole := read_choice(text, levels)):
        return whole, ""
    names = "|".join(re.escape(word) for word in _names(name, alone, kin))
    gap = r"[\s*_\"'`“”‘’\[\]():=]{1,8}"
    pattern = rf"(?<![\w-])(?:{names}){gap}(?:is\s+)?{_CHOICE_WORD}({_alternatives(levels)}){_END}"
    hits = _unquoted(re.finditer(pattern, text, re.IGNORECASE), texts)
    return _agreed([(_level(hit[1], levels), "") for hit in hits], "no_choice")


def _unquoted(hits: Iterator[re.Match[str]], texts: Collection[str]) -> list[re.Match[str]]:
    return [hit for hit in hits if not any(hit[0] in text for text in texts)]


def _alternatives(levels: Sequence[str]) -> str:
    return "|".join(re.escape(level) for level in levels)


def _level(text: str, levels: Sequence[str]) -> str:
    return next(level for level in levels if level.casefold() == text.casefold())


def _agreed(found: list[tuple[T | None, str]], nothing: str) -> tuple[T | None, str]:
    """What all of `found` say; a reason where they say nothing, or different things."""
    if not found:
        return None, nothing
    return found[0] if all(item == found[0] for item in found) else (None, "ambiguous")
