# SPDX-License-Identifier: GPL-2.0-only
"""The sample data set of ./dev run: this machine's own Debian package index as a normalised schema.

    index_files.py  finds the package lists on this machine and opens them, compressed or not
    control.py      Debian control stanzas -> dictionaries
    relations.py    fields like Depends -> single relations
    rows.py         stanzas -> rows of all tables, as files for LOAD DATA
    schema.py       the tables
    loader.py       loads them into a server, once
    sizes.py        rows, and bytes on disk here and in InnoDB
    report.py       what the user sees: tables, three questions with answers, how to go on

Input is never trusted: what cannot be read is counted in `Complaints` and reported, never fatal.
"""
