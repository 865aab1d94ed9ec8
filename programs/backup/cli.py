# SPDX-License-Identifier: GPL-2.0-only
"""The command line. Status: 0 done; 1 refused, failed, or damage found; 2 wrong options or no
connection."""

import json
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from programs.backup import gtid
from programs.backup import remove as removal
from programs.backup import verify as verification
from programs.backup.clone import ALL_DATABASES, Clone, position_of
from programs.backup.clone import receive as receive_from
from programs.backup.errors import BackupError
from programs.backup.extract import Extract
from programs.backup.manifest import Manifest, is_database
from programs.backup.new_server import NewServer
from programs.backup.primary import Primary
from programs.backup.progress import Progress
from programs.backup.promote import Promoted, Promotion
from programs.backup.repository import Known, Repository
from programs.backup.restore import Restore
from programs.backup.server import Server
from programs.backup.stream import Receiver, StreamSink
from programs.backup.take import RepositorySink, Take, Wish
from programs.connection import BadOptions, Files, Options, gather
from programs.connection_options import connection_options, gathered

NAME = "basalt-backup"
FOLDER = click.Path(path_type=Path, file_okay=False)
PLAIN, SMALLEST = 0, 19
FAILED, WRONG_USAGE = 1, 2
# grows when a name in the JSON changes its meaning or goes
JSON_FORMAT = 1


def names_of(context, parameter, value: str | None) -> tuple[str, ...]:
    if value is None:
        return ()
    names = tuple(sorted({name.strip() for name in value.split(",")}))
    if not all(map(is_database, names)):
        raise BadOptions("--databases: names with a comma between, as in --databases shop,blog")
    return names


def refuse_databases(context, parameter, value: str | None) -> None:
    if value is not None:
        raise BadOptions(ALL_DATABASES)


def server_options(command: Callable) -> Callable:
    for option in (
        click.option("--full", is_flag=True, help="Copy all anew, known or not."),
        click.option(
            "--compress",
            type=click.IntRange(PLAIN, SMALLEST),
            default=PLAIN,
            help="Level of zstd for all tables but those of ROCKSDB, whose files are compressed.",
        ),
        click.option("--temporary", type=FOLDER, help="Folder for a socket and logs."),
        click.option(
            "--databases",
            callback=names_of,
            metavar="NAME,...",
            help="Only these, and the server's own; default: all.",
        ),
    ):
        command = option(command)
    return connection_options(command)


FOR_SOME = "For the server that puts a backup of some databases in order."
as_json = click.option("--json", "as_json", is_flag=True, help="The result as JSON.")
quiet = click.option("--quiet", is_flag=True, help="Tell no progress.")


@click.group(context_settings={"help_option_names": ["-?", "--help"], "max_content_width": 100})
def commands() -> None:
    """Backups of a MariaDB server: ROCKSDB, InnoDB and all other tables, of one moment."""


@commands.command()
@click.argument("repository", type=FOLDER)
@server_options
@as_json
@quiet
def backup(repository: Path, as_json: bool, quiet: bool, **options) -> None:
    """Copies a running server into REPOSITORY, which is made if it is missing.

    The first backup is full. Each later one is an increment: the changed pages of InnoDB, and the
    files of ROCKSDB that REPOSITORY lacks.
    """
    target, progress = Repository.open_or_make(repository), Progress(quiet)
    with target.locked():
        made = take(options, target.known(), RepositorySink(target, progress), progress)
    show(made, as_json, "made and verified")


@commands.command()
@click.option("--known", type=click.File("r"), help="What 'known' has printed; default: nothing.")
@server_options
@quiet
def stream(known, quiet: bool, **options) -> None:
    """Copies a running server to standard output, for 'receive' at the other end of a pipe."""
    if sys.stdout.isatty():
        raise BackupError("standard output is a terminal; pipe it to 'basalt-backup receive'")
    there = Known.decode(known.read()) if known else Known()
    sink = StreamSink(sys.stdout.buffer)
    take(options, there, sink, Progress(quiet))


def take(options: dict, known: Known, sink, progress: Progress) -> Manifest:
    names = ("full", "compress", "temporary", "databases")
    wish = Wish(*(options.pop(name) for name in names))
    server = Server(gathered(NAME, **options))
    try:
        return Take(server, known, sink, wish, progress).run()
    finally:
        server.close()


@commands.command()
@click.argument("repository", type=FOLDER)
@as_json
@quiet
def receive(repository: Path, as_json: bool, quiet: bool) -> None:
    """Puts what 'stream' writes, from standard input, into REPOSITORY, and verifies it."""
    target, progress = Repository.open_or_make(repository), Progress(quiet)
    with target.locked():
        progress.begin("receiving")
        receiver = Receiver(target, sys.stdin.buffer)
        made = receiver.receive()
        fresh = {got.sha256 for got in receiver.received.values()}
        wanted = [part for part in made.objects() if part.sha256 in fresh]
        verification.objects(target, made, wanted, progress)
        target.commit(made)
    show(made, as_json, "received and verified")


