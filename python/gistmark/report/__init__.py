"""One self-contained page for scored tables and study folders (extra `report`)."""

from gistmark_engine.errors import MissingExtra

try:
    from gistmark.report.page import ROWS, page
except ImportError as error:
    if error.name not in ("jinja2", "markupsafe"):
        raise
    raise MissingExtra("a report", "report") from error

__all__ = ["ROWS", "page"]
