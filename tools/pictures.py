# SPDX-License-Identifier: GPL-2.0-only
"""The pictures of docs/performance.md, one of which README.md shows, from tools/pictures.json:

    python3 -m tools.pictures

Figures there are written as the notes of docs/lab write them. Unit tests compare the files with
what this makes, and look each figure up in its notes, so that they cannot say different things.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from tools import paths

DATA = Path(__file__).with_suffix(".json")
FOLDER = paths.ROOT / "docs"
ENGINES = ("Basalt", "MyRocks", "InnoDB")

# the colours of the benchmarks' reports, which differ in grey too (bench/drawing.py)
COLOURS = ("#0b5d8f", "#e08a1e", "#9aa0a6")
WIDTH, BAR, GAP, LEFT, TOP, NAME = 640, 26, 10, 80, 34, 28
LONGEST = WIDTH - LEFT - 90
FONT = 'font-family="sans-serif" font-size="14"'


@dataclass
class Group:
    """Bars that stand together: what was measured under one condition."""

    name: str  # of the condition; empty where there is only one
    figures: tuple[str, ...]  # of each of ENGINES, in their order

    def sizes(self) -> list[float]:
        return [float(figure.replace(",", "")) for figure in self.figures]


@dataclass
class Picture:
    title: str
    notes: Path  # the page that has its figures
    groups: list[Group]

    def longest(self) -> float:
        return max(size for group in self.groups for size in group.sizes())


def read(text: str) -> dict[str, Picture]:
    """Each picture by the name of its file."""
    return {
        name: Picture(entry["title"], paths.ROOT / entry["notes"], groups(entry["groups"]))
        for name, entry in json.loads(text).items()
    }


def groups(entries: list[dict[str, str]]) -> list[Group]:
    return [Group(e["name"], tuple(e[engine] for engine in ENGINES)) for e in entries]


def draw(picture: Picture) -> str:
    """Bars from left to right with their numbers; a light ground, so that dark pages show them."""
    lines, y = [], TOP
    for group in picture.groups:
        if group.name:
            lines.append(f'<text x="{LEFT}" y="{y + 18}" {FONT}>{group.name}</text>')
            y += NAME
        lines += bars(group, y, picture.longest())
        y += len(ENGINES) * (BAR + GAP)
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" role="img">',
        f"<title>{described(picture)}</title>",
        f'<rect width="{WIDTH}" height="{y}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="20" {FONT} font-weight="bold">{picture.title}</text>',
    ]
    return "\n".join([*head, *lines, "</svg>"]) + "\n"


def bars(group: Group, top: int, longest: float) -> list[str]:
    lines = []
    each = zip(ENGINES, group.figures, group.sizes(), COLOURS, strict=True)
    for place, (engine, figure, size, colour) in enumerate(each):
        y = top + place * (BAR + GAP)
        long = round(LONGEST * size / longest)
        lines += [
            f'<text x="{LEFT - 8}" y="{y + 18}" {FONT} text-anchor="end">{engine}</text>',
            f'<rect x="{LEFT}" y="{y}" width="{long}" height="{BAR}" fill="{colour}"/>',
            f'<text x="{LEFT + long + 8}" y="{y + 18}" {FONT}>{figure}</text>',
        ]
    return lines


def described(picture: Picture) -> str:
    """The picture in words, for those who cannot see it."""
    told = []
    for group in picture.groups:
        each = ", ".join(f"{e} {f}" for e, f in zip(ENGINES, group.figures, strict=True))
        told.append(f"{group.name}: {each}" if group.name else each)
    return f"{picture.title}: {'; '.join(told)}"


def made() -> dict[Path, str]:
    """What each file has to hold."""
    return {FOLDER / name: draw(picture) for name, picture in read(DATA.read_text()).items()}


if __name__ == "__main__":
    for file, text in made().items():
        file.write_text(text)
