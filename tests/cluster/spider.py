# SPDX-License-Identifier: GPL-2.0-only
"""Tables sharded by Debian's Spider over servers with ROCKSDB: docs/operate/shards.md."""

from tests.cluster.spider_answers import Answers
from tests.cluster.spider_faults import Faults
from tests.cluster.spider_move import Move
from tests.cluster.spider_nodes import Sharded


class Spider(Sharded):
    NAME = "spider tables"

    def play(self) -> None:
        self.start_all(3)
        answers = Answers(self)
        answers.create()
        found = answers.check()
        line = f"{self.counts['answers']} answers as on one server"
        self.step(found, f"{line}, {self.counts['errors']} of them errors")
        Move(self).play()
        Faults(self).play()
