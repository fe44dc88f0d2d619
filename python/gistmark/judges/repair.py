"""Mechanical repair of the JSON that language models nearly write, outside strings only.

Trailing commas go, Python's literals become JSON's, any pair of quotes becomes straight ones, raw line breaks inside
strings are escaped, an unquoted word becomes a string. Nothing is completed: text that was cut off stays unread.
"""

from __future__ import annotations

import json
import re

from gistmark.judges.numbers import NUMBER

_LITERALS = {"True": "true", "False": "false", "None": "null", "true": "true", "false": "false", "null": "null"}
_CLOSERS = {"“": "”", "„": "“”", "‘": "’", "'": "'", '"': '"'}
_WORD = re.compile(r"[^\s,:{}\[\]\"“”„‘’']+")
_NUMBER = re.compile(NUMBER)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_PAIRS = {"{": "}", "[": "]"}


def repaired_object(text: str, start: int) -> tuple[str | None, int]:
    """The JSON of the object that opens at `text[start]`, and where it ends.

    None beside the text's length where it never closes, beside less where its brackets do not match.
    """
    out: list[str] = []
    open_: list[str] = []
    at = start
    while at < len(text):
        piece, at = _next_piece(text, at)
        if piece is None:
            return None, len(text)
        if piece in _PAIRS:
            open_.append(_PAIRS[piece])
        elif piece in ("}", "]"):
            if open_.pop() != piece:
                return None, at
            if out[-1] == ",":
                out.pop()
        out.append(piece)
        if not open_:
            return "".join(out), at
    return None, len(text)


def _next_piece(text: str, at: int) -> tuple[str | None, int]:
    """The JSON spelling of the token at `text[at]`, white space skipped, and where the next one begins."""
    while at < len(text) and text[at].isspace():
        at += 1
    if at == len(text):
        return None, at
    mark = text[at]
    if mark in _CLOSERS:
        end = _string_end(text, at)
        return (None, len(text)) if end < 0 else (json.dumps(_unescaped(text[at + 1 : end])), end + 1)
    word = _WORD.match(text, at)
    return (_bare(word[0]), word.end()) if word else (mark, at + 1)


def _string_end(text: str, start: int) -> int:
    """Where the string that opens at `text[start]` closes, or -1. An apostrophe closes only before `,:}]`."""
    closers, at = _CLOSERS[text[start]], start + 1
    while at < len(text):
        if text[at] == "\\":
            at += 1
        elif text[at] in closers and (text[start] not in "'‘" or _ends_value(text, at + 1)):
            return at
        at += 1
    return -1


def _ends_value(text: str, at: int) -> bool:
    while at < len(text) and text[at].isspace():
        at += 1
    return at < len(text) and text[at] in ",:}]"


def _unescaped(body: str) -> str:
    return _ESCAPE.sub(lambda hit: chr(int(hit[1], 16)) if hit[1] else _ESCAPED.get(hit[2], hit[2]), body)


def _bare(word: str) -> str:
    """An unquoted word: a literal, a number if all of it is one, else a string."""
    if word in _LITERALS:
        return _LITERALS[word]
    return json.dumps(float(word)) if _NUMBER.fullmatch(word) else json.dumps(word)