@commands.command()
@click.argument("repository", type=FOLDER)
def known(repository: Path) -> None:
    """Prints what REPOSITORY has, for 'stream --known'."""
    print(Repository.open_or_make(repository).known().encode())


@commands.command("list")
@click.argument("repository", type=FOLDER)
@as_json
def list_backups(repository: Path, as_json: bool) -> None:
    """The backups in REPOSITORY, the oldest first."""
    source = Repository.open(repository)
    found = [source.load(name) for name in source.ids()]
    if as_json:
        print_json({"backups": [summary(backup) for backup in found]})
        return
    columns = ("backup", "base", "databases", "files", "MB", "binary log", "GTID")
    table = Table(*columns, box=None)
    for backup in found:
        position = backup.position
        log = f"{position.file}:{position.offset}" if position.file else ""
        size = f"{sum(part.size for part in backup.objects()) / 1e6:.1f}"
        row = (backup.id, backup.base or "(full)", databases_of(backup), str(len(backup.store)))
        table.add_row(*row, size, log, position.gtid)
    Console(width=None if sys.stdout.isatty() else 200).print(table)


@commands.command()
@click.argument("repository", type=FOLDER)
@click.argument("ids", nargs=-1)
@as_json
@quiet
def verify(repository: Path, ids: tuple[str, ...], as_json: bool, quiet: bool) -> None:
    """Reads backups (default: all) and compares every checksum, those of blocks too."""
    source = Repository.open(repository)
    unknown = [name for name in ids if name not in source.ids()]
    if unknown:
        raise BackupError(f"{repository} has no backup {unknown[0]}")
    found = verification.backups(source, list(ids) or source.ids(), Progress(quiet))
    if as_json:
        print_json({"problems": found})
    else:
        for backup, problems in found.items():
            print(f"{backup}: {'good' if not problems else 'DAMAGED'}{some_of(source, backup)}")
            print("".join(f"  {problem}\n" for problem in problems), end="")
    if any(found.values()):
        sys.exit(1)


@commands.command()
@click.argument("repository", type=FOLDER)
@click.argument("ids", nargs=-1)
@as_json
def remove(repository: Path, ids: tuple[str, ...], as_json: bool) -> None:
    """Removes backups, and files that no backup needs; without IDS only such files.

    A backup goes together with the increments that build on it.
    """
    target = Repository.open(repository)
    with target.locked():
        freed = removal.remove(target, ids)
    if as_json:
        print_json({"removed": list(ids), "bytes": freed})
    else:
        print(f"removed, {freed / 1e6:.1f} MB are free")


@commands.command()
@click.argument("repository", type=FOLDER)
@click.argument("datadir", type=FOLDER)
@click.option("--id", "wanted", default="", help="Which backup; default: the newest.")
@click.option("--server-option", "options", multiple=True, help=FOR_SOME)
@as_json
@quiet
def restore(
    repository: Path,
    datadir: Path,
    wanted: str,
    options: tuple[str, ...],
    as_json: bool,
    quiet: bool,
) -> None:
    """Makes DATADIR, which is missing or empty, the data directory of a backup."""
    source = Repository.open(repository)
    made = Restore(source, wanted or newest(source), datadir, Progress(quiet), options).run()
    show(made, as_json, f"restored to {datadir}")


@commands.command()
@click.argument("repository", type=FOLDER)
@click.argument("database")
@click.argument("tables", nargs=-1)
@click.option("--id", "wanted", default="", help="Which backup; default: the newest.")
@click.option("--work", type=FOLDER, required=True, help="Empty folder with room for all.")
@click.option("--server-option", "options", multiple=True, help="For the server that reads it.")
@quiet
def extract(
    repository: Path,
    database: str,
    tables: tuple[str, ...],
    wanted: str,
    work: Path,
    options: tuple[str, ...],
    quiet: bool,
) -> None:
    """Prints TABLES (default: all) of DATABASE in a backup as SQL, as mariadb-dump does.

    The backup is restored into the folder WORK, a private server reads it there, and WORK is
    emptied again.
    """
    source, progress = Repository.open(repository), Progress(quiet)
    restored = Restore(source, wanted or newest(source), work / "data", progress, options)
    Extract(restored, work, list(options), progress).run(database, list(tables))


