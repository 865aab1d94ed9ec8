# SPDX-License-Identifier: GPL-2.0-only
"""Whether a server can begin with a binary log that was copied while another wrote it."""

from pathlib import Path

# Where LOG_EVENT_BINLOG_IN_USE_F is in a file of the binary log: behind the file's 4 bytes, the
# flags of its first event (MariaDB's knowledge base: "Event header")
FLAGS_AT, IN_USE = 4 + 17, 1


def is_whole(folder: Path) -> bool:
    """Whether the files `binlog.*` in `folder` were copied without a rotation between them.

    A server does not start when its index names a file that is not there: that one was made while
    the others were copied. Nor does it with prepared transactions when the newest file says that
    it was closed in order."""
    files = [file for file in folder.glob("binlog.*") if file.suffix[1:].isdigit()]
    index = folder / "binlog.index"
    if not files or not index.exists():
        return False
    named = {Path(name).name for name in index.read_text().split()}
    return named <= {file.name for file in files} and in_use(max(files))


def in_use(file: Path) -> bool:
    """Whether the server still wrote this file of the binary log when it was copied."""
    with open(file, "rb") as log:
        head = log.read(FLAGS_AT + 1)
    return len(head) > FLAGS_AT and bool(head[FLAGS_AT] & IN_USE)
