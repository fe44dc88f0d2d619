"""BERTScore: how well the words of two texts match in a contextual encoder's space."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gistmark.models.checkpoint import Checkpoint, Dtype, checkpoint_of
from gistmark.models.cuts import status_fields
from gistmark.models.run import Run, Tell
from gistmark.models.tables import Baseline, baseline_of, layer_of, read_baseline
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Citation, Field, Metric
from gistmark_engine.options import checked

if TYPE_CHECKING:
    from gistmark.models.bertscorer import Bertscorer
    from gistmark.models.stage import Stage

CITE = Citation("Zhang et al. 2020, BERTScore: Evaluating Text Generation with BERT, section 3", "bert_score 0.3.12")


@dataclass(frozen=True, slots=True)
class Rules:
    """How embeddings become scores, see `bertscore`.

    idf       weight word pieces by their rarity among the references
    zero      count similarities below 0 as 0
    windows   encode long texts in windows instead of cutting them
    parity    a pair with an empty text counts as 0
    baseline  what to rescale by, None for nothing
    """

    idf: bool
    zero: bool
    windows: bool
    parity: bool
    baseline: Baseline | None


@dataclass(frozen=True, slots=True)
class Cache:
    """Where embeddings are kept: a file, and the bytes that it may have."""

    path: str | Path
    limit: int


@checked
def bertscore(
    model: str | Path | None = None,
    *,
    layer: int | None = None,
    idf: bool = False,
    rescale: bool = False,
    language: str = "en",
    baseline: str | Path | None = None,
    pad_similarity: Literal["mask", "zero"] = "mask",
    long: Literal["truncate", "window"] = "truncate",
    parity: Literal["reference"] | None = None,
    cache: str | Path | None = None,
    cache_gb: float = 10.0,
    revision: str | None = None,
    dtype: Dtype = "auto",
    device: str | None = None,
    batch_tokens: int | None = None,
    pickled: bool = False,
    remote: bool = False,
    prefix: str = "",
) -> Metric:
    """BERTScore of a summary against its references.

    With unit vectors x_i of the summary's and y_j of the reference's word pieces at one layer of an encoder:
    precision = Σ w_i max_j x_i·y_j, recall = Σ w_j max_i x_i·y_j, weights summing to 1, F1 = 2pr/(p+r). Special tokens
    have weight 0 and yet may be matched. Of several references the best precision, recall and F1 are taken, each by
    itself. Fields `bertscore_p`, `_r`, `_f1`: float64, precision and recall in [-1, 1] (unbounded when rescaled).
    In float32 equal to `bert_score` within 1e-5, whatever shares a batch; in bfloat16 within 0.02 of that.

    model           a folder or a name at Hugging Face's hub, see `Checkpoint`, as are `revision`, `dtype`, `device`,
                    `pickled` and `remote`
    layer           None: the one `bert_score` takes for a model of this name
    idf             weights log((n + 1) / (df + 1)), from the n references of the whole column; otherwise all are equal
    rescale         (x - b) / (1 - b), b being what unrelated texts of `language` score; `baseline` names a CSV file
                    with columns LAYER,P,R,F for models whose b is not shipped. May be negative
    pad_similarity  "zero": a similarity below 0 counts as 0, as in `bert_score` wherever a batch has padding; with
                    "mask" a pair's score depends on the pair alone
    long            texts longer than the model takes: cut ("truncate", status `truncated`), or encoded in overlapping
                    windows, each piece in the one where it stands most in the middle
    parity          "reference": a pair with an empty reference counts as 0 instead of null
    cache           a file that keeps the references' embeddings for later runs, in a folder that is there
    cache_gb        10^9 bytes that it may have; what was used longest ago goes first
    batch_tokens    word pieces of a batch; None: what suits the device

    Null text gives null; an empty summary 0 (then rescaled, if so asked); an empty reference null (`bertscore_status`
    says so), left out beside others. Where all weights of a text are 0 under idf, what they weigh is null, `undefined`.
    `bertscore_kept_tokens` and `bertscore_total_tokens`, int64: word pieces of the summary and its references that were
    encoded, and that there were; equal unless the row is `truncated`.
    """
    checkpoint = checkpoint_of("bertscore", model, revision, dtype, device, pickled, remote, batch_tokens)
    layer = _layer(checkpoint, layer)
    base = None
    if rescale and checkpoint and layer is not None:
        base = read_baseline(baseline, layer) if baseline else baseline_of(language, checkpoint.name, layer)
    rules = Rules(idf, pad_similarity == "zero", long == "window", parity is not None, base)
    if cache_gb <= 0:
        raise OptionError(f"bertscore: cache_gb must be above 0, not {cache_gb}")
    keep = Cache(cache, int(cache_gb * 1e9)) if cache is not None else None
    run = Run("bertscore", partial(_begin, rules=rules, cache=keep), checkpoint, layer=layer, tokens=batch_tokens)
    options = {"idf": idf, "rescale": base or rescale, "pad": pad_similarity, "long": long, "parity": parity}
    return Metric(
        name="bertscore",
        inputs=("summary", "references"),
        fields=_fields(rescale),
        run=run,
        options=run.signature | options,
        cite=CITE,
        prefix=prefix,
        row_local=not idf,
        needs="models",
    )


def _layer(checkpoint: Checkpoint | None, layer: int | None) -> int | None:
    """The layer asked for, or the one that goes with the model."""
    if checkpoint is None or layer is not None:
        return layer
    known = layer_of(checkpoint.name)
    if known is None:
        raise OptionError(f"bertscore: no layer is known for {checkpoint.name}; set layer, the last one if in doubt")
    return known


def _fields(rescale: bool) -> dict[str, Field]:
    """Precision and recall are means of cosines; F1 has no lower bound, for the two may differ in sign."""
    low, high = (None, None) if rescale else (-1.0, 1.0)
    similarity = Field("float64", low, high, "higher")
    f1 = Field("float64", None, high, "higher")
    return {
        "bertscore_p": similarity,
        "bertscore_r": similarity,
        "bertscore_f1": f1,
        **status_fields("bertscore"),
    }


def _begin(stage: Stage, tell: Tell, rules: Rules, cache: Cache | None) -> Bertscorer:
    from gistmark.models.bertscorer import Bertscorer  # torch loads here, not with the declaration

    return Bertscorer(stage, tell, rules, cache)
