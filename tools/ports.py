# SPDX-License-Identifier: GPL-2.0-only
"""Ports of the loopback interface for private servers."""

import socket


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
