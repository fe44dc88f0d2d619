"""BLEU: clipped n-gram precisions and a brevity penalty, of rows and of a corpus."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.errors import OptionError
from gistmark_engine.metric import STATUS_FIELD, Batch, Block, Citation, Corpus, Field, Metric, Tokenizer
from gistmark_engine.options import checked
from gistmark_engine.tokens import Tokens

SMOOTHING = ("none", "exp", "floor", "add-k")
SMOOTH_VALUES = {"floor": 0.1, "add-k": 1.0}
TOKENIZERS = {"13a": "13a", "intl": "intl", "zh": "zh", "char": "char", "none": "whitespace"}
"""sacreBLEU's names, and ours."""

LARGEST_VALUE = 1000

CITE = Citation(
    "Papineni et al. 2002, BLEU, section 2; smoothing: Chen and Cherry 2014, section 3; Post 2018", "sacrebleu 2.6.0"
)


@checked
def bleu(
    *,
    tokenizer: str = "13a",
    lowercase: bool = False,
    smooth: Literal["exp", "floor", "add-k", "none"] = "exp",
    smooth_value: float | None = None,
    max_order: int = 4,
    effective_order: bool = True,
    corpus_effective_order: bool = False,
    parity: Literal["reference"] | None = None,
    prefix: str = "",
) -> Metric:
    """BLEU of a summary against its references, and of a corpus.

    `bleu` = 100 · BP · exp(mean over n of log p_n): p_n is the share of the summary's n-grams that a reference has, each
    counted at most as often as in the reference richest in it; BP = exp(1 − r/c) for a summary of c tokens, fewer than
    the r of the reference closest in length. Float64, 0 to 100 (identical texts may come out at 100.00000000000004),
    higher is better. The BLEU of a corpus is no mean of rows: it comes from the sums of `bleu_summary_length`,
    `bleu_reference_length`, `bleu_match<n>` and `bleu_total<n>` (`Metric.corpus`). Equal to sacreBLEU bit for bit (from
    Python 3.12 on its own sum of logarithms compensates rounding, which can move the last bit).

    tokenizer  "13a", "intl", "zh", "char", "none", or "spm:FILE" with a local SentencePiece model
    smooth     what stands for p_n = 0: "exp" halves it at each such n, "floor" takes `smooth_value` matches (0.1),
               "add-k" adds `smooth_value` (1) to matches and totals beyond unigrams, "none" leaves 0
    max_order  the largest n, 1 to 9
    effective_order, corpus_effective_order
               average over the orders that the text is long enough for; otherwise shorter texts give 0
    parity     "reference": an empty reference counts as one of length 0, and gives 0.0 instead of null

    Null text gives null; an empty summary 0.0; an empty reference null (`bleu_status` says so), left out beside others.
    """
    _check(tokenizer, smooth, smooth_value, max_order)
    value = SMOOTH_VALUES.get(smooth, 0.0) if smooth_value is None else float(smooth_value)
    method = SMOOTHING.index(smooth)
    finish = partial(_finish, smooth=method, value=value, effective=corpus_effective_order)
    return Metric(
        name="bleu",
        inputs=("summary", "references"),
        tokenizer=_tokenizer(tokenizer, lowercase),
        fields={"bleu": Field("float64", 0.0, 100.00000000000004, "higher")}
        | dict.fromkeys(_statistics(max_order), Field("int64", 0, summary=()))
        | {"bleu_status": STATUS_FIELD},
        options={
            "case": "lc" if lowercase else "mixed",
            "eff": effective_order,
            "corpus_eff": corpus_effective_order,
            "smooth": smooth,
            "smooth_value": value if smooth in SMOOTH_VALUES else None,
            "order": max_order,
            "parity": parity,
        },
        run=partial(
            _run, order=max_order, smooth=method, value=value, effective=effective_order, parity=parity == "reference"
        ),
        corpus=Corpus(_statistics(max_order), finish),
        cite=CITE,
        prefix=prefix,
    )


