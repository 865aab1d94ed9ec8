# SPDX-License-Identifier: GPL-2.0-only
"""Backups that copy files, under load: mariabackup, myrocks_hotbackup, a checkpoint by hand."""

import shutil
from pathlib import Path

from tests.client_tools import copied_log, programs
from tests.client_tools.constraints.load import PAIR
from tests.client_tools.copied import Copied
from tests.kit.clients.client import Problem
from tests.kit.replicas.node import Broken
from tools import paths

# Times that it may give up, or copy while the binary log is rotated: about every second time here
HOTBACKUPS = 30


class PhysicalBackups(Copied):
    NAME = "physical"

    def play(self) -> None:
        self.begin()
        self.mariabackup()
        self.checkpoint()
        self.hotbackup()

    def mariabackup(self) -> None:
        target, restored = self.folder / "backup", self.folder / "restored"
        program = paths.client("mariabackup")
        connection = [f"--socket={self.primary.server.socket}", "--user=root"]
        backup = [program, "--no-defaults", "--backup", f"--target-dir={target}", *connection]
        self.under_load(lambda: programs.run(self.log("mariabackup"), backup))
        found = self.no_left_over()
        gtid = (target / "xtrabackup_binlog_info").read_text().split()[2]
        prepare = [program, "--no-defaults", "--prepare", f"--target-dir={target}"]
        programs.run(self.log("mariabackup-prepare"), prepare)
        back = [program, "--no-defaults", "--move-back", f"--target-dir={target}"]
        programs.run(self.log("mariabackup-back"), [*back, f"--datadir={restored}"])
        node = self.started(restored)
        found += self.sums(node) + self.both_engines(node)
        self.step(found, "mariabackup: the copy has whole transactions, also over two engines")
        self.step(self.constraints(node), "mariabackup: the copy has the constraints; they hold")
        found = self.caught_up(node, gtid)
        self.step(found, f"mariabackup: from its position {gtid} the copy becomes its primary")
        self.done_with(node)

    def no_left_over(self) -> list[Problem]:
        left = [p.name for p in self.store().glob("mariabackup-checkpoint*")]
        return [Problem("broken", f"left in the store: {left}")] if left else []

    def store(self) -> Path:
        return self.primary.server.datadir / "#rocksdb"

    def checkpoint(self) -> None:
        """A checkpoint, the definitions of the tables and the binary log are a data directory. The
        log is copied after the checkpoint was made, since it decides about what is prepared."""
        copy = self.folder / "from-checkpoint"
        shutil.copytree(self.template, copy)
        shutil.rmtree(copy / "#rocksdb")
        statement = f"SET GLOBAL rocksdb_create_checkpoint='{copy / '#rocksdb'}'"
        self.under_load(lambda: self.primary.one(statement))
        shutil.rmtree(copy / PAIR.near)
        for database in (PAIR.near, PAIR.far):
            shutil.copytree(self.primary.server.datadir / database, copy / database)
        for file in (copy / "rpl").glob("both_there.*"):
            file.unlink()  # InnoDB's is not in a checkpoint of ours
        for file in self.primary.server.datadir.glob("binlog.*"):
            shutil.copy2(file, copy / file.name)
        node = self.started(copy, binlog=True)
        found = self.sums(node) + self.constraints(node)
        self.step(found, "rocksdb_create_checkpoint: a server starts on the copy; constraints hold")
        self.done_with(node)

    def hotbackup(self) -> None:
        stream, restored = self.folder / "stream.tar", self.folder / "hot-restored"
        unpacked = self.folder / "hot-unpacked"
        checkpoints = self.folder / "hot-checkpoints"
        checkpoints.mkdir()
        program = paths.client("myrocks_hotbackup")
        command = [
            "sh",
            "-c",
            f'exec python3 "{program}" --user=root --socket="{self.primary.server.socket}"'
            f' --checkpoint_dir="{checkpoints}" --stream=tar --skip_check_frm_timestamp'
            f' > "{stream}"',
        ]
        self.under_load(lambda: self.run_hotbackup(command, stream, unpacked))
        store = self.move_back(unpacked, restored)
        node = self.started(restored, binlog=True)
        files = f"{len(list(store.glob('*.sst')))} table files"
        found = self.sums(node) + self.constraints(node)
        self.step(found, f"myrocks_hotbackup: whole transactions and constraints ({files})")
        self.done_with(node)

    def run_hotbackup(self, command: list[str], stream: Path, unpacked: Path) -> None:
        """Again when the binary log came between: the tool copies it with the other files of the
        data directory, takes tar's warning that it grew for an error, and lists the files before
        it copies them. When the log is rotated meanwhile, the copy lacks the newest file, and a
        server does not start on it."""
        log = self.log("hotbackup")
        for left in reversed(range(HOTBACKUPS)):
            try:
                programs.run(log, command)
            except Broken:
                if not left or "file changed as we read it" not in log.read_text():
                    raise
                continue
            shutil.rmtree(unpacked, ignore_errors=True)
            unpacked.mkdir()
            programs.run(self.log("hotbackup-tar"), ["tar", "xif", stream, "-C", unpacked])
            if copied_log.is_whole(unpacked):
                return
        raise Broken(f"myrocks_hotbackup: the log was rotated in each of {HOTBACKUPS} copies")

    def move_back(self, unpacked: Path, restored: Path) -> Path:
        """The tool's own way back, except that InnoDB, which it leaves out, starts anew."""
        store = restored / "#rocksdb"
        move = [paths.client("myrocks_hotbackup"), "--move_back", f"--datadir={restored}"]
        move += [f"--rocksdb_datadir={store}", f"--rocksdb_waldir={store}"]
        restored.mkdir()
        programs.run(self.log("hotbackup-back"), ["python3", *move, f"--backup_dir={unpacked}"])
        if not (store / "CURRENT").exists():
            raise Broken(f"myrocks_hotbackup --move_back: no store in {store}")
        for name in ("ibdata1", "ib_logfile0", "undo001", "undo002", "undo003"):
            if (self.template / name).exists():
                shutil.copy2(self.template / name, restored / name)
        for database in ("mysql", "rpl"):
            for file in (self.template / database).glob("*.ibd"):
                shutil.copy2(file, restored / database / file.name)
        return store
