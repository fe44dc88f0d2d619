"""`python -m gistmark.cli`, the same as `gistmark`."""

import sys

try:
    from gistmark.cli import main
except KeyboardInterrupt:  # before there is anything to undo
    sys.exit(130)

sys.exit(main())
