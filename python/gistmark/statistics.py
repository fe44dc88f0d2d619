"""Rank and agreement statistics as Polars expressions, for tables of scores as much as for scores of summaries."""

from gistmark_bindings.ranks import kendall, monotonicity, pearson, spearman

__all__ = ["kendall", "monotonicity", "pearson", "spearman"]
