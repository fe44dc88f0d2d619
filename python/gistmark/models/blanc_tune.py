"""BLANC-tune: does a model guess the words of a source better once it was tuned on the summary?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gistmark.models.blanc import CITE, Measure, Rules, Split, field, masking
from gistmark.models.checkpoint import Dtype, checkpoint_of
from gistmark.models.cuts import status_fields
from gistmark.models.run import Run, Tell
from gistmark.models.training import Training
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Metric
from gistmark_engine.options import checked

if TYPE_CHECKING:
    from gistmark.models.stage import Stage
    from gistmark.models.tuned import Tuned


@checked
def blanc_tune(
    model: str | Path | None = None,
    *,
    measure: Measure = "relative",
    gap: int = 2,
    gap_mask: int = 1,
    min_lengths: tuple[int, int, int] = (4, 2, 100),
    epochs: int = 10,
    learning_rate: float = 5e-5,
    chunk: int = 64,
    stride: int = 32,
    seed: int = 1,
    split: Split = "punkt",
    parity: Literal["reference"] | None = None,
    revision: str | None = None,
    dtype: Dtype = "float32",
    device: str | None = None,
    batch_tokens: int | None = None,
    pickled: bool = False,
    remote: bool = False,
    prefix: str = "",
) -> Metric:
    """How much a masked language model that was tuned on a summary guesses better than before.

    Every sentence of the source is read with some word pieces masked, by the model and by a copy that learnt from the
    summary. With S_ba the pieces guessed right (1) or wrong (0) before (b) and after (a), `blanc_tune` is
    (S01 - S10) / (S00 + S01 + S10 + S11), float64 in [-1, 1]. A summary is learnt once, however many sources it has.

    model, measure, gap, gap_mask, min_lengths, split  as in `blanc_help`; the same masks are used to learn
    epochs, learning_rate  of AdamW, weight decay 0.01 (biases and layer norms none), the rate falling to 0 evenly
    chunk, stride          pieces of the summary that are learnt at a time (no more than the model takes), and from one
                           beginning to the next; of the masked pieces every tenth is shown as another one, every tenth
                           as itself
    seed                   of these draws and of the dropout; the package draws anew at every run for its default, 0
    parity                 "reference": 0 instead of null where there is nothing to guess
    dtype                  as in `Checkpoint`; half precision does not learn well
    device                 as in `Checkpoint`; of several, the first learns
    revision, pickled, remote, batch_tokens  as in `blanc_help`

    Null text gives null, an empty summary 0 (`empty_summary`), an empty source null (`empty_source`), as does one without
    pieces to mask (`undefined`). A sentence longer than the model takes is cut (`truncated`): `blanc_tune_kept_tokens` and
    `blanc_tune_total_tokens`, int64, are the word pieces of the source that were read, and that there were.
    """
    checkpoint = checkpoint_of("blanc_tune", model, revision, dtype, device, pickled, remote, batch_tokens)
    for name, value in (("epochs", epochs), ("chunk", chunk), ("stride", stride)):
        if value < 1:
            raise OptionError(f"blanc_tune: {name} must be at least 1, not {value}")
    if not 0 <= seed < 1 << 63:
        raise OptionError(f"blanc_tune: seed must be at least 0 and below 2**63, not {seed}")
    rules = Rules(measure, masking("blanc_tune", gap, gap_mask, min_lengths), split, parity is not None)
    training = Training(epochs, learning_rate, chunk, stride, seed)
    run = Run(
        "blanc_tune", partial(_begin, rules, training), checkpoint, "masked_lm", tokens=batch_tokens, trained=True
    )
    options = {
        "measure": measure,
        "gap": gap,
        "gap_mask": gap_mask,
        "min_lengths": min_lengths,
        "epochs": epochs,
        "learning_rate": learning_rate,
        "chunk": chunk,
        "stride": stride,
        "seed": seed,
        "split": split,
        "parity": parity,
    }
    return Metric(
        name="blanc_tune",
        inputs=("summary", "source"),
        fields={"blanc_tune": field(measure), **status_fields("blanc_tune")},
        run=run,
        options=run.signature | options,
        cite=CITE,
        prefix=prefix,
        needs="models",
    )


def _begin(rules: Rules, training: Training, stage: Stage, tell: Tell) -> Tuned:
    from gistmark.models.tuned import Tuned  # torch loads here, not with the declaration

    return Tuned(stage, tell, rules, training)
