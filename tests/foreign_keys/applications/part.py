# SPDX-License-Identifier: GPL-2.0-only
"""The part of the tier: the applications one after the other on two servers, stage by stage."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.foreign_keys.applications.application import Application, Stage
from tests.foreign_keys.applications.frameworks import PlainSite, Site, Trials
from tests.foreign_keys.applications.packaged import Director, Kea, TinyTinyRss, Zabbix
from tests.foreign_keys.applications.side import Picture, Side, difference
from tools.errors import DevError
from tools.setup import applications

APPLICATIONS: list[type[Application]] = [
    Site,
    PlainSite,
    Trials,
    Kea,
    TinyTinyRss,
    Director,
    Zabbix,
]
PART = "applications"
PEER = "innodb"
# so large a part of an application's constraints has rows on both ends, at the least
MET = 0.8


class Applications:
    """run() fills in `problems`, (applications/NAME, what is wrong), and `checks`: the stages that
    agreed. It never raises for what it finds. It runs those of chosen(wanted)."""

    def __init__(
        self,
        folder: Path,
        seed: int,
        long: bool,
        say: Callable[[str], None] = print,
        engine: str = "rocksdb",
        wanted: str | None = None,
    ):
        self.seed, self.long, self.say = seed, long, say
        self.applications = [
            kind(seed, long) for kind in chosen(wanted) if long or not kind.LONG_ONLY
        ]
        self.tested, self.peer = (
            Side(name, folder / place) for name, place in ((engine, "tested"), (PEER, "peer"))
        )
        self.problems: list[tuple[str, str]] = []
        self.checks = 0

    def run(self) -> None:
        try:
            applications.install()
            self.both(lambda side: side.start())
            for application in self.applications:
                self.run_application(application)
        except DevError as error:
            self.problems.append((PART, str(error)))
        finally:
            for side in (self.tested, self.peer):
                side.server.kill()

    def run_application(self, application: Application) -> None:
        """Its stages, up to the first that differs or fails: the later ones build on it."""
        started, said = time.monotonic(), []
        try:
            self.both(lambda side: side.open(application.database, application.SESSION))
            for stage in application.stages():
                self.run_stage(application, stage, said)
                self.checks += 1
        except DevError as error:
            self.problems.append((f"{PART}/{application.NAME}", f"{error}{self.revived()}"))
        seconds = time.monotonic() - started
        self.say(f"{application.NAME}: {', '.join([*said, f'{seconds:.1f} s'])}")

    def revived(self) -> str:
        """Starts a server that has died again, for the next application. Its last words."""
        words = ""
        for side in (self.tested, self.peer):
            if not side.server.running():
                words += f"\nthe server of {side.engine} has died\n{side.server.log_tail(60)}"
                side.server.start()
        return words

    def run_stage(self, application: Application, stage: Stage, said: list[str]) -> None:
        """DevError for what differs."""
        answers = self.both(stage.action)
        found = different_answers(*answers)
        if found:
            raise DevError(f"{stage.name}: {found}")
        tested, peer = self.both(lambda side: side.picture(rows=stage.rows))
        found = difference(tested, peer)
        if found:
            raise DevError(f"{found} after {stage.name}")
        for side in (self.tested, self.peer):
            wrong = side.check_tables()
            if wrong:
                raise DevError(f"{side.engine}, after {stage.name}: {'; '.join(wrong[:3])}")
        if stage.name == "touches":
            said.append(touched_enough(application, answers[0], peer))

    def both(self, action: Callable[[Side], object]) -> list:
        """What the action returns for the tested side and for its peer, at the same time."""
        with ThreadPoolExecutor(2) as pool:
            found = [pool.submit(action, side) for side in (self.tested, self.peer)]
        # the peer's error first: then it is the test that is wrong
        failed = found[1].exception() or found[0].exception()
        if failed:
            side = self.peer if found[1].exception() else self.tested
            raise DevError(f"{side.engine}: {failed}") from failed
        return [one.result() for one in found]


def chosen(wanted: str | None) -> list[type[Application]]:
    """The applications that a filter means: by a piece of applications/NAME; None: all."""
    return [kind for kind in APPLICATIONS if not wanted or wanted in f"{PART}/{kind.NAME}"]


def different_answers(ours: list[str], theirs: list[str]) -> str | None:
    for own, other in zip(ours, theirs, strict=False):
        if own != other:
            return f"\n     tested: {own}\n     peer:   {other}"
    return f"{len(ours)} answers, of the peer {len(theirs)}" if len(ours) != len(theirs) else None


def touched_enough(application: Application, answers: list[str], picture: Picture) -> str:
    """What there was to compare, in words. DevError when that is less than it must be."""
    constraints = len(picture["REFERENTIAL_CONSTRAINTS"])
    heads = [answer for answer in answers if answer.endswith(" keys")]
    without = [head for head in heads if head.endswith(": 0 keys")]
    refused = sum("error 1451" in a or "error 1452" in a for a in answers)
    done = sum(": changed" in answer and not answer.endswith(" 0") for answer in answers)
    met = len(heads) - len(without)
    words = f"{len(picture['tables'])} tables, {constraints} constraints, {met} of {len(heads)} met"
    if constraints < application.CONSTRAINTS or met < MET * len(heads):
        raise DevError(f"too little to compare: {words}; {', '.join(without)}")
    return f"{words}, {refused} statements refused, {done} carried out"
