"""chrF and chrF++: F-score of character n-grams, or of character and word n-grams."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from gistmark_engine.errors import OptionError
from gistmark_engine.metric import STATUS_FIELD, Batch, Block, Citation, Corpus, Field, Metric, Tokenizer
from gistmark_engine.options import checked
from gistmark_engine.tokens import Tokens

if TYPE_CHECKING:
    from gistmark_engine.kernels.chrf import Matches
    from gistmark_engine.kernels.overlap import Pairs

LARGEST_BETA = 1000

CITE = Citation("Popović 2015, chrF, section 2; Popović 2017, chrF++, section 2", "sacrebleu 2.6.0")

Scores = Mapping[str, NDArray[np.float64]]


@checked
def chrf(
    *,
    char_order: int = 6,
    word_order: int = 0,
    beta: float = 2,
    lowercase: bool = False,
    whitespace: bool = False,
    eps_smoothing: bool = False,
    parity: Literal["reference"] | None = None,
    prefix: str = "",
) -> Metric:
    """chrF of a summary against its references, and of a corpus.

    For each n up to `char_order`, precision and recall of the n-grams of characters (code points, white space left out);
    both are averaged over the n that both texts have, and `chrf` = 100 · (1 + β²)PR / (β²P + R). Float64, 0 to 100, higher
    is better. Of several references the one with the highest chrF counts. The chrF of a corpus is no mean of rows: it
    comes from the sums of `chrf_char<n>_summary`, `_reference`, `_match` and `chrf_word<n>_…` (`Metric.corpus`). Equal to
    sacreBLEU bit for bit.

    word_order     up to which n n-grams of words count too: 2 is chrF++ (see `chrfpp`)
    beta           how much more recall weighs than precision
    whitespace     white space counts as characters (not with words)
    eps_smoothing  one F per n, 1e-16 for what is undefined, averaged over all n
    parity         "reference": an empty reference gives 0.0 instead of null

    Null text gives null; an empty summary 0.0; an empty reference null (`chrf_status` says so), left out beside others.
    """
    return _metric("chrf", char_order, word_order, beta, lowercase, whitespace, eps_smoothing, parity, prefix)


@checked
def chrfpp(
    *,
    beta: float = 2,
    lowercase: bool = False,
    eps_smoothing: bool = False,
    parity: Literal["reference"] | None = None,
    prefix: str = "",
) -> Metric:
    """chrF++: chrF over n-grams of up to 6 characters and of up to 2 words, in fields `chrfpp…`; see `chrf`.

    Words are separated by white space, a last punctuation mark split off, or else a first one.
    """
    return _metric("chrfpp", 6, 2, beta, lowercase, False, eps_smoothing, parity, prefix)


def _metric(
    name: str,
    char_order: int,
    word_order: int,
    beta: float,
    lowercase: bool,
    whitespace: bool,
    smoothed: bool,
    parity: str | None,
    prefix: str,
) -> Metric:
    _check(name, char_order, word_order, beta, whitespace)
    statistics = _statistics(name, char_order, word_order)
    score = {"factor": float(beta**2), "smoothed": smoothed}
    return Metric(
        name=name,
        inputs=("summary", "references"),
        tokenizer=Tokenizer("chrf" + "_spaced" * whitespace + "_lower" * lowercase, sentences=word_order > 0),
        fields={name: Field("float64", 0.0, 100.0, "higher")}
        | dict.fromkeys(statistics, Field("int64", 0, summary=()))
        | {f"{name}_status": STATUS_FIELD},
        options={
            "case": "lc" if lowercase else "mixed",
            "eff": not smoothed,
            "nc": char_order,
            "nw": word_order,
            "beta": beta,
            "space": whitespace,
            "parity": parity,
        },
        run=partial(
            _run, name=name, char_order=char_order, word_order=word_order, parity=parity == "reference", score=score
        ),
        corpus=Corpus(statistics, partial(_finish, name=name, statistics=statistics, score=score)),
        cite=CITE,
        prefix=prefix,
    )


def sacrebleu_signature(metric: Metric, references: int | None) -> str:
    """The signature sacreBLEU 2.6.0 prints for the same chrF; `references`: how many every row has, None if that varies."""
    options = metric.options
    yes = {True: "yes", False: "no"}
    return (
        f"nrefs:{'var' if references is None else references}|case:{options['case']}|eff:{yes[bool(options['eff'])]}"
        f"|nc:{options['nc']}|nw:{options['nw']}|space:{yes[bool(options['space'])]}|version:2.6.0"
    )


def _check(name: str, char_order: int, word_order: int, beta: float, whitespace: bool) -> None:
    if char_order not in range(1, 10) or word_order not in range(10):
        raise OptionError(
            f"{name}: char_order must lie in 1 to 9, word_order in 0 to 9, not {char_order!r}, {word_order!r}"
        )
    if not 0 < beta <= LARGEST_BETA:
        raise OptionError(f"{name}: beta must lie above 0, up to {LARGEST_BETA}, not {beta!r}")
    if whitespace and word_order:
        raise OptionError(f"{name}: whitespace=True counts characters alone; it needs word_order=0")


def _statistics(name: str, char_order: int, word_order: int) -> tuple[str, ...]:
    """The additive fields, in the order in which the kernel counts."""
    orders = [f"char{n}" for n in range(1, char_order + 1)] + [f"word{n}" for n in range(1, word_order + 1)]
    return tuple(f"{name}_{order}_{part}" for order in orders for part in ("summary", "reference", "match"))


def _run(
    batch: Batch, *, name: str, char_order: int, word_order: int, parity: bool, score: Mapping[str, float]
) -> Block:
    from gistmark_engine.kernels.chrf import chrf_rows

    tokens = batch.tokenised
    characters, words = _count(tokens, char_order, word_order)
    out = chrf_rows(tokens.cut, tokens.groups, characters, words, score["factor"], score["smoothed"], parity)
    return tokens.without_null(out, "summary", "references")


def _count(tokens: Tokens, char_order: int, word_order: int) -> tuple[Matches, Matches]:
    """n-grams of characters and of words that each summary shares with each reference of its group."""
    from gistmark_engine.kernels.chrf import Matches

    cut = tokens.cut
    hits = _shared(tokens.reference_pairs(), char_order)
    characters = Matches(hits, cut.summary, cut.reference)
    shared = _shared(_word_pairs(tokens), word_order) if word_order else hits[:0]
    return characters, Matches(shared, cut.summary_sentences, cut.reference_sentences)


def _word_pairs(tokens: Tokens) -> Pairs:
    """The pairs of texts as words by number, each word where the cut has its stop."""
    from gistmark_engine.kernels.overlap import Pairs
    from gistmark_engine.kernels.pairs import reference_pairs
    from gistmark_engine.kernels.spelling import spell_words

    cut = tokens.cut
    kind = np.dtype(np.min_scalar_type(tokens.vocabulary))
    letters, stops = cut.ids.astype(kind).view(np.uint8), cut.sentence_stops * kind.itemsize
    numbers, vocabulary = spell_words(cut, tokens.groups, letters, stops)
    target, base = reference_pairs(cut.summary_sentences, cut.reference_sentences, cut.reference_offsets, tokens.groups)
    return Pairs(numbers, target, base, vocabulary)


def _shared(pairs: Pairs, top: int) -> NDArray[np.int64]:
    """n-grams that the texts of each pair share, int64 [top, pairs]."""
    from gistmark_engine.kernels.kept import MULTISET
    from gistmark_engine.kernels.orders import match_orders
    from gistmark_engine.kernels.overlap import overlap_pairs

    hits: NDArray[np.int64]
    hits, left = match_orders(pairs, top)
    if left.any():
        rest = pairs._replace(target=pairs.target[left], base=pairs.base[left])
        hits[:, left] = overlap_pairs(rest, np.arange(1, top + 1), MULTISET, False, -1)[:-1]
    return hits


def _finish(
    sums: Mapping[str, float], *, name: str, statistics: tuple[str, ...], score: Mapping[str, float]
) -> dict[str, float | None]:
    from gistmark_engine.kernels.chrf import chrf_score

    counts = np.array([sums[statistic] for statistic in statistics], np.float64).reshape(-1, 3)
    return {name: float(chrf_score(counts, score["factor"], score["smoothed"]))}