def sacrebleu_signature(metric: Metric, references: int | None, *, corpus: bool = True) -> str:
    """The signature sacreBLEU 2.6.0 prints for the same score, of a corpus or of a row.

    references  how many references every row has, None where that varies
    """
    options = metric.options
    effective = options["corpus_eff"] if corpus else options["eff"]
    cut = str((metric.tokenizer or Tokenizer("none")).options["tok"])
    tok = cut.removesuffix("_lower").replace("whitespace", "none")
    value = options["smooth_value"]
    smooth = options["smooth"] if value is None else f"{options['smooth']}[{value:.2f}]"
    return (
        f"nrefs:{'var' if references is None else references}|case:{options['case']}|eff:{'yes' if effective else 'no'}"
        f"|tok:{tok}|smooth:{smooth}|version:2.6.0"
    )


def _check(tokenizer: str, smooth: str, smooth_value: float | None, max_order: int) -> None:
    if tokenizer not in TOKENIZERS and not tokenizer.startswith("spm:"):
        raise OptionError(f"bleu: tokenizer must be one of {', '.join(TOKENIZERS)} or 'spm:FILE', not {tokenizer!r}")
    if smooth_value is not None and smooth not in SMOOTH_VALUES:
        raise OptionError(f"bleu: smooth {smooth!r} takes no smooth_value")
    if smooth_value is not None and not 0 <= smooth_value <= LARGEST_VALUE:
        raise OptionError(f"bleu: smooth_value must lie in 0 to {LARGEST_VALUE}, not {smooth_value!r}")
    if max_order not in range(1, 10):
        raise OptionError(f"bleu: max_order must lie in 1 to 9, not {max_order!r}")


def _tokenizer(name: str, lowercase: bool) -> Tokenizer:
    if name.startswith("spm:"):
        return Tokenizer(name, case="lower" if lowercase else None)
    return Tokenizer(TOKENIZERS[name] + "_lower" * lowercase)


def _statistics(order: int) -> tuple[str, ...]:
    """The additive fields, in the order in which the kernel counts."""
    counts = [f"bleu_{part}{n}" for part in ("match", "total") for n in range(1, order + 1)]
    return ("bleu_summary_length", "bleu_reference_length", *counts)


def _run(batch: Batch, *, order: int, smooth: int, value: float, effective: bool, parity: bool) -> Block:
    from gistmark_engine.kernels.bleu import bleu_rows

    tokens = batch.tokenised
    hits = _matches(tokens, order)
    out = bleu_rows(tokens.cut, tokens.groups, hits, smooth, value, effective, parity)
    return tokens.without_null(out, "summary", "references")


def _matches(tokens: Tokens, order: int) -> NDArray[np.int64]:
    """Clipped matches [order, rows]: where no row has several references, those of plain pairs, which count quicker."""
    from gistmark_engine.kernels.kept import MULTISET
    from gistmark_engine.kernels.overlap import overlap_pairs
    from gistmark_engine.kernels.pooled import pooled_overlap

    references = np.diff(tokens.cut.reference_offsets)
    if (references > 1).any():
        pooled: NDArray[np.int64] = pooled_overlap(tokens.cut, tokens.groups, order)
        return pooled
    hits = np.zeros((order, tokens.rows), np.int64)
    paired = np.repeat(references == 1, np.diff(tokens.groups.offsets))
    hits[:, tokens.groups.members[paired]] = overlap_pairs(
        tokens.reference_pairs(), np.arange(1, order + 1), MULTISET, False, -1
    )[:-1]
    return hits


def _finish(sums: Mapping[str, float], *, smooth: int, value: float, effective: bool) -> dict[str, float | None]:
    from gistmark_engine.kernels.bleu import bleu_score

    counts = np.array([sums[name] for name in _statistics((len(sums) - 2) // 2)], np.float64)
    return {"bleu": float(bleu_score(counts, smooth, value, effective))}
