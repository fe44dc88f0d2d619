"""`gistmark study human`: how well do metrics order summaries as human scores do?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from gistmark.cli import options as metric_options
from gistmark.cli import pairs
from gistmark_engine.errors import InputError, OptionError


def add_to(studies: Any) -> None:
    """Add this study to the parser's."""
    parser = studies.add_parser(
        "human",
        help="how well metrics order summaries as human scores do",
        description="Score summaries of several systems on the same documents and correlate the scores with human "
        "ones, within documents and between systems, with bootstrap intervals.",
        allow_abbrev=False,
    )
    pairs.add_to(parser)
    parser.add_argument("--output", metavar="DIR", required=True, help="where the study is kept")
    parser.add_argument("--human", metavar="A,B", required=True, help="columns of numbers, or of JSON objects of them")
    parser.add_argument("--document", metavar="COLUMN", default="doc_id", help="default: %(default)s")
    parser.add_argument("--system", metavar="COLUMN", default="system", help="default: %(default)s")
    metric_options.add_to(parser, "rouge")
    parser.add_argument(
        "--compare", metavar="A,B", action="append", default=[], help="test two fields by permutation; may be repeated"
    )
    parser.add_argument("--over", choices=("both", "documents", "systems"), default="both", help="default: %(default)s")
    parser.add_argument("--replicates", metavar="N", type=int, default=1000, help="default: %(default)s")
    parser.add_argument("--confidence", metavar="N", type=float, default=0.95, help="default: %(default)s")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--threads", metavar="N", type=int, help="default: all cores")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    import gistmark as gm
    from gistmark.studies.human import Resampling, correlations
    from gistmark.studies.markdown import table

    resampling = Resampling(options.replicates, options.over, options.confidence, options.seed)
    metrics = metric_options.chosen(options, lambda: ["rouge"])
    frame, human = _human(
        pairs.read_pairs(options), metric_options.names(options.human), (options.document, options.system)
    )
    scored = gm.score(frame, metrics, threads=options.threads)
    fields = [name for m in metrics for name, spec in m.columns.items() if spec.dtype in ("float64", "int64")]
    place = {"document": options.document, "system": options.system}
    frames = {"correlations": correlations(scored, fields, human, resampling, **place)}
    if options.compare:
        frames["comparisons"] = _comparisons(scored, options.compare, fields, human, resampling, place)
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    for name, found in frames.items():
        found.write_parquet(folder / f"{name}.parquet")
        found.write_csv(folder / f"{name}.csv")
    page = "\n\n".join(f"## {name.capitalize()}\n\n{table(found)}" for name, found in frames.items()) + "\n"
    (folder / "table.md").write_text(page, encoding="utf-8")
    print(page, end="")
    return 0


def _human(frame: pl.DataFrame, columns: Sequence[str], keys: Sequence[str]) -> tuple[pl.DataFrame, list[str]]:
    """The table with its human scores as columns of numbers, and their names."""
    scores: list[str] = []
    for column in [*keys, *columns]:
        if column not in frame.columns:
            raise InputError(f"there is no such column; there are {', '.join(frame.columns)}", column=column)
    for column in columns:
        if frame[column].dtype != pl.String:
            scores.append(column)
            continue
        parts = _unpacked(frame[column])
        scores += parts.columns
        frame = pl.concat([frame.drop(column), parts], how="horizontal")
    return frame, scores


def _unpacked(texts: pl.Series) -> pl.DataFrame:
    """A column of JSON objects as a column a key."""
    try:
        return texts.str.json_decode(infer_schema_length=None).struct.unnest().cast(pl.Float64)
    except (pl.exceptions.PolarsError, AttributeError) as error:
        raise InputError(f"no JSON objects of numbers: {error}", column=texts.name, value=texts.first()) from None


def _comparisons(
    scored: pl.DataFrame,
    wanted: Sequence[str],
    fields: Sequence[str],
    human: Sequence[str],
    resampling: Any,
    place: Any,
) -> pl.DataFrame:
    """Differences of two fields' correlations with each human score at both levels, and their p-values."""
    from gistmark.studies.human import LEVELS, permutation_test

    rows = []
    for text in wanted:
        names = metric_options.names(text)
        if len(names) != 2 or not set(names) <= set(fields):
            raise OptionError(f"--compare takes two fields of {', '.join(fields)}, not {text!r}")
        for score in human:
            for level in LEVELS:
                found = permutation_test(scored, names[0], names[1], score, level, "kendall", resampling, **place)
                rows.append((*names, score, level, "kendall", *found))
    texts = dict.fromkeys(("first", "second", "human", "level", "coefficient"), pl.String)
    return pl.DataFrame(rows, schema={**texts, "difference": pl.Float64, "p": pl.Float64}, orient="row")
