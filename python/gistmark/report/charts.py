"""Pictures as inline SVG, coloured by the page's style sheet: distributions, ROUGE against AR, intervals."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from markupsafe import Markup, escape

from gistmark.report.columns import Column

BINS = 32
POINTS = 2000
FLOOR, CEILING = 1e-4, 1e4
"""Where pictures of a ratio with a heavy tail end: a logarithm has no place for 0, and ε makes the rest."""

WIDTH = 340
LABEL, LINE, HEAD = 96, 22, 8
MOST = 24
"""Characters of a name beside an interval; longer ones are cut."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Values to places in a picture, and the ticks below it."""

    low: float
    high: float
    start: float
    stop: float
    is_log: bool = False

    def __call__(self, value: float) -> float:
        held = min(max(value, self.low), self.high)
        low, high, at = map(math.log10, (self.low, self.high, held)) if self.is_log else (self.low, self.high, held)
        return round(self.start + (self.stop - self.start) * (at - low) / (high - low), 1)

    def ticks(self) -> list[float]:
        """Up to six round numbers between both ends."""
        if self.is_log:
            return [10.0**power for power in range(round(math.log10(self.low)), round(math.log10(self.high)) + 1, 2)]
        step = 10 ** math.floor(math.log10((self.high - self.low) / 2 or 1.0))
        step *= next(factor for factor in (1, 2, 5, 10) if (self.high - self.low) / (step * factor) <= 5)
        return [round(step * k, 12) for k in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)]


def distribution(groups: Mapping[str, pl.DataFrame], column: Column) -> Markup | None:
    """One field: a ridge a group (share of its rows by value), the median as a tick; None without any value."""
    values = {name: rows[column.name].cast(pl.Float64).drop_nulls() for name, rows in groups.items()}
    pooled = pl.concat(list(values.values()))
    if pooled.is_empty():
        return None
    axis = _axis(pooled, column)
    ridges = [_ridge(one, axis, HEAD + LINE * (at + 1)) for at, one in enumerate(values.values())]
    labels = [_label(name, HEAD + LINE * (at + 1) - 4) for at, name in enumerate(values)]
    foot = HEAD + LINE * len(values)
    least, most = (float(pooled.quantile(at) or 0.0) for at in (0.0, 1.0))
    title = f"Distribution of {column.name} by group, from {least:.4g} to {most:.4g}"
    return _svg(WIDTH, foot + 20, title, [_grid(axis, HEAD, foot), *ridges, *labels])


