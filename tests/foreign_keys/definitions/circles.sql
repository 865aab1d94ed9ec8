-- Tables that refer to themselves or to one another; other databases; parents that come later.

## a table refers to itself
CREATE TABLE t (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES t (id));
DROP TABLE t;

## a table refers to itself, behind a column
CREATE TABLE t (id INT PRIMARY KEY, a INT REFERENCES t (id) ON DELETE CASCADE);

## a column refers to itself
CREATE TABLE t (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES t (id));

## a table refers to itself twice
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, FOREIGN KEY (a) REFERENCES t (id) ON DELETE CASCADE,
  FOREIGN KEY (b) REFERENCES t (id) ON DELETE SET NULL);

## a table refers to an index that the statement makes for another constraint
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE t (a INT, b INT, FOREIGN KEY (a) REFERENCES p (id), FOREIGN KEY (b) REFERENCES t (a));

## a table refers to itself without an index
CREATE TABLE t (id INT PRIMARY KEY, a INT, b INT, FOREIGN KEY (a) REFERENCES t (b)); -- error 1005 errno 150

## a table comes to refer to itself by ALTER
CREATE TABLE t (id INT PRIMARY KEY, a INT);
ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES t (id);
ALTER TABLE t ADD COLUMN b INT;
ALTER TABLE t FORCE;
ALTER TABLE t FORCE, ALGORITHM=COPY;
RENAME TABLE t TO u;
DROP TABLE u;

## two tables refer to one another
SET foreign_key_checks = 0;
CREATE TABLE a (id INT PRIMARY KEY, b INT, FOREIGN KEY (b) REFERENCES b (id));
CREATE TABLE b (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES a (id));
SET foreign_key_checks = 1;
INSERT INTO a VALUES (1, NULL);
INSERT INTO b VALUES (1, 1);
UPDATE a SET b = 1;
UPDATE a SET b = 2; -- error 1452
DROP TABLE a; -- error 1451
DROP TABLE b; -- error 1451
DROP TABLE a, b; -- error 1451
SET foreign_key_checks = 0;
DROP TABLE a, b;

## two tables refer to one another, by ALTER
CREATE TABLE a (id INT PRIMARY KEY, b INT);
CREATE TABLE b (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES a (id) ON DELETE CASCADE);
ALTER TABLE a ADD CONSTRAINT ab FOREIGN KEY (b) REFERENCES b (id) ON DELETE SET NULL;
INSERT INTO a VALUES (1, NULL);
INSERT INTO b VALUES (1, 1);
UPDATE a SET b = 1;
ALTER TABLE a DROP FOREIGN KEY ab;

## three tables in a circle
SET foreign_key_checks = 0;
CREATE TABLE a (id INT PRIMARY KEY, x INT, FOREIGN KEY (x) REFERENCES c (id) ON DELETE CASCADE);
CREATE TABLE b (id INT PRIMARY KEY, x INT, FOREIGN KEY (x) REFERENCES a (id) ON DELETE CASCADE);
CREATE TABLE c (id INT PRIMARY KEY, x INT, FOREIGN KEY (x) REFERENCES b (id) ON DELETE CASCADE);

## a parent in another database
CREATE TABLE {other}.p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES {other}.p (id));
INSERT INTO c VALUES (1); -- error 1452
INSERT INTO {other}.p VALUES (1);
INSERT INTO c VALUES (1);
DELETE FROM {other}.p; -- error 1451
DROP TABLE {other}.p; -- error 1451

## the parent's database is named although it is the child's
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES {here}.p (id));

## a child is made in another database, its parent without one
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE {other}.q (id INT PRIMARY KEY);
CREATE TABLE {other}.c (a INT, FOREIGN KEY (a) REFERENCES p (id)); -- error 1005 errno 150
CREATE TABLE {other}.d (a INT, FOREIGN KEY (a) REFERENCES q (id));

## circles across databases
SET foreign_key_checks = 0;
CREATE TABLE a (id INT PRIMARY KEY, x INT, FOREIGN KEY (x) REFERENCES {other}.b (id));
CREATE TABLE {other}.b (id INT PRIMARY KEY, x INT, FOREIGN KEY (x) REFERENCES {here}.a (id));

## a database that is not there
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES nowhere.p (id)); -- error 1005 errno 150
SET foreign_key_checks = 0;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES nowhere.p (id));

## the parent is not there
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id)); -- error 1005 errno 150

## the parent comes later
SET foreign_key_checks = 0;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
INSERT INTO c VALUES (5);
SET foreign_key_checks = 1;
INSERT INTO c VALUES (1); -- error 1452
UPDATE c SET a = 6; -- error 1452
DELETE FROM c;
INSERT INTO c VALUES (NULL);
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO c VALUES (1); -- error 1452
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1);
DELETE FROM p; -- error 1451
DROP TABLE p; -- error 1451

