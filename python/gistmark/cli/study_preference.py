"""`gistmark study preference`: do metrics decide between summaries as readers do?"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gistmark.cli import options as metric_options
from gistmark.cli import output
from gistmark_engine.errors import OptionError
from gistmark_engine.metric import Metric

TABLE = "table.md"
DEFAULT_METRICS = ("datastats", "abstraction")


def add_to(studies: Any) -> None:
    """Add this study to the parser's."""
    parser = studies.add_parser(
        "preference",
        help="which metrics decide between summaries as readers do",
        description="Score the summaries of a preference study, turn scores into decisions, and write agreement with "
        "the readers, win rates, odds ratios, a table and figures to a directory.",
        allow_abbrev=False,
    )
    parser.add_argument("sessions", help="JSON lines of the sessions")
    parser.add_argument("--output", metavar="DIR", required=True, help="where the study is kept")
    metric_options.add_to(parser, ", ".join(DEFAULT_METRICS))
    parser.add_argument(
        "--base", metavar="MODEL", help="reference model of the odds ratios; default: the first by name"
    )
    parser.add_argument("--cluster", choices=("annotator", "match"), default="annotator", help="default: %(default)s")
    parser.add_argument(
        "--ridge",
        metavar="N",
        type=float,
        help="where a regression is separated, odds ratios under a normal prior of precision N in its place",
    )
    parser.add_argument(
        "--compare", metavar="A,B", action="append", default=[], help="test two fields' alphas; may be repeated"
    )
    parser.add_argument("--replicates", metavar="N", type=int, default=1000, help="default: %(default)s")
    parser.add_argument("--confidence", metavar="N", type=float, default=0.95, help="default: %(default)s")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="of the bootstrap; default: %(default)s")
    parser.add_argument("--threads", metavar="N", type=int, help="default: all cores")
    parser.add_argument("--no-figures", action="store_true", help="do without matplotlib")
    output.add_to(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    import gistmark as gm
    from gistmark.studies.archive import digest, open_archive
    from gistmark.studies.extras import check_figures, check_regression
    from gistmark.studies.preference import judged, preference
    from gistmark.studies.preference_figures import save_figures
    from gistmark.studies.preference_table import markdown
    from gistmark.studies.sessions import read, summaries_frame
    from gistmark_engine.bootstrap import Bootstrap

    check_regression()
    if not options.no_figures:
        check_figures()
    metrics = _metrics(options)
    bootstrap = Bootstrap(options.replicates, options.confidence, options.seed)
    sessions = read(options.sessions)
    models = sorted({summary.model for session in sessions for summary in session.summaries.values()})
    base = options.base or next(iter(models), "")
    asked = ("base", "cluster", "ridge", "compare", "replicates", "confidence", "seed")
    settings = {name: getattr(options, name) for name in asked}
    summaries = summaries_frame(sessions)
    record = {"settings": settings, "sessions": len(sessions), "summaries_sha256": digest(summaries)}
    open_archive(options.output, "preference", metrics, record)
    scored = gm.score(summaries, metrics, threads=options.threads)
    study = preference(
        sessions,
        scored,
        judged(metrics),
        base,
        bootstrap=bootstrap,
        cluster=options.cluster,
        ridge=options.ridge,
        compare=[_pair(text) for text in options.compare],
    )
    study.write(options.output)
    table = markdown(study)
    Path(options.output, TABLE).write_text(table, encoding="utf-8")
    if not options.no_figures:
        save_figures(study, options.output)
    output.show(table, options)
    return 0


def _pair(text: str) -> tuple[str, str]:
    """The two fields that `--compare` names."""
    names = metric_options.names(text)
    if len(names) != 2:
        raise OptionError(f"--compare takes two fields, not {text!r}")
    return names[0], names[1]


def _metrics(options: argparse.Namespace) -> Sequence[Metric]:
    """The metrics asked for; a session holds no reference, so that those which need one are refused."""
    metrics = metric_options.chosen(options, lambda: DEFAULT_METRICS)
    for metric in metrics:
        if "references" in metric.required:
            raise OptionError(f"metric {metric.name!r} needs references, and sessions hold none")
    return metrics
