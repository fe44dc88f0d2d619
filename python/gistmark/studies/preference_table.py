"""A preference study as a page of Markdown tables."""

from __future__ import annotations

from gistmark.studies.markdown import table
from gistmark.studies.preference import Preference

NOTES = """
The readers' neither means that neither summary is acceptable, a metric's that its scores are too close to call; the
merged reading counts them as one category, as the paper does, and high thresholds lower alpha by abstaining: see
decision_rate and the rows at threshold 0. Directions of syntactic measures are assumed (higher wins). The paper's
numbers stand for its own readers and data: nothing here is expected to equal them.
"""


def markdown(study: Preference) -> str:
    """Agreement, families, win rates, odds ratios and the paper's numbers, under headings."""
    agreement = study.alphas.drop("direction_assumed")
    sections = {
        "Agreement with the readers (Krippendorff's alpha)": agreement,
        "Mean agreement of families": study.families,
        "Win rates": study.win_rates,
        "Odds ratios": study.odds,
        "Beside the paper": study.beside_paper,
    }
    if study.comparisons.height:
        sections["Metrics against each other (differences of alpha)"] = study.comparisons
    parts = [f"## {heading}\n\n{table(frame)}" for heading, frame in sections.items()]
    return "# Preference study\n\n" + "\n\n".join(parts) + "\n" + NOTES
