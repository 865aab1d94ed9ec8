# SPDX-License-Identifier: GPL-2.0-only
"""`python -m tools` is what ./dev runs."""

import sys

from tools.main import main

sys.exit(main(sys.argv[1:]))
