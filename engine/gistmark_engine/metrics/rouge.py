"""ROUGE: recall-oriented n-gram and subsequence overlap with one or several references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.errors import OptionError
from gistmark_engine.hits import KIND, count_hits, count_units, orders_of
from gistmark_engine.irregular import NONE, read_irregular
from gistmark_engine.metric import STATUS_FIELD, Batch, Block, Citation, Field, Metric
from gistmark_engine.options import checked
from gistmark_engine.stems import program_stems
from gistmark_engine.tokenizers import tokenizer_of
from gistmark_engine.tokens import Tokens

RULES = ("max", "mean", "jackknife", "first", "argmax_rouge1", "pooled", "best_recall")

CITE = Citation(
    "Lin 2004, ROUGE: A Package for Automatic Evaluation of Summaries, sections 2-5",
    "rouge_score 0.1.2 (Google Research); ROUGE-1.5.5 for W, S, SU, pooled, best_recall",
)


@checked
def rouge(
    types: Sequence[str] = ("1", "2", "L"),
    *,
    stem: bool | str = False,
    multi: Literal["max", "mean", "jackknife", "first", "argmax_rouge1", "pooled", "best_recall"] | None = None,
    tokenizer: str = "rouge",
    normalize: Literal["NFC", "NFKC"] | None = None,
    casefold: bool = False,
    scale: float = 1.0,
    irregular: str | PathLike[str] | None = None,
    parity: Literal["reference", "rouge155"] | None = None,
    prefix: str = "",
) -> Metric:
    """ROUGE-N, -L, -Lsum, -W, -S and -SU of a summary against its references.

    For type N: hits = sum over n-grams of the smaller of both counts; precision = hits / n-grams of the summary, recall =
    hits / n-grams of the reference, F1 their harmonic mean. L: hits = longest common subsequence of all tokens.
    Lsum: union-LCS over sentences, which newlines (or given sentence lists) separate. Fields `rouge<type>_p`, `_r`,
    `_f1`: float64 in [0, scale], higher is better. Equal to `rouge_score` bit for bit. W, S<n> and SU<n> are counted as
    the program ROUGE-1.5.5 does (docs/rouge.md): weighted union-LCS (weight 1.2), pairs of words in order with at most n
    others between them, and those with all words but the last.

    types      of "1" to "9", "L", "Lsum", "W", "S0" to "S99", "SU0" to "SU99"
    stem       True: Porter stemming of tokens longer than three characters (tokenizer "rouge" only); or a language of
               Snowball's, such as "german" (extra `stemmers`)
    multi      several references: "max" (the default) takes, per type, the one with the highest F1 (`score_multi`); "mean"
               averages; "jackknife" averages the best F1 over references left out (p, r null); "first"; "argmax_rouge1"
               takes the one with the highest ROUGE-1 F1 for all types; "pooled" sums hits and units over references
               (the default of parity "rouge155"); "best_recall" takes, per type, the one with the highest recall
    tokenizer  "rouge" keeps ASCII letters and digits only; for other scripts "unicode", "character" or another of
               docs/tokenizers.md
    normalize  Unicode form that texts are brought to first; `casefold`: fold case first (`ß` is `ss`), with either
    scale      100 for percent
    irregular  with stem and parity "rouge155", the folder of a WordNet's `.exc` files, whose irregular forms the program
               looks up before it stems; without it they are stemmed like other words
    parity     "reference": an empty reference counts as 0.0 instead of null. "rouge155": so too, and all numbers are those
               that ROUGE-1.5.5 prints (five decimals, F1 from the rounded p and r), its stemmer and its L (Lsum) included

    Null text gives null; an empty summary 0.0; an empty reference null (`rouge_status` says so), left out beside others.
    """
    types, program = tuple(types), parity == "rouge155"
    multi = multi or ("pooled" if program else "max")
    _check(types, stem, tokenizer, scale, irregular is not None, program)
    counted = tuple("Lsum" if kind == "L" and program else kind for kind in types)
    found = read_irregular(irregular) if irregular is not None else NONE
    names = [f"rouge{kind}_{part}" for kind in types for part in ("p", "r", "f1")]
    fields = dict.fromkeys(names, Field("float64", 0.0, scale, "higher")) | {"rouge_status": STATUS_FIELD}
    return Metric(
        name="rouge",
        inputs=("summary", "references"),
        tokenizer=tokenizer_of(
            "rouge155" if program and tokenizer == "rouge" else tokenizer,
            False if program else stem,
            normalize,
            casefold,
            sentences="Lsum" in counted or "W" in counted,
            words=bool(stem) and program,
        ),
        fields=fields,
        options={"types": types, "multi": multi, "scale": scale, "parity": parity}
        | ({"stem": "rouge155", "irregular": found.name} if program and stem else {}),
        run=partial(
            _run,
            types=counted,
            rule=RULES.index(multi),
            scale=scale,
            parity=parity,
            forms=found.forms if program and stem else None,
        ),
        cite=CITE,
        prefix=prefix,
    )


def _check(
    types: tuple[str, ...], stem: bool | str, tokenizer: str, scale: float, irregular: bool, program: bool
) -> None:
    if not types or len(set(types)) != len(types) or not all(KIND.fullmatch(kind) for kind in types):
        known = "1 to 9, L, Lsum, W, S0 to S99, SU0 to SU99"
        raise OptionError(f"rouge: types must be distinct ones of {known}, not {types!r}")
    if program and "Lsum" in types:
        raise OptionError("rouge: under parity='rouge155' type 'L' is the summary-level one; leave out 'Lsum'")
    if stem and program and (tokenizer != "rouge" or stem is not True):
        raise OptionError(
            f"rouge: under parity='rouge155' stem is True or False and needs tokenizer 'rouge', not {stem!r} and {tokenizer!r}"
        )
    if irregular and not (stem and program):
        raise OptionError("rouge: irregular needs stem=True and parity='rouge155'")
    if scale <= 0:
        raise OptionError(f"rouge: scale must be above 0, not {scale!r}")


def _run(
    batch: Batch,
    *,
    types: tuple[str, ...],
    rule: int,
    scale: float,
    parity: str | None,
    forms: Mapping[bytes, bytes] | None,
) -> Block:
    from gistmark_engine.kernels.rouge import ARGMAX_ROUGE1

    tokens = batch.tokenised if forms is None else _stemmed(batch.tokenised, forms)
    out = _scores(tokens, ("1", *types) if rule == ARGMAX_ROUGE1 else types, rule, parity)
    out = out[3:] if rule == ARGMAX_ROUGE1 else out
    if scale != 1.0:
        out[:-1] *= scale
    return tokens.without_null(out, "summary", "references")


def _scores(tokens: Tokens, types: tuple[str, ...], rule: int, parity: str | None) -> NDArray[np.float64]:
    """p, r, F1 of each type, then the status, by row: by the quick way where `rouge_score` knows types and rule."""
    from gistmark_engine.kernels.rouge import ARGMAX_ROUGE1, Hits, rouge_scores

    program, counted = parity == "rouge155", parity is not None
    if program or rule > ARGMAX_ROUGE1 or any(kind[0] in "WS" for kind in types):
        from gistmark_engine.kernels.unit_scores import unit_scores

        out = unit_scores(tokens.cut, tokens.groups, count_units(tokens, types), rule, program, counted)
    else:
        hits = Hits(count_hits(tokens, types), orders_of(types))
        out = rouge_scores(tokens.cut, tokens.groups, hits, rule, counted)
    scores: NDArray[np.float64] = out
    return scores


def _stemmed(tokens: Tokens, forms: Mapping[bytes, bytes]) -> Tokens:
    """The tokens with one id for all words that have the same stem."""
    numbers: dict[bytes, int] = {}
    stems = program_stems(tokens.words, forms)
    of_word = np.array([numbers.setdefault(stem, len(numbers)) for stem in stems], np.int32)
    used = max(tokens.cut.summary.max(initial=0), tokens.cut.reference.max(initial=0))
    return replace(tokens, cut=tokens.cut._replace(ids=of_word[tokens.cut.ids[:used]]))
