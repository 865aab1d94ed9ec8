# SPDX-License-Identifier: GPL-2.0-only
"""Tables with foreign keys of every kind. {0} begins the names: `kept` for tables of which every
row must have its parent, `loose` for those that sessions without checks write, too."""

SETS = KEPT, LOOSE = "kept", "loose"
BOTH = "ON DELETE CASCADE ON UPDATE CASCADE"
TABLES = f"""
CREATE TABLE {{0}}_p (id INT PRIMARY KEY, k INT, u VARCHAR(8), v INT, KEY (k), UNIQUE (u))
CREATE TABLE {{0}}_q (id INT PRIMARY KEY, u INT, UNIQUE (u))
CREATE TABLE {{0}}_r (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES {{0}}_q (id))
CREATE TABLE {{0}}_c (id INT PRIMARY KEY, a INT, b INT, v INT, \
FOREIGN KEY (a) REFERENCES {{0}}_p (id) {BOTH}, \
FOREIGN KEY (b) REFERENCES {{0}}_q (u) ON DELETE SET NULL ON UPDATE CASCADE)
CREATE TABLE {{0}}_n (id INT PRIMARY KEY, a INT, t VARCHAR(8), \
FOREIGN KEY (a) REFERENCES {{0}}_p (k) ON DELETE SET NULL ON UPDATE SET NULL, \
FOREIGN KEY (t) REFERENCES {{0}}_p (u) ON DELETE SET NULL ON UPDATE CASCADE)
CREATE TABLE {{0}}_g (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES {{0}}_c (a) {BOTH})
CREATE TABLE {{0}}_h (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES {{0}}_g (a) {BOTH})
CREATE TABLE {{0}}_t (id INT PRIMARY KEY, a INT, \
FOREIGN KEY (a) REFERENCES {{0}}_t (id) ON DELETE CASCADE)
CREATE TABLE {{0}}_s (id INT PRIMARY KEY, a INT, \
FOREIGN KEY (a) REFERENCES {{0}}_s (id) ON DELETE SET NULL)
CREATE TABLE {{0}}_np (k INT NOT NULL, v INT, KEY (k))
CREATE TABLE {{0}}_nc (a INT, v INT, KEY (a), FOREIGN KEY (a) REFERENCES {{0}}_np (k) {BOTH})
CREATE TABLE {{0}}_ng (a INT, v INT, FOREIGN KEY (a) REFERENCES {{0}}_nc (a) {BOTH})
""".strip().splitlines()
CONSTRAINTS = 11  # of each set
KEYS = 12  # parents have keys from so many, and others after a change
ROWS = 60  # children
FILL = f"""
INSERT INTO {{0}}_p SELECT seq, seq, CONCAT('u', seq), 0 FROM seq_1_to_{KEYS}
INSERT INTO {{0}}_q SELECT seq, seq FROM seq_1_to_{KEYS}
INSERT INTO {{0}}_r SELECT seq, seq FROM seq_1_to_{KEYS // 2}
INSERT INTO {{0}}_c SELECT seq, 1 + seq % {KEYS}, 1 + seq % 5, 0 FROM seq_1_to_{ROWS // 2}
INSERT INTO {{0}}_np SELECT 1 + seq % {KEYS}, seq % 3 FROM seq_1_to_{2 * KEYS}
""".strip().splitlines()

# Of the client that changes definitions
PARENT = "CREATE TABLE IF NOT EXISTS {0} (id INT PRIMARY KEY, k INT, KEY (k))"
CHILD = (
    "CREATE TABLE IF NOT EXISTS changing_c (id INT PRIMARY KEY, a INT, KEY (a),"
    f" FOREIGN KEY (a) REFERENCES changing_p (id) {BOTH})"
)
PARENTS = ("changing_p", "changing_x")
