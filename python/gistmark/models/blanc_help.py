"""BLANC-help: does a model guess the words of a source better with the summary in front of them?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gistmark.models.blanc import CITE, Measure, Rules, Split, field, masking
from gistmark.models.checkpoint import Dtype, checkpoint_of
from gistmark.models.cuts import status_fields
from gistmark.models.run import Run, Tell
from gistmark_engine.metric import Metric
from gistmark_engine.options import checked

if TYPE_CHECKING:
    from gistmark.models.helping import Helping
    from gistmark.models.stage import Stage


@checked
def blanc_help(
    model: str | Path | None = None,
    *,
    measure: Measure = "relative",
    gap: int = 2,
    gap_mask: int = 1,
    min_lengths: tuple[int, int, int] = (4, 2, 100),
    filler: str = ".",
    separator: str = "",
    least: int = 100,
    split: Split = "punkt",
    parity: Literal["reference"] | None = None,
    revision: str | None = None,
    dtype: Dtype = "auto",
    device: str | None = None,
    batch_tokens: int | None = None,
    pickled: bool = False,
    remote: bool = False,
    prefix: str = "",
) -> Metric:
    """How much a summary helps a masked language model to guess the masked words of its source.

    Every sentence of the source is read with some word pieces masked, once behind the summary and once behind as many
    fillers. With S_ba the pieces guessed right (1) or wrong (0) behind the fillers (b) and behind the summary (a),
    `blanc_help` is (S01 - S10) / (S00 + S01 + S10 + S11), float64 in [-1, 1]. Texts are normalised by NFKD.

    model         a folder or a name at Hugging Face's hub of a masked language model, BERT's kind; see `Checkpoint`, as for
                  `revision`, `dtype`, `device`, `pickled` and `remote`
    measure       "improve": S01 / (S00 + S01 + S11), in [0, 1]
    gap           every so many pieces one is masked, beginning with the first, then with the second, and so on; the paper
                  has 6, the package 2
    gap_mask      so many pieces in a row are masked
    min_lengths   the fewest characters of a masked piece that is a whole word, begins one, or continues one (##)
    filler        the piece that stands for a piece of the summary
    separator     text between the summary and the sentence
    least         what does not fit is cut: the sentence's end, down to so many pieces, then sentences of the summary from the
                  last on, at last the first one's beginning (`truncated` in `blanc_help_status`)
    split         how sentences are cut: "punkt" (extra `models`) or "newline"; the package has NLTK's
    parity        "reference": 0 instead of null where there is nothing to guess
    batch_tokens  word pieces of a batch; None: what suits the device

    Null text gives null, an empty summary 0 (`empty_summary`), an empty source null (`empty_source`), as does one without
    pieces to mask (`undefined`). `blanc_help_kept_tokens` and `blanc_help_total_tokens`, int64: word pieces of all sentences,
    each with the summary, that were read, and that there were. Raises `OptionError` for a filler that is no piece of the
    model's.
    """
    checkpoint = checkpoint_of("blanc_help", model, revision, dtype, device, pickled, remote, batch_tokens)
    rules = Rules(measure, masking("blanc_help", gap, gap_mask, min_lengths), split, parity is not None)
    begin = partial(_begin, rules, filler, separator, least)
    run = Run("blanc_help", begin, checkpoint, "masked_lm", tokens=batch_tokens)
    options = {
        "measure": measure,
        "gap": gap,
        "gap_mask": gap_mask,
        "min_lengths": min_lengths,
        "filler": filler,
        "separator": separator,
        "least": least,
        "split": split,
        "parity": parity,
    }
    return Metric(
        name="blanc_help",
        inputs=("summary", "source"),
        fields={"blanc_help": field(measure), **status_fields("blanc_help")},
        run=run,
        options=run.signature | options,
        cite=CITE,
        prefix=prefix,
        needs="models",
    )


def _begin(rules: Rules, filler: str, separator: str, least: int, stage: Stage, tell: Tell) -> Helping:
    from gistmark.models.helping import Helping  # torch loads here, not with the declaration

    return Helping(stage, tell, rules, filler, separator, least)
