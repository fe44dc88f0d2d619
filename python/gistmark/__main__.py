"""`python -m gistmark`, the same as `gistmark`."""

import gistmark.cli.__main__  # noqa: F401
