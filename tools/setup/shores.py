# SPDX-License-Identifier: GPL-2.0-only
"""Shores of the earth for `./dev bench spatial`: those of GSHHG, which Debian packages for maps.

Made once, when they are first asked for, not by `./dev setup`. The package has the shores of land
and lakes, 188,612 polygons of 11 million points, cut where they leave a bin of one degree. Bins
come by rows from the north, and in a row from Greenwich eastwards. Places in a bin are counted from
its south-west corner, in 65,535ths of a degree.

Below the cache: shores/shores.npz with three arrays, in degrees; and shores/facts.json.
"""

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tools import paths
from tools.errors import DevError
from tools.setup import debian, python_packages
from tools.setup.step import lock, log_end, new_folder, say

PACKAGE = "gmt-gshhg-full"
FILE = "usr/share/gmt-gshhg/binned_GSHHS_f.nc"
REQUIREMENTS = Path(__file__).with_name("shores_requirements.txt")
POINTS = 1_300_000  # that are kept
CORNERS = 8  # points of a piece of shore that is made a polygon
BINS = 360  # in a row
STEPS = 65535  # of a degree
SEED = 20261130
VERSION = 1  # changes with what is made of the package
LOG = "shores"


def home() -> Path:
    return paths.cache() / "shores"


def install() -> dict[str, str]:
    """Makes the shores unless they are there; facts() of them. DevError when the mirror or the
    package registry is out of reach, or the file is not as it is expected."""
    with lock(LOG):
        if facts().get("version") != str(VERSION):
            make()
    return {name: text for name, text in facts().items() if name != "version"}


def facts() -> dict[str, str]:
    """What they were made of, for a report; empty without shores."""
    file = home() / "facts.json"
    return json.loads(file.read_text()) if file.is_file() else {}


def read() -> dict[str, np.ndarray]:
    """After install():
    points   (POINTS, 2): some of all points of shores, longitude and latitude
    pieces   (n, CORNERS, 2): pieces of shores, each of so many points one after the other
    extents  (n, 4): west, south, east and north end of each shore, from islets to continents
    Each in a random order that is always the same."""
    with np.load(home() / "shores.npz") as arrays:
        return dict(arrays)


def make() -> None:
    say("fetching shores for the benchmark of SPATIAL indexes, once; 47 MB")
    apt = debian.PrivateApt()
    apt.update()
    with new_folder(home()) as fresh:
        if not apt.get("download", PACKAGE, folder=fresh, log=LOG):
            raise DevError(f"missing: Debian's package {PACKAGE}\n{log_end(LOG)}")
        package = next(fresh.glob("*.deb"))
        subprocess.run(["dpkg-deb", "-x", package, fresh], check=True)
        python_packages.fetch(REQUIREMENTS, fresh / "python", LOG, "h5py, which reads shores")
        shores = of_file(fresh / FILE, fresh / "python")
        np.savez_compressed(fresh / "shores.npz", **shores)
        package.unlink()
        for folder in ("usr", "python"):
            shutil.rmtree(fresh / folder)
        known = {
            "shores": f"{len(shores['extents']):,} shores, {len(shores['pieces']):,} pieces",
            "package": debian.version_of(package),
            "version": str(VERSION),
        }
        (fresh / "facts.json").write_text(json.dumps(known, indent=1))


# Of the file.
COLUMNS = (
    "N_segments_in_a_bin",
    "Id_of_first_point_in_a_segment",
    "Id_of_GSHHS_ID",
    "Relative_longitude_from_SW_corner_of_bin",
    "Relative_latitude_from_SW_corner_of_bin",
)


def of_file(file: Path, packages: Path) -> dict[str, np.ndarray]:
    """Read by a process of its own, which has the packages of that folder."""
    names = ",".join(COLUMNS)
    program = (
        "import sys, numpy, h5py\n"
        f"with h5py.File(sys.argv[1]) as f: columns = {{n: f[n][()] for n in '{names}'.split(',')}}"
        "\nnumpy.savez(sys.argv[2], **columns)"
    )
    columns = file.with_suffix(".npz")
    done = subprocess.run(
        [sys.executable, "-c", program, file, columns],
        env={"PYTHONPATH": str(packages)},
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise DevError(f"{file.name} of {PACKAGE} is not as expected:\n{done.stderr}")
    with np.load(columns) as arrays:
        return shores_of(dict(arrays))


def shores_of(columns: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """What read() gives, of the file's COLUMNS."""
    segments, begins, shore, east, north = (columns[name] for name in COLUMNS)
    lengths = np.diff(np.append(begins, len(east)))
    bins = np.repeat(np.repeat(np.arange(len(segments)), segments), lengths)
    west = bins % BINS
    points = np.column_stack(
        (
            np.where(west < 180, west, west - 360) + east.view(np.uint16) / STEPS,
            89 - bins // BINS + north.view(np.uint16) / STEPS,
        )
    )
    rng = np.random.default_rng(SEED)
    return {
        "points": rng.choice(points, min(POINTS, len(points)), replace=False, shuffle=True),
        "pieces": rng.permutation(pieces(points, begins, lengths)),
        "extents": rng.permutation(extents(points, np.repeat(shore, lengths))),
    }


def pieces(points: np.ndarray, begins: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Each segment gives as many as it has points for."""
    counts = lengths // CORNERS
    in_segment = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    first = np.repeat(begins, counts) + CORNERS * in_segment
    return points[first[:, None] + np.arange(CORNERS)]


def extents(points: np.ndarray, shore: np.ndarray) -> np.ndarray:
    order = np.argsort(shore, kind="stable")
    firsts = np.flatnonzero(np.diff(shore[order], prepend=-1))
    least = np.minimum.reduceat(points[order], firsts)
    most = np.maximum.reduceat(points[order], firsts)
    return np.hstack((least, most))
