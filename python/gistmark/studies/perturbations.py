"""Chains of ever more perturbed summaries, made without a model and the same for the same seed.

Every random choice comes from a generator of its own, seeded by (seed, perturbation, corpus, system, doc_id): adding a
document changes nothing of the others' except what may be drawn from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from random import Random
from typing import Any, Literal

import polars as pl

from gistmark.studies.documents import KEY
from gistmark.studies.edits import Edit, apply, lengthening, shortening, translating
from gistmark.studies.sentences import Splitter, splitter
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.ranks import Direction

Kind = Literal["rule", "proxy"]

EXPECTED: Mapping[str, Direction] = {
    "distractor": "decrease",
    "incremental": "increase",
    "lengthen": "stable",
    "shorten": "stable",
    "audience": "decrease",
    "persona_swap": "decrease",
}
GENERATORS: Mapping[str, Kind] = {
    "distractor": "rule",
    "incremental": "rule",
    "lengthen": "proxy",
    "shorten": "proxy",
    "audience": "proxy",
    "persona_swap": "rule",
}
CHAIN = {
    **dict.fromkeys(KEY, pl.String()),
    "perturbation": pl.String(),
    "generator": pl.String(),
    "seed": pl.Int64(),
    "level": pl.Int64(),
    "summary": pl.String(),
    "reader": pl.String(),
}
DROPPED = {**dict.fromkeys(KEY, pl.String()), "perturbation": pl.String(), "reason": pl.String()}


@dataclass(frozen=True, slots=True)
class Chains:
    """What was made and what could not be.

    table    one row a level: corpus, system, doc_id, perturbation, generator ("rule", "proxy" or a model's name),
             seed, level (0: unperturbed), summary, reader (doc_id whose query and persona apply)
    dropped  documents without a chain: their key, the perturbation and the reason
    """

    table: pl.DataFrame
    dropped: pl.DataFrame


@dataclass(frozen=True, slots=True)
class _Document:
    """A document as the perturbations see it."""

    key: tuple[str, str, str]
    sentences: list[str]
    glue: str
    reader: Any

    @property
    def text(self) -> str:
        return self.glue.join(self.sentences)


def chains(
    documents: pl.DataFrame,
    perturbations: Sequence[str],
    *,
    levels: int = 5,
    seed: int = 0,
    split: str = "newline",
    glossary: Mapping[str, str] | None = None,
) -> Chains:
    """A chain of summaries at levels 0 … `levels` for every document and perturbation.

    documents  what `gistmark.studies.documents.documents` returns
    split      how base texts become sentences: "newline", "punkt"; lists of sentences are taken as they are

    distractor    level k inserts k sentences of other documents of the corpus at random places; level k keeps what
                  level k − 1 inserted. Drawn from their base texts, without repetition
    incremental   level k is the first ⌈k·n/L⌉ of n sentences, level 0 empty, L = min(levels, n). One sentence: none
    lengthen, shorten, audience   proxies (`edits`): level k makes the first ⌈k·m/L⌉ of m edits, L = min(levels, m);
                  audience needs a glossary, term → plain words
    persona_swap  level 1 keeps the summary and takes query and persona of another document of the corpus
    """
    if levels < 1:
        raise OptionError(f"levels must be at least 1, not {levels}")
    for name in perturbations:
        if name not in EXPECTED:
            raise OptionError(f"unknown perturbation {name!r}; there are {', '.join(EXPECTED)}")
    if "audience" in perturbations and not glossary:
        raise OptionError('the proxy of "audience" needs a glossary, term → plain words; or give model rewrites')
    rows = _read(documents, splitter(split), "persona_swap" in perturbations)
    corpora: dict[str, list[_Document]] = {}
    for row in rows:
        corpora.setdefault(row.key[0], []).append(row)
    made: list[tuple[object, ...]] = []
    dropped: list[tuple[str, ...]] = []
    for name in perturbations:
        for row in rows:
            random = Random("/".join([str(seed), name, *row.key]))
            found = _chain(name, row, corpora[row.key[0]], levels, random, glossary or {})
            if isinstance(found, str):
                dropped.append((*row.key, name, found))
            else:
                made += [(*row.key, name, GENERATORS[name], seed, k, *level) for k, level in enumerate(found)]
    return Chains(pl.DataFrame(made, CHAIN, orient="row"), pl.DataFrame(dropped, DROPPED, orient="row"))


def _read(documents: pl.DataFrame, cut: Splitter, personal: bool) -> list[_Document]:
    """Documents with their sentences; `reader` is what a persona swap must change."""
    listed = isinstance(documents.schema["base"], pl.List)
    readers = [name for name in ("query", "persona") if name in documents.columns]
    if personal and "persona" not in readers:
        raise InputError("persona_swap needs a column of personas", column="persona")
    return [
        _Document(
            key=tuple(row[name] for name in KEY),
            sentences=[one for one in row["base"] if one and one.strip()] if listed else cut.split(row["base"]),
            glue=" " if listed else cut.glue,
            reader=[row[name] for name in readers],
        )
        for row in documents.iter_rows(named=True)
    ]


def _chain(
    name: str, row: _Document, corpus: Sequence[_Document], levels: int, random: Random, glossary: Mapping[str, str]
) -> list[tuple[str, str]] | str:
    """Summary and reader of every level, or why there is no chain."""
    if not row.sentences:
        return "no_sentence"
    own = row.key[-1]
    if name == "persona_swap":
        others = [other.key[-1] for other in corpus if other.reader != row.reader]
        return [(row.text, own), (row.text, random.choice(others))] if others else "no_other_persona"
    if name == "distractor":
        texts = _distractor(row, corpus, levels, random)
    elif name == "incremental":
        texts = _incremental(row, levels)
    elif name == "lengthen":
        texts = _edited(row.text, lengthening(row.sentences, row.glue, levels, random), levels)
    else:
        edits = shortening(row.text) if name == "shorten" else translating(row.text, glossary)
        texts = _edited(row.text, edits, levels)
    return texts if isinstance(texts, str) else [(text, own) for text in texts]


def _distractor(row: _Document, corpus: Sequence[_Document], levels: int, random: Random) -> list[str] | str:
    """The text with one more strange sentence at every level."""
    strange = {one for other in corpus if other.key[-1] != row.key[-1] for one in other.sentences} - {*row.sentences}
    drawn = random.sample(sorted(strange), min(levels, len(strange)))
    sentences, texts = list(row.sentences), [row.text]
    for sentence in drawn:
        sentences.insert(random.randint(0, len(sentences)), sentence)
        texts.append(row.glue.join(sentences))
    return texts if drawn else "no_other_document"


def _incremental(row: _Document, levels: int) -> list[str] | str:
    """The text's first sentences, more at every level."""
    n = len(row.sentences)
    top = min(levels, n)
    return [row.glue.join(row.sentences[: ceil(k * n / top)]) for k in range(top + 1)] if n > 1 else "one_sentence"


def _edited(text: str, edits: Sequence[Edit], levels: int) -> list[str] | str:
    """The text with more edits at every level."""
    m = len(edits)
    top = min(levels, m)
    texts = [apply(text, edits[: ceil(k * m / top)]) for k in range(top + 1)] if m else []
    if not texts:
        return "nothing_to_edit"
    return texts if texts[-1].strip() else "nothing_left"
