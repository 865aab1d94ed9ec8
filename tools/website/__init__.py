# SPDX-License-Identifier: GPL-2.0-only
"""The pages as a site, made by `./dev docs`.

staging.py      which files are in it, copied where MkDocs reads them
builder.py      runs MkDocs; looks at what came out; serves it on loopback
commonmark.py   a hook of MkDocs: pages are written in CommonMark, which it does not read
spelling.py     words that are often spelt wrongly
dictionary.py   words that no dictionary has
mkdocs.yml      the site: theme, search, navigation
"""
