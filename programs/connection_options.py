# SPDX-License-Identifier: GPL-2.0-only
"""The options of a command line that say how to connect; see programs/connection.py."""

import getpass
from collections.abc import Callable
from dataclasses import replace

import click

from programs.connection import Files, Options, gather

OPTIONS = (
    click.option("-h", "--host", help="The server; default: localhost, by its socket."),
    click.option("-P", "--port", type=click.IntRange(1, 65535), help="Port; default: 3306."),
    click.option("-S", "--socket", help="Socket of a server on this machine."),
    click.option("-u", "--user", help="Default: your name on this machine."),
    click.option(
        "-p",
        "--password",
        is_flag=False,
        flag_value="",
        help="Without a value it is asked for. Option files are safer than a value here.",
    ),
    click.option(
        "--ssl/--skip-ssl",
        default=None,
        help="TLS, or none; each of the next options switches it on.",
    ),
    click.option("--ssl-ca", help="Certificates to check the server's with."),
    click.option("--ssl-capath", help="A folder with such certificates."),
    click.option("--ssl-cert", help="The certificate to show to the server."),
    click.option("--ssl-key", help="The key of that certificate."),
    click.option(
        "--ssl-verify-server-cert",
        is_flag=True,
        default=None,
        help="The server's certificate must have the name of the host.",
    ),
    click.option("--defaults-file", help="The only option file to read."),
    click.option("--defaults-extra-file", help="An option file to read besides."),
    click.option("--no-defaults", is_flag=True, help="Read no option file."),
)


def connection_options(command: Callable) -> Callable:
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def gathered(program: str, defaults_file, defaults_extra_file, no_defaults, **given) -> Options:
    """From what the command line gives for connection_options; asks for a password that it leaves
    open. BadOptions for option files that cannot be read."""
    options = Options(**given)
    files = Files(defaults_file, defaults_extra_file, no_defaults)
    found = gather(options, files, program)
    if options.password == "":
        found = replace(found, password=getpass.getpass("Enter password: "))
    return found