@commands.command()
@click.argument("datadir", type=FOLDER)
@click.option(
    "--primary",
    type=click.Path(path_type=Path),
    required=True,
    help="Option file: host, port, user, password, ssl-* in [client], for replication.",
)
@click.option("--stream", "command", help="Writes the copy: 'ssh db1 basalt-backup stream'.")
@click.option(
    "--server-defaults-file",
    "server_file",
    type=click.Path(path_type=Path),
    help="Option file of the new server; default: those that every server reads.",
)
@click.option("--server-option", "options", multiple=True, help="For the new server.")
@connection_options
@click.option("--temporary", type=FOLDER, help="Folder for a socket and logs.")
# of 'backup': users may try it
@click.option("--databases", hidden=True, expose_value=False, callback=refuse_databases)
@as_json
@quiet
def clone(
    datadir: Path,
    primary: Path,
    command: str | None,
    server_file: Path | None,
    options: tuple[str, ...],
    as_json: bool,
    quiet: bool,
    **copied,
) -> None:
    """Makes DATADIR, which is missing or empty, the data directory of a new replica.

    The server that is copied is one on this machine, or what --stream writes. The new server
    replicates from the primary once it is started, from where the copy ends.
    """
    there, progress = Primary(primary, NAME), Progress(quiet)

    def source(target: Repository) -> Manifest:
        if command:
            return receive_from(command, target, progress)
        sink = RepositorySink(target, progress)
        whole = {"full": True, "compress": PLAIN, "databases": ()}
        return take({**copied, **whole}, Known(), sink, progress)

    made = Clone(datadir, NewServer(server_file, list(options)), there, progress).run(source)
    start = position_of(made)
    if as_json:
        print_json({"datadir": str(datadir), "primary": str(there), "gtid": start, **summary(made)})
        return
    print(f"{datadir} is ready: its server will replicate from {there}, behind GTID {start}")


@commands.command()
@click.option("--position", default="", help="Where the primary ended: its @@gtid_binlog_pos.")
@click.option(
    "--other",
    "others",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Option file for another replica, which is asked whether it has more.",
)
@click.option("--seconds", default=60.0, help="How long to wait while nothing comes.")
@connection_options
@as_json
@quiet
def promote(
    position: str,
    others: tuple[Path, ...],
    seconds: float,
    as_json: bool,
    quiet: bool,
    **options,
) -> None:
    """Makes a replica the primary.

    All that it has received is applied first. A primary that answers is in the way, unless
    --position says where it ended once it had become read-only.
    """
    try:
        wanted = gtid.parse(position)
    except BackupError as error:
        raise BadOptions(f"--position: {error}") from error
    replica = Server(gathered(NAME, **options))
    asked = {str(file): Server(gather(Options(), Files(str(file)), NAME)) for file in others}
    try:
        promotion = Promotion(replica, asked, Progress(quiet))
        show_promoted(promotion.run(wanted, seconds), as_json)
    finally:
        for server in (replica, *asked.values()):
            server.close()


def show_promoted(made: Promoted, as_json: bool) -> None:
    if as_json:
        print_json(asdict(made))
        return
    print(
        f"this server is the primary from GTID {made.gtid} on, in the place of {made.old_primary}"
    )
    print("on each other replica:")
    print("".join(f"  {statement};\n" for statement in made.others), end="")
    print("".join(f"note: {note}\n" for note in made.notes), end="")


def newest(source: Repository) -> str:
    ids = source.ids()
    if not ids:
        raise BackupError(f"{source.folder} has no backup")
    return ids[-1]


def databases_of(backup: Manifest) -> str:
    return ", ".join(backup.databases) or "all"


def some_of(source: Repository, wanted: str) -> str:
    """Of a backup of some databases, which; the manifest may be what is damaged."""
    try:
        backup = source.load(wanted)
    except BackupError:
        return ""
    return f" (databases: {databases_of(backup)})" if backup.databases else ""


def summary(backup: Manifest) -> dict[str, object]:
    return {
        "id": backup.id,
        "base": backup.base,
        "server": backup.server,
        # null: all
        "databases": list(backup.databases) or None,
        "position": asdict(backup.position),
        "bytes": sum(part.size for part in backup.objects()),
        "files": len(backup.store),
    }


def show(backup: Manifest, as_json: bool, done: str) -> None:
    if as_json:
        print_json(summary(backup))
    else:
        at = f", GTID {backup.position.gtid}" if backup.position.gtid else ""
        some = f", databases: {databases_of(backup)}" if backup.databases else ""
        print(f"{backup.id}: {done}{at}{some}")


def print_json(found: dict[str, object]) -> None:
    print(json.dumps({"format": JSON_FORMAT, **found}, indent=2))


def main() -> None:
    # so that what is being written is cleared away
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        commands()
    except BadOptions as error:
        end(str(error), WRONG_USAGE)
    except BackupError as error:
        end(str(error), error.status)
    except OSError as error:
        end(str(error), FAILED)


def end(sentence: str, status: int) -> None:
    print(f"{NAME}: {sentence}", file=sys.stderr)
    sys.exit(status)
