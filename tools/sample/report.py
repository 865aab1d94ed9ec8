# SPDX-License-Identifier: GPL-2.0-only
"""What ./dev run shows: the tables, three questions with their answers, and how to go on."""

from tools.sample import index_files, loader, schema
from tools.sample.questions import Answer
from tools.sample.sizes import Sizes
from tools.server import PrivateServer

GO_ON = """\
[bold]Go on[/bold]
  ./dev run                      this again; the data stays, the shell opens on database {database}
  ./dev run -e "SELECT ..."      one statement, for scripts
  ./dev run --rebuild            loads the data anew
  ./dev server start DIR         an empty server of your own
In the shell: SHOW TABLES; SHOW CREATE TABLE versions\\G  SHOW ENGINE ROCKSDB STATUS\\G
"""


def row_counts(server: PrivateServer) -> dict[str, int]:
    """Exact numbers of rows."""
    counted = " UNION ALL ".join(
        f"SELECT '{t.name}', COUNT(*) FROM {schema.DATABASE}.{t.name}" for t in schema.TABLES
    )
    return dict(server.query(counted))


def show(console, server: PrivateServer, sizes: Sizes, answers: list[Answer]) -> None:
    """Prints everything to a rich console."""
    notes = loader.about(server)
    version = server.query("SELECT VERSION()")[0][0]
    files = notes["source"].splitlines()
    console.print(f"\nMariaDB {version} with ROCKSDB, data directory {server.datadir}")
    console.print(
        f"This machine's Debian package index ({len(files)} file{'s' if len(files) > 1 else ''}; "
        f"{notes['seconds']} seconds)",
        highlight=False,
    )
    console.print(f"Bad lines: {notes['bad_lines']}", highlight=False, markup=False)
    for example in notes["bad_examples"].splitlines():
        console.print(f"  {example}", style="dim", highlight=False, markup=False)
    if notes["fingerprint"] != index_files.find().fingerprint():
        console.print("The lists have changed since; --rebuild loads them anew.", style="yellow")
    console.print(tables_table(row_counts(server), sizes))
    for answer in answers:
        console.print(f"\n[bold]{answer.title}[/bold]  [dim]{answer.seconds * 1000:.0f} ms[/dim]")
        console.print(answer.sql, style="dim", highlight=False, markup=False, soft_wrap=True)
        console.print(answer_table(answer))
    console.print("\n" + GO_ON.format(database=schema.DATABASE), highlight=False)


def tables_table(counts: dict[str, int], sizes: Sizes):
    """Rows and bytes of each table, with the totals of the files."""
    from rich.table import Table

    table = Table(title="Tables, and their bytes on disk when flushed and compacted")
    table.add_column(f"{schema.DATABASE}.")
    for name in ("rows", "ROCKSDB KiB", "InnoDB KiB", "ROCKSDB : InnoDB"):
        table.add_column(name, justify="right")
    for name, count in counts.items():
        ours, theirs = sizes.rocksdb.get(name, 0), sizes.innodb[name]
        table.add_row(name, f"{count:,}", kib(ours), kib(theirs), share(ours, theirs))
    table.add_section()
    ours, theirs = sizes.rocksdb_total, sizes.innodb_total
    total = f"{sum(counts.values()):,}"
    table.add_row("files, all", total, kib(ours), kib(theirs), share(ours, theirs), style="bold")
    return table


def answer_table(answer: Answer):
    from rich.markup import escape
    from rich.table import Table

    table = Table()
    for number, column in enumerate(answer.columns):
        is_text = answer.rows and isinstance(answer.rows[0][number], str)
        table.add_column(column, justify="left" if is_text else "right")
    for row in answer.rows:
        table.add_row(*("NULL" if v is None else escape(str(v)) for v in row))
    return table


def kib(size: int) -> str:
    return f"{size / 1024:,.0f}"


def share(ours: int, theirs: int) -> str:
    return f"{100 * ours / theirs:.0f} %" if theirs and ours else "-"
