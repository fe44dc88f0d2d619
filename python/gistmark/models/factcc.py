"""FactCC: how many sentences of a summary a classifier finds consistent with the source."""

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
    "Kryscinski et al. 2020, Evaluating the Factual Consistency of Abstractive Text Summarization, section 4",
    "definition as published",
)
SHARE = Field("float64", 0.0, 1.0, "higher")
THRESHOLD = 0.5


@checked
def factcc(
    model: str | Path | None = None,
    *,
    label: str = "CORRECT",
    window: int | None = None,
    split: Literal["punkt", "newline"] = "punkt",
    revision: str | None = None,
    dtype: Dtype = "auto",
    device: str | None = None,
    batch_tokens: int | None = None,
    pickled: bool = False,
    remote: bool = False,
    prefix: str = "",
) -> Metric:
    """The share of a summary's sentences that a classifier finds consistent with the source.

    Every sentence is read beside the source, the source first; p is the probability of `label`. Fields: `factcc`, the
    share of sentences with p of at least 0.5, and `factcc_mean`, the mean of p; float64 in [0, 1].

    model         a folder or a name at Hugging Face's hub with any sequence classifier, trained for FactCC or for natural
                  language inference; see `Checkpoint`, as for `revision`, `dtype`, `device`, `pickled` and `remote`
    label         which of the model's labels means consistent, in any case: "CORRECT" of FactCC's, "entailment" of
                  inference models, "LABEL_2" where they have no names. A model of one output gives p by the sigmoid
    window        show so many sentences of the source at a time, and take the window with the highest p; None: the whole
                  source, cut at its end where the model takes no more (`truncated` in `factcc_status`)
    split         how sentences are cut: "punkt" (extra `models`) or "newline"
    batch_tokens  word pieces of a batch; None: what suits the device

    Null text, a summary without sentences and an empty source give null; `factcc_status` tells the last two.
    `factcc_kept_tokens` and `factcc_total_tokens`, int64: word pieces of all pairs (a part of the source, a sentence) that were
    read, and that there were. Raises `OptionError` for a label that the model has not.
    """
    checkpoint = checkpoint_of("factcc", model, revision, dtype, device, pickled, remote, batch_tokens)
    if window is not None and window < 1:
        raise OptionError(f"factcc: window must be at least 1 sentence, not {window}")
    run = Run("factcc", partial(_begin, label, window, split), checkpoint, "classification", tokens=batch_tokens)
    return Metric(
        name="factcc",
        inputs=("summary", "source"),
        fields={"factcc": SHARE, "factcc_mean": SHARE, **status_fields("factcc")},
        run=run,
        options=run.signature | {"label": label, "window": window, "split": split},
        cite=CITE,
        prefix=prefix,
        needs="models",
    )


def _begin(label: str, window: int | None, split: str, stage: Stage, tell: Tell) -> Consistency:
    from gistmark.models.consistency import Consistency, Rules  # torch loads here, not with the declaration

    return Consistency(stage, tell, Rules("factcc", (label,), split, window, ("factcc", "factcc_mean"), _reduce))


def _reduce(best: NDArray[np.float64], starts: Ints) -> NDArray[np.float64]:
    return means(np.column_stack([best >= THRESHOLD, best]), starts)
