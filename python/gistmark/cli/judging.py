"""What judges cost, on the command line: a budget for all of them together, and a run that asks nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import numpy as np
import pyarrow as pa

from gistmark_engine.assemble import arrow_type
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Batch, Field, Metric, Values

if TYPE_CHECKING:
    from gistmark.judges import Budget, DryRun
    from gistmark.judges.stage import Stage


def limit(metrics: Sequence[Metric], text: str) -> None:
    """Give all judges among `metrics` one budget; see `budget_of`."""
    budget = budget_of(text)
    for _, stage in _judges(metrics, "--budget"):
        stage.asker.budget = budget


def budget_of(text: str) -> Budget:
    """A budget from `calls=N`, `tokens=N` or both, joined by a comma."""
    from gistmark.judges import Budget

    limits: dict[str, int] = {}
    for part in text.split(","):
        what, _, number = part.strip().partition("=")
        if what not in ("calls", "tokens") or not number.isdecimal():
            raise OptionError(f"--budget takes calls=N, tokens=N or both, not {text!r}")
        limits[what] = int(number)
    return Budget(**limits)


@dataclass
class Counting:
    """Stands in for a judge's `run`: counts what it would ask into `plan`, and gives nulls."""

    stage: Stage
    fields: Mapping[str, Field]
    plan: DryRun

    def __call__(self, batch: Batch) -> Mapping[str, Values]:
        self.stage.dry_run(batch, self.plan)
        return {name: _nulls(spec, batch.rows) for name, spec in self.fields.items()}


@dataclass
class Rehearsal:
    """The judges of a job as metrics that only count, and what they counted."""

    metrics: list[Metric] = field(default_factory=list)
    plans: dict[str, DryRun] = field(default_factory=dict)

    def report(self) -> str:
        """Calls, tokens and the first prompt of every metric."""
        return "\n\n".join(_described(name, plan) for name, plan in self.plans.items())


def rehearse(metrics: Sequence[Metric]) -> Rehearsal:
    """The judges among `metrics`, counting. Raises `OptionError` if there is none."""
    from gistmark.judges import DryRun

    rehearsal = Rehearsal()
    for metric, stage in _judges(metrics, "--dry-run"):
        plan = rehearsal.plans[metric.prefix + metric.name] = DryRun()
        rehearsal.metrics.append(replace(metric, run=Counting(stage, metric.fields, plan)))
    return rehearsal


@contextmanager
def kept(metrics: Sequence[Metric]) -> Iterator[None]:
    """Note on whatever stops a job where the replies lie that its judges had, if they are kept."""
    try:
        yield
    except BaseException as stop:
        for _, stage in _stages(metrics):
            counts, cache = stage.asker.counts, stage.asker.cache
            if cache is not None and counts["calls"] + counts["cached"] > counts["unanswered"]:
                stop.add_note(f"{stage.name}: replies are kept in {cache.path}, and are not asked for again")
        raise


def report(metrics: Sequence[Metric]) -> list[str]:
    """What came of the questions of the judges among `metrics`, a line each."""
    return [stage.report() for _, stage in _stages(metrics)]


def _stages(metrics: Sequence[Metric]) -> list[tuple[Metric, Stage]]:
    """The judges, told apart without importing any."""
    return [(metric, cast("Stage", metric.run)) for metric in metrics if metric.needs == "backend"]


def _judges(metrics: Sequence[Metric], option: str) -> list[tuple[Metric, Stage]]:
    found = _stages(metrics)
    if not found:
        raise OptionError(f"{option} is for judge metrics, and none is scored")
    return found


def _nulls(spec: Field, rows: int) -> Values:
    if spec.dtype in ("string", "list<string>"):
        return pa.nulls(rows, arrow_type(spec))
    return np.full(rows, np.nan)


def _described(name: str, plan: DryRun) -> str:
    lines = [
        f"{name}: {plan.calls} calls to make, {plan.cached} answered from the cache; about {plan.prompt_tokens} prompt "
        f"tokens, at most {plan.completion_tokens} completion tokens"
    ]
    for message in plan.prompts[0] if plan.prompts else ():
        lines += [f"  {message['role']}:", *(f"    {line}" for line in message["content"].splitlines())]
    return "\n".join(lines)
