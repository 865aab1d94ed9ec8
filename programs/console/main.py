# SPDX-License-Identifier: GPL-2.0-only
"""The command line of basalt-console."""

import json
import signal
import sys
import threading

import click
import pymysql
import xxhash

from programs import connection
from programs.connection_options import connection_options, gathered
from programs.console.address import DEFAULT_PORT, LOOPBACK, BadAddress, key_of, port_of
from programs.console.observer import FORMAT, Observer
from programs.console.web import Web
from programs.top.collector import ANSWER_SECONDS, Collector, NoEngine
from programs.top.options import tables_every_option

NAME = "basalt-console"
NO_ENGINE, NO_ANSWER = 1, 2

EPILOG = """
Exit status: 0, ended by Ctrl-C or SIGTERM; 1, the server has no engine ROCKSDB; 2, wrong options,
no connection at the start, or the port is taken. docs/operate/monitor.md explains the page.
"""


def end(status: int, sentence: str) -> None:
    click.echo(f"{NAME}: {sentence}", err=True)
    sys.exit(status)


@click.command(
    epilog=EPILOG,
    context_settings={"help_option_names": ["-?", "--help"], "max_content_width": 100},
)
@connection_options
@click.option(
    "--listen",
    metavar=f"[{LOOPBACK}:]PORT",
    default=str(DEFAULT_PORT),
    show_default=True,
    help="Where browsers find the page: a port of this machine's loopback; 0: a free one.",
)
@click.option(
    "--key-file",
    help="The key that a reader needs is the first line of this file; default: a new one.",
)
@click.option(
    "--interval",
    type=click.FloatRange(0.2, 60),
    default=2.0,
    show_default=True,
    help="Seconds between two looks at the server.",
)
@tables_every_option
@click.option("--json", "as_json", is_flag=True, help="Print the address of the page as JSON.")
def main(listen, key_file, interval, tables_every, as_json, **options) -> None:
    """Serves a web page on loopback with what the storage engine ROCKSDB (Basalt) of a MariaDB
    server does: its tree and compactions, stalls, cache, who waits for whom, the largest tables,
    statements, some minutes of rates, and on top what needs attention.

    Prints the address of the page. Connects as the program mariadb does, with the groups client,
    client-server, client-mariadb and basalt-console of the option files. The user needs the
    privilege PROCESS.
    """
    try:
        port, key = port_of(listen), key_of(key_file)
        observer = observe(options, interval, tables_every)
        web = open_web(port, key, observer)
    except (connection.BadOptions, BadAddress) as error:
        end(NO_ANSWER, str(error))
    except NoEngine as error:
        end(NO_ENGINE, str(error))
    except pymysql.Error as error:
        end(NO_ANSWER, connection.sentence_of(error))
    except KeyboardInterrupt:
        return
    serve(web, observer, as_json)


def observe(options: dict, interval: float, tables_every: float) -> Observer:
    """After a first look, so that a wrong option is told at once."""
    found = gathered(NAME, **options)

    def connect() -> Collector:
        link = connection.connect(found, NAME, ANSWER_SECONDS)
        return Collector(link, xxhash.xxh3_64_hexdigest, tables_every)

    observer = Observer(connect, connection.sentence_of, found.shown, interval)
    observer.look()
    return observer


def open_web(port: int, key: str, observer: Observer) -> Web:
    try:
        return Web(port, key, observer.told)
    except OSError as error:
        raise BadAddress(f"port {port}: {error.strerror}; take another by --listen") from error


def serve(web: Web, observer: Observer, as_json: bool) -> None:
    """Until Ctrl-C or SIGTERM."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.default_int_handler)
    ending = threading.Event()
    looking = threading.Thread(target=observer.run, args=(ending,), daemon=True)
    try:
        with web:
            looking.start()
            address = {"format": FORMAT, "url": web.url, "server": observer.where}
            click.echo(
                json.dumps(address) if as_json else f"{observer.where} is shown at {web.url}"
            )
            web.serve_forever()
    except KeyboardInterrupt:
        pass
    finally:
        ending.set()
