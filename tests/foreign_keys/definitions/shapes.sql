-- Where a constraint stands in a statement, its name, its actions.

## table level, without a name
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));

## table level, with a name
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, CONSTRAINT fk_of_c FOREIGN KEY (a) REFERENCES p (id));

## behind a column
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT REFERENCES p (id), b INT);

## behind a column, with actions
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT REFERENCES p (id) ON DELETE CASCADE ON UPDATE SET NULL);

## behind two columns
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT NOT NULL REFERENCES p (id), b INT REFERENCES p (id) ON DELETE SET NULL);

## behind a column that is the primary key
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY REFERENCES p (id) ON DELETE CASCADE);

## behind a column, without the parent's columns
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT REFERENCES p); -- error 1005 errno 150

## table level, without the parent's columns
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p); -- error 1005 errno 150

## the name is the index's when that alone has one
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY of_index (a) REFERENCES p (id));

## constraint and index have names
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, CONSTRAINT of_constraint FOREIGN KEY of_index (a) REFERENCES p (id));

## CONSTRAINT without a name
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, CONSTRAINT FOREIGN KEY (a) REFERENCES p (id));

## a name in quotes, with blanks and a quote
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, CONSTRAINT `fk ``of`` c` FOREIGN KEY (a) REFERENCES p (id)); -- | ROCKSDB definition: a quote in a name is doubled, so that the text can be run

## names of tables and columns that need quotes
CREATE TABLE `the parent` (`the key` INT PRIMARY KEY);
CREATE TABLE `a child` (`its column` INT, FOREIGN KEY (`its column`) REFERENCES `the parent` (`the key`));
DROP TABLE `the parent`; -- error 1451
DROP TABLE `a child`;
DROP TABLE `the parent`;

## names with letters beyond ASCII
CREATE TABLE `größe` (`id` INT PRIMARY KEY);
CREATE TABLE `maß` (`größe` INT, FOREIGN KEY (`größe`) REFERENCES `größe` (id));
INSERT INTO `maß` VALUES (1); -- error 1452
ALTER TABLE `maß` DROP FOREIGN KEY `maß_ibfk_1`;

## a name as long as it may be
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, CONSTRAINT n234567890123456789012345678901234567890123456789012345678901234
  FOREIGN KEY (a) REFERENCES p (id));

## a name that is too long
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, CONSTRAINT n2345678901234567890123456789012345678901234567890123456789012345
  FOREIGN KEY (a) REFERENCES p (id)); -- error 1059

## a name is made for a child with the longest name
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE n234567890123456789012345678901234567890123456789012345678901234
  (a INT, FOREIGN KEY (a) REFERENCES p (id)); -- error 1059

## equal names in one statement
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, CONSTRAINT k FOREIGN KEY (a) REFERENCES p (id),
  CONSTRAINT k FOREIGN KEY (b) REFERENCES p (id)); -- error 1061

## equal names in two tables
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, CONSTRAINT k FOREIGN KEY (a) REFERENCES p (id));
CREATE TABLE d (a INT, CONSTRAINT k FOREIGN KEY (a) REFERENCES p (id)); -- error 1005 errno 121

## names that differ in the case of letters alone
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, CONSTRAINT k FOREIGN KEY (a) REFERENCES p (id));
CREATE TABLE d (a INT, CONSTRAINT K FOREIGN KEY (a) REFERENCES p (id)); -- error 1005 errno 121

## equal names in two databases
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, CONSTRAINT k FOREIGN KEY (a) REFERENCES p (id));
CREATE TABLE {other}.p (id INT PRIMARY KEY);
CREATE TABLE {other}.c (a INT, CONSTRAINT k FOREIGN KEY (a) REFERENCES {other}.p (id));

## a name is free again when its table is gone
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, CONSTRAINT k FOREIGN KEY (a) REFERENCES p (id));
DROP TABLE c;
CREATE TABLE d (a INT, CONSTRAINT k FOREIGN KEY (a) REFERENCES p (id));

## a name of one's own that looks like a made one
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, CONSTRAINT c_ibfk_1 FOREIGN KEY (a) REFERENCES p (id),
  FOREIGN KEY (b) REFERENCES p (id)); -- error 1005 errno 150 | ROCKSDB warnings: one says why

## a made name behind one of one's own that looks alike
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, FOREIGN KEY (b) REFERENCES p (id),
  CONSTRAINT c_ibfk_1 FOREIGN KEY (a) REFERENCES p (id)); -- error 1005 errno 150 | ROCKSDB warnings: one says why

## numbers of made names go on behind the highest
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, d INT, CONSTRAINT c_ibfk_7 FOREIGN KEY (a) REFERENCES p (id),
  FOREIGN KEY (b) REFERENCES p (id), FOREIGN KEY (d) REFERENCES p (id));

