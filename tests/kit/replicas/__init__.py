# SPDX-License-Identifier: GPL-2.0-only
"""Primaries and replicas as private servers.

node.py       one server of a topology
load.py       the clients of kit/clients on a primary
compare.py    the tables of two nodes, row by row
scenario.py   a test with nodes of its own, and how a tier counts it
"""
