"""`gistmark.ray`: a Ray Dataset in, the same with scores out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from gistmark.roles import Columns
from gistmark.score import stage
from gistmark_bindings import ray as binding
from gistmark_engine.metric import Metric

if TYPE_CHECKING:
    from ray.data import Dataset


def score(
    dataset: Dataset,
    metrics: Iterable[str | Metric] | None = None,
    columns: Columns | None = None,
    *,
    rows: int = 8192,
    actors: int = 1,
    actor_rows: int | None = None,
    gpus: float = 0,
) -> Dataset:
    """`dataset` with the fields of `metrics` as further columns, its rows in their order (statuses as plain strings).

    metrics, columns  as in `gistmark.score`
    rows              of a batch for kernels, which run as tasks, a core each
    actors            processes for metrics that hold a model or ask a judge: each opens it once and is given `gpus` GPUs
                      and `actor_rows` rows at a time (None: `rows`)

    Lazy, as the dataset is; the dataset is set to keep its order. A batch whose worker dies is scored again, so keep a
    judge's cache where every worker can reach it. Raises, before anything runs, what `gistmark.score` raises, MissingExtra
    without Ray, and OptionError for a metric that needs all rows at once.
    """
    binding.import_ray()
    step = stage(dataset.schema().names, metrics, columns)
    return binding.score(dataset, step, rows=rows, actors=actors, actor_rows=actor_rows, gpus=gpus)
