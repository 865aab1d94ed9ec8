# SPDX-License-Identifier: GPL-2.0-only
"""What users and dashboards see of the engine: compared with stock MyRocks, and made into pages.

picture.py      asks a server for its variables, counters and INFORMATION_SCHEMA tables
differences.py  what is different from MyRocks on purpose, with the reason
compare.py      what is different without being listed there
pages.py        docs/variables.md, docs/status.md, docs/information-schema.md
"""
