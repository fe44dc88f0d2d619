"""Persona Precision and Recall: how much of a summary its reader needs, and how much of that need it meets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Unpack, cast

from gistmark.judges import rows
from gistmark.judges.asking import Asker
from gistmark.judges.contract import Backend
from gistmark.judges.facts import Decomposed, decompose, listed
from gistmark.judges.making import judge_metric
from gistmark.judges.personas import readers
from gistmark.judges.question import Answer, Question
from gistmark.judges.settings import Settings, spelled
from gistmark.judges.template import load
from gistmark_engine.metric import STATUS_FIELD, Batch, Citation, Field, Metric, Values
from gistmark_engine.options import checked

_CITE = Citation("the paper on information satisfaction in summaries: Persona Precision and Recall, §3")
_TEMPLATES = ("decompose", "requirements", "relevance", "coverage")
_ORDER = ("failed", "truncated", "empty_summary", "undefined", "repaired")
_Texts = Mapping[int, str]


@checked
@spelled
def persona(
    backend: Backend | str | None = None,
    *,
    weighted: bool = False,
    **settings: Unpack[Settings],
) -> Metric:
    """Precision: mean relevance (0, 0.5, 1) of the summary's nuggets to the persona and query. Recall: mean coverage
    (0, 0.5, 1) by the summary of what persona and query call for and the source can supply.

    Nuggets are the summary's separate claims; requirements follow from source, persona and query alone, so all
    summaries of a query are held against the same ones. `weighted` counts requirements by their weight (1 to 3). No
    nuggets: precision null, recall 0. No requirements: recall null. Whether nuggets are true is not judged. A label
    that cannot be read leaves its nugget or requirement out.

    Fields: `persona_precision`, `persona_recall`, `persona_f1` in [0, 1] (the harmonic mean, null unless both are
    defined), `persona_nuggets` and `persona_requirements` for reading, `persona_status`. Inputs: `summary`, `source`,
    `persona` (struct or JSON text, see `personas.readers`) and `query`, unless the persona carries it.
    `backend` and `settings` are those of all judges, see `settings.Settings`.
    """
    templates = tuple(load(name) for name in _TEMPLATES)
    score = Field("float64", 0, 1, better="higher")
    return judge_metric(
        "persona",
        backend,
        settings,
        templates,
        ("summary", "source", "persona", "query"),
        {
            **{f"persona_{name}": score for name in ("precision", "recall", "f1")},
            "persona_nuggets": Field("list<string>", summary=()),
            "persona_requirements": Field("list<string>", summary=()),
            "persona_status": STATUS_FIELD,
        },
        partial(_score, weighted=weighted),
        _CITE,
        optional=("query",),
        options={"weighted": weighted},
    )


def _score(asker: Asker, batch: Batch, weighted: bool) -> dict[str, Values]:
    columns = rows.texts(batch, ("summary", "source"))
    columns["persona"], columns["query"] = readers(batch, "persona")
    status = rows.screen(columns, ("persona", "query", "source"), batch.rows)
    status = [None if text is None else state for text, state in zip(columns["summary"], status, strict=True)]
    asked = [row for row in range(batch.rows) if status[row] == "ok"]
    steps = _steps(asker, {name: {row: column[row] or "" for row in asked} for name, column in columns.items()})
    made: dict[str, list[float | None]] = {name: [None] * batch.rows for name in ("precision", "recall", "f1")}
    for row in asked:
        status[row] = steps.status(row)
        made["precision"][row] = precision = steps.precision(row)
        made["recall"][row] = recall = steps.recall(row, weighted)
        made["f1"][row] = _harmonic(precision, recall)
    return {
        **{f"persona_{name}": rows.numbers(values) for name, values in made.items()},
        "persona_nuggets": rows.string_lists(_shown(steps.nuggets, batch.rows)),
        "persona_requirements": rows.string_lists(_shown(steps.needs, batch.rows)),
        "persona_status": rows.statuses(status),
    }


@dataclass(frozen=True)
class _Labels:
    """Labels by the number of their nugget or requirement, those that cannot be read missing, and their status."""

    values: Mapping[int, float]
    status: str


@dataclass(frozen=True)
class _Steps:
    """What the four questions gave, by row; rows without nuggets or requirements have no labels of them."""

    nuggets: Mapping[int, Decomposed]
    needs: Mapping[int, Decomposed]
    weights: Mapping[int, tuple[int, ...]]
    relevance: Mapping[int, _Labels]
    coverage: Mapping[int, _Labels]

    def precision(self, row: int) -> float | None:
        """Mean relevance of the nuggets; None without any."""
        return weighted_mean(self.relevance[row].values) if row in self.relevance else None

    def recall(self, row: int, weighted: bool) -> float | None:
        """Coverage of the requirements: None without any, 0 where there are some and the summary says nothing."""
        if row in self.coverage:
            return weighted_mean(self.coverage[row].values, dict(enumerate(self.weights[row], 1)) if weighted else {})
        silent = self.nuggets[row].status in ("undefined", "empty_summary")
        return 0.0 if self.needs[row].facts and silent else None

    def status(self, row: int) -> str:
        """The first of the row's steps' statuses that stands in the way, else repaired, else ok."""
        labels = [found[row].status for found in (self.relevance, self.coverage) if row in found]
        met = {self.nuggets[row].status, self.needs[row].status, *labels}
        return next((name for name in _ORDER if name in met), "ok")


def _steps(asker: Asker, texts: Mapping[str, _Texts]) -> _Steps:
    """Ask the four questions about every row."""
    said = {row: text for row, text in texts["summary"].items() if text.strip()}
    nuggets = dict.fromkeys(texts["summary"], Decomposed((), "empty_summary")) | decompose(
        asker, load("decompose"), said
    )
    needs, weights = _requirements(asker, texts)
    reader = {name: texts[name] for name in ("persona", "query")}
    covered = {row: found for row, found in needs.items() if nuggets[row].facts}
    relevance = _labels(asker, "relevance", "nuggets", nuggets, reader)
    coverage = _labels(asker, "coverage", "requirements", covered, {"summary": texts["summary"]})
    return _Steps(nuggets, needs, weights, relevance, coverage)


def _requirements(
    asker: Asker, texts: Mapping[str, _Texts]
) -> tuple[dict[int, Decomposed], dict[int, tuple[int, ...]]]:
    """What each row's persona and query call for and its source can supply, with the weights."""
    template = load("requirements")
    questions = [Question(template, {name: texts[name][row] for name in template.inputs}) for row in texts["source"]]
    needs, weights = {}, {}
    for row, answer in zip(texts["source"], asker.ask(questions), strict=True):
        given = cast(Sequence[dict[str, Any]], answer.values.get("requirements") or ())
        items = [item for item in given if item["text"].strip()]
        missing = answer.status in ("truncated", "failed")
        needs[row] = Decomposed(listed(items), answer.status if items or missing else "undefined")
        weights[row] = tuple(int(item["weight"]) for item in items)
    return needs, weights


