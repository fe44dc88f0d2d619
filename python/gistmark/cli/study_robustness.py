"""`gistmark study robustness`: does a metric respond as it should when a summary is changed?"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from gistmark.cli import judging, output, pairs
from gistmark.cli import options as metric_options
from gistmark.files.jsonl import distinct
from gistmark_engine.errors import OptionError

TABLE = "table.md"


def add_to(studies: Any) -> None:
    """Add this study to the parser's."""
    parser = studies.add_parser(
        "robustness",
        help="which metrics respond as they should when a summary is changed",
        description="Perturb summaries level by level, score every level, and write chains, scores, correlations with "
        "the level, monotonicity, verdicts, a table and figures to a directory. A study that was cut off goes on.",
        allow_abbrev=False,
    )
    pairs.add_to(parser)
    parser.add_argument("--output", metavar="DIR", required=True, help="where the study is kept")
    metric_options.add_to(parser, "rouge, datastats, abstraction as columns allow")
    parser.add_argument(
        "--perturbations",
        metavar="A,B",
        help="of distractor, incremental, lengthen, shorten, audience, persona_swap; default: the first two, and what a "
        "model rewrites or else the proxies of lengthen and shorten",
    )
    _add_settings(parser)
    _add_rewriting(parser)
    parser.add_argument("--glossary", metavar="FILE", help="JSON object, term to plain words, for audience")
    parser.add_argument("--against-paper", action="store_true", help="set correlations beside those the paper prints")
    parser.add_argument("--threads", metavar="N", type=int, help="default: all cores")
    parser.add_argument("--no-figures", action="store_true", help="do without matplotlib")
    output.add_to(parser)
    parser.set_defaults(run=_run)


def _add_settings(parser: argparse.ArgumentParser) -> None:
    """The options that change a number."""
    number: list[tuple[str, Callable[[str], float], float, str]] = [
        ("levels", int, 5, "levels of a chain beside level 0"),
        ("seed", int, 0, "draws sample, distractors, phrases, personas, and bootstrap replicates"),
        ("replicates", int, 1000, "bootstrap replicates"),
        ("confidence", float, 0.95, "of the intervals"),
        ("rho-cut", float, 0.5, "least mean correlation of a pass"),
        ("monotonicity-cut", float, 0.5, "least mean monotonicity of a pass"),
    ]
    for name, kind, default, text in number:
        parser.add_argument(f"--{name}", metavar="N", type=kind, default=default, help=f"{text}; default: %(default)s")
    parser.add_argument("--sample", metavar="N", type=int, help="at most so many documents of each corpus")
    choices = {
        "base": ("reference", "system"),
        "split": ("newline", "punkt"),
        "stable-mode": ("transition", "cumulative"),
        "nan-policy": ("omit", "propagate"),
    }
    for name, values in choices.items():
        parser.add_argument(f"--{name}", choices=values, default=values[0], help="default: %(default)s")


def _add_rewriting(parser: argparse.ArgumentParser) -> None:
    """Who rewrites, where it is not the proxies."""
    parser.add_argument("--rewrites", metavar="FILE", help="JSON lines of chains that a model has written")
    parser.add_argument("--backend", metavar="URL", help="a server whose --model rewrites: lengthen, shorten, audience")
    parser.add_argument("--model", metavar="NAME", help="what the server calls the model")
    parser.add_argument("--budget", metavar="LIMIT", help="for rewriting: calls=N, tokens=N or both, by comma")


def _run(options: argparse.Namespace) -> int:
    from gistmark.studies.extras import check_figures
    from gistmark.studies.markdown import table as as_table
    from gistmark.studies.robustness import robustness
    from gistmark.studies.robustness_figures import save_figures
    from gistmark.studies.robustness_paper import beside_paper
    from gistmark.studies.robustness_table import markdown

    if not options.no_figures:
        check_figures()
    rewrites = _rewrites(options)
    frame = pairs.read_pairs(options)
    study = robustness(
        frame,
        metric_options.chosen(options, lambda: pairs.default_names([*frame.columns, "summary"])),
        options.perturbations and metric_options.names(options.perturbations),
        settings=_settings(options),
        glossary=_glossary(options.glossary),
        rewrites=rewrites,
        output=options.output,
        threads=options.threads,
    )
    table = markdown(study)
    if options.against_paper:
        compared = beside_paper(study.statistics)
        compared.write_parquet(Path(options.output, "against_paper.parquet"))
        table += f"\n## Beside the paper\n\n{as_table(compared, number='.2f', null='undefined')}\n"
    Path(options.output, TABLE).write_text(table, encoding="utf-8")
    if not options.no_figures:
        save_figures(study, options.output)
    output.show(table, options)
    return 0


def _rewrites(options: argparse.Namespace) -> Any:
    """The file of rewrites, or the model that makes them."""
    given = {name: getattr(options, name) for name in ("backend", "model", "budget")}
    if not any(given.values()):
        return options.rewrites
    if options.rewrites or not (options.backend and options.model):
        raise OptionError("rewrites come from --rewrites FILE, or from --backend URL with --model NAME")
    from gistmark.studies.rewriting import Rewriter

    return Rewriter(
        options.backend, options.model, budget=judging.budget_of(options.budget) if options.budget else None
    )


def _settings(options: argparse.Namespace) -> Any:
    """The study's settings."""
    from gistmark.studies.robustness import Settings
    from gistmark.studies.verdicts import Cuts
    from gistmark_engine.bootstrap import Bootstrap

    return Settings(
        levels=options.levels,
        seed=options.seed,
        base=options.base,
        split=options.split,
        sample=options.sample,
        stable_mode=options.stable_mode,
        nan_policy=options.nan_policy,
        cuts=Cuts(rho=options.rho_cut, monotonicity=options.monotonicity_cut),
        bootstrap=Bootstrap(options.replicates, options.confidence, options.seed),
    )


def _glossary(path: str | None) -> dict[str, str] | None:
    """Term → plain words from a JSON object."""
    if path is None:
        return None
    try:
        glossary = json.loads(Path(path).read_text(encoding="utf-8"), object_pairs_hook=distinct)
    except OSError as error:
        raise OptionError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise OptionError(f"{path}: not JSON: {error}") from error
    if not isinstance(glossary, dict) or not all(isinstance(words, str) for words in glossary.values()):
        raise OptionError(f"{path}: a glossary is a JSON object, term to plain words")
    return glossary
