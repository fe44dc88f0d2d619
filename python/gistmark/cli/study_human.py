"""`gistmark study human`: how well do metrics order summaries as human scores do?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

import polars as pl

from gistmark.cli import options as metric_options
from gistmark.cli import output, pairs
from gistmark_engine.errors import OptionError

COMPARISONS = {
    **dict.fromkeys(("first", "second", "human", "level", "coefficient"), pl.String()),
    **dict.fromkeys(("difference", "p"), pl.Float64()),
}


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
        "--compare", metavar="A,B", action="append", default=[], help="test two fields; may be repeated"
    )
    parser.add_argument(
        "--test",
        choices=("permutation", "williams"),
        default="permutation",
        help="how: by permutation at both levels (Kendall's tau), or by Williams's test between systems (Pearson's r); "
        "default: %(default)s",
    )
    parser.add_argument("--over", choices=("both", "documents", "systems"), default="both", help="default: %(default)s")
    parser.add_argument("--replicates", metavar="N", type=int, default=1000, help="default: %(default)s")
    parser.add_argument("--confidence", metavar="N", type=float, default=0.95, help="default: %(default)s")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="default: %(default)s")
    parser.add_argument("--threads", metavar="N", type=int, help="default: all cores")
    parser.add_argument("--no-figures", action="store_true", help="do without matplotlib")
    output.add_to(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    import gistmark as gm
    from gistmark.studies import human_figures
    from gistmark.studies.archive import open_archive
    from gistmark.studies.extras import check_figures
    from gistmark.studies.figures import save
    from gistmark.studies.human import LEVELS, Resampling, check_keys, correlations
    from gistmark.studies.human_scores import human_scores
    from gistmark.studies.markdown import table

    if not options.no_figures:
        check_figures()
    resampling = Resampling(options.replicates, options.over, options.confidence, options.seed)
    metrics = metric_options.chosen(options, lambda: ["rouge"])
    frame, human = human_scores(pairs.read_pairs(options), metric_options.names(options.human))
    check_keys(frame, options.document, options.system)
    folder = open_archive(options.output, "human", metrics, _record(options, frame))
    scored = gm.score(frame, metrics, threads=options.threads)
    fields = [name for m in metrics for name, spec in m.columns.items() if spec.is_score]
    place = {"document": options.document, "system": options.system}
    frames = {"correlations": correlations(scored, fields, human, resampling, **place)}
    if options.compare:
        pairs_of_fields = [_pair(text, fields) for text in options.compare]
        compared = _by_williams if options.test == "williams" else _by_permutation
        frames["comparisons"] = compared(scored, pairs_of_fields, human, resampling, place)
    for name, found in frames.items():
        found.write_parquet(folder / f"{name}.parquet")
        found.write_csv(folder / f"{name}.csv")
    page = "\n\n".join(f"## {name.capitalize()}\n\n{table(found)}" for name, found in frames.items()) + "\n"
    (folder / "table.md").write_text(page, encoding="utf-8")
    for level in LEVELS if not options.no_figures else ():
        save(human_figures.correlations(frames["correlations"], level), folder / f"{level}.png")
    output.show(page, options)
    return 0


def _record(options: argparse.Namespace, frame: pl.DataFrame) -> dict[str, object]:
    """What the study is beside its metrics: a directory holds one."""
    from gistmark.studies.archive import digest

    asked = ("human", "document", "system", "compare", "test", "over", "replicates", "confidence", "seed")
    settings = {name: getattr(options, name) for name in asked}
    return {"settings": settings, "rows": frame.height, "rows_sha256": digest(frame)}


def _pair(text: str, fields: Sequence[str]) -> tuple[str, str]:
    """The two fields that `--compare` names."""
    names = metric_options.names(text)
    if len(names) != 2 or not set(names) <= set(fields):
        raise OptionError(f"--compare takes two fields of {', '.join(fields)}, not {text!r}")
    return names[0], names[1]


def _by_permutation(
    scored: pl.DataFrame, wanted: Sequence[tuple[str, str]], human: Sequence[str], resampling: Any, place: Any
) -> pl.DataFrame:
    """Differences of two fields' correlations with each human score at both levels, and their p-values; null if undefined."""
    from gistmark.studies.human import LEVELS
    from gistmark.studies.human_tests import permutation_test

    rows = [
        (*pair, score, level, "kendall", *(found or (None, None)))
        for pair in wanted
        for score in human
        for level in LEVELS
        for found in [permutation_test(scored, *pair, score, level, "kendall", resampling, **place)]
    ]
    return pl.DataFrame(rows, schema=COMPARISONS, orient="row")


def _by_williams(
    scored: pl.DataFrame, wanted: Sequence[tuple[str, str]], human: Sequence[str], _: Any, place: Any
) -> pl.DataFrame:
    """The same between systems, by Williams's test; null where it is undefined."""
    from gistmark.studies.human_tests import williams_test

    rows = [
        (*pair, score, "system", "pearson", *(williams_test(scored, *pair, score, **place) or (None, None)))
        for pair in wanted
        for score in human
    ]
    return pl.DataFrame(rows, schema=COMPARISONS, orient="row")
