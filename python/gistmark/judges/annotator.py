"""The annotator's own question put to a model: how satisfied would this reader be, or which summary would they take."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal, Unpack

from gistmark.judges import rows
from gistmark.judges.asking import Asker
from gistmark.judges.contract import Backend
from gistmark.judges.making import judge_metric
from gistmark.judges.pairwise import both_orders, verdict_columns, verdict_fields
from gistmark.judges.personas import readers
from gistmark.judges.question import Question
from gistmark.judges.settings import Settings, spelled
from gistmark.judges.template import Template, load
from gistmark_engine.metric import STATUS_FIELD, Batch, Citation, Field, Metric, Values
from gistmark_engine.options import checked

_CITE = Citation(
    "the paper on information satisfaction in summaries: annotator-mirroring prompts, §3; the scale is ours"
)


@checked
@spelled
def annotator(
    backend: Backend | str | None = None,
    *,
    mode: Literal["single", "pair"] = "single",
    **settings: Unpack[Settings],
) -> Metric:
    """How a given reader would rate a summary, or choose between two.

    "single": `judge_annotator`, the satisfaction of the persona with the summary as an answer to the query, a whole
    number from 1 to 5; `judge_annotator_reason`.
    "pair": `judge_annotator_choice` between `summary` (A) and `rival` (B): A, B or Neither. Both orders are asked;
    where they differ the choice is Neither. `judge_annotator_first` and `judge_annotator_second` hold the choice with
    A in front and with B in front, `judge_annotator_position` whether the position decided.
    Both: `judge_annotator_status`. Inputs: `summary` (and `rival`), `persona` (struct or JSON text, see
    `personas.readers`) and `query`, unless the persona carries it.
    `backend` and `settings` are those of all judges, see `settings.Settings`.
    """
    template = load(f"annotator_{mode}")
    fields = _single_fields() if mode == "single" else verdict_fields("judge_annotator")
    return judge_metric(
        "annotator",
        backend,
        settings,
        [template],
        ("summary", *(("rival",) if mode == "pair" else ()), "persona", "query"),
        fields | {"judge_annotator_status": STATUS_FIELD},
        partial(_single if mode == "single" else _pair, template=template),
        _CITE,
        optional=("query",),
        options={"mode": mode},
    )


def _single_fields() -> dict[str, Field]:
    return {
        "judge_annotator": Field("float64", 1, 5, better="higher"),
        "judge_annotator_reason": Field("string", summary=()),
    }


def _screened(batch: Batch, roles: tuple[str, ...]) -> tuple[dict[int, Mapping[str, str]], list[str | None]]:
    """The texts of every row that can be asked about, and the status of all."""
    columns = rows.texts(batch, roles)
    columns["persona"], columns["query"] = readers(batch, "annotator")
    status = rows.screen(columns, columns, batch.rows)
    asked = [row for row in range(batch.rows) if status[row] == "ok"]
    return {row: {name: column[row] or "" for name, column in columns.items()} for row in asked}, status


def _single(asker: Asker, batch: Batch, template: Template) -> dict[str, Values]:
    texts, status = _screened(batch, ("summary",))
    answers = dict(zip(texts, asker.ask([Question(template, shown) for shown in texts.values()]), strict=True))
    for row, answer in answers.items():
        status[row] = answer.status
    values = {row: answer.values for row, answer in answers.items()}
    return {
        "judge_annotator": rows.numbers([values.get(row, {}).get("satisfaction") for row in range(batch.rows)]),
        "judge_annotator_reason": rows.strings([values.get(row, {}).get("reason") for row in range(batch.rows)]),
        "judge_annotator_status": rows.statuses(status),
    }


def _pair(asker: Asker, batch: Batch, template: Template) -> dict[str, Values]:
    texts, status = _screened(batch, ("summary", "rival"))
    pairs = []
    for shown in texts.values():
        about = {name: shown[name] for name in ("persona", "query")}
        straight = about | {"summary_a": shown["summary"], "summary_b": shown["rival"]}
        swapped = about | {"summary_a": shown["rival"], "summary_b": shown["summary"]}
        pairs.append((Question(template, straight), Question(template, swapped)))
    verdicts = dict(zip(texts, both_orders(asker, pairs, "choice"), strict=True))
    return verdict_columns("judge_annotator", verdicts, status)
