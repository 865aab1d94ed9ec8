# SPDX-License-Identifier: GPL-2.0-only
"""Sources of C and C++ libraries inside Rust packages: fetched by Cargo, which checks them against
third_party/crates/Cargo.lock. Cargo compiles none of them."""

import hashlib
import json
import re
import subprocess
from pathlib import Path

from tools import paths
from tools.errors import DevError
from tools.setup import debian
from tools.setup.step import log_end, quiet

PACKAGE = paths.ROOT / "third_party" / "crates"


def locked(crate: str) -> tuple[str, str]:
    """(version, checksum) of the crate in Cargo.lock."""
    text = (PACKAGE / "Cargo.lock").read_text()
    entry = re.search(
        rf'name = "{crate}"\nversion = "([^"]+)"\n(?:source = .*\n)?checksum = "([0-9a-f]+)"', text
    )
    if not entry:
        raise DevError(f"{PACKAGE / 'Cargo.lock'} does not lock {crate}")
    return entry.group(1), entry.group(2)


def prefix(crate: str, library: str, flags: list[str], compiler: str = "g++") -> Path:
    """The folder of the cache for what is built of it: by the library's version ('5.3.1' of
    '0.7.1+5.3.1-0-g81034ce...') and a digest of version, checksum, flags and compiler."""
    version, checksum = locked(crate)
    recipe = json.dumps([version, checksum, flags, compiler_version(compiler)])
    digest = hashlib.sha256(recipe.encode()).hexdigest()[:12]
    number = version.partition("+")[2].partition("-")[0]
    return paths.cache() / library / f"{number}-{digest}"


def fetch(crate: str, what: str) -> Path:
    """The crate's folder in Cargo's own cache, downloaded if needed and checked by Cargo; not to be
    written to. `what` is the library's name in messages."""
    cargo = debian.cargo()
    manifest = str(PACKAGE / "Cargo.toml")
    download = [cargo, "fetch", "--locked", "--manifest-path", manifest]
    if not quiet(download, "cargo-fetch"):
        raise DevError(
            f"missing: the source of {what}; Cargo could not fetch it "
            f"(is the Rust package registry in reach?)\n{log_end('cargo-fetch')}"
        )
    command = [cargo, "metadata", "--locked", "--offline", "--format-version", "1"]
    done = subprocess.run(
        [*command, "--manifest-path", manifest], capture_output=True, text=True, check=True
    )
    for package in json.loads(done.stdout)["packages"]:
        if package["name"] == crate:
            return Path(package["manifest_path"]).parent
    raise DevError(f"Cargo knows no package {crate}")


def compiler_version(compiler: str) -> str:
    """Its major version, '' when there is none yet."""
    try:
        done = subprocess.run([compiler, "-dumpversion"], capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return done.stdout.strip()
