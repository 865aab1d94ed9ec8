# SPDX-License-Identifier: GPL-2.0-only
"""AUTO_INCREMENT: a value that was acknowledged once is never given again, not even after its row
was deleted and the server was killed."""

from tests.kit.clients.client import Client, Problem


class Events(Client):
    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.rows: dict[int, str] = {}
        self.pending: tuple | None = None  # ("insert", text, count) or ("delete", id)
        self.largest = 0
        self.made = 0

    def create(self) -> list[str]:
        return [
            "CREATE TABLE event (id INT AUTO_INCREMENT PRIMARY KEY, client INT NOT NULL,"
            " text VARCHAR(30) NOT NULL, KEY client (client, text))"
        ]

    def step(self) -> None:
        if self.rows and self.rng.random() < 0.3:
            return self.delete()
        count = self.rng.randint(1, 3)
        self.made += 1
        text = f"e{self.number}.{self.made}"
        values = ", ".join(f"({self.number}, '{text}')" for _ in range(count))
        self.pending = "insert", text, count
        self.execute(f"INSERT INTO event (client, text) VALUES {values}")
        first = self.insert_id
        self.pending = None
        if first <= self.largest:
            self.counts.errors.append(f"event: id {first} again; {self.largest} was given before")
        self.rows |= {first + n: text for n in range(count)}
        self.largest = first + count - 1
        self.acknowledge()
        return None

    def delete(self) -> None:
        key = max(self.rows) if self.rng.random() < 0.6 else self.rng.choice(list(self.rows))
        self.pending = "delete", key
        self.execute(f"DELETE FROM event WHERE id={key}")
        self.pending = None
        del self.rows[key]
        self.acknowledge()

    def check(self, execute) -> list[Problem]:
        found = dict(execute(f"SELECT id, text FROM event WHERE client={self.number}"))
        missing = {k for k in self.rows if found.get(k) != self.rows[k]}
        extra = {k for k in found if k not in self.rows}
        pending, self.pending = self.pending, None
        if pending and pending[0] == "delete":
            self.settle(pending[1] in missing)
            missing.discard(pending[1])
        problems = []
        if pending and pending[0] == "insert":
            new = {k for k in extra if found[k] == pending[1]}
            self.settle(bool(new))
            extra -= new
            if new and len(new) != pending[2]:
                problems.append(Problem("half", f"event: {len(new)} of {pending[2]} rows"))
        if missing:
            problems.append(Problem("lost", f"event {self.number}: ids {sorted(missing)[:5]}"))
        if extra:
            problems.append(Problem("extra", f"event {self.number}: ids {sorted(extra)[:5]}"))
        self.rows = found
        return problems