def scatter(frame: pl.DataFrame, x: str, y: str, by: str, levels: Sequence[str], cuts: Sequence[float]) -> Markup:
    """`y` against the logarithm of `x`, a colour a level of `by`, lines at the cuts between them."""
    points = frame.select(pl.col(x, y).cast(pl.Float64), pl.col(by).cast(pl.String)).drop_nulls()
    points = points.gather_every(max(1, -(-points.height // POINTS)))
    across = Axis(FLOOR, CEILING, 44, 700, is_log=True)
    top = max([*points[y].to_list(), 1e-9])
    up = Axis(0.0, top, 300, 12)
    lines = [f'<path class="cut" d="M{across(cut)} 12V300"/>' for cut in cuts]
    dots = [_dots(points.filter(pl.col(by) == level), x, y, (across, up), k) for k, level in enumerate(levels)]
    side = [f'<text x="38" y="{up(tick) + 4}" text-anchor="end">{tick:g}</text>' for tick in up.ticks()]
    names = [
        f'<text x="372" y="332" text-anchor="middle">{escape(x)} (logarithmic, {FLOOR:g} and below to the left)</text>',
        f'<text x="10" y="156" text-anchor="middle" transform="rotate(-90 10 156)">{escape(y)}</text>',
    ]
    title = f"{y} against {x}, {points.height} rows, coloured by {by}"
    return _svg(720, 340, title, [_grid(across, 12, 300), *lines, *dots, *side, *names])


def intervals(
    rows: Sequence[tuple[str, float, float | None, float | None]], label: str, *, null: float = 0.0
) -> Markup:
    """A dot with its interval and their numbers a line, and a dashed line at `null`, where there is nothing to see."""
    bounds = [value for row in rows for value in row[1:] if value is not None]
    left = 16 + min(MOST, max((len(name) for name, *_ in rows), default=0)) * 6.2
    axis = Axis(min([null, *bounds]), max([null, *bounds]), left, 340)
    axis = axis if axis.low < axis.high else replace(axis, high=axis.low + 1)
    lines = [_interval(*row, axis, HEAD + LINE * at + 12) for at, row in enumerate(rows)]
    foot = HEAD + LINE * len(rows)
    cut = f'<path class="cut" d="M{axis(null)} {HEAD}V{foot}"/>'
    return _svg(480, foot + 20, label, [_grid(axis, HEAD, foot), cut, *lines])


def _interval(name: str, value: float, low: float | None, high: float | None, axis: Axis, y: float) -> str:
    numbers, bar = f"{value:.2f}", ""
    if low is not None and high is not None:
        numbers += f" [{low:.2f}, {high:.2f}]"
        bar = f'<path class="bar" d="M{axis(low)} {y}H{axis(high)}"/>'
    dot = f'<circle class="dot" cx="{axis(value)}" cy="{y}" r="3.5"/>'
    return f'{_label(name, y + 4, MOST, axis.start - 8)}{bar}{dot}<text x="354" y="{y + 4}">{numbers}</text>'


def _axis(values: pl.Series, column: Column) -> Axis:
    """From the least to the largest value, a thousandth at both ends apart."""
    if column.has_tail:
        return Axis(FLOOR, CEILING, LABEL, WIDTH - 10, is_log=True)
    low, high = (float(values.quantile(at, "nearest") or 0.0) for at in (0.001, 0.999))
    return Axis(min(low, 0.0), high if high > min(low, 0.0) else low + 1.0, LABEL, WIDTH - 10)


def _ridge(values: pl.Series, axis: Axis, foot: float) -> str:
    """The outline of a histogram and its median."""
    if values.is_empty():
        return ""
    held = values.clip(axis.low, axis.high).to_numpy()
    ends = (axis.low, axis.high)
    if axis.is_log:
        held, ends = np.log10(held), (math.log10(axis.low), math.log10(axis.high))
    counts, _ = np.histogram(held, BINS, ends)
    width, high = (axis.stop - axis.start) / BINS, counts.max()
    tops = "".join(f"V{foot - (LINE - 4) * n / high:.1f}h{width:.2f}" for n in counts)
    median = axis(float(np.median(values.to_numpy())))
    return f'<path class="ridge" d="M{axis.start} {foot}{tops}V{foot}z"/><path class="tick" d="M{median} {foot}v-{LINE - 4}"/>'


def _dots(points: pl.DataFrame, x: str, y: str, axes: tuple[Callable[[float], float], ...], level: int) -> str:
    """All points of a level as one path of dots."""
    across, up = axes
    places = "".join(f"M{across(a)} {up(b)}h0" for a, b in points.select(x, y).rows())
    return f'<path class="dots level{level}" d="{places}"/>' if places else ""


def _grid(axis: Axis, top: float, foot: float) -> str:
    """Vertical lines at the ticks, and their numbers."""
    lines = "".join(f"M{axis(tick)} {top}V{foot}" for tick in axis.ticks())
    texts = [f'<text x="{axis(tick)}" y="{foot + 14}" text-anchor="middle">{tick:g}</text>' for tick in axis.ticks()]
    return f'<path class="grid" d="{lines}"/>{"".join(texts)}'


def _label(name: str, y: float, most: int = 15, x: float = LABEL - 8) -> str:
    shown = name if len(name) <= most else name[: most - 1] + "…"
    return f'<text x="{x}" y="{y}" text-anchor="end">{escape(shown)}<title>{escape(name)}</title></text>'


def _svg(width: float, height: float, title: str, parts: Sequence[str]) -> Markup:
    body = "".join(parts)
    return Markup(
        f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{body}</svg>"
    )
