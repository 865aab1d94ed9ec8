# SPDX-License-Identifier: GPL-2.0-only
"""The command line of basalt-migrate."""

import sys
from collections.abc import Callable
from pathlib import Path

import click

from programs.connection import BadOptions, Options
from programs.connection_options import connection_options, gathered
from programs.migrate import before_opening, compare, dump, show
from programs.migrate.catalog import read
from programs.migrate.errors import MigrateError, Stopped
from programs.migrate.interrupt import Interrupt
from programs.migrate.journal import Journal
from programs.migrate.mover import How
from programs.migrate.names import Choice
from programs.migrate.plan import Plan, Planner, Wish
from programs.migrate.progress import Progress
from programs.migrate.runner import Outcome, Runner
from programs.migrate.server import PROGRAM, Server
from programs.migrate.throttle import Limits

FINE, ATTENTION, WRONG_USE = 0, 1, 2
EPILOG = """
Exit status: 0, done; 1, a table that was chosen stays, has failed, or has other rows than before;
2, wrong options or no connection. docs/operate/migrate.md explains the move.
"""
INTERRUPT = Interrupt()
SETTINGS = {"help_option_names": ["-?", "--help"], "max_content_width": 100}


def options(*found: Callable) -> Callable:
    def add(command: Callable) -> Callable:
        for option in reversed(found):
            command = option(command)
        return command

    return add


json_option = click.option("--json", "as_json", is_flag=True, help="The result as JSON.")
online_option = click.option(
    "--online",
    is_flag=True,
    help="By pt-online-schema-change: clients go on writing. Not with foreign keys or triggers.",
)
move_options = options(
    online_option,
    click.option("--lock", is_flag=True, help="Lock tables, so that the comparison proves all."),
    click.option(
        "--verify",
        type=click.Choice(compare.WAYS),
        default=compare.CHECKSUM,
        show_default=True,
        help="What is compared before and after; each but none reads the table twice.",
    ),
    click.option("--no-binlog", is_flag=True, help="Keep it out of the binary log."),
    click.option("--replica", multiple=True, help="Wait for this one: HOST, HOST:PORT, a socket."),
    click.option("--max-lag", type=click.IntRange(0), default=10, show_default=True,
                 help="Seconds that a replica may be behind."),
    click.option("--max-load", type=click.IntRange(0), help="Statements that may run meanwhile."),
    click.option("--lock-wait", type=click.IntRange(1), default=60, show_default=True,
                 help="Seconds to wait for a table that a transaction uses."),
    click.option("--dry-run", is_flag=True, help="Print the statements and run none."),
    click.option("--quiet", is_flag=True, help="Tell no progress."),
    json_option,
)  # fmt: skip
tables_argument = click.argument("tables", nargs=-1, metavar="[DATABASE | DATABASE.TABLE]...")


@click.group(context_settings=SETTINGS, epilog=EPILOG)
def commands() -> None:
    """Moves tables of a MariaDB server into the storage engine ROCKSDB (Basalt), and back.

    Connects as the program mariadb does, with the groups client, client-server, client-mariadb and
    basalt-migrate of the option files. Without names all tables are meant that store rows. --json
    behind a command prints its result as JSON.
    """


@commands.command(context_settings=SETTINGS)
@tables_argument
@connection_options
@click.option("--no-sample", is_flag=True, help="Measure no sizes; no rows are copied then.")
@click.option("--rows", is_flag=True, help="Look for rows without a parent; reads whole tables.")
@online_option
@json_option
def plan(tables, no_sample, rows, online, as_json, **given) -> None:
    """Tells which tables can move, in which order, and why others cannot.

    The server says so itself: an empty copy of each table is moved in a database of the program's
    own, which is removed at the end. Sizes come from a sample of rows that is moved there too.
    """
    server = Server(gather(**given))
    server.check_engine()
    server.keep_out_of_binary_log()
    wish = Wish(Choice(tables), sample=not no_sample, rows=rows, online=online)
    made = Planner(server, read(server), wish).make()
    show_plan(made, as_json)
    sys.exit(ATTENTION if made.staying() else FINE)


def show_plan(made: Plan, as_json: bool) -> None:
    if as_json:
        show.print_json(show.plan_document(made))
    else:
        show.print_plan(made)


