# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages of the release build (`./dev package`); their files are in packaging/.

origin.py     what goes in: the plugin, its version, the server's version, the commit's time
changelog.py  CHANGELOG.md as a changelog of Debian
source.py     the folder that debhelper works in
debs.py       builds the packages
"""
