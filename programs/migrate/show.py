# SPDX-License-Identifier: GPL-2.0-only
"""Plans and results as text or as JSON."""

import json
import sys
from typing import Any

import click

from programs.migrate.journal import Record
from programs.migrate.plan import MOVES, Entry, Plan
from programs.migrate.runner import Outcome
from programs.top import units

# grows when a name changes its meaning or goes
FORMAT = 1
# of what goes into a file or a pipe
WIDTH = 160


def print_json(document: dict[str, Any]) -> None:
    click.echo(json.dumps({"format": FORMAT, **document}, indent=2))


def print_grid(titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Without blanks at the ends of lines, which a file would keep."""
    # takes as long to load as all else, and most commands print no table
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    table = Table(*titles, box=None, pad_edge=False)
    for row in rows:
        table.add_row(*map(escape, row))
    console = Console(width=None if sys.stdout.isatty() else WIDTH, highlight=False)
    with console.capture() as captured:
        console.print(table)
    click.echo("\n".join(line.rstrip() for line in captured.get().rstrip().splitlines()))


# --- a plan


def plan_document(plan: Plan) -> dict[str, Any]:
    return {
        "tables": [entry_document(entry) for entry in plan.entries],
        "room_bytes": plan.room,
        "free_bytes": plan.free,
        "warnings": plan.warnings,
        "notes": plan.notes,
    }


def entry_document(entry: Entry) -> dict[str, Any]:
    table = entry.table
    return {
        "table": str(entry.name),
        "kind": table.kind,
        "engine": table.engine,
        "verdict": entry.verdict,
        "reasons": entry.reasons,
        "notes": entry.notes,
        "rows": table.rows,
        "bytes": table.bytes,
        "bytes_after": entry.bytes_after,
        "basis": entry.basis,
        "group": entry.group,
    }


def print_plan(plan: Plan) -> None:
    print_moves(plan)
    for entry in plan.staying():
        click.echo(f"stays: {entry.name} ({entry.table.engine or 'unknown'}): {entry.reasons[0]}")
        for reason in entry.reasons[1:]:
            click.echo(f"       and {reason}")
    moved = sum(entry.verdict == "moved" for entry in plan.entries)
    if moved:
        click.echo(f"{moved} tables are in ROCKSDB already")
    free = "" if plan.free is None else f", {units.size(plan.free)} are free"
    click.echo(f"room that the move takes for a moment: {units.size(plan.room)}{free}")
    for text in plan.warnings:
        click.echo(f"! {text}")
    for text in plan.notes:
        click.echo(f"  {text}")


def print_moves(plan: Plan) -> None:
    rows: list[tuple[str, ...]] = []
    for entry in plan.entries:
        if entry.verdict == MOVES:
            after = "-" if entry.bytes_after is None else units.size(entry.bytes_after)
            rows.append((str(entry.group), str(entry.name), entry.table.engine,
                         units.count(entry.table.rows), units.size(entry.table.bytes), after,
                         entry.basis))  # fmt: skip
            rows += [("", f"  {note}") for note in entry.notes]
    if rows:
        print_grid(("group", "table", "engine", "rows", "now", "after", "measured by"), rows)
    else:
        click.echo("nothing moves")


# --- a run


def outcome_document(outcome: Outcome) -> dict[str, Any]:
    found: dict[str, Any] = {
        "tables": [
            {
                "table": str(result.name),
                "state": result.state,
                "message": result.message,
                "proof": result.proof,
                "rows": result.rows,
                "seconds": round(result.seconds, 3),
                "bytes_before": result.bytes_before,
                "bytes_after": result.bytes_after,
            }
            for result in outcome.results
        ]
    }
    if outcome.plan:
        staying = outcome.plan.staying()
        found["stays"] = [{"table": str(e.name), "reasons": e.reasons} for e in staying]
    if outcome.statements is not None:
        found["statements"] = outcome.statements
    return found


def print_outcome(outcome: Outcome) -> None:
    """What the lines of progress have not said."""
    if outcome.statements is not None:
        click.echo("\n".join(outcome.statements) or "nothing to do")
    if outcome.plan:
        for entry in outcome.plan.staying():
            click.echo(f"stays: {entry.name}: {entry.reasons[0]}")
    failed = [result for result in outcome.results if result.state == "failed"]
    for result in failed:
        click.echo(f"failed: {result.name}: {result.message}")
    done = [r for r in outcome.results if r.state in ("moved", "undone")]
    if done:
        before = units.size(sum(r.bytes_before for r in done))
        after = units.size(sum(r.bytes_after or 0 for r in done))
        count = "1 table" if len(done) == 1 else f"{len(done)} tables"
        click.echo(f"{count}: {before} before, {after} now")
    elif outcome.statements is None and not failed:
        click.echo("nothing to do")


# --- the journal


def journal_document(records: list[Record]) -> dict[str, Any]:
    return {
        "tables": [
            {
                "table": str(record.name),
                "state": record.state,
                "origin": record.origin,
                "proof": record.proof,
                "message": record.message,
                "missing_foreign_keys": list(record.foreign_keys.values()) if record.open else [],
            }
            for record in records
        ]
    }


def print_journal(records: list[Record]) -> None:
    rows: list[tuple[str, ...]] = []
    for record in records:
        said = record.message or record.proof
        rows.append((str(record.name), record.origin, record.state, said))
        for clause in record.foreign_keys.values() if record.open else []:
            rows.append(("", "", "", f"may lack {clause}"))
    if rows:
        print_grid(("table", "was in", "state", "rows"), rows)
    else:
        click.echo("nothing was moved by this program")
