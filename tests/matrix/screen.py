# SPDX-License-Identifier: GPL-2.0-only
"""The matrix as text: a row a type, a column a role, a letter a cell (NOT NULL, then NULL)."""

from collections import Counter, defaultdict

from tests.matrix.cell import ABSENT, FAILED, REFUSED, Cell
from tests.matrix.roles import ROLES

WIDTH = 40
HEADINGS = {
    "pk": "pk",
    "pk-desc": "pkD",
    "pk-prefix": "pkP",
    "key": "key",
    "key-desc": "keyD",
    "unique": "uni",
    "unique-desc": "uniD",
    "second": "2nd",
    "second-desc": "2ndD",
    "first": "1st",
    "prefix": "pre",
    "prefix-desc": "preD",
    "unique-prefix": "uniP",
    "row": "row",
}
LEGEND = (
    "two letters a cell, NOT NULL and NULL: + passed, o passed but never from the key alone,"
    " R refused on purpose,\n   . not applicable (InnoDB has it no more), F failed"
)


def letter(cell: Cell) -> str:
    if cell.outcome == REFUSED:
        return "R"
    if cell.outcome == ABSENT:
        return "."
    if cell.outcome == FAILED:
        return "F"
    return "o" if cell.index_only is False else "+"


def heading() -> str:
    return f"   {'type':<{WIDTH}}" + "".join(f"{HEADINGS[r.name]:<5}" for r in ROLES).rstrip()


def pattern(cells: list[Cell]) -> str:
    by_role: dict[str, str] = defaultdict(str)
    for cell in cells:
        by_role[cell.role.name] += letter(cell)
    return "".join(f"{by_role[r.name]:<5}" for r in ROLES).rstrip()


def row(cells: list[Cell]) -> str:
    return f"   {cells[0].kind.name:<{WIDTH}}{pattern(cells)}"


def grouped(work: list[list[Cell]]) -> list[str]:
    """Rows of many collations, those with the same letters in one, with their number."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for cells in work:
        groups[cells[0].kind.sql.lower(), pattern(cells)].append(cells[0].kind.collation)
    lines = []
    for (sql, letters), names in sorted(groups.items(), key=lambda item: -len(item[1])):
        title = f"{sql} {names[0]}" if len(names) == 1 else f"{sql} in {len(names)} collations"
        lines.append(f"   {title:<{WIDTH}}{letters}")
        if 1 < len(names) <= 12:
            lines.append(f"      {', '.join(names)}")
    return lines


def summary(cells: list[Cell]) -> list[str]:
    """Counts; refusals and cells that do not apply with their reasons; what a key cannot give."""
    lines = []
    for title, outcome in (("refused", REFUSED), ("not applicable", ABSENT)):
        some = [c for c in cells if c.outcome == outcome]
        lines.append(f"   {title}: {len(some)} cells" + (", because" if some else ""))
        for reason, count in Counter(plain(c.reason) for c in some).most_common():
            names = sorted(
                {c.kind.sql.split("(")[0].lower() for c in some if plain(c.reason) == reason}
            )
            lines.append(f"      {count:5} {reason}: {', '.join(names)}")
    without = [c for c in cells if c.index_only is False]
    with_it = sum(c.index_only is True for c in cells)
    lines.append(f"   answered by the key alone: {with_it} cells; not: {len(without)}")
    lines += [f"      {name}: {roles}" for name, roles in of_types(without)]
    odd = [c for c in cells if c.peer_errors]
    if odd:
        lines.append(f"   InnoDB's own index and table disagree, ours less: {len(odd)} cells")
        lines += [f"      {name}: {roles}" for name, roles in of_types(odd)]
    left = [c for c in cells if c.left_by_peer]
    if left:
        lines.append(
            f"   of these, InnoDB's table was of no more use in the midst of {len(left)} cells;"
            " from there on our index was compared with a scan of our table"
        )
    short = [c for c in cells if c.range_errors]
    if short:
        lines.append(
            "   the server's own range leaves out what a scan finds (LIKE in a CHAR without"
            f" padding, prefixes with characters that weigh nothing): {len(short)} cells"
        )
        lines += [f"      {name}: {roles}" for name, roles in of_types(short)]
    left_out = Counter(c.kind.left_out for c in cells if c.kind.left_out)
    for values, count in left_out.items():
        lines.append(f"   InnoDB loses {values}: left out in {count} cells")
    return lines


def plain(reason: str) -> str:
    """A reason without the names of one table."""
    return reason if len(reason) < 150 else reason[:147] + "..."


def of_types(cells: list[Cell]) -> list[tuple[str, str]]:
    """Names of types with the roles; types with the same roles in one line."""
    roles: dict[str, list[str]] = defaultdict(list)
    for cell in cells:
        known = roles[cell.kind.collation or cell.kind.name]
        if cell.role.name not in known:
            known.append(cell.role.name)
    groups: dict[str, list[str]] = defaultdict(list)
    for name, found in roles.items():
        groups[", ".join(found)].append(name)
    return [(", ".join(names), found) for found, names in groups.items()]