@commands.command(context_settings=SETTINGS)
@tables_argument
@connection_options
@move_options
def run(tables, online, as_json, **given) -> None:
    """Moves tables, groups that foreign keys connect at once, small ones first.

    The same command goes on when it was stopped or killed.
    """
    finish(runner(given).run(Choice(tables), online, sample=False), as_json)


@commands.command(context_settings=SETTINGS)
@tables_argument
@connection_options
@move_options
def undo(tables, online, as_json, **given) -> None:
    """Moves back what this program has moved, each table to the engine that it had."""
    finish(runner(given).undo(Choice(tables), online), as_json)


def runner(given: dict) -> Runner:
    names = ("verify", "lock", "no_binlog", "replica", "max_lag", "max_load", "lock_wait")
    verify, lock, no_binlog, replicas, lag, load, wait = (given.pop(name) for name in names)
    how = How(verify, lock, not no_binlog, given.pop("dry_run"))
    progress = Progress(given.pop("quiet"))
    limits = Limits(replicas, lag, load)
    return Runner(gather(**given), how, limits, progress, INTERRUPT, wait)


def finish(outcome: Outcome, as_json: bool) -> None:
    if as_json:
        show.print_json(show.outcome_document(outcome))
    else:
        show.print_outcome(outcome)
    sys.exit(FINE if outcome.good else ATTENTION)


@commands.command(context_settings=SETTINGS)
@connection_options
@json_option
def status(as_json, **given) -> None:
    """Lists what this program has moved, and what it has left half done."""
    records = list(Journal(Server(gather(**given))).read().values())
    if as_json:
        show.print_json(show.journal_document(records))
    else:
        show.print_journal(records)
    sys.exit(ATTENTION if any(record.open for record in records) else FINE)


@commands.command("dump-filter", context_settings=SETTINGS)
@click.argument("source", type=click.File("rb"), default="-")
@click.option("--engine", multiple=True, default=dump.ENGINES, show_default=True,
              help="Engines whose tables move; may be given several times.")  # fmt: skip
def dump_filter(source, engine) -> None:
    """Copies a dump to standard output, with tables of ROCKSDB in the place of others.

    SOURCE is the output of mariadb-dump, mysqldump or mydumper; default: standard input. Each table
    that changes, or that stays because ROCKSDB would refuse it, has a line on standard error.
    """
    stayed = dump.Filter(engine, lambda text: click.echo(f"{PROGRAM}: {text}", err=True)).run(
        source, sys.stdout.buffer
    )
    sys.exit(ATTENTION if stayed else FINE)


@commands.command(context_settings=SETTINGS)
@click.argument("datadir", type=click.Path(path_type=Path, file_okay=False))
@click.option("--defaults-file", help="The server's option file; default: the usual ones.")
@click.option("--plugin-dir", type=click.Path(path_type=Path), required=True,
              help="Folder with the ha_rocksdb.so that shall open it.")  # fmt: skip
@click.option("--server", default="mariadbd", show_default=True, help="The server's program.")
@json_option
def check(datadir, defaults_file, plugin_dir, server, as_json) -> None:
    """Looks at a data directory of MyRocks, with its server stopped, before Basalt opens it.

    Nothing is changed, and no file of the engine is opened for writing.
    """
    found = before_opening.look(datadir, defaults_file, plugin_dir, server)
    if as_json:
        show.print_json({"findings": [vars(finding) for finding in found]})
    else:
        for finding in found:
            click.echo(f"{'!' if finding.bad else ' '} {finding.text}")
    sys.exit(ATTENTION if any(finding.bad for finding in found) else FINE)


def gather(**given) -> Options:
    return gathered(PROGRAM, **given)


def main() -> None:
    INTERRUPT.install()
    try:
        commands(prog_name=PROGRAM, standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except Stopped as error:
        end(ATTENTION, str(error))
    except MigrateError as error:
        end(error.status, str(error))
    except BadOptions as error:
        end(WRONG_USE, str(error))
    except (KeyboardInterrupt, click.Abort):
        end(ATTENTION, "stopped")
    except OSError as error:
        end(ATTENTION, f"{error.filename or 'the operating system'}: {error.strerror}")


def end(status: int, sentence: str) -> None:
    click.echo(f"{PROGRAM}: {sentence}", err=True)
    sys.exit(status)
