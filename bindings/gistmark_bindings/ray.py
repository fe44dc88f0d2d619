"""Scoring on Ray: kernels as tasks, what holds a model or asks a judge as actors. The only place that knows Ray."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from typing import TYPE_CHECKING, Any, TypeVar

from gistmark_bindings.stage import Stage, holds
from gistmark_engine.errors import MissingExtra

if TYPE_CHECKING:
    import pyarrow as pa
    from ray.data import Dataset

Item = TypeVar("Item")

RETRIES = 3
"""How often a part is tried again whose worker died."""


def score(
    dataset: Dataset, stage: Stage, *, rows: int, actors: int = 1, actor_rows: int | None = None, gpus: float = 0
) -> Dataset:
    """`dataset` with the fields of `stage`, rows in their order.

    rows        of a batch for kernels, which run as tasks of one core each
    actors      processes for the metrics that hold something open; each opens it once, gets `actor_rows` rows at a time
                and `gpus` GPUs
    """
    ray = import_ray()
    kernels = [metric for metric in stage.metrics if not holds(metric)]
    holders = [metric for metric in stage.metrics if holds(metric)]
    dataset.context.execution_options.preserve_order = True
    arrow: dict[str, Any] = {"batch_format": "pyarrow", "zero_copy_batch": True}
    if kernels:
        dataset = dataset.map_batches(stage.only(kernels), batch_size=rows, num_cpus=stage.threads, **arrow)
    if holders:
        pool: dict[str, Any] = {"compute": ray.data.ActorPoolStrategy(size=actors), "num_gpus": gpus}
        pool |= {"fn_constructor_args": (stage.only(holders),)}
        dataset = dataset.map_batches(Holder, batch_size=actor_rows or rows, **pool, **arrow)
    return dataset


class Holder:
    """An actor's step: opens at its start what its metrics hold, and keeps it."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage.opened()

    def __call__(self, table: pa.Table) -> pa.Table:
        return self.stage(table)


def each(work: Callable[[Item], int], items: Sequence[Item], *, actors: int = 0, gpus: float = 0) -> Iterator[int]:
    """What `work` says of every item, in the order they are done; an item whose worker died is tried again.

    actors  0: tasks of one core. Else so many processes, in each of which `work.opened()` takes the place of `work`
    """
    ray = import_ray()
    if not ray.is_initialized():
        _start(ray)
    remote = _actors(ray, work, actors, gpus) if actors else _tasks(ray, work)
    waiting, running = iter(items), set[Any]()
    limit = 2 * (actors or int(ray.cluster_resources().get("CPU", 1)))
    while True:
        while len(running) < limit and (item := next(waiting, None)) is not None:
            running.add(remote(item))
        if not running:
            return
        done, _ = ray.wait(list(running))
        running -= set(done)
        try:
            yield from ray.get(done)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from error


def _start(ray: Any) -> None:
    """Join the cluster that RAY_ADDRESS names, else start one of this machine's cores."""
    os.environ.setdefault("RAY_memory_monitor_refresh_ms", "0")  # it would kill workers for other processes' memory
    local = {} if "RAY_ADDRESS" in os.environ else {"include_dashboard": False}
    ray.init(log_to_driver=False, **local)


def import_ray() -> Any:
    """The package, or one sentence on how to get it."""
    try:
        import ray
        import ray.data
    except ImportError:
        raise MissingExtra("scoring on Ray", "ray") from None
    return ray


def _tasks(ray: Any, work: Callable[[Item], int]) -> Callable[[Item], Any]:
    handle = ray.put(work)
    task = ray.remote(num_cpus=1, max_retries=RETRIES)(lambda work, item: work(item))
    return lambda item: task.remote(handle, item)


def _actors(ray: Any, work: Any, count: int, gpus: float) -> Callable[[Item], Any]:
    class Worker:
        def __init__(self, work: Any) -> None:
            self.work = work.opened()

        def run(self, item: Any) -> int:
            return int(self.work(item))

    options = {"num_cpus": 1, "num_gpus": gpus, "max_restarts": RETRIES, "max_task_retries": RETRIES}
    workers = [ray.remote(**options)(Worker).remote(work) for _ in range(count)]
    turn = cycle(workers)
    return lambda item: next(turn).run.remote(item)
