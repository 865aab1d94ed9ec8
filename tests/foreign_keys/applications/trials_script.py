# SPDX-License-Identifier: GPL-2.0-only
"""Studies of Optuna in a database: `STAGE SOCKET DATABASE`.

Runs in a process of its own. What it prints must be the same on each engine.
"""

import sys
from pathlib import Path

import optuna
import sqlalchemy
from alembic import command
from alembic.config import Config
from optuna.storages import RDBStorage

FIRST = "v0.9.0.a"
# rows of the first version, which the upgrade takes over
STUDIES, TRIALS = 3, 8


class Database:
    def __init__(self, socket: str, name: str):
        self.url = f"mysql+pymysql://root@/{name}?unix_socket={socket}"
        self.engine = sqlalchemy.create_engine(self.url)

    def storage(self, **options) -> RDBStorage:
        return RDBStorage(self.url, **options)

    def run(self, statement: str, **values) -> None:
        with self.engine.begin() as link:
            link.execute(sqlalchemy.text(statement), values)


def first(database: Database) -> None:
    """The tables of the first version, by Alembic; then rows."""
    home = Path(optuna.storages.__file__).parent / "_rdb"
    config = Config(home / "alembic.ini")
    config.set_main_option("script_location", str(home / "alembic"))
    config.set_main_option("sqlalchemy.url", database.url)
    command.upgrade(config, FIRST)
    database.run("INSERT INTO version_info VALUES (1, 12, '0.9.0')")
    for study in range(1, STUDIES + 1):
        database.run(
            "INSERT INTO studies (study_name, direction) VALUES (:name, 'MINIMIZE')",
            name=f"old {study}",
        )
        database.run(
            "INSERT INTO study_user_attributes (study_id, `key`, value_json) VALUES (:s, 'a', '1')",
            s=study,
        )
        for trial in range(TRIALS):
            add_trial(database, study, trial)


def add_trial(database: Database, study: int, number: int) -> None:
    database.run(
        "INSERT INTO trials (study_id, state, value) VALUES (:s, 'COMPLETE', :v)",
        s=study,
        v=number / 2,
    )
    one = "(SELECT MAX(trial_id) FROM trials)"
    database.run(
        "INSERT INTO trial_params (trial_id, param_name, param_value, distribution_json)"
        f" VALUES ({one}, 'x', :v, :d)",
        v=number / 4,
        d='{"name": "UniformDistribution", "attributes": {"low": 0.0, "high": 4.0}}',
    )
    database.run(f"INSERT INTO trial_values (trial_id, step, value) VALUES ({one}, 1, 0.5)")
    database.run(
        "INSERT INTO trial_system_attributes (trial_id, `key`, value_json)"
        f" VALUES ({one}, '_number', :n)",
        n=str(number),
    )


def upgrade(database: Database) -> None:
    """Optuna's own upgrade, through all versions. One of them drops a column of a unique key of two
    columns, which MySQL allows and MariaDB refuses on every engine. So the key is replaced first,
    as somebody with such a database must do."""
    database.run("ALTER TABLE trial_values ADD KEY of_trial (trial_id), DROP KEY trial_id")
    storage = database.storage(skip_compatibility_check=True, skip_table_creation=True)
    storage.upgrade()
    print(storage.get_current_version())


def use(database: Database, amount: str) -> None:
    """Studies of one and of two directions, with every kind of attribute."""
    storage = database.storage(heartbeat_interval=60)
    for number, directions in enumerate((["minimize"], ["maximize", "minimize"]), 1):
        study = optuna.create_study(
            storage=storage,
            study_name=f"new {number}",
            directions=directions,
            sampler=optuna.samplers.RandomSampler(seed=number),
        )
        study.set_user_attr("about", {"number": number})
        storage.set_study_system_attr(study._study_id, "about", "a test")
        study.enqueue_trial({"x": 1.0, "n": 2})
        wanted = objective if len(directions) == 1 else two_objectives
        study.optimize(wanted, int(amount))
    print(len(optuna.load_study(storage=storage, study_name="old 1").trials))
    show_counts(database)
    delete(database, storage)


def two_objectives(trial) -> tuple[float, int]:
    x, n = trial.suggest_float("x", -5, 5), trial.suggest_int("n", 1, 9)
    trial.set_user_attr("kind", trial.suggest_categorical("kind", ["a", "b", None]))
    return x, n


def objective(trial) -> float:
    x, n = two_objectives(trial)
    for step in range(3):
        trial.report(x * step, step)
    if n == 9:
        raise optuna.TrialPruned
    return x * x


def delete(database: Database, storage: RDBStorage) -> None:
    """Studies with all that belongs to them, and what the server must refuse."""
    optuna.delete_study(storage=storage, study_name="old 2")
    optuna.delete_study(storage=storage, study_name="new 2")
    for statement in (
        "DELETE FROM studies ORDER BY study_id LIMIT 1",
        "UPDATE trials SET study_id = 4711 ORDER BY trial_id LIMIT 1",
    ):
        try:
            database.run(statement)
            print(f"{statement}: not refused")
        except sqlalchemy.exc.DBAPIError as error:
            print(f"{statement}: {error.orig.args}")
    show_counts(database)


def show_counts(database: Database) -> None:
    with database.engine.connect() as link:
        for name in sorted(sqlalchemy.inspect(link).get_table_names()):
            rows = link.execute(sqlalchemy.text(f"SELECT COUNT(*) FROM `{name}`")).scalar()
            print(name, rows)


STAGES = {"first": first, "upgrade": upgrade, "use": use}


if __name__ == "__main__":
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    stage, socket, name, *more = sys.argv[1:]
    STAGES[stage](Database(socket, name), *more)
