# SPDX-License-Identifier: GPL-2.0-only
"""What CI does, and .ci/run calls: set-up, build, lint, the site of the pages, all tests. Stops at
the first that fails, except that what comes after lint and site runs too: one run tells all."""

import subprocess
import sys
import time

from tools import paths

HELP = "set-up, build, lint, site and all tests, as CI runs them"
STAGES = (["setup"], ["build", "--tests"], ["lint"], ["docs"], ["test"])
# what only looks: the tests tell the rest
GO_ON = (["lint"], ["docs"])


def add_arguments(parser) -> None:
    pass


def run(args) -> int:
    failed = []
    for stage in STAGES:
        print(f"=== ./dev {' '.join(stage)}", flush=True)
        started = time.monotonic()
        command = [sys.executable, "-P", "-m", "tools", *stage]
        status = subprocess.run(command, cwd=paths.ROOT).returncode
        if stage == ["test"] and status == 0 and not failed:
            return 0  # the line `N passed, N failed` stays the last one
        took = time.monotonic() - started
        print(f"=== ./dev {' '.join(stage)}: status {status} in {took:.0f} s", flush=True)
        if status != 0:
            failed.append(stage[0])
            if stage not in GO_ON:
                break
    print(f"ci: failed in {', '.join(failed)}")
    return 1
