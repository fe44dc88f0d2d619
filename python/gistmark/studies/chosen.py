"""Which chains a robustness study is made of: those of a model where there are any, rules and proxies for the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from gistmark.studies.perturbations import GENERATORS, Chains, chains
from gistmark.studies.rewrites import Rewrites, read_rewrites
from gistmark_engine.errors import OptionError

RULES = ("distractor", "incremental")
PROXIES = ("lengthen", "shorten")


def chosen_chains(
    documents: pl.DataFrame,
    perturbations: Sequence[str] | None,
    rewrites: Rewrites | None = None,
    *,
    levels: int,
    seed: int,
    split: str,
    glossary: Mapping[str, str] | None,
) -> Chains:
    """The chains of the perturbations asked for; None: those by rule, and those a model has written or else the proxies.

    Proxies never share a table with a model's rewrites, nor one model's with another's (OptionError).
    """
    written = None if rewrites is None else read_rewrites(rewrites, documents)
    theirs = [] if written is None else [name for name in GENERATORS if name in set(_named(written))]
    asked = [*RULES, *(theirs or PROXIES)] if perturbations is None else list(dict.fromkeys(perturbations))
    ours = [name for name in asked if name not in theirs]
    made = chains(documents, ours, levels=levels, seed=seed, split=split, glossary=glossary)
    if written is None:
        return made
    wanted = pl.col("perturbation").is_in(asked)
    table = pl.concat([made.table, written.table.filter(wanted)])
    _check_unmixed(table)
    return Chains(table, pl.concat([made.dropped, written.dropped.filter(wanted)]))


def _named(written: Chains) -> list[str]:
    """The perturbations that a model was asked for, whether or not it answered."""
    return [*written.table["perturbation"], *written.dropped["perturbation"]]


def _check_unmixed(table: pl.DataFrame) -> None:
    kinds = table.group_by("perturbation").agg(pl.col("generator").unique())
    mixed = kinds.filter(pl.col("generator").list.len() > 1)
    if mixed.height:
        raise OptionError(f"{mixed['perturbation'][0]} has several generators: {sorted(mixed['generator'][0])}")
    if {"proxy"} < {*table["generator"]} - {"rule"}:
        proxies = table.filter(generator="proxy")["perturbation"].unique().to_list()
        raise OptionError(f"proxies ({', '.join(sorted(proxies))}) and model rewrites belong in two studies")
