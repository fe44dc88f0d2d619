"""Which column of the data stands in which role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from gistmark.catalogue import resolve
from gistmark.marks import Marked, marked
from gistmark.near import near
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import ROLES, Metric

DEFAULT_METRICS = ("rouge", "datastats", "abstraction")

Columns = Mapping[str, str | Marked | None]


def assign(columns: Columns | None, names: Sequence[str]) -> dict[str, Marked]:
    """Role → column for every role that has one among `names`: the caller's choice, else the column called as the role.

    A role given as None has no column. Raises OptionError for an unknown role, InputError (naming role, column and
    the near name it may have meant) for a chosen column that is not there.
    """
    given = dict(columns or {})
    for role in given:
        if role not in ROLES:
            raise OptionError(f"unknown role {role!r}{near(role, ROLES)}; there are {', '.join(ROLES)}")
    assigned = {role: Marked(role) for role in ROLES if role in names and role not in given}
    for role, column in given.items():
        if column is not None:
            assigned[role] = _present(role, marked(column), names)
    return {role: assigned[role] for role in ROLES if role in assigned}


def default_metrics(assigned: Mapping[str, Marked], names: Sequence[str]) -> tuple[Metric, ...]:
    """Those of rouge, datastats and abstraction whose columns are there; InputError if none."""
    candidates = resolve(DEFAULT_METRICS)
    ready = tuple(metric for metric in candidates if set(metric.required) <= set(assigned))
    if not ready:
        role = "references" if "summary" in assigned else "summary"
        raise _missing(role, role, names, candidates[0].name)
    return ready


def select(assigned: Mapping[str, Marked], metrics: Sequence[Metric], names: Sequence[str]) -> dict[str, Marked]:
    """Those roles that `metrics` read; InputError for a required one without a column, or with several of one name."""
    for metric in metrics:
        for role in metric.required:
            if role not in assigned:
                raise _missing(role, role, names, metric.name)
    read = {role: column for role, column in assigned.items() if any(role in metric.inputs for metric in metrics)}
    for column in read.values():
        if names.count(str(column.column)) > 1:
            raise InputError("the data has several columns of this name", column=str(column.column))
    return read


def _present(role: str, column: Marked, names: Sequence[str]) -> Marked:
    if isinstance(column.column, pl.Expr):
        raise OptionError(f"the {role} role takes the name of a column here, not an expression")
    if column.column not in names:
        raise _missing(role, column.column, names)
    return column


def _missing(role: str, column: str, names: Sequence[str], metric: str | None = None) -> InputError:
    hint = near(column, names)
    there = ", ".join(names) if names else "none"
    cure = "" if column != role else f'; name it with columns={{"{role}": …}}, on the command line with --{role}'
    return InputError(
        f"there is no such column for the {role} role{hint}; there are {there}{cure}", metric=metric, column=column
    )
