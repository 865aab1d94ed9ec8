# SPDX-License-Identifier: GPL-2.0-only
"""One picture as text, or all that is known as JSON."""

import json
from dataclasses import asdict
from typing import Any, TextIO

from rich.console import Console, RenderableType

from programs.top import rates as measures
from programs.top.rates import Rates
from programs.top.snapshot import Snapshot

# grows when a name changes its meaning or goes
FORMAT = 1


def as_text(picture: RenderableType, width: int, file: TextIO, colours: bool) -> None:
    """Lines without blanks at their ends, where there are no colours."""
    console = Console(
        width=width,
        force_terminal=colours,
        highlight=False,
        no_color=not colours,
        legacy_windows=False,
    )
    with console.capture() as captured:
        console.print(picture, soft_wrap=False)
    lines = captured.get().splitlines()
    file.write("\n".join(lines if colours else [line.rstrip() for line in lines]) + "\n")


def as_json(snapshot: Snapshot, rates: Rates, sentences: list[str]) -> str:
    return json.dumps(document(snapshot, rates, sentences), indent=2)


def document(snapshot: Snapshot, rates: Rates, sentences: list[str]) -> dict[str, Any]:
    seen = asdict(snapshot)
    del seen["at"]
    return {
        "format": FORMAT,
        "attention": sentences,
        **seen,
        "rates": {
            "seconds": round(rates.seconds, 3),
            "since_start": rates.since_start,
            "a_second": {name: round(rates.of(name), 3) for name in rates.grown},
            "cache_hits": measures.cache_hits(rates),
            "filter_use": measures.filter_use(rates),
            "filter_errors": measures.filter_errors(rates),
            "stalled_threads": measures.stalled(rates),
            "write_amplification": measures.written_again(rates),
        },
    }
