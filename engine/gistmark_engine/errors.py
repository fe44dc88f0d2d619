"""What goes wrong, said so that the reader knows what to type next.

Every error raised on purpose derives from `GistmarkError`, so a pipeline can tell a refused input from a defect.
"""

from __future__ import annotations


class GistmarkError(Exception):
    """Base of every error this project raises on purpose."""


class InputError(GistmarkError, ValueError):
    """Data that cannot be scored: names metric, column, row (0-based) and value where they are known."""

    def __init__(
        self,
        problem: str,
        *,
        metric: str | None = None,
        column: str | None = None,
        row: int | None = None,
        value: object = None,
    ) -> None:
        self.problem, self.metric, self.column, self.row, self.value = problem, metric, column, row, value
        where = [
            f"metric {metric!r}" if metric is not None else "",
            f"column {column!r}" if column is not None else "",
            f"row {row}" if row is not None else "",
        ]
        place = ", ".join(part for part in where if part)
        found = f" (found {shorten(value)})" if value is not None else ""
        super().__init__(f"{place}: {problem}{found}" if place else f"{problem}{found}")


class OptionError(GistmarkError, ValueError):
    """An option outside what a metric or command accepts."""


class MissingExtra(GistmarkError, ImportError):
    """A feature whose optional dependency is not installed; the message holds the install command."""

    def __init__(self, feature: str, extra: str) -> None:
        super().__init__(f"{feature} needs an extra: pip install 'gistmark[{extra}]'")


def shorten(value: object, limit: int = 60) -> str:
    """`repr(value)` cut to `limit` characters, so that an error about a book stays one line."""
    text = repr(value)
    return text if len(text) <= limit else text[: limit - 1] + "…"
