# SPDX-License-Identifier: GPL-2.0-only
"""Benchmarks: Basalt beside its peers, stock MyRocks and InnoDB, in one run on one machine.

programs/           one module a benchmark, found by its file name; programs/__init__.py says
                    what it defines
contenders.py       a private server an engine, with equal memory and durability
sysbench_tool.py    runs Debian's sysbench and reads its output
callgrind.py        valgrind's tool callgrind: instructions by function, and whose they are
process_usage.py    CPU and bytes written of a server
summary.py          medians, ratios and percentiles of the rounds
report.py           the one model that every program fills in, with figure.py, plot.py, table.py
figure_table.py     its figures as tables, for both renderers
screen.py           the report on the terminal
page.py             the report as one HTML file, from templates/; drawing.py makes its plots
page_check.py       whether each plot has its data, and nothing leads out of the file
"""
