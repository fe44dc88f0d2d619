"""Pieces of a local SentencePiece model, as sacreBLEU's `flores101` and `flores200` cut. Nothing is fetched."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gistmark_engine.errors import OptionError

PREFIX = "spm:"


def label(name: str) -> str:
    """`spm:FILE` as a signature shows it: the file's name and the first digits of its SHA-256; OptionError without it."""
    path = Path(name.removeprefix(PREFIX))
    if not path.is_file():
        raise OptionError(f"tokenizer 'spm:FILE' needs a SentencePiece model file; there is none at {str(path)!r}")
    return f"{PREFIX}{path.name}@{hashlib.sha256(path.read_bytes()).hexdigest()[:8]}"


def cut_pieces(texts: Sequence[str], name: str, label: str) -> list[list[str]]:
    """The pieces of each text under the model that `name` says and `label` identifies, all in one call.

    The call leaves Python alone, so that ranges of rows run on threads beside each other.
    """
    stripped = [text.rstrip() for text in texts]
    pieces = _processor(name.removeprefix(PREFIX), label).encode(stripped, out_type=str, num_threads=1)
    return [" ".join(cut).split() for cut in pieces]


@functools.cache
def _processor(path: str, label: str) -> Any:
    from sentencepiece import SentencePieceProcessor

    return SentencePieceProcessor(model_file=path)
