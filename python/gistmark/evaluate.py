"""Metrics under the interface of Hugging Face's `evaluate`, which need not be installed:

    from gistmark import evaluate

    evaluate.load("rouge").compute(predictions=["A cat sat."], references=["The cat sat."])

`rouge`, `sacrebleu`, `chrf`, `ter` and `meteor` take the options and return the keys and values of the metrics of these
names there; every other metric of texts takes the options of its factory and returns its fields, condensed over rows.
Rows, instead, in a `datasets.Dataset`: `dataset.map(functools.partial(gistmark.score, metrics=["rouge"]), batched=True)`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike
from typing import Any

import numpy as np
import polars as pl

from gistmark import metrics as factories
from gistmark.catalogue import catalogue
from gistmark.marks import tokens
from gistmark.near import near
from gistmark.score import score
from gistmark.summarise import summarise
from gistmark_engine.errors import InputError, MissingExtra, OptionError
from gistmark_engine.metric import Metric
from gistmark_engine.metrics.bleu import SMOOTH_VALUES, SMOOTHING

Texts = Sequence[str]
References = Sequence[str] | Sequence[Sequence[str]]
Columns = Mapping[str, Sequence[Any]]
Found = dict[str, Any]

ROLES = {"predictions": "summary", "references": "references", "sources": "source"}


class Evaluation:
    """A metric that takes texts at once or bit by bit: what `evaluate.load` returns."""

    def __init__(self, name: str, run: Callable[..., Found]) -> None:
        self.name = name
        self._run = run
        self._columns: dict[str, list[Any]] = {}

    def add(self, *, prediction: str, reference: str | Sequence[str] | None = None, source: str | None = None) -> None:
        """Keep one summary, with its reference or list of references, or its source."""
        one = {"predictions": prediction, "references": reference, "sources": source}
        self.add_batch(**{name: [value] for name, value in one.items() if value is not None})

    def add_batch(
        self, *, predictions: Texts, references: References | None = None, sources: Texts | None = None
    ) -> None:
        """Keep several summaries, with as many references (texts, or lists of texts) or sources."""
        given = {"predictions": predictions, "references": references, "sources": sources}
        columns = {name: list(values) for name, values in given.items() if values is not None}
        if self._columns and set(columns) != set(self._columns):
            raise InputError(f"{self.name} was given {', '.join(self._columns)} before, now {', '.join(columns)}")
        for name, values in columns.items():
            if len(values) != len(columns["predictions"]):
                raise InputError(f"{len(values)} {name} for {len(columns['predictions'])} predictions", column=name)
            self._columns.setdefault(name, []).extend(values)

    def compute(
        self,
        *,
        predictions: Texts | None = None,
        references: References | None = None,
        sources: Texts | None = None,
        **options: Any,
    ) -> Found:
        """The scores of everything kept and given, which is then forgotten.

        Raises OptionError for an option that the metric does not take, InputError for nothing to score.
        """
        if predictions is not None:
            self.add_batch(predictions=predictions, references=references, sources=sources)
        elif references is not None or sources is not None:
            raise InputError(f"{self.name} was given references or sources without predictions")
        columns, self._columns = self._columns, {}
        self._check(columns)
        try:
            return self._run({ROLES[name]: values for name, values in columns.items()}, **options)
        except TypeError as error:
            if "unexpected keyword argument" in str(error):
                raise OptionError(f"{self.name}: {error}") from None
            raise

    def _check(self, columns: Columns) -> None:
        """Refuse what is no text, naming its row."""
        if not columns or not columns["predictions"]:
            raise InputError(f"{self.name} was given no predictions")
        if self.name in BRIDGES and "references" not in columns:
            raise InputError(f"{self.name} was given no references")
        for name, values in columns.items():
            for row, value in enumerate(values):
                texts = _listed(value) if name == "references" else [value]
                if not texts or not all(isinstance(text, str) for text in texts):
                    raise InputError("a text is missing", metric=self.name, column=name, row=row, value=value)


def load(name: str) -> Evaluation:
    """The metric `name` as an object with `compute`, `add` and `add_batch`; nothing is fetched.

    Values equal those of evaluate 0.4 where it has the metric, but that `rouge` with its aggregator is the mean of the
    rows, not the median of unseeded bootstrap means. Raises OptionError for an unknown name.
    """
    if name in BRIDGES:
        return Evaluation(name, BRIDGES[name])
    if name == "bleu":
        raise OptionError(
            "evaluate's bleu is a BLEU of its own, 0 to 1 and by the shortest reference; load('sacrebleu') is sacreBLEU's"
        )
    known = sorted({*BRIDGES, *(key for key, metric in catalogue().items() if not metric.needs and key != "bleu")})
    if name not in known:
        raise OptionError(f"unknown metric {name!r}{near(name, known)}; there are {', '.join(known)}")
    return Evaluation(name, partial(_fields, getattr(factories, name)))


def _rouge(
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
    other = {} if tokenizer is None else {"tokenizer": tokenizer}
    rows = _scored(columns, factories.rouge(types, stem=use_stemmer, parity="reference", **other))
    found = {kind: rows[f"{kind}_f1"] for kind in wanted}
    return {kind: float(np.mean(values)) if use_aggregator else list(values) for kind, values in found.items()}


def _sacrebleu(
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


def _chrf(
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


def _ter(
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


def _meteor(
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
        "references": [[cut(text) for text in _listed(row)] for row in columns["references"]],
    }
    metric = factories.meteor(synonyms=wordnet, alpha=alpha, beta=float(beta), gamma=gamma, parity="reference")
    rows = score(lists, [metric], {name: tokens(name) for name in lists})
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


def _fields(factory: Callable[..., Metric], columns: Columns, **options: Any) -> Found:
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
    return {name: [_listed(row) if name == "references" else row for row in rows] for name, rows in columns.items()}


def _listed(row: Any) -> list[Any]:
    """The references of one prediction, also where there is one alone; none of what is no list."""
    if isinstance(row, str):
        return [row]
    return list(row) if isinstance(row, Sequence) else []


BRIDGES: Mapping[str, Callable[..., Found]] = {
    "rouge": _rouge,
    "sacrebleu": _sacrebleu,
    "chrf": _chrf,
    "ter": _ter,
    "meteor": _meteor,
}
