"""SUPERT: how well the words of a summary match those of its source's first sentences in a contextual encoder's space."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gistmark.models.checkpoint import Dtype, checkpoint_of
from gistmark.models.cuts import status_fields
from gistmark.models.run import Run, Tell
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Citation, Field, Metric
from gistmark_engine.options import checked

if TYPE_CHECKING:
    from gistmark.models.stage import Stage
    from gistmark.models.supporting import Supporting

Measure = Literal["f1", "precision", "recall"]

CITE = Citation(
    "Gao et al. 2020, SUPERT: Towards New Frontiers in Unsupervised Evaluation Metrics for Multi-Document Summarization, "
    "sections 3 and 4",
    "acl20-ref-free-eval of December 2020, as published",
)


@checked
def supert(
    model: str | Path | None = None,
    *,
    sentences: int = 15,
    measure: Measure = "f1",
    layer: int | None = None,
    split: Literal["punkt", "newline"] = "punkt",
    revision: str | None = None,
    dtype: Dtype = "auto",
    device: str | None = None,
    batch_tokens: int | None = None,
    pickled: bool = False,
    remote: bool = False,
    prefix: str = "",
) -> Metric:
    """How well a summary matches a reference made of the first sentences of its source.

    Every sentence is encoded by itself; its special tokens and English stop words (NLTK's) are left out, punctuation and
    word pieces stay. Precision is the mean over the summary's tokens of the highest cosine with one of the reference's,
    recall the reverse. `supert` is F1 = 2pr / (p + r), float64, at most 1. Each source is encoded once.

    model         a folder or a name at Hugging Face's hub of an encoder, in the paper one of sentences trained by inference
                  (bert-large-nli-stsb-mean-tokens); see `Checkpoint`, as for `revision`, `dtype`, `device`, `pickled` and
                  `remote`
    sentences     so many of the source are the reference; its authors take more for a single long document
    measure       "precision" or "recall" instead of F1, in [-1, 1]
    layer         None: the last
    split         how sentences are cut: "punkt" (extra `models`) or "newline"
    batch_tokens  word pieces of a batch; None: what suits the device

    Null text gives null, and so do an empty summary, an empty source, and a text of nothing but stop words (`undefined`);
    `supert_status` tells them, and a sentence that was cut (`truncated`). `supert_kept_tokens` and `supert_total_tokens`:
    int64, word pieces of the summary and the reference that were encoded, and that there were.
    """
    checkpoint = checkpoint_of("supert", model, revision, dtype, device, pickled, remote, batch_tokens)
    if sentences < 1:
        raise OptionError(f"supert: sentences must be at least 1, not {sentences}")
    run = Run("supert", partial(_begin, sentences, measure, split), checkpoint, layer=layer, tokens=batch_tokens)
    return Metric(
        name="supert",
        inputs=("summary", "source"),
        fields={
            "supert": Field("float64", None if measure == "f1" else -1.0, 1.0, "higher"),
            **status_fields("supert"),
        },
        run=run,
        options=run.signature | {"sentences": sentences, "measure": measure, "split": split},
        cite=CITE,
        prefix=prefix,
        needs="models",
    )


def _begin(sentences: int, measure: Measure, split: str, stage: Stage, tell: Tell) -> Supporting:
    from gistmark.models.supporting import Supporting  # torch loads here, not with the declaration

    return Supporting(stage, tell, sentences, measure, split)