## more than nine made names, in the order of their bytes
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a1 INT, a2 INT, a3 INT, a4 INT, a5 INT, a6 INT, a7 INT, a8 INT, a9 INT, a10 INT,
  a11 INT, FOREIGN KEY (a1) REFERENCES p (id), FOREIGN KEY (a2) REFERENCES p (id),
  FOREIGN KEY (a3) REFERENCES p (id), FOREIGN KEY (a4) REFERENCES p (id),
  FOREIGN KEY (a5) REFERENCES p (id), FOREIGN KEY (a6) REFERENCES p (id),
  FOREIGN KEY (a7) REFERENCES p (id), FOREIGN KEY (a8) REFERENCES p (id),
  FOREIGN KEY (a9) REFERENCES p (id), FOREIGN KEY (a10) REFERENCES p (id),
  FOREIGN KEY (a11) REFERENCES p (id));

## constraints stand in the order of their names
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, d INT, CONSTRAINT z FOREIGN KEY (a) REFERENCES p (id),
  CONSTRAINT B FOREIGN KEY (b) REFERENCES p (id), CONSTRAINT a FOREIGN KEY (d) REFERENCES p (id));

## each action on delete
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, d INT, e INT, f INT,
  CONSTRAINT k1 FOREIGN KEY (a) REFERENCES p (id) ON DELETE RESTRICT,
  CONSTRAINT k2 FOREIGN KEY (b) REFERENCES p (id) ON DELETE NO ACTION,
  CONSTRAINT k3 FOREIGN KEY (d) REFERENCES p (id) ON DELETE CASCADE,
  CONSTRAINT k4 FOREIGN KEY (e) REFERENCES p (id) ON DELETE SET NULL,
  CONSTRAINT k5 FOREIGN KEY (f) REFERENCES p (id) ON DELETE SET DEFAULT);

## each action on update
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, d INT, e INT, f INT,
  CONSTRAINT k1 FOREIGN KEY (a) REFERENCES p (id) ON UPDATE RESTRICT,
  CONSTRAINT k2 FOREIGN KEY (b) REFERENCES p (id) ON UPDATE NO ACTION,
  CONSTRAINT k3 FOREIGN KEY (d) REFERENCES p (id) ON UPDATE CASCADE,
  CONSTRAINT k4 FOREIGN KEY (e) REFERENCES p (id) ON UPDATE SET NULL,
  CONSTRAINT k5 FOREIGN KEY (f) REFERENCES p (id) ON UPDATE SET DEFAULT);

## both actions, in either order
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT,
  CONSTRAINT k1 FOREIGN KEY (a) REFERENCES p (id) ON DELETE SET NULL ON UPDATE CASCADE,
  CONSTRAINT k2 FOREIGN KEY (b) REFERENCES p (id) ON UPDATE NO ACTION ON DELETE CASCADE);

## MATCH is accepted
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, d INT, FOREIGN KEY (a) REFERENCES p (id) MATCH FULL,
  FOREIGN KEY (b) REFERENCES p (id) MATCH PARTIAL, FOREIGN KEY (d) REFERENCES p (id) MATCH SIMPLE);

## SET NULL on a column that cannot be NULL
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT NOT NULL, FOREIGN KEY (a) REFERENCES p (id) ON DELETE SET NULL); -- error 1005 errno 150
CREATE TABLE d (a INT NOT NULL, FOREIGN KEY (a) REFERENCES p (id) ON UPDATE SET NULL); -- error 1005 errno 150

## SET NULL on a column of the primary key
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT PRIMARY KEY, FOREIGN KEY (a) REFERENCES p (id) ON DELETE SET NULL); -- error 1005 errno 150

## SET NULL where one of two columns cannot be NULL
CREATE TABLE p (a INT, b INT, PRIMARY KEY (a, b));
CREATE TABLE c (a INT, b INT NOT NULL, FOREIGN KEY (a, b) REFERENCES p (a, b) ON DELETE SET NULL); -- error 1005 errno 150

## several constraints on the same column
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE q (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id), FOREIGN KEY (a) REFERENCES q (id));

## the same constraint twice
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id), FOREIGN KEY (a) REFERENCES p (id));

## the same columns, with different actions
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE,
  FOREIGN KEY (a) REFERENCES p (id) ON DELETE SET NULL);

## two columns of one child to one parent
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, FOREIGN KEY (a) REFERENCES p (id), FOREIGN KEY (b) REFERENCES p (id));

## two columns
CREATE TABLE p (a INT, b INT, PRIMARY KEY (a, b));
CREATE TABLE c (x INT, y INT, FOREIGN KEY (x, y) REFERENCES p (a, b));

