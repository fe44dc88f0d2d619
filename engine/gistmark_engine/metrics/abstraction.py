"""RA, SA and AR: how abstractive the reference is, how abstractive the summary is, and the ratio of the two."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Literal

import numpy as np

from gistmark_engine.errors import OptionError
from gistmark_engine.metric import STATUS, STATUS_FIELD, Batch, Block, Citation, Field, Metric
from gistmark_engine.options import checked
from gistmark_engine.tokenizers import tokenizer_of

RISKS = ("extractive", "balanced", "moderate", "high")
CHOICES: Mapping[str, tuple[str, ...]] = {
    "preset": ("ra_sa_ar_paper",),
    "overlap": ("multiset", "set", "membership"),
    "bigram_norm": ("bigrams", "words"),
    "short_bigram": ("null", "zero"),
    "both_extractive": ("formula", "one"),
    "risk_from": ("ar1", "ar2", "arL"),
    "multi": ("first", "mean", "min_ar", "median"),
}
PAPER_CAP, LEAST_EPSILON = 500, 1e-300

CITE = Citation("Abstractiveness Metrics for Evaluating Text Summarization, sections 3-4, tables 4-7")


@checked
def abstraction(
    *,
    preset: Literal["ra_sa_ar_paper"] | None = None,
    tokenizer: str = "word_lower",
    stem: bool | str = False,
    normalize: Literal["NFC", "NFKC"] | None = None,
    casefold: bool = False,
    overlap: Literal["multiset", "set", "membership"] = "multiset",
    bigram_norm: Literal["bigrams", "words"] = "bigrams",
    exponent: float = 3.0,
    epsilon: float = 1e-8,
    lcs_source_cap: int | None = None,
    short_bigram: Literal["null", "zero"] = "null",
    both_extractive: Literal["formula", "one"] = "formula",
    risk_from: Literal["ar1", "ar2", "arL"] = "ar2",
    risk_cuts: tuple[float, float, float] = (0.8, 1.2, 2.0),
    multi: Literal["first", "mean", "min_ar", "median"] = "first",
    prefix: str = "",
) -> Metric:
    """Reference Abstraction, Summary Abstraction and Abstraction Ratio by words (1), bigrams (2) and subsequence (L).

    For a text of n tokens and a source of O tokens: HM = 2nO/(n + O); c1 = shared words / n, c2 = shared bigrams /
    (n - 1), cL = LCS / n, all in [0, 1]. RA_k = HM(R, O)·(1 - c_Rk)³ for the reference, SA_k the same for the summary,
    AR_k = (1 - c_Sk)³ / ((1 - c_Rk)³ + ε), in [0, 1/ε]. AR > 1: the summary is more abstractive than the reference;
    below 1 more extractive. `ar_risk` is a screening class: high above 2, moderate above 1.2, balanced from 0.8 on, else
    extractive. RA and SA are in words and grow with length; `sa<k>_per_word` = SA_k / HM(S, O) = (1 - c_Sk)³, in [0, 1],
    does not. AR is heavy-tailed, so a table shows its median, never a mean.

    tokenizer       "word_lower" or another of docs/tokenizers.md, with `stem`, `normalize` and `casefold`
    preset          "ra_sa_ar_paper": the settings that give the published tables, an LCS against the first 500 source tokens
    overlap         "multiset": min of both counts; "set": distinct shared n-grams; "membership": every n-gram of the text
                    that the source has
    bigram_norm     "words" divides bigrams by n
    lcs_source_cap  how many source tokens the LCS sees
    short_bigram    a one-token text has no bigrams: "null", or "zero" overlap
    both_extractive AR where both texts are wholly copied: 0 by the formula, or "one"
    risk_from       which AR decides `ar_risk`; `risk_cuts`: the bounds of its classes
    multi           several references: the "first", "mean" or "median" of every number (null if one is undefined), or the
                    one with the least AR

    Null or empty summary or source gives null; no reference leaves SA. `ar<k>_saturated`: (1 - c_Rk)³ < 1e-6, where AR
    is ε's doing. `abstraction_status` gives the reason.
    """
    chosen: dict[str, str | None] = {
        "preset": preset, "overlap": overlap, "bigram_norm": bigram_norm, "short_bigram": short_bigram,
        "both_extractive": both_extractive, "risk_from": risk_from, "multi": multi,
    }  # fmt: skip
    _check(preset, exponent, epsilon, lcs_source_cap, risk_cuts)
    cap = PAPER_CAP if preset else lcs_source_cap
    shown: dict[str, object] = {key: value for key, value in chosen.items() if key != "preset"}
    return Metric(
        name="abstraction",
        inputs=("summary", "references", "source"),
        optional=("references",),
        tokenizer=tokenizer_of(tokenizer, stem, normalize, casefold),
        fields=_fields(float(epsilon)),
        options=shown
        | {
            "exponent": float(exponent),
            "epsilon": float(epsilon),
            "lcs_source_cap": cap,
            "risk_cuts": tuple(risk_cuts),
        },
        run=partial(
            _run,
            mode=CHOICES["overlap"].index(overlap),
            cap=-1 if cap is None else cap,
            by_words=bigram_norm == "words",
            exponent=float(exponent),
            epsilon=float(epsilon),
            zero_bigram=short_bigram == "zero",
            one_extractive=both_extractive == "one",
            risk_from=CHOICES["risk_from"].index(risk_from),
            cuts=np.array(risk_cuts, np.float64),
            multi=CHOICES["multi"].index(multi),
        ),
        cite=CITE,
        prefix=prefix,
    )


def _check(
    preset: str | None,
    exponent: float,
    epsilon: float,
    cap: int | None,
    cuts: tuple[float, float, float],
) -> None:
    if not exponent > 0 or not epsilon >= LEAST_EPSILON:
        raise OptionError(
            f"abstraction: exponent must be positive and epsilon at least {LEAST_EPSILON}, not {exponent!r} and {epsilon!r}"
        )
    if cap is not None and not 1 <= cap < 1 << 62:
        raise OptionError(f"abstraction: lcs_source_cap must be at least 1 and fit 62 bits, not {cap!r}")
    if preset and cap is not None:
        raise OptionError("abstraction: the preset sets lcs_source_cap itself; give one or the other")
    if len(cuts) != 3 or not cuts[0] <= cuts[1] <= cuts[2]:
        raise OptionError(f"abstraction: risk_cuts must be three ascending numbers, not {cuts!r}")


def _fields(epsilon: float) -> dict[str, Field]:
    kinds, typical = ("1", "2", "L"), ("mean", "median")
    share, words = Field("float64", 0.0, 1.0), Field("float64", 0.0, summary=typical)
    return {
        **{f"c_r{kind}": share for kind in kinds},
        **{f"c_s{kind}": share for kind in kinds},
        "hm_r": words,
        "hm_s": words,
        **{f"ra{kind}": words for kind in kinds},
        **{f"sa{kind}": words for kind in kinds},
        **{f"sa{kind}_per_word": share for kind in kinds},
        **{f"ar{kind}": Field("float64", 0.0, 1 / epsilon, summary=("median", "quartiles")) for kind in kinds},
        "ar_risk": Field("enum", summary=("counts",), levels=RISKS),
        **{f"ar{kind}_saturated": Field("bool", summary=("counts",)) for kind in kinds},
        "r_tokens": Field("float64", 0.0),
        "s_tokens": Field("int64", 0.0),
        "o_tokens": Field("int64", 0.0),
        "abstraction_status": STATUS_FIELD,
    }


def _run(batch: Batch, *, mode: int, cap: int, **options: Any) -> Block:
    from gistmark_engine.kernels.abstraction import Options
    from gistmark_engine.kernels.abstraction import abstraction as compute
    from gistmark_engine.kernels.overlap import overlap_pairs
    from gistmark_engine.kernels.pairs import source_pairs

    tokens = batch.tokenised
    target, base, reference_pair, row_pair = source_pairs(tokens.cut, tokens.groups)
    shared = overlap_pairs(tokens.pairs(target, base), np.array([1, 2], np.int64), mode, True, cap)
    out = compute(tokens.cut, tokens.groups, shared, reference_pair, row_pair, Options(**options))
    null = tokens.null_rows("references")
    if null is not None:
        out[-1, null & (out[-1] == STATUS["empty_reference"])] = STATUS["ok"]
    return tokens.without_null(out, "summary", "source")
