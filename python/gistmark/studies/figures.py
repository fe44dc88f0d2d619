"""What all figures share: a canvas that needs no display, and PNG files that repeat to the byte."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from gistmark.studies.extras import check_figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def save(figure: Figure, path: Path) -> None:
    """Write a PNG that is the same to the byte for the same figure."""
    figure.savefig(path, dpi=120, metadata={"Software": None})


def empty_figure(width: float, height: float, *, fitted: bool = True) -> Any:
    """An empty figure that needs no display; `fitted`: its margins are fitted to what is drawn."""
    check_figures()
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained" if fitted else None)
