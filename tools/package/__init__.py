# SPDX-License-Identifier: GPL-2.0-only
"""Debian packages and a tarball of the release build (`./dev package`), made of packaging/.

origin.py     what goes in: the plugin, its version, the server's version, the commit's time
changelog.py  CHANGELOG.md as a changelog of Debian
neutral.py    the plugin without the folders it was compiled in, for the same bytes everywhere
source.py     the folder that debhelper works in
debs.py       builds the Debian packages
tarball.py    the tarball with the script packaging/install.sh
output.py     all of it in one folder
"""
