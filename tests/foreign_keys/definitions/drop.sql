-- DROP and TRUNCATE of children, parents, databases.

## DROP of a child
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1);
DROP TABLE c;
DELETE FROM p;
DROP TABLE p;

## DROP of a parent
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
DROP TABLE p; -- error 1451

## DROP of a parent under CASCADE
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE);
DROP TABLE p; -- error 1451
DROP TABLE p CASCADE; -- error 1451

## DROP of parent and child in one statement
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
DROP TABLE p, c; -- error 1451
DROP TABLE p;

## DROP of child and parent in one statement
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
DROP TABLE c, p;

## DROP of a parent between others
CREATE TABLE x (id INT PRIMARY KEY);
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE y (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
DROP TABLE x, p, y; -- error 1451

## DROP of a parent without checks
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE);
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1);
SET foreign_key_checks = 0;
DROP TABLE p;
SET foreign_key_checks = 1;
INSERT INTO c VALUES (1); -- error 1452
DELETE FROM c;
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO c VALUES (1); -- error 1452
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1);
DELETE FROM p;

## DROP IF EXISTS of a parent
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
DROP TABLE IF EXISTS p; -- error 1451
DROP TABLE IF EXISTS c, p;

## DROP of a table that refers to itself
CREATE TABLE t (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES t (id));
INSERT INTO t VALUES (1, 1);
DROP TABLE t;

## TRUNCATE of a child
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1);
TRUNCATE TABLE c;
DELETE FROM p;
INSERT INTO c VALUES (1); -- error 1452

## TRUNCATE of a parent
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
TRUNCATE TABLE p; -- error 1701
INSERT INTO p VALUES (1);
TRUNCATE TABLE p; -- error 1701
INSERT INTO c VALUES (1);
TRUNCATE TABLE p; -- error 1701
SET foreign_key_checks = 0;
TRUNCATE TABLE p;
SET foreign_key_checks = 1;
INSERT INTO c VALUES (1); -- error 1452
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1);
DELETE FROM p; -- error 1451

## TRUNCATE of a parent under CASCADE
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE);
TRUNCATE TABLE p; -- error 1701

## TRUNCATE of a table that refers to itself
CREATE TABLE t (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES t (id));
INSERT INTO t VALUES (1, 1);
TRUNCATE TABLE t;
INSERT INTO t VALUES (1, 1);
INSERT INTO t VALUES (2, 3); -- error 1452

## DROP DATABASE with parent and child
CREATE TABLE {other}.p (id INT PRIMARY KEY);
CREATE TABLE {other}.c (a INT, FOREIGN KEY (a) REFERENCES {other}.p (id));
DROP DATABASE {other};

## DROP DATABASE with a parent of a child in another one
CREATE TABLE {other}.p (id INT PRIMARY KEY);
CREATE TABLE {other}.q (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES {other}.p (id));
DROP DATABASE {other}; -- error 1451
SET foreign_key_checks = 0;
DROP DATABASE {other};
SET foreign_key_checks = 1;
INSERT INTO c VALUES (1); -- error 1452
CREATE DATABASE {other};
CREATE TABLE {other}.p (id INT PRIMARY KEY);
INSERT INTO {other}.p VALUES (1);
INSERT INTO c VALUES (1);
DELETE FROM {other}.p; -- error 1451

## DROP DATABASE with a child of a parent in another one
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE {other}.c (a INT, FOREIGN KEY (a) REFERENCES {here}.p (id));
DROP DATABASE {other};
DROP TABLE p;

## DROP DATABASE with a circle
SET foreign_key_checks = 0;
CREATE TABLE {other}.a (id INT PRIMARY KEY, x INT, FOREIGN KEY (x) REFERENCES {other}.b (id));
CREATE TABLE {other}.b (id INT PRIMARY KEY, x INT, FOREIGN KEY (x) REFERENCES {other}.a (id));
SET foreign_key_checks = 1;
DROP DATABASE {other};

## DROP DATABASE with a parent whose name comes first
CREATE TABLE {other}.a (id INT PRIMARY KEY);
CREATE TABLE {other}.b (x INT, FOREIGN KEY (x) REFERENCES {other}.a (id));
DROP DATABASE {other};
CREATE DATABASE {other};
CREATE TABLE {other}.a (id INT PRIMARY KEY);

## DROP DATABASE with a parent of a child that stays, and tables beside it
CREATE TABLE {other}.a (id INT PRIMARY KEY);
CREATE TABLE {other}.b (id INT PRIMARY KEY, x INT, FOREIGN KEY (x) REFERENCES {other}.a (id));
CREATE TABLE {other}.d (id INT PRIMARY KEY, x INT, FOREIGN KEY (x) REFERENCES {other}.b (id));
CREATE TABLE c (x INT, FOREIGN KEY (x) REFERENCES {other}.b (id));
DROP DATABASE {other}; -- error 1451

## a table is made anew in the place of its child
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
DROP TABLE c;
CREATE TABLE c (a INT);
INSERT INTO c VALUES (1);

## a dump: children first, rows before their parents
SET foreign_key_checks = 0, unique_checks = 0;
DROP TABLE IF EXISTS c;
CREATE TABLE c (id INT PRIMARY KEY, a INT, KEY a (a), CONSTRAINT k FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE);
INSERT INTO c VALUES (1, 1), (2, 2);
DROP TABLE IF EXISTS p;
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1), (2);
SET foreign_key_checks = 1, unique_checks = 1;
INSERT INTO c VALUES (3, 3); -- error 1452
DELETE FROM p WHERE id = 1;

## DROP COLUMN of a primary key that children refer to
CREATE TABLE p (id INT PRIMARY KEY, b INT);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE p DROP COLUMN id; -- error 1829
ALTER TABLE p DROP PRIMARY KEY, DROP COLUMN id; -- error 1829
CREATE TABLE t (id INT PRIMARY KEY, b INT, FOREIGN KEY (b) REFERENCES t (id));
ALTER TABLE t DROP COLUMN id; -- error 1829
