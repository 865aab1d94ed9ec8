-- RENAME of children and parents.

## RENAME of a child
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
RENAME TABLE c TO d;
INSERT INTO d VALUES (1); -- error 1452
ALTER TABLE d RENAME TO e;
INSERT INTO p VALUES (1);
INSERT INTO e VALUES (1);
DELETE FROM p; -- error 1451
ALTER TABLE e DROP FOREIGN KEY e_ibfk_1;

## RENAME of a child whose constraint has a name of its own
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, CONSTRAINT k FOREIGN KEY (a) REFERENCES p (id),
  CONSTRAINT c_ibfk_x FOREIGN KEY (b) REFERENCES p (id));
RENAME TABLE c TO d;
INSERT INTO d VALUES (1, 1); -- error 1452

## RENAME of a child to a name whose made constraint is there
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
CREATE TABLE x (a INT, CONSTRAINT d_ibfk_1 FOREIGN KEY (a) REFERENCES p (id));
RENAME TABLE c TO d; -- error 1050 | ROCKSDB warnings: one says why

## RENAME of a parent
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
RENAME TABLE p TO q;
INSERT INTO c VALUES (1); -- error 1452
ALTER TABLE q RENAME TO r;
INSERT INTO r VALUES (1);
INSERT INTO c VALUES (1);
DELETE FROM r; -- error 1451

## RENAME of both in one statement
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
RENAME TABLE p TO q, c TO d;
INSERT INTO d VALUES (1); -- error 1452
RENAME TABLE d TO c, q TO p;
INSERT INTO c VALUES (1); -- error 1452

## parent and child change names
CREATE TABLE a (id INT PRIMARY KEY);
CREATE TABLE b (id INT PRIMARY KEY, x INT, FOREIGN KEY (x) REFERENCES a (id));
RENAME TABLE a TO t, b TO a, t TO b;
INSERT INTO b VALUES (1);
INSERT INTO a VALUES (1, 1);
INSERT INTO a VALUES (2, 2); -- error 1452

## another parent takes the place of the parent
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE q (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
INSERT INTO q VALUES (1);
RENAME TABLE p TO old, q TO p;
INSERT INTO c VALUES (1); -- error 1452

## another parent takes the place of the parent, without checks
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE q (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
INSERT INTO q VALUES (1);
SET foreign_key_checks = 0;
RENAME TABLE p TO old, q TO p;
SET foreign_key_checks = 1;
INSERT INTO c VALUES (1); -- error 1452

## RENAME of a child to another database
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
RENAME TABLE c TO {other}.c;
INSERT INTO {other}.c VALUES (1); -- error 1452
RENAME TABLE {other}.c TO d;
INSERT INTO d VALUES (1); -- error 1452

## RENAME of a parent to another database
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
RENAME TABLE p TO {other}.q;
INSERT INTO c VALUES (1); -- error 1452
INSERT INTO {other}.q VALUES (1);
INSERT INTO c VALUES (1);
RENAME TABLE {other}.q TO p;
DELETE FROM p; -- error 1451

## RENAME of both to another database
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
RENAME TABLE p TO {other}.p, c TO {other}.c;
INSERT INTO {other}.c VALUES (1); -- error 1452

## a constraint's name is there in the other database
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, CONSTRAINT k FOREIGN KEY (a) REFERENCES p (id));
CREATE TABLE {other}.p (id INT PRIMARY KEY);
CREATE TABLE {other}.c (a INT, CONSTRAINT k FOREIGN KEY (a) REFERENCES {other}.p (id));
RENAME TABLE c TO {other}.d; -- error 1050 | ROCKSDB warnings: one says why

## RENAME of a table that refers to itself
CREATE TABLE t (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES t (id));
RENAME TABLE t TO u;
INSERT INTO u VALUES (1, 1);
INSERT INTO u VALUES (2, 3); -- error 1452
RENAME TABLE u TO {other}.u;
INSERT INTO {other}.u VALUES (2, 3); -- error 1452

## RENAME away of a parent whose child waits for another
SET foreign_key_checks = 0;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
CREATE TABLE q (id INT PRIMARY KEY);
RENAME TABLE q TO p;
RENAME TABLE p TO q;
SET foreign_key_checks = 1;
INSERT INTO c VALUES (1); -- error 1452
INSERT INTO q VALUES (1);
INSERT INTO c VALUES (1);

## RENAME to the name that a child waits for, taken back by an error
SET foreign_key_checks = 0;
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
CREATE TABLE q (id INT PRIMARY KEY);
CREATE TABLE r (id INT PRIMARY KEY);
CREATE TABLE s (id INT PRIMARY KEY);
RENAME TABLE q TO p, r TO s; -- error 1050
SET foreign_key_checks = 1;
INSERT INTO c VALUES (1); -- error 1452
INSERT INTO q VALUES (1);
INSERT INTO c VALUES (1);

## names with letters beyond ASCII
CREATE TABLE `größe` (id INT PRIMARY KEY);
CREATE TABLE `maß` (a INT, FOREIGN KEY (a) REFERENCES `größe` (id));
RENAME TABLE `maß` TO `masse`;
RENAME TABLE `größe` TO `länge`;
RENAME TABLE `masse` TO `maß und zahl`;
INSERT INTO `maß und zahl` VALUES (1); -- error 1452

## RENAME of a child whose made name gets too long
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
RENAME TABLE c TO n234567890123456789012345678901234567890123456789012345678901234;

## RENAME IF EXISTS
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
RENAME TABLE IF EXISTS p TO q, nothing TO r, c TO d;

## a view between
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
CREATE VIEW v AS SELECT * FROM c;
RENAME TABLE c TO d;
RENAME TABLE d TO c;
INSERT INTO v VALUES (1); -- error 1452