def _labels(
    asker: Asker, name: str, shown: str, items: Mapping[int, Decomposed], texts: Mapping[str, _Texts]
) -> dict[int, _Labels]:
    """The label `name` of every item of every row that has items; `shown` is the input under which they are listed."""
    template = load(name)
    asked = [row for row, found in items.items() if found.facts]
    questions = [
        Question(
            template,
            {shown: rows.numbered(items[row].facts), **{role: column[row] for role, column in texts.items()}},
            tuple(range(1, len(items[row].facts) + 1)),
        )
        for row in asked
    ]
    answers = asker.ask(questions)
    return {row: _read(answer, name) for row, answer in zip(asked, answers, strict=True)}


def _read(answer: Answer, name: str) -> _Labels:
    found = cast(Mapping[int, dict[str, float]], answer.values)
    return _Labels({number: float(label[name]) for number, label in found.items()}, answer.status)


def weighted_mean(labels: Mapping[int, float], weights: Mapping[int, float] = MappingProxyType({})) -> float | None:
    """Σ w·label / Σ w over the labels there are; weight 1 where none is given; None without labels."""
    total = sum(weights.get(number, 1) for number in labels)
    return sum(weights.get(number, 1) * label for number, label in labels.items()) / total if total else None


def _harmonic(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _shown(items: Mapping[int, Decomposed], count: int) -> list[Sequence[str] | None]:
    failed = ("failed", "truncated")
    return [items[row].facts if row in items and items[row].status not in failed else None for row in range(count)]
