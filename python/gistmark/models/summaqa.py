"""SummaQA: can the questions that a source's named entities pose be answered from its summary?"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from gistmark.models.checkpoint import Dtype, checkpoint_of
from gistmark.models.cuts import status_fields
from gistmark.models.run import Run, Tell
from gistmark.syntax.parser import DEFAULT_MODEL, version
from gistmark_engine.metric import Citation, Field, Metric
from gistmark_engine.options import checked

if TYPE_CHECKING:
    from gistmark.models.answering import Answering
    from gistmark.models.stage import Stage

CITE = Citation(
    "Scialom et al. 2019, Answers Unite! Unsupervised Metrics for Reinforced Summarization Models, section 3.3",
    "summaqa 0.1.0, as published",
)
SHARE = Field("float64", 0.0, 1.0, "higher")
FIELDS = {
    "summaqa_prob": SHARE,
    "summaqa_f1": SHARE,
    "summaqa_questions": Field("int64", 0),
    **status_fields("summaqa"),
}


@checked
def summaqa(
    model: str | Path | None = None,
    *,
    recogniser: str = DEFAULT_MODEL,
    legal_span: bool = False,
    merge_wordpieces: bool = False,
    parity: Literal["reference"] | None = None,
    revision: str | None = None,
    dtype: Dtype = "auto",
    device: str | None = None,
    batch_tokens: int | None = None,
    pickled: bool = False,
    remote: bool = False,
    prefix: str = "",
) -> Metric:
    """How well a model answers questions about the source from the summary.

    Every mention of a named entity in a sentence of the source makes a question: the sentence with the mention replaced by
    MASKED, the mention being the answer. The model reads question and summary (no segment ids); the answer goes from the
    likeliest start to the likeliest end, each by a softmax over all positions of which those of the question are left out.
    Fields: `summaqa_prob`, the mean over questions of the product of both probabilities; `summaqa_f1`, the mean F1 of the
    words of both answers (SQuAD's: lower case, without ASCII punctuation and articles); float64 in [0, 1]; and
    `summaqa_questions`, int64, how many there were. Questions are made once a source.

    model             a folder or a name at Hugging Face's hub that answers questions by spans; see `Checkpoint`, as for
                      `revision`, `dtype`, `device`, `pickled` and `remote`
    recogniser        an installed spaCy pipeline with entities and sentences, or a folder with one (extra `syntax`)
    legal_span        take the likeliest pair of a start and an end not before it; otherwise such an answer may be empty
    merge_wordpieces  join word pieces to words, which otherwise keep their ## and never equal the answer's
    parity            "reference": no questions give 0 instead of null, an empty summary what the model says, and two answers
                      that are nothing but articles and punctuation F1 0 instead of 1
    batch_tokens      word pieces of a batch; None: what suits the device

    Null text gives null. A source without entities gives null (`undefined`), an empty one too (`empty_source`); an empty
    summary 0 (`empty_summary`). A summary that does not fit beside a question is cut (`truncated`): `summaqa_kept_tokens` and
    `summaqa_total_tokens`, int64, are the word pieces of all questions, each with the summary, that were read and that there
    were. Raises `InputError` for a source longer than the pipeline takes.
    """
    checkpoint = checkpoint_of("summaqa", model, revision, dtype, device, pickled, remote, batch_tokens)
    begin = partial(_begin, recogniser, legal_span, merge_wordpieces, parity is not None)
    run = Run("summaqa", begin, checkpoint, "question_answering", tokens=batch_tokens)
    options = {
        "recogniser": version(recogniser),
        "legal_span": legal_span,
        "merge_wordpieces": merge_wordpieces,
        "parity": parity,
    }
    return Metric(
        name="summaqa",
        inputs=("summary", "source"),
        fields=FIELDS,
        run=run,
        options=run.signature | options,
        cite=CITE,
        prefix=prefix,
        needs="models",
    )


def _begin(recogniser: str, legal: bool, merge: bool, parity: bool, stage: Stage, tell: Tell) -> Answering:
    from gistmark.models.answering import Answering, Rules  # torch and spaCy load here, not with the declaration

    return Answering(stage, tell, Rules(recogniser, legal, merge, parity))
