# SPDX-License-Identifier: GPL-2.0-only
"""What all plots of reports share: colours, and figures as <svg> elements, without a screen."""

import io

# the three engines differ in brightness too (readable in grey and with colour blindness)
COLOURS = {
    "rocksdb": "#0b5d8f",
    "myrocks": "#e08a1e",
    "innodb": "#9aa0a6",
    "innodb-8k": "#6b7178",
    "innodb-4k": "#43484d",
    "innodb-page": "#c3a6c9",
}


def figure(width: float, height: float, columns: int = 1, rows: int = 1):
    """A figure without a screen, and its axes as a flat list."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "font.size": 9})
    from matplotlib import pyplot

    drawn, axes = pyplot.subplots(rows, columns, figsize=(width, height), squeeze=False)
    for axis in axes.flat:
        axis.spines[["top", "right"]].set_visible(False)
    return drawn, list(axes.flat)


def svg(drawn) -> str:
    """The figure as an <svg> element."""
    from matplotlib import pyplot

    buffer = io.StringIO()
    drawn.tight_layout()
    drawn.savefig(buffer, format="svg", metadata={"Date": None})
    pyplot.close(drawn)
    text = buffer.getvalue()
    return text[text.index("<svg") :]
