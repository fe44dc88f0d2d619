"""SummaC, zero-shot: does some part of the source entail each sentence of the summary, and none contradict it?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from gistmark.models.checkpoint import Dtype, checkpoint_of
from gistmark.models.cuts import status_fields
from gistmark.models.ragged import Ints, means
from gistmark.models.run import Run, Tell
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Citation, Field, Metric
from gistmark_engine.options import checked

if TYPE_CHECKING:
    from gistmark.models.consistency import Consistency
    from gistmark.models.stage import Stage

CITE = Citation(
    "Laban et al. 2022, SummaC: Re-Visiting NLI-based Models for Inconsistency Detection in Summarization, section 3.2.1",
    "SummaC-ZS as published",
)


@checked
def summac(
    model: str | Path | None = None,
    *,
    entailment: str = "entailment",
    contradiction: str | None = "contradiction",
    window: int = 1,
    split: Literal["punkt", "newline"] = "punkt",
    revision: str | None = None,
    dtype: Dtype = "auto",
    device: str | None = None,
    batch_tokens: int | None = None,
    pickled: bool = False,
    remote: bool = False,
    prefix: str = "",
) -> Metric:
    """How well the source entails the sentences of a summary, by a model of natural language inference.

    Every sentence is read beside every window of the source as its hypothesis. `summac`, float64 in [-1, 1], is the mean
    over sentences of the highest probability of entailment minus the highest probability of contradiction, each over all
    windows.

    model          a folder or a name at Hugging Face's hub with a sequence classifier; see `Checkpoint`, as for `revision`,
                   `dtype`, `device`, `pickled` and `remote`
    entailment, contradiction  how the model calls these classes, in any case ("LABEL_0" where they have no names);
                   contradiction None: entailment alone, in [0, 1]
    window         sentences of the source in a window; windows do not overlap
    split          how sentences are cut: "punkt" (extra `models`) or "newline"
    batch_tokens   word pieces of a batch; None: what suits the device

    Null text, a summary without sentences and an empty source give null; `summac_status` tells the last two, and a window
    that was cut (`truncated`). `summac_kept_tokens` and `summac_total_tokens`, int64: word pieces of all pairs (a window, a
    sentence) that were read, and that there were. Raises `OptionError` for a label that the model has not.
    """
    checkpoint = checkpoint_of("summac", model, revision, dtype, device, pickled, remote, batch_tokens)
    if window < 1:
        raise OptionError(f"summac: window must be at least 1 sentence, not {window}")
    labels = (entailment,) if contradiction is None else (entailment, contradiction)
    run = Run("summac", partial(_begin, labels, window, split), checkpoint, "classification", tokens=batch_tokens)
    return Metric(
        name="summac",
        inputs=("summary", "source"),
        fields={
            "summac": Field("float64", 0.0 if contradiction is None else -1.0, 1.0, "higher"),
            **status_fields("summac"),
        },
        run=run,
        options=run.signature | {"labels": labels, "window": window, "split": split},
        cite=CITE,
        prefix=prefix,
        needs="models",
    )


def _begin(labels: tuple[str, ...], window: int, split: str, stage: Stage, tell: Tell) -> Consistency:
    from gistmark.models.consistency import Consistency, Rules  # torch loads here, not with the declaration

    return Consistency(stage, tell, Rules("summac", labels, split, window, ("summac",), _reduce))


def _reduce(best: NDArray[np.float64], starts: Ints) -> NDArray[np.float64]:
    difference = best[:, 0] - best[:, 1] if best.shape[1] == 2 else best[:, 0]
    return means(difference, starts)