## the parent comes later, without the columns
SET foreign_key_checks = 0;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
CREATE TABLE p (number INT PRIMARY KEY);
SET foreign_key_checks = 1;
CREATE TABLE p (number INT PRIMARY KEY); -- error 1050

## the parent comes later, with another type
SET foreign_key_checks = 0;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
CREATE TABLE p (id BIGINT PRIMARY KEY);
SET foreign_key_checks = 1;
CREATE TABLE p (id BIGINT PRIMARY KEY); -- error 1050
CREATE TABLE p (id INT PRIMARY KEY); -- error 1050

## the parent comes later, without the index
SET foreign_key_checks = 0;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
CREATE TABLE p (id INT);
SET foreign_key_checks = 1;
CREATE TABLE p (id INT); -- error 1050

## the parent comes later, by RENAME
SET foreign_key_checks = 0;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
SET foreign_key_checks = 1;
CREATE TABLE q (id INT PRIMARY KEY);
CREATE TABLE r (id BIGINT PRIMARY KEY);
RENAME TABLE r TO p; -- error 1025 errno 150
RENAME TABLE q TO p;
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1);
INSERT INTO c VALUES (2); -- error 1452
DELETE FROM p; -- error 1451

## the parent comes later, by LIKE
SET foreign_key_checks = 0;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
SET foreign_key_checks = 1;
CREATE TABLE q (id INT PRIMARY KEY);
CREATE TABLE p LIKE q;
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1);
INSERT INTO c VALUES (2); -- error 1452

## the parent comes later, by CREATE .. SELECT
SET foreign_key_checks = 0;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
SET foreign_key_checks = 1;
CREATE TABLE p (PRIMARY KEY (id)) SELECT 1 AS id;
INSERT INTO c VALUES (1);
INSERT INTO c VALUES (2); -- error 1452

## the parent comes later, as a table of another engine
SET foreign_key_checks = 0;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
SET foreign_key_checks = 1;
CREATE TABLE p (id INT PRIMARY KEY) ENGINE=MyISAM;
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1); -- error 1452

## a temporary table is no parent
CREATE TEMPORARY TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id)); -- error 1005 errno 150

## a temporary table hides the parent
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
CREATE TEMPORARY TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1); -- error 1452
DROP TEMPORARY TABLE p;
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1);
DELETE FROM p; -- error 1451

## a temporary child
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TEMPORARY TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id)); -- error 1005 errno 150
SET foreign_key_checks = 0;
CREATE TEMPORARY TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id)); -- error 1005 errno 150

## a temporary child, behind a column
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TEMPORARY TABLE c (a INT REFERENCES p (id)); -- error 1005 errno 150

## a constraint comes to a temporary table by ALTER
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TEMPORARY TABLE c (a INT);
ALTER TABLE c ADD FOREIGN KEY (a) REFERENCES p (id); -- error 1005 errno 150

## a partitioned child
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id)) PARTITION BY HASH (a) PARTITIONS 2; -- error 1506
CREATE TABLE d (a INT) PARTITION BY HASH (a) PARTITIONS 2;
ALTER TABLE d ADD FOREIGN KEY (a) REFERENCES p (id); -- error 1506

## a partitioned parent
CREATE TABLE p (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 2;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id)); -- error 1005 errno 150
SET foreign_key_checks = 0;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));

## partitions come to a parent and to a child
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE p PARTITION BY HASH (id) PARTITIONS 2; -- error 1217
ALTER TABLE c PARTITION BY HASH (a) PARTITIONS 2; -- error 1217

## EXCHANGE PARTITION with a child and with a parent
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, FOREIGN KEY (id) REFERENCES p (id));
CREATE TABLE t (id INT PRIMARY KEY) PARTITION BY HASH (id) PARTITIONS 2;
ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE c; -- error 1740
ALTER TABLE t EXCHANGE PARTITION p0 WITH TABLE p; -- error 1740

## a copy with LIKE has no constraint
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
CREATE TABLE d LIKE c;
CREATE TABLE q LIKE p;
DROP TABLE c;
DROP TABLE p;

## CREATE .. SELECT checks its rows
CREATE TABLE p (id INT PRIMARY KEY);
INSERT INTO p VALUES (1), (2);
CREATE TABLE c (FOREIGN KEY (a) REFERENCES p (id)) SELECT id AS a FROM p;
CREATE TABLE d (FOREIGN KEY (a) REFERENCES p (id)) SELECT id + 1 AS a FROM p; -- error 1005 errno 150
CREATE TABLE e (a INT, FOREIGN KEY (a) REFERENCES p (id)) SELECT 1 AS a UNION SELECT 2;
CREATE TABLE f (a INT NULL REFERENCES p (id)) IGNORE SELECT 1 AS a UNION SELECT 7;

## CREATE .. SELECT without checks
CREATE TABLE p (id INT PRIMARY KEY);
SET foreign_key_checks = 0;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id)) SELECT 7 AS a;
