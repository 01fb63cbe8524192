"""`python -m greppy`: the same as the installed command."""

from __future__ import annotations

import sys

from greppy.cli.main import main

sys.exit(main())
