"""TER: how many edits, shifts of blocks among them, turn a summary into a reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Literal

from gistmark_engine.metric import STATUS_FIELD, Batch, Block, Citation, Corpus, Field, Metric, Tokenizer
from gistmark_engine.options import checked
from gistmark_engine.tokenizers.given import cut_batch
from gistmark_engine.tokenizers.tercom import Normalisation

CITE = Citation("Snover et al. 2006, A study of translation edit rate, section 2", "sacrebleu 2.6.0")


@checked
def ter(
    *,
    case_sensitive: bool = False,
    normalized: bool = False,
    no_punct: bool = False,
    asian_support: bool = False,
    parity: Literal["reference"] | None = None,
    prefix: str = "",
) -> Metric:
    """Translation edit rate of a summary against its references, and of a corpus.

    `ter` = 100 · edits / mean reference length, in tokens between white space: edits are insertions, deletions,
    substitutions and shifts of a block, searched greedily as Tercom does, the fewest to any reference. Float64 from 0,
    can exceed 100, lower is better. The TER of a corpus is no mean of rows: it comes from the sums of `ter_edits` and
    `ter_reference_length` (`Metric.corpus`). Equal to sacreBLEU bit for bit; the corpus as far as the sum of mean lengths
    is exact, which it is for one, two, four or eight references a row, whatever the order of adding.

    normalized     space off punctuation, unescape entities, join lines (slower: regular expressions in Python)
    no_punct       drop punctuation (slower)
    asian_support  with either of these, treat Chinese and Japanese characters and punctuation too
    parity         "reference": an empty reference gives 100.0, or 0.0 for an empty summary, instead of null; and references
                   are normalised twice, as sacreBLEU does, which parts a few of their tokens (`'s.`) and no summary's

    Null text gives null; an empty summary 100.0; an empty reference null (`ter_status` says so), left out beside others.
    """
    steps = Normalisation(not case_sensitive, normalized, no_punct, asian_support)
    run = partial(_run, parity=parity == "reference")
    plain = not (normalized or no_punct)
    return Metric(
        name="ter",
        inputs=("summary", "references"),
        tokenizer=Tokenizer("whitespace" + "_lower" * (not case_sensitive)) if plain else None,
        fields={
            "ter": Field("float64", 0.0, None, "lower"),
            "ter_edits": Field("int64", 0, summary=()),
            "ter_reference_length": Field("float64", 0.0, summary=()),
            "ter_status": STATUS_FIELD,
        },
        options={
            "case": "mixed" if case_sensitive else "lc",
            "norm": normalized,
            "punct": not no_punct,
            "asian": asian_support,
            "parity": parity,
        },
        run=run if plain else partial(_run_normalised, steps=steps, twice=parity == "reference", run=run),
        corpus=Corpus(("ter_edits", "ter_reference_length"), _finish),
        cite=CITE,
        prefix=prefix,
    )


def sacrebleu_signature(metric: Metric, references: int | None) -> str:
    """The signature sacreBLEU 2.6.0 prints for the same TER; `references`: how many every row has, None if that varies."""
    options = metric.options
    norm, punct, asian = ("yes" if options[key] else "no" for key in ("norm", "punct", "asian"))
    return (
        f"nrefs:{'var' if references is None else references}|case:{options['case']}|tok:tercom"
        f"|norm:{norm}|punct:{punct}|asian:{asian}|version:2.6.0"
    )


def _run(batch: Batch, *, parity: bool) -> Block:
    from gistmark_engine.kernels.ter import ter_rows

    tokens = batch.tokenised
    out = ter_rows(tokens.cut, tokens.groups, parity)
    return tokens.without_null(out, "summary", "references")


def _run_normalised(batch: Batch, *, steps: Normalisation, twice: bool, run: partial[Block]) -> Block:
    return run(replace(batch, tokens=cut_batch(batch, steps.cut, steps.cut_twice if twice else None)))


def _finish(sums: Mapping[str, float]) -> dict[str, float | None]:
    edits, length = sums["ter_edits"], sums["ter_reference_length"]
    if length > 0:
        return {"ter": 100 * (edits / length)}
    return {"ter": 100.0 if edits > 0 else 0.0}
