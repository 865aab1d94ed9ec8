# SPDX-License-Identifier: GPL-2.0-only
"""The volume that stands for a cloud's disk: what it is, and what it leaves."""

import argparse
import contextlib
import io
import os
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from bench import limits, volume
from bench.programs import sysbench
from bench.volume import Volume
from tools.errors import DevError


def refusal() -> str:
    """Why there can be no volume here; empty where there can."""
    if os.geteuid() != 0:
        return "a volume needs root"
    try:
        with tempfile.TemporaryDirectory() as folder, Volume(Path(folder, "data")):
            return ""
    except DevError as error:
        return str(error)


class VolumeTest(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()), "data")

    def loops(self) -> str:
        return volume.run("losetup", "--list", "--noheadings", "--output", "BACK-FILE")

    @unittest.skipIf(why := refusal(), why)
    def test_it_is_ext4_with_a_journal_on_a_disk_that_needs_no_flush(self):
        with Volume(self.folder):
            with open("/proc/mounts") as mounts:
                mounted = [line.split() for line in mounts if str(self.folder) in line]
            device = mounted[0][0]
            self.assertEqual(mounted[0][2], "ext4")
            queue = Path("/sys/block", Path(device).name, "queue")
            self.assertEqual((queue / "write_cache").read_text().strip(), "write through")
            self.assertIn("has_journal", volume.run("dumpe2fs", "-h", device))
            self.assertIn("[1]", f"[{volume.run('losetup', '-n', '-O', 'DIO', device)}]")

    @unittest.skipIf(why, why)
    def test_it_keeps_files_and_leaves_an_empty_folder(self):
        with Volume(self.folder) as made:
            (self.folder / "file").write_bytes(bytes(5_000_000))
            self.assertGreater(made.file.stat().st_blocks * 512, 0)
            self.assertIn(str(made.file), self.loops())
        self.assertEqual(list(self.folder.parent.iterdir()), [self.folder])
        self.assertEqual(list(self.folder.iterdir()), [])
        self.assertNotIn(str(self.folder), self.loops())

    @unittest.skipIf(why, why)
    def test_what_fails_in_the_middle_leaves_nothing(self):
        with mock.patch.object(volume, "MAKE_FILE_SYSTEM", ("false",)):
            with self.assertRaisesRegex(DevError, "no volume for --iops: false ended with 1"):
                Volume(self.folder).__enter__()
        self.assertEqual(list(self.folder.parent.iterdir()), [self.folder])
        self.assertNotIn(str(self.folder), self.loops())

    def test_where_it_cannot_be_had_it_says_what_to_do(self):
        with mock.patch.object(volume.subprocess, "run", side_effect=FileNotFoundError):
            with self.assertRaisesRegex(DevError, "losetup is not installed.*--on-folder"):
                Volume(self.folder).__enter__()
        denied = subprocess.CompletedProcess([], 1, "", "losetup: cannot find an unused device\n")
        with mock.patch.object(volume.subprocess, "run", return_value=denied):
            with self.assertRaisesRegex(DevError, "cannot find an unused device; it needs root"):
                Volume(self.folder).__enter__()
        self.assertEqual(list(self.folder.parent.iterdir()), [self.folder])


class OptionTest(unittest.TestCase):
    def disk(self, *words: str):
        parser = argparse.ArgumentParser()
        limits.add_options(parser)
        return limits.disk(parser.parse_args(words), Path("/nowhere"))

    def test_who_limits_operations_gets_a_volume(self):
        self.assertIsInstance(self.disk("--iops", "1000"), Volume)
        self.assertIsInstance(self.disk("--memory-limit", "450M"), contextlib.nullcontext)
        self.assertIsInstance(self.disk("--iops", "9", "--on-folder"), contextlib.nullcontext)

    def test_kept_data_are_not_on_a_volume(self):
        parser = argparse.ArgumentParser()
        sysbench.add_arguments(parser)
        with contextlib.redirect_stderr(io.StringIO()):
            args = parser.parse_args(["--keep", "/nowhere", "--iops", "1000"])
        with self.assertRaisesRegex(DevError, "--on-folder"):
            sysbench.check(args)


if __name__ == "__main__":
    unittest.main()
