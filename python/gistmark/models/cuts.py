"""How much of a row's texts a model was given, where it takes no more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gistmark.models.ragged import Ints
from gistmark_engine.metric import STATUS, STATUS_FIELD, Field

COUNT = Field("int64", 0, summary=())


def status_fields(metric: str) -> dict[str, Field]:
    """What a metric whose model may cut its texts says of a row beside its scores: the status, and the word pieces (special
    tokens left out) that the model was given and that there were."""
    return {f"{metric}_status": STATUS_FIELD, f"{metric}_kept_tokens": COUNT, f"{metric}_total_tokens": COUNT}


def cut_status(kept: Ints, total: Ints) -> NDArray[np.int64]:
    """The codes of rows that are scored, by their word pieces: "truncated" where some were left out, otherwise "ok"."""
    return np.where(kept < total, STATUS["truncated"], STATUS["ok"])
