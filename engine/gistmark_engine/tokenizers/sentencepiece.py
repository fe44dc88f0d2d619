"""Pieces of a local SentencePiece model, as sacreBLEU's `flores101` and `flores200` cut. Nothing is fetched."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gistmark_engine.errors import MissingExtra, OptionError


@dataclass(frozen=True, slots=True)
class PieceModel:
    """A model file; `signature` names it and holds the first digits of its SHA-256."""

    path: str
    signature: str


def read_model(path: str) -> PieceModel:
    """The model at `path`; OptionError where there is none."""
    if not Path(path).is_file():
        raise OptionError(f"tokenizer 'spm:FILE' needs a SentencePiece model file; there is none at {path!r}")
    digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()[:8]
    return PieceModel(path, f"spm:{Path(path).name}@{digest}")


def cut_pieces(texts: Sequence[str], model: PieceModel) -> list[list[str]]:
    """The pieces of each text, all texts in one call on all cores."""
    pieces = _processor(model).encode(list(texts), out_type=str, num_threads=-1)
    return [" ".join(cut).split() for cut in pieces]


@functools.cache
def _processor(model: PieceModel) -> Any:
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError as error:
        raise MissingExtra("tokenizer 'spm:FILE'", "sentencepiece") from error
    return SentencePieceProcessor(model_file=model.path)
