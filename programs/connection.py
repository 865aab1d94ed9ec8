# SPDX-License-Identifier: GPL-2.0-only
"""A connection with the options that the client program mariadb has: the command line, then
variables of the environment, then option files. These are read by my_print_defaults, the server's
own reader of them. Each program has a group of its own name in them.

programs/connection_options.py has the same for a command line of click.
"""

import getpass
import os
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

GROUPS = ("client", "client-server", "client-mariadb")
TLS_FILES = ("ssl_ca", "ssl_capath", "ssl_cert", "ssl_key")
OFF = ("0", "off", "false")
DEFAULT_SOCKET = "/run/mysqld/mysqld.sock"
CONNECT_SECONDS = 10


class BadOptions(Exception):
    """One sentence."""


@dataclass(frozen=True)
class Options:
    """None: not given. An empty password asks for one, when it was given as such. `ssl`: TLS, which
    the other options of its kind switch on as well."""

    host: str | None = None
    port: int | None = None
    user: str | None = None
    password: str | None = None
    socket: str | None = None
    ssl: bool | None = None
    ssl_ca: str | None = None
    ssl_capath: str | None = None
    ssl_cert: str | None = None
    ssl_key: str | None = None
    ssl_verify_server_cert: bool | None = None

    def filled(self, other: "Options") -> "Options":
        """With what only the other has. A file of certificates here is not made useless by a
        --skip-ssl there."""
        mine = replace(self, ssl=self.tls or self.ssl)
        missing = {name: value for name, value in vars(other).items() if vars(mine)[name] is None}
        return replace(mine, **missing)

    @property
    def tls(self) -> bool:
        if self.ssl is not None:
            return self.ssl
        return bool(self.ssl_verify_server_cert or any(vars(self)[name] for name in TLS_FILES))

    @property
    def local(self) -> bool:
        """By a Unix socket, as the client program does for localhost."""
        return self.socket is not None

    @property
    def shown(self) -> str:
        return self.socket if self.local else f"{self.host}:{self.port}"


@dataclass(frozen=True)
class Files:
    """Which option files are read: `only` this one, or an `extra` one besides the usual ones, or
    `none`."""

    only: str | None = None
    extra: str | None = None
    none: bool = False


def gather(given: Options, files: Files, program: str) -> Options:
    """All that is known about how to connect. BadOptions for what cannot be read."""
    lines = [] if files.none else option_files(files, program)
    if given.socket is not None and given.host is None:
        given = replace(given, host="localhost")
    options = given.filled(environment()).filled(from_lines(lines))
    host, socket = options.host or "localhost", options.socket or DEFAULT_SOCKET
    if host != "localhost" or (given.port is not None and given.socket is None):
        host, socket = host.replace("localhost", "127.0.0.1"), None
    return replace(
        options,
        host=host,
        port=options.port or 3306,
        user=options.user or getpass.getuser(),
        socket=socket,
    )


def environment() -> Options:
    port = os.environ.get("MYSQL_TCP_PORT", "")
    return Options(
        host=os.environ.get("MYSQL_HOST"),
        port=int(port) if port.isdigit() else None,
        password=os.environ.get("MYSQL_PWD"),
        socket=os.environ.get("MYSQL_UNIX_PORT"),
    )


def option_files(files: Files, program: str) -> list[str]:
    """What the option files say, as lines --NAME=VALUE, later ones before."""
    for named in (files.only, files.extra):
        if named and not os.access(named, os.R_OK):
            raise BadOptions(f"the option file {named} cannot be read")
    reader = shutil.which("my_print_defaults")
    if reader is None:
        if files.only or files.extra:
            raise BadOptions("my_print_defaults, which reads option files, is not installed")
        return []
    command = [reader]
    command += [f"--defaults-file={Path(files.only).absolute()}"] if files.only else []
    command += [f"--defaults-extra-file={Path(files.extra).absolute()}"] if files.extra else []
    done = subprocess.run([*command, *GROUPS, program], capture_output=True, text=True)
    if done.returncode != 0:
        said = (done.stderr.strip() or f"status {done.returncode}").splitlines()[-1]
        raise BadOptions(f"the option files cannot be read: {said}")
    return done.stdout.splitlines()


def from_lines(lines: list[str]) -> Options:
    """The last one of a name holds; what is for other programs is passed over."""
    values: dict[str, str] = {}
    for line in lines:
        name, value = name_and_value(line)
        values[name] = value
        if name in TLS_FILES and value:
            values["ssl"] = "1"
    port = values.get("port", "")
    words = ("host", "user", "password", "socket", *TLS_FILES)
    return Options(
        port=int(port) if port.isdigit() else None,
        ssl=switch(values, "ssl"),
        ssl_verify_server_cert=switch(values, "ssl_verify_server_cert"),
        **{name: values.get(name) for name in words},
    )


def name_and_value(line: str) -> tuple[str, str]:
    """--skip-ssl and --disable-ssl are --ssl=0, and so with what must be verified."""
    name, _, value = line.removeprefix("--").partition("=")
    name = name.replace("-", "_")
    for prefix in ("skip_ssl", "disable_ssl"):
        if name.startswith(prefix):
            return name.partition("_")[2], "0"
    return name, value


def switch(values: dict[str, str], name: str) -> bool | None:
    return None if name not in values else values[name].lower() not in OFF


def connect(options: Options, program: str, answer_seconds: float | None):
    """A connection of PyMySQL; its errors are passed on. BadOptions for files of TLS that are none.
    `program` is its name in the server; an answer may take `answer_seconds`, None: any time."""
    import pymysql

    from programs.tls import Secured

    where = (
        {"unix_socket": options.socket}
        if options.local
        else {"host": options.host, "port": options.port}
    )
    context = tls_context(options)
    kind = Secured if context else pymysql.connect
    return kind(
        **where,
        user=options.user,
        # PyMySQL would send the bytes of Latin 1; the client program sends what a terminal gives
        password=(options.password or "").encode(errors="surrogateescape"),
        ssl=context,
        ssl_disabled=options.ssl is False,
        charset="utf8mb4",
        autocommit=True,
        program_name=program,
        connect_timeout=CONNECT_SECONDS,
        read_timeout=answer_seconds,
        write_timeout=answer_seconds,
    )


def tls_context(options: Options):
    """None: without TLS. BadOptions for files that are not what they should be."""
    from programs import tls

    if not options.tls:
        return None
    files = [vars(options)[name] for name in TLS_FILES]
    try:
        return tls.context(*files, tls_checks_name(options))
    except tls.BadFiles as error:
        raise BadOptions(str(error)) from error


def tls_checks_name(options: Options) -> bool:
    """A socket of this machine has no name that could be checked."""
    return bool(options.ssl_verify_server_cert) and not options.local


def tls_lines(options: Options) -> list[str]:
    """For the option file of a program with MariaDB's client library."""
    if not options.tls:
        return []
    given = {name.replace("_", "-"): vars(options)[name] for name in TLS_FILES}
    lines = [f'{name}="{file}"' for name, file in given.items() if file]
    return ["ssl-enforce=1", *lines, f"ssl-verify-server-cert={int(tls_checks_name(options))}"]


def sentence_of(error) -> str:
    """What an error of PyMySQL means to who runs a program that only asks."""
    number, text = (*error.args, "")[:2] if error.args else (0, "")
    if number in (2003, 2026, 1045, 1698, 1130):
        return f"no connection: {text}"
    if number in (0, 2006, 2013):
        return "the server does not answer any more: the connection is lost"
    return f"the server refused a question: {text} ({number})"
