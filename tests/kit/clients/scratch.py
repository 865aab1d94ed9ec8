# SPDX-License-Identifier: GPL-2.0-only
"""Tables that come and go. After a crash a table has its old state or its new one."""

from tests.kit.clients.client import Client, Problem

TABLES = 4


class Scratch(Client):
    def __init__(self, number: int, seed: int, connect):
        super().__init__(number, seed, connect)
        self.tables: dict[str, int] = {}  # name -> rows
        self.pending: dict[str, int] | None = None
        self.made = 0

    def create(self) -> list[str]:
        return []

    def step(self) -> None:
        sql, after = self.draw()
        self.pending = after
        self.execute(sql)
        self.tables, self.pending = after, None
        self.acknowledge()

    def draw(self) -> tuple[str, dict[str, int]]:
        """A statement and the tables after it."""
        rng, after = self.rng, dict(self.tables)
        self.made += 1
        name = f"s{self.number}_{self.made % 1000}"
        if len(after) < TABLES and (not after or rng.random() < 0.3):
            after[name] = 0
            return (
                f"CREATE TABLE {name} (id INT AUTO_INCREMENT PRIMARY KEY, v INT, KEY v (v))",
                after,
            )
        old = rng.choice(sorted(after))
        choice = rng.randrange(7)
        if choice == 0:
            del after[old]
            return f"DROP TABLE {old}", after
        if choice == 1:
            after[old] = 0
            return f"TRUNCATE TABLE {old}", after
        if choice == 2:
            after[name] = after.pop(old)
            return f"RENAME TABLE {old} TO {name}", after
        if choice == 3:
            return f"ALTER TABLE {old} FORCE, ALGORITHM=COPY", after
        if choice == 4:
            return f"REPAIR TABLE {old}", after
        count = rng.choice([1, 10, 300])
        after[old] += count
        return f"INSERT INTO {old} (v) SELECT seq FROM seq_1_to_{count}", after

    def check(self, execute) -> list[Problem]:
        names = {r[0] for r in execute(f"SHOW TABLES LIKE 's{self.number}\\_%'")}
        found = {}
        problems = []
        for name in sorted(names):
            found[name] = execute(f"SELECT COUNT(*) FROM {name}")[0][0]
            through_key = execute(f"SELECT COUNT(*) FROM {name} FORCE INDEX (v)")[0][0]
            if through_key != found[name]:
                text = f"{name}: {found[name]} rows, {through_key} in its index"
                problems.append(Problem("half", text))
        pending, self.pending = self.pending, None
        if pending is not None:
            self.settle(found == pending)
        if found not in (self.tables, pending):
            text = f"tables {found} instead of {self.tables} or {pending}"
            problems.append(Problem("lost", text))
        problems += self.check_names(execute, names)
        self.tables = found
        return problems

    def check_names(self, execute, names: set[str]) -> list[Problem]:
        """A name that is gone, or never came to be, must be free."""
        for number in (self.made - 1, self.made, self.made + 1):
            name = f"s{self.number}_{number % 1000}"
            if name in names or number < 0:
                continue
            try:
                execute(f"CREATE TABLE {name} (id INT PRIMARY KEY)")
                if execute(f"SELECT COUNT(*) FROM {name}")[0][0]:
                    return [Problem("broken", f"{name} is new and not empty")]
                execute(f"DROP TABLE {name}")
            except Exception as error:
                return [Problem("broken", f"the name {name} is not free: {error}")]
        return []