## two columns, in another order than the parent's key
CREATE TABLE p (a INT, b INT, PRIMARY KEY (a, b));
CREATE TABLE c (x INT, y INT, FOREIGN KEY (x, y) REFERENCES p (b, a)); -- error 1005 errno 150

## fewer columns than the parent's
CREATE TABLE p (a INT, b INT, PRIMARY KEY (a, b));
CREATE TABLE c (x INT, y INT, FOREIGN KEY (x) REFERENCES p (a, b)); -- error 1239

## more columns than the parent's
CREATE TABLE p (a INT PRIMARY KEY);
CREATE TABLE c (x INT, y INT, FOREIGN KEY (x, y) REFERENCES p (a)); -- error 1239

## the same column twice in the child
CREATE TABLE p (a INT, b INT, PRIMARY KEY (a, b));
CREATE TABLE c (x INT, FOREIGN KEY (x, x) REFERENCES p (a, b)); -- error 1060

## the same column twice in the parent
CREATE TABLE p (a INT, b INT, PRIMARY KEY (a, b));
CREATE TABLE c (x INT, y INT, FOREIGN KEY (x, y) REFERENCES p (a, a)); -- error 1005 errno 150

## a column that the child does not have
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (b) REFERENCES p (id)); -- error 1072

## a column that the parent does not have
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (number)); -- error 1005 errno 150

## names of columns in other letters
CREATE TABLE p (Id INT PRIMARY KEY);
CREATE TABLE c (Aa INT, FOREIGN KEY (aA) REFERENCES p (iD));

## sixteen columns, and seventeen
CREATE TABLE p (a INT, b INT, c INT, d INT, e INT, f INT, g INT, h INT, i INT, j INT, k INT, l INT,
  m INT, n INT, o INT, p INT, PRIMARY KEY (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p));
CREATE TABLE c (a INT, b INT, c INT, d INT, e INT, f INT, g INT, h INT, i INT, j INT, k INT, l INT,
  m INT, n INT, o INT, p INT, FOREIGN KEY (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)
  REFERENCES p (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p));

## the parent's columns with a length
CREATE TABLE p (a VARCHAR(20) PRIMARY KEY);
CREATE TABLE c (x VARCHAR(20), FOREIGN KEY (x(10)) REFERENCES p (a)); -- error 1005 errno 150

## a parent that is a view
CREATE TABLE t (id INT PRIMARY KEY);
CREATE VIEW v AS SELECT id FROM t;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES v (id)); -- error 1005 errno 150

## a parent that is a sequence
CREATE SEQUENCE s ENGINE={engine};
CREATE TABLE c (a BIGINT, FOREIGN KEY (a) REFERENCES s (next_not_cached_value)); -- error 1005 errno 150

## a parent of another engine
CREATE TABLE p (id INT PRIMARY KEY) ENGINE={alien};
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id)); -- error 1005 errno 150

## a child of an engine without constraints
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id)) ENGINE=MyISAM;
DROP TABLE p;

## a check constraint beside a foreign key
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT CHECK (a > 0), CONSTRAINT positive CHECK (a < 100),
  CONSTRAINT k FOREIGN KEY (a) REFERENCES p (id));

## a check constraint of the same name
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, CONSTRAINT k CHECK (a > 0), CONSTRAINT k FOREIGN KEY (a) REFERENCES p (id)); -- error 1826

## IF NOT EXISTS, of a table that is there
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT);
CREATE TABLE IF NOT EXISTS c (a INT, FOREIGN KEY (a) REFERENCES p (id));

## OR REPLACE of a child
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
CREATE OR REPLACE TABLE c (a INT, b INT, FOREIGN KEY (b) REFERENCES p (id));

## OR REPLACE of a child that fails
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
CREATE OR REPLACE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (number)); -- error 1005 errno 150

## OR REPLACE of a parent
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
CREATE OR REPLACE TABLE p (id INT PRIMARY KEY, b INT); -- error 1451
SET foreign_key_checks = 0;
CREATE OR REPLACE TABLE p (id INT PRIMARY KEY, b INT);
SET foreign_key_checks = 1;
INSERT INTO c VALUES (1); -- error 1452
INSERT INTO p VALUES (1, 1);
INSERT INTO c VALUES (1);

