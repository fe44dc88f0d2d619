"""METEOR: aligned words, by spelling, stem and synonym, and how scattered they lie."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from os import PathLike
from typing import Literal

from gistmark_engine.errors import OptionError
from gistmark_engine.metric import STATUS_FIELD, Batch, Block, Citation, Field, Metric
from gistmark_engine.options import checked
from gistmark_engine.synonyms import Synonyms, read_synonyms
from gistmark_engine.tokenizers import tokenizer_of

CITE = Citation("Lavie and Agarwal 2007, METEOR, section 2", "nltk 3.10.4, meteor_score")
LOOKED_UP = ("stem", "word")


@checked
def meteor(
    *,
    synonyms: str | PathLike[str] | Mapping[str, Collection[str]] | None = None,
    synonym_on: Literal["stem", "word"] = "stem",
    alpha: float = 0.9,
    beta: float = 3.0,
    gamma: float = 0.5,
    tokenizer: str = "whitespace_lower",
    normalize: Literal["NFC", "NFKC"] | None = None,
    casefold: bool = False,
    parity: Literal["reference"] | None = None,
    prefix: str = "",
) -> Metric:
    """METEOR of a summary against its references, the highest of several.

    Words are aligned in stages: equal, equal Porter stem, then synonyms if there are any; each stage goes through what is
    left of the summary from its last word to its first and takes the last free match. With m words aligned, P = m / words
    of the summary, R = m / words of the reference, Fmean = PR / (αP + (1 − α)R), and chunks = runs of aligned words that
    are adjacent in both texts, `meteor` = (1 − γ (chunks / m)^β) Fmean. Float64 in [0, 1), higher is better: one equal
    word gives 0.5, two 0.9375. Equal to NLTK's `meteor_score` on the same tokens bit for bit.

    synonyms    word → its synonyms, lower case; or the folder of a WordNet for NLTK (`corpora/wordnet`; extra `wordnet`)
    synonym_on  what is looked up: "stem", as NLTK does, which misses the synonyms of words that are not their own stem;
                "word"
    alpha       how much more precision weighs in the mean's denominator, 0 to 1; `beta`, `gamma`: the penalty
    tokenizer   "whitespace_lower", which leaves punctuation attached; "word_punct" splits it off. "nltk_word_lower" is what
                NLTK's own callers cut with (extra `nltk`; lower case is METEOR's, stems have it either way). Lists of tokens
                are taken as they are. More, and `normalize` and `casefold`, in docs/tokenizers.md
    parity      "reference": an empty reference counts as 0.0 instead of null

    Null text gives null; an empty summary 0.0; an empty reference null (`meteor_status` says so), left out beside others.
    """
    _check(synonyms, synonym_on, alpha, beta, gamma, parity)
    found = read_synonyms(synonyms)
    return Metric(
        name="meteor",
        inputs=("summary", "references"),
        tokenizer=tokenizer_of(tokenizer, False, normalize, casefold, words=True),
        fields={"meteor": Field("float64", 0.0, 1.0, "higher"), "meteor_status": STATUS_FIELD},
        options={
            "stages": ("exact", "porter", *((f"{found.name}({synonym_on})",) if found else ())),
            "alpha": float(alpha),
            "beta": float(beta),
            "gamma": float(gamma),
            "parity": parity,
        },
        run=partial(
            _run,
            synonyms=found,
            on_stem=synonym_on == "stem",
            weights=(float(alpha), float(beta), float(gamma)),
            parity=parity == "reference",
        ),
        cite=CITE,
        prefix=prefix,
    )


def _check(synonyms: object, synonym_on: str, alpha: float, beta: float, gamma: float, parity: str | None) -> None:
    if synonym_on not in LOOKED_UP:
        raise OptionError(f"meteor: synonym_on must be one of {', '.join(LOOKED_UP)}, not {synonym_on!r}")
    if synonym_on != "stem" and synonyms is None:
        raise OptionError(f"meteor: synonym_on={synonym_on!r} needs synonyms")
    for name, value in (("alpha", alpha), ("gamma", gamma)):
        if not 0 <= value <= 1:
            raise OptionError(f"meteor: {name} must lie in 0 to 1, not {value!r}")
    if not 0 < beta < float("inf"):
        raise OptionError(f"meteor: beta must be positive, not {beta!r}")
    if parity not in (None, "reference"):
        raise OptionError(f"meteor: parity must be None or 'reference', not {parity!r}")


def _run(
    batch: Batch, *, synonyms: Synonyms | None, on_stem: bool, weights: tuple[float, float, float], parity: bool
) -> Block:
    from gistmark_engine.kernels.meteor import Weights, meteor_rows
    from gistmark_engine.lexicon import make_lexicon

    tokens = batch.tokenised
    lexicon = make_lexicon(tokens.words, synonyms, on_stem)
    out = meteor_rows(tokens.cut, tokens.groups, lexicon, len(tokens.words), Weights(*weights), parity)
    return tokens.without_null(out, "summary", "references")
