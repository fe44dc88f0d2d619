"""`gistmark study abstraction`: how abstractive references and systems are."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gistmark.cli import output, pairs

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
    parser.add_argument("--threads", metavar="N", type=int, help="default: all cores")
    parser.add_argument("--no-figures", action="store_true", help="do without matplotlib")
    output.add_to(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from gistmark.studies.abstraction import abstraction
    from gistmark.studies.abstraction_figures import save_figures
    from gistmark.studies.markdown import table

    study = abstraction(
        pairs.read_pairs(options),
        preset=options.preset,
        stem=options.stem,
        output=options.output,
        threads=options.threads,
    )
    parts = [
        f"## {title}\n\n{table(getattr(study, name), number='.4g', null='undefined')}" for name, title in PARTS.items()
    ]
    signatures = [f"{metric}: `{text}`" for metric, text in study.signatures.items()]
    page = "\n\n".join(["# Abstraction study", *parts, *signatures]) + "\n"
    Path(options.output, TABLE).write_text(page, encoding="utf-8")
    if not options.no_figures:
        save_figures(study, options.output)
    output.show(page, options)
    return 0
