"""Tables of pairs on disk: Parquet, JSON lines, CSV and Arrow IPC, in as lazy frames, out whole or not at all."""

from gistmark.files.sink import check_output, check_place, signatures, sink, write
from gistmark.files.source import OnError, Source, load, open_source, read

__all__ = [
    "OnError",
    "Source",
    "check_output",
    "check_place",
    "load",
    "open_source",
    "read",
    "signatures",
    "sink",
    "write",
]
