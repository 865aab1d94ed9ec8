# SPDX-License-Identifier: GPL-2.0-only
"""Foreign keys on an engine beside InnoDB, in one server.

schemas.py      one engine's side: two databases, answers in which names and engines are equal
definitions.py  what SHOW CREATE TABLE and INFORMATION_SCHEMA say of the tables
cases.py        files of cases: definitions/*.sql, rows/*.sql
case_runner.py  runs a case on both sides and compares
generator.py    random histories over the tables of model.py; history.py runs them
schedules.py    two sessions, a child's write beside a parent's; sessions.py runs and judges them
races.py        threads that write children and parents at the same time
"""
