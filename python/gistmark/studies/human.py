"""How well metrics order summaries as human scores do: correlations a summary and a system, with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from gistmark.near import near
from gistmark_engine.bootstrap import Bootstrap, percentiles
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.ranks import KINDS, Kind, correlate

Level = Literal["summary", "system"]
Resample = Literal["both", "documents", "systems"]
Table = NDArray[np.float64]  # (documents, systems), NaN for missing

LEVELS: tuple[Level, ...] = ("summary", "system")


@dataclass(frozen=True, slots=True)
class Resampling:
    """What intervals and permutation tests resample: documents, systems or both; how often; from which seed."""

    replicates: int = 1000
    over: Resample = "both"
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.over not in ("both", "documents", "systems"):
            raise OptionError(f"over must be one of both, documents, systems, not {self.over!r}")
        Bootstrap(self.replicates, self.confidence, self.seed)  # refuses what cannot be


def correlations(
    scored: pl.DataFrame,
    metrics: Sequence[str],
    human: Sequence[str],
    resampling: Resampling = Resampling(),
    document: str = "doc_id",
    system: str = "system",
) -> pl.DataFrame:
    """Correlation of each metric with each human score, one row a metric, score, level and coefficient.

    scored  one row a document and system, with the columns `metrics` and `human`; null is missing

    Levels: "summary": within each document over its systems, then the mean over documents in which it is defined;
    "system": between the systems' means over the documents in which both scores are present. Coefficients: Pearson,
    Spearman, Kendall's tau-b. Bounds: percentiles of bootstrap replicates that resample documents, systems or both.

    Columns: metric, human, level, coefficient, value in [−1, 1], low, high, n (documents or systems that entered),
    n_undefined (documents in which it is not defined, for want of two scores or of two that differ), n_null (summaries left
    out because either score is missing). Raises `InputError` for a column that is not there, a null document or system,
    and a document and system that occur twice.

    Deutsch, Dror and Roth 2021, A Statistical Analysis of Summarization Evaluation Metrics Using Resampling Methods,
    sections 2 and 4.
    """
    by_column = tables(scored, [*metrics, *human], document, system)
    rows = []
    for metric in metrics:
        for score in human:
            x, y = _common(by_column[metric], by_column[score])
            n_null = scored.height - int(np.isfinite(x).sum())
            documents = int(np.isfinite(x).any(axis=1).sum())
            for level in LEVELS:
                for kind in KINDS:
                    value, low, high, n = _row(x, y, level, kind, resampling)
                    undefined = documents - n if level != "system" else 0
                    rows.append((metric, score, level, kind, value, low, high, n, undefined, n_null))
    names = dict.fromkeys(("metric", "human", "level", "coefficient"), pl.String)
    numbers = dict.fromkeys(("value", "low", "high"), pl.Float64)
    counts = dict.fromkeys(("n", "n_undefined", "n_null"), pl.Int64)
    return pl.DataFrame(rows, schema={**names, **numbers, **counts}, orient="row")


def _row(
    x: Table, y: Table, level: Level, kind: Kind, resampling: Resampling
) -> tuple[float | None, float | None, float | None, int]:
    """One coefficient with its bounds and what it rests on."""
    value, n = statistics(x[None], y[None], level, kind)
    drawn = [statistics(*pair, level, kind)[0] for pair in _resampled(x, y, resampling)]
    low, high, _ = percentiles(np.concatenate([np.empty(0), *drawn]), resampling.confidence)
    return (None if np.isnan(value[0]) else float(value[0])), low, high, int(n[0])


def tables(scored: pl.DataFrame, columns: Sequence[str], document: str, system: str) -> dict[str, Table]:
    """Each column as documents × systems."""
    check_keys(scored, document, system)
    rows, places = (scored[name].rank("dense").cast(pl.Int64).to_numpy() - 1 for name in (document, system))
    out = {}
    for column in dict.fromkeys(columns):
        table = np.full((rows.max(initial=-1) + 1, places.max(initial=-1) + 1), np.nan)
        table[rows, places] = scored[column].cast(pl.Float64).fill_null(np.nan).to_numpy()
        out[column] = table
    return out


def check_keys(pairs: pl.DataFrame, document: str, system: str) -> None:
    """Raise `InputError` unless every row is named by its document and system, each two of them once."""
    for key in (document, system):
        if key not in pairs.columns:
            raise InputError(f"there is no such column{near(key, pairs.columns)}", column=key)
        if pairs[key].null_count():
            raise InputError("a null names no document or system", column=key, row=pairs[key].is_null().arg_max())
    twice = pairs.filter(pairs.select(document, system).is_duplicated())
    if twice.height:
        raise InputError(
            "a document and system occur twice", column=system, value=twice.select(document, system).row(0)
        )


def _common(x: Table, y: Table) -> tuple[Table, Table]:
    """Both tables with what either lacks missing."""
    missing = np.isnan(x) | np.isnan(y)
    return np.where(missing, np.nan, x), np.where(missing, np.nan, y)


def statistics(x: Table, y: Table, level: Level, kind: Kind) -> tuple[Table, NDArray[np.int64]]:
    """The coefficient of each replicate, NaN where undefined, and how many documents or systems entered.

    x, y: (replicates, documents, systems)
    """
    if level == "system":
        x, y = _means(x)[:, None], _means(y)[:, None]
    coefficients = _coefficients(x.reshape(-1, x.shape[-1]), y.reshape(-1, y.shape[-1]), kind).reshape(x.shape[:2])
    defined = ~np.isnan(coefficients)
    n = defined.sum(axis=1)
    values = np.full(n.size, np.nan)
    np.divide(np.where(defined, coefficients, 0.0).sum(axis=1), n, out=values, where=n > 0)
    return values, (~np.isnan(x[:, 0])).sum(axis=1) if level == "system" else n


def _means(x: Table) -> Table:
    """Means over documents (axis 1) of what is present, NaN where nothing is."""
    present = ~np.isnan(x)
    count = present.sum(axis=1)
    out = np.full(count.shape, np.nan)
    np.divide(np.where(present, x, 0.0).sum(axis=1), count, out=out, where=count > 0)
    return out


def _coefficients(x: Table, y: Table, kind: Kind) -> NDArray[np.float64]:
    """The coefficient of each pair of rows, NaN where undefined."""
    bounds = pa.array(np.arange(len(x) + 1) * x.shape[1], pa.int64())
    lists = [pa.LargeListArray.from_arrays(bounds, pa.array(np.ascontiguousarray(side).ravel())) for side in (x, y)]
    found = correlate(kind, *lists)[kind]
    return np.asarray(found.fill_null(np.nan), np.float64)


def _resampled(x: Table, y: Table, how: Resampling) -> Iterator[tuple[Table, Table]]:
    """Bootstrap replicates of both tables, some at a time; the same draws for every metric."""
    generator = np.random.default_rng(how.seed)
    documents, systems = x.shape
    for size in portions(how.replicates):
        rows, places = np.broadcast_to(np.arange(documents), (size, documents)), np.arange(systems)[None]
        if how.over != "systems":
            rows = generator.integers(0, documents, (size, documents))
        if how.over != "documents":
            places = generator.integers(0, systems, (size, systems))
        chosen = rows[:, :, None], places[:, None, :]
        yield x[chosen], y[chosen]


def portions(replicates: int) -> Iterator[int]:
    """Sizes of at most 64 that add up to `replicates`."""
    yield from (min(64, replicates - done) for done in range(0, replicates, 64))
