# SPDX-License-Identifier: GPL-2.0-only
"""The picture of README.md, from the figures of docs/performance.md:

    python3 -m tools.pictures

A unit test compares the file with what this makes, so the two cannot say different things.
"""

from tools import paths

PICTURE = paths.ROOT / "docs/disk.svg"
SOURCE = paths.ROOT / "docs/performance.md"
ROW = "| disk after the load, MiB |"
ENGINES = ("Basalt", "MyRocks", "InnoDB")

# the colours of the benchmarks' reports, which differ in grey too (bench/drawing.py)
COLOURS = ("#0b5d8f", "#e08a1e", "#9aa0a6")
WIDTH, BAR, GAP, LEFT, TOP = 640, 26, 10, 80, 34
LONGEST = WIDTH - LEFT - 90
FONT = 'font-family="sans-serif" font-size="14"'


def figures(page: str) -> list[float]:
    """MiB of each of ENGINES, in their order."""
    row = next(line for line in page.splitlines() if line.startswith(ROW))
    return [float(cell) for cell in row.split("|")[2 : 2 + len(ENGINES)]]


def draw(sizes: list[float]) -> str:
    """Bars from left to right with their numbers; a light ground, so that dark pages show them."""
    height = TOP + len(sizes) * (BAR + GAP)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" role="img">',
        f"<title>{described(sizes)}</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
        f'<text x="{LEFT}" y="20" {FONT} font-weight="bold">'
        "TPC-C, 10 warehouses: MiB on disk after the load</text>",
    ]
    for place, (engine, size, colour) in enumerate(zip(ENGINES, sizes, COLOURS, strict=True)):
        y = TOP + place * (BAR + GAP)
        long = round(LONGEST * size / max(sizes))
        lines += [
            f'<text x="{LEFT - 8}" y="{y + 18}" {FONT} text-anchor="end">{engine}</text>',
            f'<rect x="{LEFT}" y="{y}" width="{long}" height="{BAR}" fill="{colour}"/>',
            f'<text x="{LEFT + long + 8}" y="{y + 18}" {FONT}>{size:.0f}</text>',
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"


def described(sizes: list[float]) -> str:
    each = ", ".join(f"{e} {size:.0f}" for e, size in zip(ENGINES, sizes, strict=True))
    return f"MiB on disk after the load of TPC-C: {each}"


def made() -> str:
    return draw(figures(SOURCE.read_text()))


if __name__ == "__main__":
    PICTURE.write_text(made())
