"""The metric `entities`: does the summary name what its source and references name?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from gistmark.entities import ehi as hallucination
from gistmark.entities.extractor import LABELS, Extractor, load_recogniser, mentions
from gistmark.entities.matching import Match
from gistmark.entities.sides import Side, read_references, read_side
from gistmark.syntax.parser import DEFAULT_MODEL, version
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import STATUS, STATUS_FIELD, Batch, Citation, Field, Metric, Values
from gistmark_engine.options import checked

if TYPE_CHECKING:
    from spacy.language import Language

CITE = Citation(
    "Nan et al. 2021, Entity-level Factual Consistency of Abstractive Text Summarization, section 3; EHI: Katwe et al. 2025",
    "definitions as published",
)
SHARE = Field("float64", 0.0, 1.0, "higher")
FIELDS = {
    "entity_count": Field("int64", 0),
    "entity_precision_source": SHARE,
    "entity_precision": SHARE,
    "entity_recall": SHARE,
    "entity_f1": SHARE,
}
EHI = {name: Field("float64", 0.0, None if name == "ehi_lf" else 1.0) for name in hallucination.FIELDS}


@checked
def entities(
    *,
    extractor: str | Extractor = DEFAULT_MODEL,
    labels: Sequence[str] = LABELS,
    match: Match = "words",
    ehi: bool = False,
    prefix: str = "",
) -> Metric:
    """How many named entities of a summary its source and its references have, and of theirs the summary.

    `entity_count`: mentions in the summary, repeated ones too. `entity_precision_source`: the share of them that the
    source has. `entity_precision`: that a reference has. `entity_recall`: the share of the references' mentions that the
    summary has. `entity_f1`: their harmonic mean. Shares are float64 in [0, 1], higher is better. References count together.

    Entities come from a spaCy recogniser, or are given: mark the summary's column of lists as `gm.tokens(column)`, the
    references' too (a list a row, or a list of those); the source may be text or a marked column of lists. Mentions are
    looked for in the text, and among the entities where there is no text.

    extractor  an installed spaCy pipeline with a recogniser, or a folder with one (extra `syntax`); or a function from a
               list of texts to a list of the mentions of each
    labels     which of spaCy's labels count
    match      of a mention in a text, in any case. "words": whole, between characters that are no letters or digits;
               "substring": whole, anywhere, as `US` in `Russia`; "backoff": as Nan et al., any two words of it in a row or
               any word that is no stop word, anywhere (spaCy's list)
    ehi        also the Entity Hallucination Index, experimental: `ehi_ef`, `ehi_ph`, `ehi_of`, `ehi_nh`, `ehi_lf` and the
               two forms `ehi_softmax` and `ehi_sigmoid`, over distinct entities in lower case; needs source and references

    Null summary: null; null or absent source or references: null in what needs them. A summary without entities has null
    precision, references without any null recall, and F1 is null with either; `entities_status` is then `undefined`
    (`empty_summary` for a text of white space). Raises InputError with neither references nor a source, MissingExtra without
    spaCy or the default pipeline, OptionError for another pipeline that is not there.
    """
    if not labels:
        raise OptionError("entities: labels must name one or more of spaCy's entity labels")
    name = version(extractor) if isinstance(extractor, str) else getattr(extractor, "__name__", "custom")
    return Metric(
        name="entities",
        inputs=("summary", "references", "source"),
        optional=("references", "source"),
        fields=FIELDS | (EHI if ehi else {}) | {"entities_status": STATUS_FIELD},
        options={"extractor": name, "labels": tuple(labels), "match": match, "ehi": ehi},
        run=_Entities(extractor, tuple(labels), match, ehi),
        cite=CITE,
        prefix=prefix,
        needs="syntax" if isinstance(extractor, str) else "",
    )


class _Entities:
    """Looks at distinct texts once a batch; holds the recogniser from when texts first want it until `close`."""

    def __init__(self, extractor: str | Extractor, labels: tuple[str, ...], match: Match, ehi: bool) -> None:
        self.extractor, self.labels, self.match, self.ehi = extractor, labels, match, ehi
        self.nlp: Language | None = None

    def open(self) -> None:
        """Nothing yet: entities that are given want no recogniser."""

    def close(self) -> None:
        """Let the recogniser go."""
        self.nlp = None

    def __getstate__(self) -> dict[str, object]:
        """Workers load their own recogniser."""
        return self.__dict__ | {"nlp": None}

    def __call__(self, batch: Batch) -> Mapping[str, Values]:
        if not {"references", "source"} & set(batch.texts):
            raise InputError("it needs references or a source to compare with; there is neither", metric="entities")
        summaries = read_side(batch.texts["summary"])
        given = pa.types.is_nested(batch.texts["summary"].type)
        absent: list[Side | None] = [None] * batch.rows
        references = read_references(batch.texts["references"], given) if "references" in batch.texts else absent
        sources = read_side(batch.texts["source"]) if "source" in batch.texts else absent
        found = self._find({"summary": summaries, "references": references} | ({"source": sources} if self.ehi else {}))
        rows = [
            self._row(summary, reference, source, found) if summary else dict.fromkeys(names(self.ehi), np.nan)
            for summary, reference, source in zip(summaries, references, sources, strict=True)
        ]
        return {name: np.array([row[name] for row in rows], np.float64) for name in names(self.ehi)}

    def _find(self, sides: Mapping[str, Sequence[Side | None]]) -> dict[str, Sequence[str]]:
        """The mentions of every text, each looked at once; an error speaks of the first row that holds the text."""
        where: dict[str, tuple[str, int]] = {}
        for column, rows in sides.items():
            for row, side in enumerate(rows):
                for text in side.texts if side else ():
                    where.setdefault(text, (column, row))
        try:
            return dict(zip(where, self._extract(list(where)), strict=True)) if where else {}
        except InputError as error:
            column, row = list(where.values())[error.row or 0]
            raise InputError(error.problem, metric="entities", column=column, row=row, value=error.value) from None

    def _extract(self, texts: Sequence[str]) -> Sequence[Sequence[str]]:
        if isinstance(self.extractor, str):
            nlp = self.nlp
            if nlp is None:
                nlp = self.nlp = load_recogniser(self.extractor)
            return mentions(texts, nlp, self.labels)
        found = self.extractor(texts)
        if len(found) != len(texts):
            raise OptionError(f"entities: the extractor gave {len(found)} lists of mentions for {len(texts)} texts")
        return found

    def _row(
        self, summary: Side, references: Side | None, source: Side | None, found: Mapping[str, Sequence[str]]
    ) -> dict[str, float]:
        """Every field of a row, NaN for null."""
        own, theirs = summary.mentions(found), references.mentions(found) if references else []
        readable = references if references and not references.blank else None
        precision = readable.haystack().share(own, self.match) if readable else np.nan
        recall = summary.haystack().share(theirs, self.match) if readable else np.nan
        row = {
            "entity_count": float(len(own)),
            "entity_precision_source": source.haystack().share(own, self.match) if source else np.nan,
            "entity_precision": precision,
            "entity_recall": recall,
            "entity_f1": _harmonic_mean(precision, recall),
            "entities_status": float(STATUS[_status(summary, references, source, own, theirs)]),
        }
        if not self.ehi:
            return row
        if summary.blank or not (readable and source):
            return row | dict.fromkeys(hallucination.FIELDS, np.nan)
        sets = ({mention.lower() for mention in some} for some in (source.mentions(found), theirs, own))
        return row | dict(zip(hallucination.FIELDS, hallucination.index(*sets), strict=True))


def names(ehi: bool) -> tuple[str, ...]:
    """The fields, in order."""
    return (*FIELDS, *(EHI if ehi else ()), "entities_status")


def _harmonic_mean(precision: float, recall: float) -> float:
    """0 where both are 0, NaN with a NaN."""
    return 0.0 if precision == recall == 0 else 2 * precision * recall / (precision + recall)


def _status(
    summary: Side, references: Side | None, source: Side | None, own: Sequence[str], theirs: Sequence[str]
) -> str:
    for name, side in (("summary", summary), ("reference", references), ("source", source)):
        if side and side.blank:
            return f"empty_{name}"
    return "ok" if own and (theirs or references is None) else "undefined"
