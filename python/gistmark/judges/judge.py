"""A language model rates a summary on several dimensions, from 1 to 5."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, Unpack

from gistmark.judges import rows
from gistmark.judges.asking import Asker
from gistmark.judges.contract import Backend
from gistmark.judges.expected import expected_value
from gistmark.judges.making import judge_metric
from gistmark.judges.question import Answer, Question
from gistmark.judges.schema import Spec
from gistmark.judges.settings import Settings, spelled
from gistmark.judges.template import Template, load
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import STATUS_FIELD, Batch, Citation, Field, Metric, Values
from gistmark_engine.options import checked

DIMENSIONS = ("relevance", "consistency", "fluency", "coherence", "informativeness", "overall")

_INPUTS = {"summary": "summary", "source": "source", "reference": "references", "query": "query", "rival": "rival"}
_CITE = Citation("Fabbri et al. 2021, SummEval, §4 (dimensions); Liu et al. 2023, G-Eval, §2 (expected value)")


@checked
@spelled
def judge(
    backend: Backend | str | None = None,
    *,
    dimensions: Sequence[str] | None = None,
    mode: Literal["joint", "per_dimension"] = "joint",
    reference: bool = False,
    samples: int = 1,
    expected: bool = False,
    template: str | Path = "multi",
    **settings: Unpack[Settings],
) -> Metric:
    """Ratings of a summary by a language model, a column a dimension.

    One question a row with a scale for every dimension ("joint"), or a question a dimension. `overall` is asked for,
    never computed. Each rating is a whole number from 1 to 5; one that cannot be read is null. With `samples` above 1
    it is the mean of the readable ones, at least half of which must be. With `expected` it is Σ s·p(s) / Σ p(s) over
    the levels s among the model's alternatives for the rating's token, null where there are none; `BackendError` where
    the backend reports no log-probabilities.

    dimensions  some of the template's required fields; None: all (`DIMENSIONS` for the packaged template)
    reference   show the row's first usable reference beside the source
    template    "multi", or a TOML file with criteria, scales, schema and reply format of your own: its required
                fields become the columns, its inputs (summary, source, reference, query, rival) the roles
    `backend` and `settings` are those of all judges, see `settings.Settings`.

    Fields: `judge_<dimension>` float64 with the schema's bounds (an enum or boolean where the schema says so),
    `judge_rationale` string, `judge_status`. Inputs: raw texts. A blank summary or source is not asked about.
    """
    whole = load(template)
    asked = whole.narrow(tuple(dimensions)) if dimensions is not None else whole
    if unknown := set(asked.inputs) - set(_INPUTS):
        raise OptionError(f"judge: template {whole.id!r} wants {sorted(unknown)}; a judge has {sorted(_INPUTS)}")
    names = asked.schema.required
    forms = (asked,) if mode == "joint" else tuple(asked.narrow((name,)) for name in names)
    if samples > 1 or expected:
        _need_numbers(asked, "integer" if expected else "number")
    shown = tuple(name for name in asked.inputs if name not in asked.optional or name != "reference" or reference)
    return judge_metric(
        "judge",
        backend,
        settings,
        [whole],
        tuple(_INPUTS[name] for name in shown),
        {f"judge_{name}": _field(asked.schema.fields[name]) for name in names}
        | {"judge_rationale": Field("string", summary=()), "judge_status": STATUS_FIELD},
        partial(_score, plan=_Plan(forms, names, shown, samples, expected)),
        _CITE,
        optional=tuple(_INPUTS[name] for name in shown if name in asked.optional),
        options={
            "dimensions": list(names),
            "mode": mode,
            "reference": reference,
            "expected": expected,
            "digest": whole.digest.hex()[:8],
        },
        policy={"samples": samples, "logprobs": expected},
    )


def _need_numbers(template: Template, kind: str) -> None:
    """Raise unless every required field is a number, or an integer if `kind` says so."""
    for name in template.schema.required:
        if template.schema.fields[name]["type"] not in ("integer", kind):
            raise OptionError(f"judge: samples and expected values need {kind} fields, and {name!r} is none")


def _field(spec: Spec) -> Field:
    """The column of a required field of a schema."""
    if spec["type"] == "boolean":
        return Field("bool", summary=("counts",))
    if spec["type"] == "string":
        levels = tuple(spec.get("enum", ()))
        return Field("enum", summary=("counts",), levels=levels) if levels else Field("string", summary=())
    low, high = (min(spec["enum"]), max(spec["enum"])) if "enum" in spec else (spec["minimum"], spec["maximum"])
    return Field("float64", low, high, better="higher")


@dataclass(frozen=True)
class _Plan:
    """What is asked of a row: one question a form and sample, showing the texts `shown`."""

    forms: tuple[Template, ...]
    names: tuple[str, ...]
    shown: tuple[str, ...]
    samples: int
    expected: bool

    def spec(self, name: str) -> Spec:
        """The specification of the required field `name`."""
        return next(form.schema.fields[name] for form in self.forms if name in form.schema.required)


def _score(asker: Asker, batch: Batch, plan: _Plan) -> dict[str, Values]:
    columns = rows.texts(batch, plan.shown)
    needed = [name for name in plan.shown if name not in plan.forms[0].optional]
    status = rows.screen(columns, needed, batch.rows)
    asked = [row for row in range(batch.rows) if status[row] == "ok"]
    shown = [{name: text for name in columns if (text := columns[name][row]) and text.strip()} for row in asked]
    turns = [(form, sample) for form in plan.forms for sample in range(plan.samples)]
    answers = asker.ask([Question(form, texts, sample=sample) for texts in shown for form, sample in turns])
    given = {row: answers[len(turns) * at : len(turns) * (at + 1)] for at, row in enumerate(asked)}

    values = {name: [_value(given.get(row, ()), name, plan) for row in range(batch.rows)] for name in plan.names}
    for row in asked:
        status[row] = _status(given[row], complete=all(values[name][row] is not None for name in plan.names))
    remarks = [_remarks(given.get(row, ()), plan.names) for row in range(batch.rows)]
    made = {f"judge_{name}": _column(values[name], plan.spec(name)) for name in plan.names}
    return {**made, "judge_rationale": rows.strings(remarks), "judge_status": rows.statuses(status)}


def _value(given: Sequence[Answer], name: str, plan: _Plan) -> object:
    """The value of a row's field: of one answer, or the mean of the readable ones if they are at least half."""
    held = [answer for answer in given if answer.values.get(name) is not None]
    if plan.expected:
        means = (expected_value(answer.scores[name], name, plan.spec(name)) for answer in held)
        found: list[Any] = [mean for mean in means if mean is not None]
    else:
        found = [answer.values[name] for answer in held]
    if not found or 2 * len(found) < plan.samples:
        return None
    return found[0] if plan.samples == 1 else sum(found) / len(found)


def _status(given: Sequence[Answer], complete: bool) -> str:
    """The status of a row: "ok" only if every answer was; truncated or failed where a value is missing."""
    worst = rows.worst(given)
    if complete:
        return "ok" if worst == "ok" else "repaired"
    return worst if worst in ("truncated", "failed") else "failed"


def _remarks(given: Sequence[Answer], names: Sequence[str]) -> str | None:
    """What the answers say beside their verdicts, one line each."""
    said = [value for answer in given for slot, value in answer.values.items() if slot not in names and value]
    return "\n".join(map(str, said)) or None


def _column(values: Sequence[Any], spec: Spec) -> Values:
    if spec["type"] != "string":
        return rows.numbers(values)
    return rows.levels(values, spec["enum"]) if "enum" in spec else rows.strings(values)
