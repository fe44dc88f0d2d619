"""`gistmark study scitldr`: the SciTLDR benchmark's table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from gistmark.cli import options as metric_options
from gistmark.cli import output, pairs

TABLE = "table.md"


def add_to(studies: Any) -> None:
    """Add this study to the parser's."""
    parser = studies.add_parser(
        "scitldr",
        help="SciTLDR's rules for one-sentence summaries: ROUGE, nuggets for length, Correctness",
        description="ROUGE in percent by the rule of SciTLDR's data card, against the author's TLDR only, as a mean over "
        "TLDRs and as the released script has it; from annotations the mean reciprocal rank of nuggets per unit of "
        "length, and Correctness. One table by system.",
        allow_abbrev=False,
    )
    pairs.add_to(parser)
    parser.add_argument("--output", metavar="DIR", required=True, help="where the study is kept")
    settings = ("abstract", "aic", "full")
    parser.add_argument(
        "--setting", choices=settings, default="abstract", help="what systems read; default: %(default)s"
    )
    parser.add_argument("--force", action="store_true", help="allow --setting full")
    parser.add_argument("--annotations", metavar="FILE", help="doc_id, system, summary, six nuggets; correctness")
    parser.add_argument("--variants", metavar="A,B", help="systems whose nuggets are compared; default: all annotated")
    parser.add_argument(
        "--tie", choices=("min", "average", "max", "dense"), default="min", help="rank of equals; default: %(default)s"
    )
    units = ("words", "chars", "tokens")
    parser.add_argument("--length-unit", choices=units, default="words", help="default: %(default)s")
    parser.add_argument("--threads", metavar="N", type=int, help="default: all cores")
    output.add_to(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from gistmark.files import open_source
    from gistmark.studies.markdown import table
    from gistmark.studies.scitldr import scitldr

    annotated = options.annotations and open_source(options.annotations, text=["summary"]).load()
    study = scitldr(
        pairs.read_pairs(options),
        setting=options.setting,
        force=options.force,
        annotations=annotated,
        variants=options.variants and metric_options.names(options.variants),
        tie=options.tie,
        length_unit=options.length_unit,
        output=options.output,
        threads=options.threads,
    )
    signatures = [f"{metric}: `{text}`" for metric, text in study.signatures.items()]
    page = "\n\n".join(["# SciTLDR", table(study.table), *signatures]) + "\n"
    Path(options.output, TABLE).write_text(page, encoding="utf-8")
    output.show(page, options)
    return 0
