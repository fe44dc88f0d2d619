"""Rank and agreement statistics as Polars expressions, for tables of scores as much as for scores of summaries."""

from gistmark_bindings.agreement import cohen, fleiss, krippendorff
from gistmark_bindings.ranks import kendall, mean_interval, monotonicity, pearson, spearman

__all__ = ["cohen", "fleiss", "kendall", "krippendorff", "mean_interval", "monotonicity", "pearson", "spearman"]
