"""Prometheus-style grading: feedback and a level by a rubric, or the better of two responses by a criterion."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal, Unpack

from gistmark.judges import rows
from gistmark.judges.asking import Asker
from gistmark.judges.contract import Backend
from gistmark.judges.making import judge_metric
from gistmark.judges.pairwise import both_orders, verdict_columns, verdict_fields
from gistmark.judges.question import Question
from gistmark.judges.settings import Settings, spelled
from gistmark.judges.template import Template, load
from gistmark_engine.metric import STATUS_FIELD, Batch, Citation, Field, Metric, Values
from gistmark_engine.options import checked

INSTRUCTION = "Summarise the source for a reader who has not read it."

_CITE = Citation(
    "Kim et al. 2024, Prometheus 2, §3", "prometheus-eval, state of April 2025: reply format and its parser"
)


@dataclass(frozen=True)
class Rubric:
    """A criterion, and what a response of each level from 1 to 5 is like."""

    criterion: str
    levels: tuple[str, str, str, str, str]


QUALITY = Rubric(
    "Does the summary give the important content of the source, correctly and readably?",
    (
        "It misses the point of the source or contradicts it.",
        "It gives little of the important content, or much of it wrongly.",
        "It gives part of the important content; some of it is wrong or hard to follow.",
        "It gives most of the important content correctly and reads well.",
        "It gives all the important content, nothing wrong or superfluous, and reads very well.",
    ),
)


@checked
@spelled
def prometheus(
    backend: Backend | str | None = None,
    *,
    mode: Literal["direct", "relative"] = "direct",
    form: Literal["checkpoint", "json"] = "checkpoint",
    rubric: Rubric = QUALITY,
    instruction: str = INSTRUCTION,
    source: bool = True,
    reference: bool = False,
    **settings: Unpack[Settings],
) -> Metric:
    """A summary graded by a rubric (Kim et al. 2024).

    "direct": `prometheus_score`, a whole number from 1 to 5, and `prometheus_feedback`. "relative": which of `summary`
    (A) and `rival` (B) is better, asked in both orders: `prometheus_choice` is A, B, or Neither where the orders differ
    (the judge itself knows no tie); `prometheus_first` and `prometheus_second` hold the choice with A and with B in
    front, `prometheus_position` whether the position decided. Both: `prometheus_status`.

    form         "checkpoint": the sections and the `[RESULT]` marker that Prometheus models are trained on, under our
                 own wording; "json": the JSON contract, for any other model
    rubric       the criterion and its five levels (relative grading shows the criterion only)
    instruction  what the summaries were asked to do
    source, reference   show the row's source, and its first usable reference as an answer of level 5

    `backend` and `settings` are those of all judges, see `settings.Settings`.
    """
    template = load(f"prometheus_{mode}" if form == "checkpoint" else mode)
    asked = {"instruction": instruction, "criterion": rubric.criterion}
    if mode == "direct":
        asked["levels"] = "\n".join(f"Score {level}: {text}" for level, text in enumerate(rubric.levels, 1))
    shown = {"source": source, "references": reference, "rival": mode == "relative"}
    return judge_metric(
        "prometheus",
        backend,
        settings,
        [template],
        ("summary", *(role for role, wanted in shown.items() if wanted)),
        _fields(mode),
        partial(_direct if mode == "direct" else _relative, template=template, asked=asked, shown=shown),
        _CITE,
        optional=("references",) if reference else (),
        options={"mode": mode, "rubric": _brief(rubric, instruction), "source": source, "reference": reference},
    )


def _fields(mode: str) -> dict[str, Field]:
    if mode == "direct":
        score, feedback = Field("float64", 1, 5, better="higher"), Field("string", summary=())
        return {"prometheus_score": score, "prometheus_feedback": feedback, "prometheus_status": STATUS_FIELD}
    return {**verdict_fields("prometheus"), "prometheus_status": STATUS_FIELD}


def _brief(rubric: Rubric, instruction: str) -> str:
    """A rubric and instruction as a signature names them."""
    return hashlib.sha256("\0".join([instruction, rubric.criterion, *rubric.levels]).encode()).hexdigest()[:8]


def _screened(
    batch: Batch, shown: Mapping[str, bool], asked: Mapping[str, str]
) -> tuple[dict[int, dict[str, str]], list[str | None]]:
    """The texts of every row that can be asked about, by the name a template gives them, and the status of all."""
    needed = ["summary", *(role for role in ("source", "rival") if shown[role])]
    columns = rows.texts(batch, [*needed, *(("reference",) if shown["references"] else ())])
    status = rows.screen(columns, needed, batch.rows)
    found: dict[int, dict[str, str]] = {}
    for row in (row for row in range(batch.rows) if status[row] == "ok"):
        here = {name: column[row] or "" for name, column in columns.items()}
        found[row] = {**asked, **{name: text for name, text in here.items() if text.strip()}}
    return found, status


def _direct(
    asker: Asker, batch: Batch, template: Template, asked: Mapping[str, str], shown: Mapping[str, bool]
) -> dict[str, Values]:
    texts, status = _screened(batch, shown, asked)
    questions = [
        Question(template, {("response" if name == "summary" else name): text for name, text in found.items()})
        for found in texts.values()
    ]
    answers = dict(zip(texts, asker.ask(questions), strict=True))
    for row, answer in answers.items():
        status[row] = answer.status
    values = {row: answer.values for row, answer in answers.items()}
    return {
        "prometheus_score": rows.numbers([values.get(row, {}).get("score") for row in range(batch.rows)]),
        "prometheus_feedback": rows.strings([values.get(row, {}).get("feedback") for row in range(batch.rows)]),
        "prometheus_status": rows.statuses(status),
    }


def _relative(
    asker: Asker, batch: Batch, template: Template, asked: Mapping[str, str], shown: Mapping[str, bool]
) -> dict[str, Values]:
    texts, status = _screened(batch, shown, asked)
    pairs = []
    for found in texts.values():
        a, b = found.pop("summary"), found.pop("rival")
        straight, swapped = {"response_a": a, "response_b": b}, {"response_a": b, "response_b": a}
        pairs.append((Question(template, found | straight), Question(template, found | swapped)))
    verdicts = dict(zip(texts, both_orders(asker, pairs, "winner"), strict=True))
    return verdict_columns("prometheus", verdicts, status)
