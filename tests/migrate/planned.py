# SPDX-License-Identifier: GPL-2.0-only
"""What the plan says of each table, and that it leaves nothing behind."""

from tests.kit.check import Check, expect, expect_in
from tests.migrate import schema
from tests.migrate.program import Migrate, engines, expect_same
from tools.server import PrivateServer


class Planned:
    def __init__(self, server: PrivateServer, program: Migrate):
        self.server = server
        self.program = program

    def checks(self) -> list[Check]:
        return [
            Check("plan: each table that stays has its reason", self.staying),
            Check("plan: what moves, in its order, with measured sizes", self.moving),
            Check("plan: nothing stays of it, nothing goes into the binary log", self.traces),
            Check("plan: half of a group; rows without a parent; --online", self.narrower),
            Check("plan: as text", self.text),
        ]

    def staying(self) -> None:
        told = self.program.told(1, "plan", "stay")
        found = {t["table"].removeprefix("stay."): t for t in told["tables"]}
        expect_same(set(found), set(schema.STAYING), "tables")
        for name, (_, reason) in schema.STAYING.items():
            expect(found[name]["verdict"] == "stays", f"{name} {found[name]['verdict']}")
            expect_in(reason, " ".join(found[name]["reasons"]), name)

    def moving(self) -> None:
        told = self.program.told(0, "plan", "move", "large")
        found = {t["table"]: t for t in told["tables"]}
        stays = [name for name, table in found.items() if table["verdict"] != "moves"]
        expect(len(found) == 15 and not stays, f"{len(found)} tables, of which stay: {stays}")
        order = list(found)
        for parent, child in (("move.customer", "move.orders"), ("large.parent", "large.child")):
            expect(order.index(parent) < order.index(child), f"{child} before {parent}")
            expect(found[parent]["group"] == found[child]["group"], "a child in another group")
        large = found["large.child"]
        expect_in("rows converted", large["basis"], "basis")
        expect(0 < large["bytes_after"] < large["bytes"], f"sizes {large}")
        expect(told["room_bytes"] > 0, "no room is told")
        expect(told["free_bytes"] > 0, "no free room is told")

    def traces(self) -> None:
        before = self.server.query("SHOW MASTER STATUS")
        self.program.told(0, "plan", "move.made", "move.parts")
        expect_same(self.server.query("SHOW MASTER STATUS"), before, "the binary log's end")
        expect(not engines(self.server, "basalt_migrate"), "scratch tables are left")
        left = self.server.query("SHOW DATABASES LIKE 'basalt\\_migrate'")
        expect(not left, "the scratch database is left")

    def narrower(self) -> None:
        told = self.program.told(1, "plan", "--no-sample", "move.orders")
        (table,) = told["tables"]
        expect_in("connects it with move.customer: name both", str(table["reasons"]), "reasons")
        self.server.sql(
            "SET foreign_key_checks=0; CREATE DATABASE orphans; USE orphans; CREATE TABLE p (id INT"
            " PRIMARY KEY) ENGINE=InnoDB; CREATE TABLE c (id INT PRIMARY KEY, p INT, CONSTRAINT"
            " of_p FOREIGN KEY (p) REFERENCES p (id)) ENGINE=InnoDB;"
            " INSERT INTO c VALUES (1, 7), (2, NULL)"
        )
        told = self.program.told(1, "plan", "--rows", "orphans")
        found = str([t["reasons"] for t in told["tables"]])
        expect_in("1 rows have no parent by the foreign key of_p", found, "reasons")
        told = self.program.told(1, "plan", "--online", "--no-sample", "move")
        stays = {t["table"] for t in told["tables"] if t["verdict"] == "stays"}
        expected = {f"move.{name}" for name in ("customer", "orders", "person", "team")}
        expect_same(stays, expected, "what --online leaves")

    def text(self) -> None:
        done = self.program.run("plan", "--no-sample", "stay", "move")
        expect(done.returncode == 1, done.stderr)
        for part in (
            "stays: stay.elsewhere (InnoDB): ",
            "move.odd-näme",
            "! the statements go into",
        ):
            expect_in(part, done.stdout.decode(), "the plan")
