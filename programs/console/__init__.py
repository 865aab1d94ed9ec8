# SPDX-License-Identifier: GPL-2.0-only
"""basalt-console: what the engine ROCKSDB of a server does, as a web page on loopback.

observer.py  looks at the server again and again, and keeps some minutes of rates
address.py   where the page is served: loopback only; the key of who may read
web.py       answers browsers: read only, and only those of this machine
page/        the page: one file each of HTML, CSS and JavaScript, and an icon
main.py      the command line

What is asked, and what needs attention, is basalt-top's (programs/top).
"""
