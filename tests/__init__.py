# SPDX-License-Identifier: GPL-2.0-only
"""The tests of `./dev test`. A tier is a folder with a tier.py (kit/tier_result.py says what that
defines); everything of the tier stands beside it: Python, C++, data, expected results, README.md.
What two tiers need stands in kit/.
"""
