# SPDX-License-Identifier: GPL-2.0-only
"""Where the page is served, and the key of those who may read it: other users of the machine reach
loopback, too."""

import os
import re
import secrets
from pathlib import Path

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 8306
KEY_BYTES = 18
KEY = re.compile(r"[\w-]{16,200}", re.ASCII)
OTHERS_MAY_READ = 0o077


class BadAddress(Exception):
    """One sentence."""


def port_of(listen: str) -> int:
    """Of `PORT` or `127.0.0.1:PORT`. BadAddress for anything else; 0 is any free port."""
    host, colon, port = listen.rpartition(":")
    if colon and host not in (LOOPBACK, "localhost"):
        raise BadAddress(
            f"the page is served on {LOOPBACK} only, not on {host or 'all addresses'}; "
            "'ssh -L' brings it to another machine (man basalt-console)"
        )
    if not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise BadAddress(f"'{port}' is no port: a number up to 65535 is wanted")
    return int(port)


def key_of(file: str | None) -> str:
    """The first line of the file, or a new one. BadAddress when it would protect nothing."""
    if file is None:
        return secrets.token_urlsafe(KEY_BYTES)
    try:
        mode = os.stat(file).st_mode
        line = Path(file).read_text(errors="replace").partition("\n")[0].strip()
    except OSError as error:
        raise BadAddress(f"the key in {file} cannot be read: {error.strerror}") from error
    if mode & OTHERS_MAY_READ:
        raise BadAddress(f"others may read the key in {file}: chmod 600 {file}")
    if not KEY.fullmatch(line):
        raise BadAddress(f"the first line of {file} is no key: 16 letters or digits at least")
    return line
