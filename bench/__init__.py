# SPDX-License-Identifier: GPL-2.0-only
"""Benchmarks: Basalt beside its peers, stock MyRocks and InnoDB, in one run on one machine.

programs/           one module a benchmark, found by its file name; programs/__init__.py says
                    what it defines
contenders.py       a private server an engine, with equal memory and durability
sysbench_tool.py    runs Debian's sysbench and reads its output
process_usage.py    CPU and bytes written of a server
summary.py          medians, ratios and percentiles of the rounds
screen.py           the table on the terminal
page.py, sysbench_page.py    the reports, filled into templates/: one file with everything in it
"""
