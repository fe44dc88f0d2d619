"""What each metric under the interface of `evaluate` takes and returns: its options there to ours, our numbers to its keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

import numpy as np
import polars as pl

from gistmark import metrics as factories
from gistmark.evaluate.evaluation import Columns, Found, listed
from gistmark.marks import tokens
from gistmark.score import score
from gistmark.summary import summarise
from gistmark_engine.errors import MissingExtra, OptionError
from gistmark_engine.metric import Metric
from gistmark_engine.metrics.bleu import SMOOTH_VALUES, SMOOTHING


def rouge(
    columns: Columns,
    *,
    rouge_types: Sequence[str] | None = None,
    use_aggregator: bool = True,
    use_stemmer: bool = False,
    tokenizer: str | None = None,
) -> Found:
    """F1 of each type, mean or list; `tokenizer` is one of gistmark's by name."""
    if tokenizer is not None and not isinstance(tokenizer, str):
        raise OptionError("rouge: tokenizer is a name here; cut texts yourself and mark them: gistmark.tokens")
    wanted = tuple(rouge_types or ("rouge1", "rouge2", "rougeL", "rougeLsum"))
    types = tuple(kind.removeprefix("rouge") for kind in wanted)
    metric = factories.rouge(types, stem=use_stemmer, tokenizer=tokenizer or "rouge", parity="reference")
    rows = _scored(columns, metric)
    found = {kind: rows[f"{kind}_f1"] for kind in wanted}
    return {kind: float(np.mean(values)) if use_aggregator else list(values) for kind, values in found.items()}


def sacrebleu(
    columns: Columns,
    *,
    smooth_method: str = "exp",
    smooth_value: float | None = None,
    force: bool = False,
    lowercase: bool = False,
    tokenize: str | None = None,
    use_effective_order: bool = False,
) -> Found:
    """sacreBLEU's corpus score and what it is made of; `force` has no meaning here."""
    from gistmark_engine.kernels.bleu import bleu_parts

    metric = factories.bleu(
        tokenizer=tokenize or "13a",
        lowercase=lowercase,
        smooth=smooth_method,  # type: ignore[arg-type]
        smooth_value=smooth_value,
        corpus_effective_order=use_effective_order,
        parity="reference",
    )
    total, found = _corpus(columns, metric)
    sums = np.array(list(total.values()))
    value = SMOOTH_VALUES.get(smooth_method, 0.0) if smooth_value is None else float(smooth_value)
    precisions, penalty = bleu_parts(sums, SMOOTHING.index(smooth_method), value)
    counts = [int(count) for count in sums]
    orders = len(precisions)
    return {
        "score": found,
        "counts": counts[2 : 2 + orders],
        "totals": counts[2 + orders :],
        "precisions": precisions.tolist(),
        "bp": float(penalty),
        "sys_len": counts[0],
        "ref_len": counts[1],
    }


def chrf(
    columns: Columns,
    *,
    char_order: int = 6,
    word_order: int = 0,
    beta: int = 2,
    lowercase: bool = False,
    whitespace: bool = False,
    eps_smoothing: bool = False,
) -> Found:
    """The chrF of the corpus, chrF++ with `word_order=2`."""
    metric = factories.chrf(
        char_order=char_order,
        word_order=word_order,
        beta=beta,
        lowercase=lowercase,
        whitespace=whitespace,
        eps_smoothing=eps_smoothing,
        parity="reference",
    )
    return {
        "score": _corpus(columns, metric)[1],
        "char_order": char_order,
        "word_order": word_order,
        "beta": beta,
    }


def ter(
    columns: Columns,
    *,
    normalized: bool = False,
    ignore_punct: bool = False,
    support_zh_ja_chars: bool = False,
    case_sensitive: bool = False,
) -> Found:
    """The TER of the corpus, its edits and its mean reference length."""
    metric = factories.ter(
        case_sensitive=case_sensitive,
        normalized=normalized,
        no_punct=ignore_punct,
        asian_support=support_zh_ja_chars,
        parity="reference",
    )
    total, found = _corpus(columns, metric)
    return {"score": found, "num_edits": int(total["ter_edits"]), "ref_length": total["ter_reference_length"]}


def meteor(
    columns: Columns,
    *,
    alpha: float = 0.9,
    beta: float = 3,
    gamma: float = 0.5,
    wordnet: str | PathLike[str] | None = None,
) -> Found:
    """The mean over rows of NLTK's METEOR on its word tokens; `wordnet`: a folder, without which synonyms are left out."""
    cut = _word_tokenizer()
    lists = {
        "summary": [cut(text) for text in columns["summary"]],
        "references": [[cut(text) for text in listed(row)] for row in columns["references"]],
    }
    metric = factories.meteor(synonyms=wordnet, alpha=alpha, beta=float(beta), gamma=gamma, parity="reference")
    rows: dict[str, Any] = score(lists, [metric], {name: tokens(name) for name in lists})
    return {"meteor": float(np.mean(rows["meteor"]))}


def _word_tokenizer() -> Callable[[str], list[str]]:
    """NLTK's `word_tokenize` with the Punkt model that comes as a package, in lower case as its METEOR has it."""
    try:
        from nltk.tokenize import NLTKWordTokenizer
        from punkt import sent_tokenize
    except ImportError:
        raise MissingExtra("METEOR as evaluate computes it", "evaluate") from None
    words = NLTKWordTokenizer()

    def cut(text: str) -> list[str]:
        return [token.lower() for sentence in sent_tokenize(text) for token in words.tokenize(sentence)]

    return cut


def fields(factory: Callable[..., Metric], columns: Columns, **options: Any) -> Found:
    """The first statistic of each field that a table may condense, corpus scores before means."""
    metric = factory(**options)
    lines = summarise(_scored(columns, metric), [metric]).filter(pl.col("statistic") != "share")
    first = pl.concat([lines.filter(statistic="corpus"), lines]).unique("field", keep="first", maintain_order=True)
    return dict(first.select("field", "value").iter_rows())


def _corpus(columns: Columns, metric: Metric) -> tuple[dict[str, float], float]:
    """The sums of a metric's corpus statistics, and the corpus score that follows."""
    if metric.corpus is None:
        raise OptionError(f"{metric.name} has no score of a corpus")
    rows = _scored(columns, metric)
    total = {name: float(sum(rows[name])) for name in metric.corpus.statistics}
    found = metric.corpus.finish(total)[metric.name]
    return total, 0.0 if found is None else found


def _scored(columns: Columns, metric: Metric) -> dict[str, list[Any]]:
    """The fields of every row."""
    return score(_lists(columns), [metric])


def _lists(columns: Columns) -> dict[str, list[Any]]:
    """The texts, references as lists of them."""
    return {name: [listed(row) if name == "references" else row for row in rows] for name, rows in columns.items()}
