"""`gistmark study abstraction`: how abstractive references and systems are."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from gistmark.cli import pairs
from gistmark_engine.errors import OptionError

if TYPE_CHECKING:
    from gistmark.studies.abstraction import Abstraction

TABLE = "table.md"
PARTS = {
    "references": "Reference abstraction (Table 4; words, means unless said otherwise)",
    "summaries": "Summary abstraction (Table 5)",
    "ratios": "Abstraction ratio (Table 6; medians and quartiles)",
    "risks": "Screening classes (Table 7)",
    "combined": "ROUGE beside AR (Table 8; mean F1, median AR; risk: HIGH where the median ar1 > 2)",
    "correlations": "ROUGE against AR",
    "exponents": "Median AR by exponent",
}


def add_to(studies: Any) -> None:
    """Add this study to the parser's."""
    parser = studies.add_parser(
        "abstraction",
        help="how abstractive references and systems are: RA, SA, AR",
        description="RA, SA and AR of every corpus and system, screening classes, ROUGE beside AR, correlations and "
        "sensitivity to the exponent, as tables and figures in a directory.",
        allow_abbrev=False,
    )
    pairs.add_to(parser)
    parser.add_argument("--output", metavar="DIR", required=True, help="where the study is kept")
    parser.add_argument("--preset", choices=("ra_sa_ar_paper",), help="the settings behind the published tables")
    parser.add_argument("--stem", action="store_true", help="ROUGE with Porter stems")
    _add_paper(parser)
    parser.add_argument("--threads", metavar="N", type=int, help="default: all cores")
    parser.add_argument("--no-figures", action="store_true", help="do without matplotlib")
    parser.set_defaults(run=_run)


def _add_paper(parser: argparse.ArgumentParser) -> None:
    """What of the study stands for what of the paper."""
    parser.add_argument(
        "--against-paper", metavar="DATASET", help="set every number beside the published one: of XSUM or CNN/DM"
    )
    parser.add_argument(
        "--paper-model",
        metavar="SYSTEM=MODEL",
        action="append",
        default=[],
        help="which system is the paper's Pegasus, MT5, BART or DistilBart; may be repeated",
    )
    parser.add_argument("--paper-corpus", metavar="CORPUS", help="which corpus, where there are several")


def _run(options: argparse.Namespace) -> int:
    from gistmark.studies.abstraction import abstraction
    from gistmark.studies.abstraction_figures import save_figures
    from gistmark.studies.extras import check_figures
    from gistmark.studies.markdown import table

    if not options.no_figures:
        check_figures()
    frame = pairs.read_pairs(options)
    beside = _beside_paper(options, frame)
    study = abstraction(
        frame,
        preset=options.preset,
        stem=options.stem,
        output=options.output,
        threads=options.threads,
    )
    parts = [
        f"## {title}\n\n{table(getattr(study, name), number='.4g', null='undefined')}" for name, title in PARTS.items()
    ]
    if beside:
        compared = beside(study)
        compared.write_parquet(Path(options.output, "against_paper.parquet"))
        parts.append(f"## Beside the paper, {options.against_paper}\n\n{table(compared, number='.4g')}")
    signatures = [f"{metric}: `{text}`" for metric, text in study.signatures.items()]
    page = "\n\n".join(["# Abstraction study", *parts, *signatures]) + "\n"
    Path(options.output, TABLE).write_text(page, encoding="utf-8")
    if not options.no_figures:
        save_figures(study, options.output)
    print(page, end="")
    return 0


def _beside_paper(options: argparse.Namespace, frame: pl.DataFrame) -> Callable[[Abstraction], pl.DataFrame] | None:
    """What sets a study of `frame` beside the paper, refused here if it cannot."""
    from gistmark.studies.abstraction_paper import against_paper, corpus_of

    if not options.against_paper:
        if options.paper_model or options.paper_corpus:
            raise OptionError("--paper-model and --paper-corpus need --against-paper")
        return None
    dataset, models = options.against_paper, dict(text.rpartition("=")[::2] for text in options.paper_model)
    corpus = corpus_of(frame, dataset, models, options.paper_corpus)
    return partial(against_paper, dataset=dataset, models=models, corpus=corpus)
