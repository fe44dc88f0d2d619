"""ROUGE: recall-oriented n-gram and subsequence overlap with one or several references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.errors import OptionError
from gistmark_engine.metric import STATUS_FIELD, Batch, Citation, Field, Metric, Tokenizer
from gistmark_engine.options import checked
from gistmark_engine.tokens import Tokens

TYPES = (*"123456789", "L", "Lsum")
RULES = ("max", "mean", "jackknife", "first", "argmax_rouge1")

CITE = Citation(
    "Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries, sections 2-3",
    "rouge_score 0.1.2 (Google Research)",
)


@checked
def rouge(
    types: Sequence[str] = ("1", "2", "L"),
    *,
    stem: bool = False,
    multi: Literal["max", "mean", "jackknife", "first", "argmax_rouge1"] = "max",
    tokenizer: str = "rouge",
    scale: float = 1.0,
    parity: Literal["reference"] | None = None,
    prefix: str = "",
) -> Metric:
    """ROUGE-N, ROUGE-L and ROUGE-Lsum of a summary against its references.

    For type N: hits = sum over n-grams of the smaller of both counts; precision = hits / n-grams of the summary, recall =
    hits / n-grams of the reference, F1 their harmonic mean. L: hits = longest common subsequence of all tokens.
    Lsum: union-LCS over sentences, which newlines (or given sentence lists) separate. Fields `rouge<type>_p`, `_r`,
    `_f1`: float64 in [0, scale], higher is better. Equal to `rouge_score` bit for bit.

    types      of "1" to "9", "L", "Lsum"
    stem       Porter stemming of tokens longer than three characters (tokenizer "rouge" only)
    multi      several references: "max" takes, per type, the one with the highest F1 (`score_multi`); "mean" averages;
               "jackknife" averages the best F1 over references left out (p, r null); "first"; "argmax_rouge1" takes the
               one with the highest ROUGE-1 F1 for all types
    tokenizer  "rouge" keeps ASCII letters and digits only; "word_lower", "word_punct", "whitespace" keep all scripts
    scale      100 for percent
    parity     "reference": an empty reference counts as 0.0 instead of null

    Null text gives null; an empty summary 0.0; an empty reference null (`rouge_status` says so), left out beside others.
    """
    types = tuple(types)
    _check(types, stem, tokenizer, scale)
    fields = {
        f"rouge{kind}_{part}": Field("float64", 0.0, scale, "higher") for kind in types for part in ("p", "r", "f1")
    }
    return Metric(
        name="rouge",
        inputs=("summary", "references"),
        tokenizer=Tokenizer(tokenizer, stem=stem, sentences="Lsum" in types),
        fields=fields | {"rouge_status": STATUS_FIELD},
        options={"types": types, "multi": multi, "scale": scale, "parity": parity},
        run=partial(_run, types=types, rule=RULES.index(multi), scale=scale, parity=parity == "reference"),
        cite=CITE,
        prefix=prefix,
    )


def _check(types: tuple[str, ...], stem: bool, tokenizer: str, scale: float) -> None:
    unknown = [kind for kind in types if kind not in TYPES]
    if unknown or not types or len(set(types)) != len(types):
        raise OptionError(f"rouge: types must be distinct ones of {', '.join(TYPES)}, not {types!r}")
    if stem and tokenizer != "rouge":
        raise OptionError(f"rouge: stem=True needs tokenizer 'rouge', whose tokens are ASCII; this is {tokenizer!r}")
    if scale <= 0:
        raise OptionError(f"rouge: scale must be above 0, not {scale!r}")


def _run(
    batch: Batch, *, types: tuple[str, ...], rule: int, scale: float, parity: bool
) -> Mapping[str, NDArray[np.float64]]:
    from gistmark_engine.kernels.rouge import ARGMAX_ROUGE1, Hits, rouge_scores

    tokens = batch.tokenised
    counted = ("1", *types) if rule == ARGMAX_ROUGE1 else types
    hits, orders = _count_hits(tokens, counted)
    out = rouge_scores(tokens.cut, tokens.groups, Hits(hits, orders), rule, parity)
    out = out[3:] if rule == ARGMAX_ROUGE1 else out
    out[:, tokens.null_rows("summary", "references")] = np.nan
    if scale != 1.0:
        out[:-1] *= scale
    names = [f"rouge{kind}_{part}" for kind in types for part in ("p", "r", "f1")]
    return dict(zip([*names, "rouge_status"], out, strict=True))


def _count_hits(tokens: Tokens, types: tuple[str, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Hits [types, pairs] of every summary with every reference of its group, and the n-gram order of each type."""
    from gistmark_engine.kernels.kept import MULTISET
    from gistmark_engine.kernels.overlap import overlap_pairs

    orders = np.array(sorted({int(kind) for kind in types if kind.isdigit()}), np.int64)
    counts = overlap_pairs(tokens.reference_pairs(), orders, MULTISET, "L" in types, -1)
    by_type = {str(order): counts[k] for k, order in enumerate(orders)} | {"L": counts[-1]}
    if "Lsum" in types:
        by_type["Lsum"] = _union_hits(tokens)
    hits = np.stack([by_type[kind] for kind in types])
    return hits, np.array([int(kind) if kind.isdigit() else 1 for kind in types], np.int64)


def _union_hits(tokens: Tokens) -> NDArray[np.int64]:
    from gistmark_engine.kernels.pairs import union_pairs
    from gistmark_engine.kernels.summary_lcs import Sentences, union_hits

    cut = tokens.cut
    reference_of, summary_of = union_pairs(cut, tokens.groups)
    hits: NDArray[np.int64] = union_hits(
        Sentences(cut.ids, cut.sentence_stops, cut.reference, cut.reference_sentences),
        reference_of,
        Sentences(cut.ids, cut.sentence_stops, cut.summary, cut.summary_sentences),
        summary_of,
        tokens.vocabulary,
    )
    return hits
