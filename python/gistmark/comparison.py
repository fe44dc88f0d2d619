"""Systems against a baseline: differences over the texts that both scored, their intervals, and the p of chance alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import polars as pl

from gistmark.catalogue import resolve
from gistmark.corrections import (
    ADJUSTED,
    CORRECTIONS,
    FAMILIES,
    Correction,
    Family,
    corrected,
    warn_if_out_of_reach,
)
from gistmark.enough import warn_of_few_texts
from gistmark.frames import names_of
from gistmark.grouping import first, keys_of, read
from gistmark.outputs import check_outputs
from gistmark.significance import Cells, Method, Test
from gistmark_engine.bootstrap import Bootstrap
from gistmark_engine.errors import InputError, OptionError
from gistmark_engine.metric import Metric

PAIRS = ("doc_id", "id", "source")
"""What pairs rows where nothing is named: the first of these columns that is there."""

_NUMBERS = ("value", "low", "high", "difference", "difference_low", "difference_high", "p")
_COLUMNS: Mapping[str, pl.DataType] = {
    **dict.fromkeys(("metric", "field", "statistic"), pl.String()),
    **dict.fromkeys(_NUMBERS, pl.Float64()),
    **dict.fromkeys(("n", "n_null"), pl.Int64()),
    "signature": pl.String(),
}


def compare(
    scored: object,
    metrics: Iterable[str | Metric],
    by: str | Sequence[str] = "system",
    baseline: object = None,
    *,
    pair: str | Sequence[str] | None = None,
    method: Method = "bootstrap",
    replicates: int = 1000,
    confidence: float = 0.95,
    seed: int = 0,
    parity: Literal["reference"] | None = None,
    correction: Correction | None = "holm",
    family: Family = "field",
) -> pl.DataFrame:
    """Every system against a baseline: one row a system and number of the end table (shares of levels aside).

    scored    a table of any kind that `score` returns, one row a system and text
    by        the column of the systems; of several the last, those before it make groups compared each by itself
    baseline  the system the others are compared with; None: the first to appear
    pair      the column or columns that say which text a row is of; None: the first there is of doc_id, id, source.
              Each system of a group scores the same texts once
    method    where p comes from: "bootstrap", resamples of the texts, or "randomisation", exchanges of the two systems'
              scores of a text (approximate randomisation; its null hypothesis is that the systems are the same)
    parity    "reference": p by the rule of sacreBLEU's paired test of that name
    correction, family  of p for many comparisons: "holm", "bh" (Benjamini and Hochberg's false discovery rate) or None;
              over the systems compared in one number of a group, "field", or over every p of the call, "all"

    Returns the columns of `by`, then metric, field, statistic, value with its bounds low and high, difference to the
    baseline with bounds difference_low and difference_high, its two-sided p in (0, 1], p_adjusted after `correction`, n,
    n_null, signature. Bounds are percentiles of `replicates` bootstrap resamples at `confidence`. A text that either
    system has no score of is left out of both and counted in n_null; the baseline's own row stands on all its texts.
    Corpus scores (BLEU, chrF, TER) are made again from the resampled statistics. The same seed gives the same bytes.
    p is not below 2 / 2^k, k being the texts in which two systems differ: no exchange of their scores could give less
    (`parity` knows no such floor). Of one text there is no p.

    Warns where so few texts, or Holm's correction of so few replicates, can call nothing significant, and of a bootstrap
    of fewer than 20 texts. Raises InputError where the texts of two systems do not pair, naming system and text, or the
    baseline is missing.

    Koehn 2004, Statistical significance tests for machine translation evaluation; Riezler and Maxwell 2005, On some
    pitfalls in automatic evaluation and significance testing for MT; the rule for p is in
    `gistmark_engine.resampling`; sacreBLEU 2.6.0 with `parity`.
    """
    chosen = resolve(metrics)
    check_outputs(chosen)
    if parity not in (None, "reference"):
        raise OptionError(f"parity must be None or 'reference', not {parity!r}")
    if correction not in (None, *CORRECTIONS) or family not in FAMILIES:
        choices = f"correction: {', '.join(CORRECTIONS)} or None; family: {', '.join(FAMILIES)}"
        raise OptionError(f"{choices} (found {correction!r}, {family!r})")
    test = Test(method, Bootstrap(replicates, confidence, seed), parity is not None)
    keys = keys_of(by, (*_COLUMNS, ADJUSTED))
    if not keys:
        raise OptionError("by names no column; the systems need one")
    pairs = _pairs(pair, names_of(scored))
    table = read(scored, chosen, list(dict.fromkeys([*keys, *pairs])))
    groups = table.partition_by(keys[:-1], maintain_order=True) if keys[:-1] else [table]
    rows = [row for group in groups for row in _compared(group, chosen, keys, baseline, pairs, test)]
    found = pl.DataFrame(rows, schema={key: table.schema[key] for key in keys} | dict(_COLUMNS), orient="row")
    together = [*keys[:-1], "metric", "field", "statistic"] if family == "field" else []
    warn_of_few_texts(found, together, correction, method, 1 - confidence, floor=parity is None)
    if correction == "holm":
        warn_if_out_of_reach(found, together, replicates, 1 - confidence)
    return found.insert_column(found.columns.index("p") + 1, corrected(found, together, correction))


def _pairs(wanted: str | Sequence[str] | None, names: Sequence[str]) -> list[str]:
    """The columns that say which text a row is of."""
    if wanted is not None:
        named = [wanted] if isinstance(wanted, str) else list(wanted)
        if not named:
            raise OptionError("pair names no column; leave it out for the first there is of doc_id, id, source")
        return named
    for name in PAIRS:
        if name in names:
            return [name]
    raise InputError(f"none of {', '.join(PAIRS)} is there to pair the systems' rows by; name a column with pair=")


def _compared(
    group: pl.DataFrame,
    metrics: Sequence[Metric],
    keys: Sequence[str],
    baseline: object,
    pairs: Sequence[str],
    test: Test,
) -> Iterator[Cells]:
    """The rows of one group: every system in order, on the texts in the baseline's order."""
    system = keys[-1]
    tables = {table[system][0]: table for table in group.partition_by(system, maintain_order=True)}
    if not tables:
        return
    by_text = {str(name): name for name in tables}
    if baseline is not None and str(baseline) not in by_text:
        where = f" in {', '.join(map(str, first(group, keys[:-1])))}" if keys[:-1] else ""
        raise InputError(f"there is no baseline {baseline!r}{where}; there are {', '.join(by_text)}", column=system)
    named = next(iter(tables)) if baseline is None else by_text[str(baseline)]
    base = _unique(tables[named], pairs, system)
    for name, table in tables.items():
        own = name == named
        paired = base if own else _paired(_unique(table, pairs, system), base, pairs, system)
        for metric in metrics:
            lines = test.alone(base, metric) if own else test.against(paired, base, metric)
            for cells in lines:
                yield *first(table, keys), metric.prefix + metric.name, *cells, metric.signature


def _unique(table: pl.DataFrame, pairs: Sequence[str], system: str) -> pl.DataFrame:
    """The table, if it has each text once."""
    name = table[system][0]
    if (null := table.filter(pl.any_horizontal(pl.col(pairs).is_null()))).height:
        raise InputError(f"a null pairs with nothing (system {name!r})", column=pairs[0], value=null.row(0))
    if (twice := table.filter(table.select(pairs).is_duplicated())).height:
        raise InputError(
            f"a text occurs twice in system {name!r}; name what tells its rows apart with pair=",
            column=pairs[0],
            value=first(twice, pairs),
        )
    return table


def _paired(table: pl.DataFrame, base: pl.DataFrame, pairs: Sequence[str], system: str) -> pl.DataFrame:
    """The rows of a system in the order of its baseline's; InputError naming a text that one of them lacks."""
    names = table[system][0], base[system][0]
    for has, lacks, at in ((base, table, 0), (table, base, 1)):
        lost = has.join(lacks, on=pairs, how="anti", maintain_order="left")
        if lost.height:
            raise InputError(
                f"system {names[at]!r} lacks {lost.height} of the texts of {names[1 - at]!r}, the first of them",
                column=pairs[0],
                value=first(lost, pairs),
            )
    return base.select(pairs).join(table, on=pairs, how="left", maintain_order="left")