## actions that could bring a NULL where none may be
CREATE TABLE p (id INT PRIMARY KEY, u INT, UNIQUE KEY (u), KEY (id, u));
CREATE TABLE c (a INT NOT NULL, FOREIGN KEY (a) REFERENCES p (u) ON UPDATE CASCADE); -- error 1005 errno 150 | ROCKSDB warnings: one says why
CREATE TABLE d (a INT NOT NULL, FOREIGN KEY (a) REFERENCES p (u) ON DELETE CASCADE);
CREATE TABLE e (a INT NOT NULL, b INT NOT NULL, FOREIGN KEY (a, b) REFERENCES p (id, u) ON UPDATE CASCADE); -- error 1005 errno 150 | ROCKSDB warnings: one says why
CREATE TABLE f (a INT, FOREIGN KEY (a) REFERENCES p (u) ON UPDATE CASCADE);
CREATE TABLE g (a INT PRIMARY KEY);
ALTER TABLE g ADD FOREIGN KEY (a) REFERENCES p (u) ON UPDATE CASCADE; -- error 1005 errno 150 | ROCKSDB warnings: one says why
ALTER TABLE f MODIFY a INT NOT NULL; -- error 1830
CREATE TABLE q (id INT PRIMARY KEY, u INT NOT NULL, UNIQUE KEY (u));
CREATE TABLE h (a INT NOT NULL, FOREIGN KEY (a) REFERENCES q (u) ON UPDATE CASCADE);
ALTER TABLE q MODIFY u INT NULL; -- error 1833
SET foreign_key_checks = 0;
CREATE TABLE c (a INT NOT NULL, FOREIGN KEY (a) REFERENCES p (u) ON UPDATE CASCADE); -- error 1005 errno 150 | ROCKSDB warnings: one says why
ALTER TABLE f MODIFY a INT NOT NULL; -- error 1830
ALTER TABLE q MODIFY u INT NULL; -- error 1833

## a check constraint on a column that a cascade writes
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT CHECK (a < 100), FOREIGN KEY (a) REFERENCES p (id) ON UPDATE CASCADE); -- error 1901
CREATE TABLE d (a INT CHECK (a < 100), FOREIGN KEY (a) REFERENCES p (id) ON DELETE SET NULL); -- error 1901
CREATE TABLE e (a INT CHECK (a < 100), FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE);
CREATE TABLE f (a INT, CHECK (a < 100), FOREIGN KEY (a) REFERENCES p (id) ON UPDATE CASCADE); -- error 1901

## actions that could bring a NULL, with an action ON DELETE
CREATE TABLE p (u INT, w INT, KEY (u), KEY (u, w));
CREATE TABLE c (a INT NOT NULL, FOREIGN KEY (a) REFERENCES p (u) ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE d (a INT NOT NULL, FOREIGN KEY (a) REFERENCES p (u) ON DELETE NO ACTION ON UPDATE CASCADE);
CREATE TABLE e (a INT NOT NULL, FOREIGN KEY (a) REFERENCES p (u) ON DELETE SET DEFAULT ON UPDATE CASCADE); -- error 1005 errno 150 | ROCKSDB warnings: one says why
CREATE TABLE e (a INT NOT NULL, b INT, FOREIGN KEY (a, b) REFERENCES p (u, w) ON DELETE SET NULL ON UPDATE CASCADE); -- error 1005 errno 150
INSERT INTO p VALUES (1, 1), (2, 2);
INSERT INTO c VALUES (1);
UPDATE p SET u = NULL WHERE u = 1; -- error 1451
UPDATE p SET u = NULL WHERE u = 2;
SET foreign_key_checks = 0;
CREATE TABLE f (a INT NOT NULL);
ALTER TABLE f ADD FOREIGN KEY (a) REFERENCES p (u) ON UPDATE CASCADE;
CREATE TABLE q (u INT NOT NULL, KEY (u));
CREATE TABLE g (a INT NOT NULL, FOREIGN KEY (a) REFERENCES q (u) ON DELETE CASCADE ON UPDATE CASCADE);
CREATE TABLE h (a INT, FOREIGN KEY (a) REFERENCES p (u) ON DELETE CASCADE ON UPDATE CASCADE);
ALTER TABLE q MODIFY u INT NULL;
ALTER TABLE h MODIFY a INT NOT NULL;

## a parent that came later and does not match
SET foreign_key_checks = 0;
CREATE TABLE c (a TINYINT UNSIGNED, FOREIGN KEY (a) REFERENCES p (v) ON DELETE CASCADE);
CREATE TABLE d (a INT, FOREIGN KEY (a) REFERENCES p (w));
CREATE TABLE p (id INT PRIMARY KEY, v INT, w INT, KEY (v));
INSERT INTO d VALUES (1);
SET foreign_key_checks = 1;
INSERT INTO p VALUES (1, 1, 1), (2, NULL, 2);
INSERT INTO c VALUES (1); -- error 1452
INSERT INTO d VALUES (1); -- error 1452
UPDATE p SET v = 3, w = 3 WHERE id = 1;
UPDATE p SET id = 4 WHERE id = 1;
REPLACE INTO p VALUES (2, 2, 2);
DELETE FROM p;
