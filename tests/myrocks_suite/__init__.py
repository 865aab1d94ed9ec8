# SPDX-License-Identifier: GPL-2.0-only
"""MyRocks' own tests, as Debian packages them, with our plugin in the place of stock's.

`suite` lists them, `runner` runs them and reads what the runner prints, `expectations` is the kept
list that says how each one ends and why, `verdicts` compares the two. Nothing of the tests
themselves is in this repository.
"""
