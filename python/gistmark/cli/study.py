"""`gistmark study NAME`: the studies that put metrics to the test."""

from __future__ import annotations

from typing import Any

from gistmark.cli import study_abstraction, study_human, study_preference, study_robustness, study_scitldr

STUDIES = (study_robustness, study_preference, study_human, study_abstraction, study_scitldr)


def add_to(commands: Any) -> None:
    """Add this command to the parser's."""
    parser = commands.add_parser("study", help="put metrics to the test", description="Put metrics to the test.")
    studies = parser.add_subparsers(required=True, metavar="STUDY")
    for study in STUDIES:
        study.add_to(studies)
