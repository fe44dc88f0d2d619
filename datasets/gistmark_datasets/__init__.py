"""Real summaries that ship with the project."""

from gistmark_datasets.scitldr import scitldr_sample

__all__ = ["scitldr_sample"]
