# SPDX-License-Identifier: GPL-2.0-only
"""What the command lines of basalt-top and basalt-console share."""

import click

tables_every_option = click.option(
    "--tables-every",
    type=click.FloatRange(0),
    default=60.0,
    show_default=True,
    help="Seconds between two looks at the sizes of tables, which cost most.",
)
