# SPDX-License-Identifier: GPL-2.0-only
"""The command line of basalt-top."""

import shutil
import sys
import time

import click
import pymysql
import xxhash

from programs import connection
from programs.connection_options import connection_options, gathered
from programs.top import output, rates, views
from programs.top.attention import attention
from programs.top.collector import ANSWER_SECONDS, Collector, NoEngine
from programs.top.options import tables_every_option
from programs.top.screen import Screen
from programs.top.snapshot import Snapshot

NAME = "basalt-top"
FINE, ATTENTION, NO_ANSWER = 0, 1, 2
# of a picture that goes into a file or a pipe
WIDTH = 120

EPILOG = """
Exit status: 0, nothing needs attention; 1, something does (--once: the lines with ! say what), or
the server has no engine ROCKSDB; 2, wrong options or no connection. docs/operate/monitor.md
explains the picture.
"""


class Watch:
    """A server from one look to the next."""

    def __init__(self, collector: Collector, where: str):
        self.collector = collector
        self.where = where
        self.before: Snapshot | None = None
        self.now: Snapshot | None = None

    def look(self) -> None:
        self.before, self.now = self.now, self.collector.take()

    def seen(self) -> tuple[Snapshot, rates.Rates, list[str]]:
        measured = rates.between(self.before, self.now)
        errors = self.before.background_errors if self.before else None
        return self.now, measured, attention(self.now, measured, errors)

    def draw(self, view: str, fresh: bool):
        if fresh:
            self.look()
        return views.picture(view, *self.seen(), self.where)


def end(status: int, sentence: str) -> None:
    click.echo(f"{NAME}: {sentence}", err=True)
    sys.exit(status)


@click.command(
    epilog=EPILOG,
    context_settings={"help_option_names": ["-?", "--help"], "max_content_width": 100},
)
@connection_options
@click.option("--once", is_flag=True, help="One picture to standard output, then end.")
@click.option("--json", "as_json", is_flag=True, help="The same as JSON; implies --once.")
@click.option(
    "--view", type=click.Choice(list(views.VIEWS.values())), help="Default: overview; once: all."
)
@click.option(
    "--interval",
    type=click.FloatRange(0.1, 3600),
    default=2.0,
    show_default=True,
    help="Seconds between two looks; what happens in them is what rates tell.",
)
@tables_every_option
@click.option("--width", type=click.IntRange(1), help="Columns of the picture of --once.")
def main(once, as_json, view, interval, tables_every, width, **options) -> None:
    """What the storage engine ROCKSDB (Basalt) of a MariaDB server does: its tree and compactions,
    stalls, cache, transactions, who waits for whom, the largest tables, statements that run.

    Connects as the program mariadb does, with the groups client, client-server, client-mariadb and
    basalt-top of the option files. The user needs the privilege PROCESS.
    """
    once = once or as_json
    width = width or (shutil.get_terminal_size((WIDTH, 24)).columns if once else None)
    check_terminal(once, as_json, width)
    try:
        where, link = connect(**options)
        watch = Watch(Collector(link, xxhash.xxh3_64_hexdigest, tables_every), where)
        if once:
            sys.exit(show_once(watch, as_json, view or "all", interval, width))
        Screen(watch.draw, view or "overview", interval).run()
    except connection.BadOptions as error:
        end(NO_ANSWER, str(error))
    except NoEngine as error:
        end(ATTENTION, str(error))
    except pymysql.Error as error:
        end(NO_ANSWER, connection.sentence_of(error))
    except KeyboardInterrupt:
        pass


def check_terminal(once: bool, as_json: bool, width: int | None) -> None:
    if not once and not sys.stdout.isatty():
        end(NO_ANSWER, "standard output is no terminal; --once prints one picture")
    columns = width or shutil.get_terminal_size().columns
    if not as_json and views.too_narrow(columns):
        end(NO_ANSWER, views.too_narrow(columns))


def connect(**options):
    """(where it goes, the connection)."""
    found = gathered(NAME, **options)
    return found.shown, connection.connect(found, NAME, ANSWER_SECONDS)


def show_once(watch: Watch, as_json: bool, view: str, interval: float, width: int) -> int:
    watch.look()
    time.sleep(interval)
    watch.look()
    snapshot, measured, sentences = watch.seen()
    if as_json:
        click.echo(output.as_json(snapshot, measured, sentences))
    else:
        picture = views.picture(view, snapshot, measured, sentences, watch.where)
        output.as_text(picture, width, sys.stdout, sys.stdout.isatty())
    return ATTENTION if sentences else FINE
