"""What runs when a neural metric runs: its model, loaded for a job and let go after it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from gistmark.models.checkpoint import Checkpoint
from gistmark.models.devices import torch_module
from gistmark.models.loading import Task, load
from gistmark.models.pieces import Inputs
from gistmark.models.ragged import Ints
from gistmark.models.stage import Read, Stage, Value, forward
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Batch, Values

Scorer = Callable[[Batch], Mapping[str, Values]]
Tell = Callable[[int, int], object]
"""Told of progress: tokens that turned out to be needed, tokens done."""


@dataclass
class Run:
    """The `run` of the neural metric `name`.

    begin       called with the loaded stage and a `Tell` when a job begins; gives what scores its batches, one at a
                time, and holds the job's state. If that has a method `close()`, it is called at the end.
    checkpoint  None: a record that can be looked at but not run
    """

    name: str
    begin: Callable[[Stage, Tell], Scorer]
    checkpoint: Checkpoint | None
    task: Task = "encoder"
    layer: int | None = None
    tokens: int | None = None
    trained: bool = False
    _scorer: Scorer | None = field(default=None, init=False, repr=False)
    _tell: Tell | None = field(default=None, init=False, repr=False)
    _lock: Any = field(default_factory=threading.RLock, init=False, repr=False)

    def __call__(self, batch: Batch) -> Mapping[str, Values]:
        with self._lock, _threads(batch.threads):
            return self._ready()(batch)

    def open(self) -> None:
        """Load the model. Raises `OptionError` where none was named."""
        with self._lock:
            self._ready()

    def close(self) -> None:
        """Let the model go, and what was kept beside it."""
        with self._lock:
            close = getattr(self._scorer, "close", None)
            self._scorer = None
            if close:
                close()

    @property
    def signature(self) -> dict[str, object]:
        """What of the model enters the metric's signature."""
        if self.checkpoint is None:
            return {"model": "none"}
        return self.checkpoint.signature | ({} if self.layer is None else {"layer": self.layer})

    def watch(self, tell: Tell) -> None:
        """Tell `tell` of progress from now on."""
        self._tell = tell

    def _ready(self) -> Scorer:
        if self.checkpoint is None:
            raise OptionError(
                f"metric {self.name!r}: no model was named; set model to a folder that one was saved in, or to a name "
                "at Hugging Face's hub"
            )
        if self._scorer is None:
            self._scorer = self.begin(
                load(self.checkpoint, self.task, self.layer, self.tokens, self.trained), self._count
            )
        return self._scorer

    def _count(self, needed: int, done: int) -> None:
        if self._tell:
            self._tell(needed, done)

    def __getstate__(self) -> dict[str, object]:
        """Workers load their own model."""
        return {name: value for name, value in vars(self).items() if name not in ("_scorer", "_tell", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state, _scorer=None, _tell=None, _lock=threading.RLock())


def told(stage: Stage, inputs: Inputs, read: Read[Value], tell: Tell) -> Iterator[tuple[Ints, Value]]:
    """`forward`, whose tokens `tell` hears of."""
    tell(int(inputs.ids.lengths.sum()), 0)
    return forward(stage, inputs, read, lambda tokens: tell(0, tokens))


@contextmanager
def _threads(count: int) -> Iterator[None]:
    """torch on so many threads for a while."""
    torch = torch_module()
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
