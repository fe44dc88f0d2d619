"""`gistmark.duckdb`: metrics as a function in SQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gistmark.catalogue import resolve
from gistmark.score import stage
from gistmark_bindings import duckdb as binding
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import ROLES, Metric

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def register(
    connection: DuckDBPyConnection,
    metrics: Iterable[str | Metric],
    name: str = "gistmark",
    arguments: Sequence[str] | None = None,
) -> None:
    """Make `name(…)` a function of this connection that returns a STRUCT of all fields (statuses as plain strings).

    arguments  the roles of the function's arguments; None: those the metrics read, in the order summary, references,
               source, query, persona, rival. References are VARCHAR or VARCHAR[], everything else VARCHAR

        SELECT *, unnest(gistmark(summary, "references", source)) FROM 'pairs.parquet'

    Raises what `gistmark.score` raises, MissingExtra without duckdb, and OptionError for a metric that needs all rows at
    once. What a metric holds is opened here and stays open as long as the process.
    """
    chosen = resolve(metrics)
    read = [role for role in ROLES if any(role in metric.inputs for metric in chosen)]
    order = list(arguments or read)
    if unread := [role for role in order if role not in read]:
        raise OptionError(f"no metric reads an argument {unread[0]!r}; they read {', '.join(read)}")
    step = stage(order, chosen, None)
    binding.register(connection, name, replace(step, inputs={role: step.inputs[role] for role in order}))
