"""Metrics as Polars expressions: each returns one struct column, named by the metric, its fields known up front.

They work lazily, eagerly, in streaming queries, over groups and windows, and over any other expression:
`frame.with_columns(rouge("summary", "references")).unnest("rouge")` gives flat columns.

A column is a name, an expression, or one of these marked by `tokens` or `sentences`. Texts are String, Categorical or
Enum columns; references are one string a row or a list of strings. A literal is repeated for every row.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import polars as pl

import gistmark.entities  # before the expressions of the same names, which then stand in their place
import gistmark.readability
import gistmark.syntax  # noqa: F401
from gistmark import metrics as factories
from gistmark.catalogue import resolve
from gistmark.marks import Input, marked
from gistmark.outputs import check_outputs
from gistmark_bindings.polars import expression
from gistmark_engine.errors import InputError
from gistmark_engine.metric import ROLES, Metric


def rouge(summary: Input, references: Input, **options: Any) -> pl.Expr:
    """ROUGE-1 to ROUGE-9, ROUGE-L and ROUGE-Lsum against one or several references; options of `metrics.rouge`."""
    return scores([factories.rouge(**options)], summary=summary, references=references)


def bleu(summary: Input, references: Input, **options: Any) -> pl.Expr:
    """BLEU of each row, and the counts that make a corpus's; options of `metrics.bleu`."""
    return scores([factories.bleu(**options)], summary=summary, references=references)


def chrf(summary: Input, references: Input, **options: Any) -> pl.Expr:
    """chrF of each row, and the counts that make a corpus's; options of `metrics.chrf`."""
    return scores([factories.chrf(**options)], summary=summary, references=references)


def chrfpp(summary: Input, references: Input, **options: Any) -> pl.Expr:
    """chrF++ of each row, and the counts that make a corpus's; options of `metrics.chrfpp`."""
    return scores([factories.chrfpp(**options)], summary=summary, references=references)


def ter(summary: Input, references: Input, **options: Any) -> pl.Expr:
    """Translation edit rate of each row, and the sums that make a corpus's; options of `metrics.ter`."""
    return scores([factories.ter(**options)], summary=summary, references=references)


def meteor(summary: Input, references: Input, **options: Any) -> pl.Expr:
    """METEOR of each row, as NLTK has it; options of `metrics.meteor`."""
    return scores([factories.meteor(**options)], summary=summary, references=references)


def bertscore(summary: Input, references: Input, **options: Any) -> pl.Expr:
    """BERTScore of each row, its model named as `model`; options of `metrics.bertscore`."""
    return scores([factories.bertscore(**options)], summary=summary, references=references)


def blanc_help(summary: Input, source: Input, **options: Any) -> pl.Expr:
    """How much each summary helps the model `model` to guess masked words; options of `metrics.blanc_help`."""
    return scores([factories.blanc_help(**options)], summary=summary, source=source)


def blanc_tune(summary: Input, source: Input, **options: Any) -> pl.Expr:
    """How much better the model `model` guesses masked words, tuned on each summary; options of `metrics.blanc_tune`."""
    return scores([factories.blanc_tune(**options)], summary=summary, source=source)


def factcc(summary: Input, source: Input, **options: Any) -> pl.Expr:
    """The share of sentences consistent with the source, by the classifier `model`; options of `metrics.factcc`."""
    return scores([factories.factcc(**options)], summary=summary, source=source)


def summac(summary: Input, source: Input, **options: Any) -> pl.Expr:
    """Entailment of the summary's sentences by the source, by the model `model`; options of `metrics.summac`."""
    return scores([factories.summac(**options)], summary=summary, source=source)


def supert(summary: Input, source: Input, **options: Any) -> pl.Expr:
    """Match with the source's first sentences, by the encoder `model`; options of `metrics.supert`."""
    return scores([factories.supert(**options)], summary=summary, source=source)


def summaqa(summary: Input, source: Input, **options: Any) -> pl.Expr:
    """Answers of each summary to questions about its source, by the model `model`; options of `metrics.summaqa`."""
    return scores([factories.summaqa(**options)], summary=summary, source=source)


def datastats(summary: Input, source: Input, **options: Any) -> pl.Expr:
    """Coverage, density, compression, novelty and repetition against the source; options of `metrics.datastats`."""
    return scores([factories.datastats(**options)], summary=summary, source=source)


def abstraction(summary: Input, references: Input | None, source: Input, **options: Any) -> pl.Expr:
    """RA, SA and AR; options of `metrics.abstraction`. References None: SA alone, RA and AR are null."""
    return scores([factories.abstraction(**options)], summary=summary, references=references, source=source)


def entities(summary: Input, references: Input | None = None, source: Input | None = None, **options: Any) -> pl.Expr:
    """Named entities that the summary shares with references and source; options of `metrics.entities`."""
    return scores([factories.entities(**options)], summary=summary, references=references, source=source)


def readability(summary: Input, **options: Any) -> pl.Expr:
    """Flesch-Kincaid, Coleman-Liau, Dale-Chall and other formulas; options of `metrics.readability`."""
    return scores([factories.readability(**options)], summary=summary)


def syntax(summary: Input, **options: Any) -> pl.Expr:
    """Counts and ratios of syntactic complexity; options of `metrics.syntax`."""
    return scores([factories.syntax(**options)], summary=summary)


def scores(
    metrics: Iterable[str | Metric],
    *,
    summary: Input | None = None,
    references: Input | None = None,
    source: Input | None = None,
    query: Input | None = None,
    persona: Input | None = None,
    rival: Input | None = None,
    threads: int | None = None,
) -> pl.Expr:
    """All fields of several metrics as one struct column; texts that they read alike are cut once.

    `rival` is the summary that a judge compares with, `persona` its reader as a struct or JSON text. The column is
    named by the metric (with its prefix), or `scores` for several. `threads` bounds the threads of one batch.

    Raises, before anything runs, OptionError for an unknown metric or two that write the same column, and InputError
    for a metric whose role was not given.
    """
    chosen = resolve(metrics)
    check_outputs(chosen)
    given = dict(zip(ROLES, (summary, references, source, query, persona, rival), strict=True))
    inputs = {role: marked(column) for role, column in given.items() if column is not None}
    _check_roles(chosen, set(inputs))
    read = {role: mark for role, mark in inputs.items() if any(role in metric.inputs for metric in chosen)}
    name = chosen[0].prefix + chosen[0].name if len(chosen) == 1 else "scores"
    exprs = {role: mark.expr for role, mark in read.items()}
    kinds = {role: mark.kind for role, mark in read.items()}
    return expression(chosen, exprs, kinds=kinds, threads=threads).alias(name)


def _check_roles(metrics: Iterable[Metric], given: set[str]) -> None:
    for metric in metrics:
        for role in metric.required:
            if role not in given:
                raise InputError(f"no {role} given; it reads {', '.join(metric.inputs)}", metric=metric.name)
