# SPDX-License-Identifier: GPL-2.0-only
"""Every column type in every role a column can have, ROCKSDB against InnoDB in one server.

`types.py` and `strings.py` say which types there are and which values to try, `roles.py` what a
table of a role looks like, `cell.py` and `questions.py` what is done with it and compared,
`refusals.py` what the engine refuses on purpose, `screen.py` what is printed.
"""
