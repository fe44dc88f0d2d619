"""What studies need beside the core, asked for before their work."""

from __future__ import annotations

from importlib.util import find_spec

from gistmark_engine.errors import MissingExtra


def check_figures() -> None:
    """Raise `MissingExtra` where figures cannot be drawn."""
    _check("matplotlib", "drawing figures")


def check_regression() -> None:
    """Raise `MissingExtra` where the regression of the preference study cannot be fitted."""
    _check("statsmodels", "the regression of the preference study")


def _check(module: str, feature: str) -> None:
    if find_spec(module) is None:
        raise MissingExtra(feature, "studies")
