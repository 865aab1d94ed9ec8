# SPDX-License-Identifier: GPL-2.0-only
"""Schemas of real applications on an engine and on InnoDB: made by the applications' own tools.

part.py          the part of the tier: two servers, the applications one after the other
application.py   what an application is: stages, each done on both servers and compared
side.py          one server, and what can be seen on it: definitions and rows
columns.py       tables and constraints, read from the server
filler.py        rows for tables that nobody fills
touches.py       statements that meet each constraint, from both ends
packaged.py      Zabbix, Icinga Director, Kea, Tiny Tiny RSS: SQL files of Debian's packages
frameworks.py    Django with django CMS, and Optuna (SQLAlchemy, Alembic), which run apart:
site_script.py   the site in Django
trials_script.py the studies in Optuna
"""

from tests.foreign_keys.applications.part import Applications, chosen

__all__ = ["Applications", "chosen"]
