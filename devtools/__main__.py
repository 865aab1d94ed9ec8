# SPDX-License-Identifier: GPL-2.0-only
"""`python -m devtools` is what ./dev runs."""

import sys

from devtools.main import main

sys.exit(main(sys.argv[1:]))
