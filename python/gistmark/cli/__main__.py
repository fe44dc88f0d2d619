"""`python -m gistmark.cli`, the same as `gistmark`."""

import sys

from gistmark.cli import main

sys.exit(main())
