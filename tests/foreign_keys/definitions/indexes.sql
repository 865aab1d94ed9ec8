-- Which index of the parent and of the child a constraint takes, and the one that is made.

## the parent's primary key
CREATE TABLE p (id INT PRIMARY KEY, b INT);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));

## a unique key of the parent
CREATE TABLE p (id INT PRIMARY KEY, b INT NOT NULL, UNIQUE KEY u (b));
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (b));

## a unique key of the parent that may be NULL
CREATE TABLE p (id INT PRIMARY KEY, b INT, UNIQUE KEY u (b));
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (b));
INSERT INTO p VALUES (1, NULL), (2, NULL), (3, 3);
INSERT INTO c VALUES (NULL), (3);
INSERT INTO c VALUES (1); -- error 1452

## a plain index of the parent
CREATE TABLE p (id INT PRIMARY KEY, b INT, KEY k (b));
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (b));

## leading columns of a longer key of the parent
CREATE TABLE p (a INT, b INT, c INT, PRIMARY KEY (a, b, c));
CREATE TABLE c (x INT, y INT, FOREIGN KEY (x) REFERENCES p (a));
CREATE TABLE d (x INT, y INT, FOREIGN KEY (x, y) REFERENCES p (a, b));

## columns of the parent's key that do not lead
CREATE TABLE p (a INT, b INT, c INT, PRIMARY KEY (a, b, c));
CREATE TABLE c (x INT, FOREIGN KEY (x) REFERENCES p (b)); -- error 1005 errno 150
CREATE TABLE d (x INT, y INT, FOREIGN KEY (x, y) REFERENCES p (a, c)); -- error 1005 errno 150

## the parent's index goes on with the primary key
CREATE TABLE p (id INT PRIMARY KEY, b INT, KEY k (b));
CREATE TABLE c (x INT, y INT, FOREIGN KEY (x, y) REFERENCES p (b, id));
ALTER TABLE p DROP KEY k; -- error 1553
ALTER TABLE p DROP PRIMARY KEY; -- error 1025 errno 150
ALTER TABLE p DROP KEY k, ADD KEY l (b, id);
ALTER TABLE p DROP KEY l; -- error 1553
ALTER TABLE p ADD KEY k (b);
ALTER TABLE p DROP KEY l;

## the parent's index goes on with parts of the primary key
CREATE TABLE p (a INT, b INT, c INT, PRIMARY KEY (a, b), KEY k (c), KEY l (b), KEY m (b, c));
CREATE TABLE c1 (x INT, y INT, z INT, FOREIGN KEY (x, y, z) REFERENCES p (c, a, b));
CREATE TABLE c2 (x INT, y INT, FOREIGN KEY (x, y) REFERENCES p (b, a));
CREATE TABLE c3 (x INT, y INT, FOREIGN KEY (x, y) REFERENCES p (c, b)); -- error 1005 errno 150
CREATE TABLE c4 (x INT, y INT, z INT, FOREIGN KEY (x, y, z) REFERENCES p (b, c, a));
CREATE TABLE c5 (x INT, y INT, z INT, FOREIGN KEY (x, y, z) REFERENCES p (b, a, c)); -- error 1005 errno 150

## the parent's index goes on with a unique key that is the primary one
CREATE TABLE p (id INT NOT NULL, b INT, UNIQUE u (id), KEY k (b));
CREATE TABLE c (x INT, y INT, FOREIGN KEY (x, y) REFERENCES p (b, id));

## the parent's index goes on with a prefix of the primary key
CREATE TABLE p (a VARCHAR(20), b INT, PRIMARY KEY (a(5)), KEY k (b));
CREATE TABLE c (x INT, y VARCHAR(20), FOREIGN KEY (x, y) REFERENCES p (b, a)); -- error 1005 errno 150

## the child's index goes on with the primary key
CREATE TABLE p (id INT PRIMARY KEY, b INT, KEY k (b));
CREATE TABLE c (id INT PRIMARY KEY, a INT, KEY k (a), CONSTRAINT f FOREIGN KEY (a, id) REFERENCES p (b, id));
ALTER TABLE c DROP KEY f;
ALTER TABLE c DROP KEY k; -- error 1553

## a descending key of the parent
CREATE TABLE p (id INT, PRIMARY KEY (id DESC));
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));

## a key of the parent with a descending part
CREATE TABLE p (a INT, b INT, KEY k (a, b DESC));
CREATE TABLE c (x INT, y INT, FOREIGN KEY (x, y) REFERENCES p (a, b));

## a descending index of the child
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, KEY k (a DESC), FOREIGN KEY (a) REFERENCES p (id));

## no index of the parent
CREATE TABLE p (id INT PRIMARY KEY, b INT);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (b)); -- error 1005 errno 150

## no index at all in the parent
CREATE TABLE p (id INT);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id)); -- error 1005 errno 150

## an index of the parent over the beginning of a column
CREATE TABLE p (b VARCHAR(20), KEY k (b(5)));
CREATE TABLE c (a VARCHAR(20), FOREIGN KEY (a) REFERENCES p (b)); -- error 1005 errno 150

## an index of the parent that is ignored
CREATE TABLE p (b INT, KEY k (b) IGNORED);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (b));

## an index of the child that is ignored
CREATE TABLE p (b INT PRIMARY KEY);
CREATE TABLE c (a INT, KEY k (a) IGNORED, FOREIGN KEY (a) REFERENCES p (b));

## a unique hash index of the parent
CREATE TABLE p (b VARCHAR(2000), UNIQUE KEY u (b) USING HASH);
CREATE TABLE c (a VARCHAR(2000), FOREIGN KEY (a) REFERENCES p (b)); -- error 1005 errno 150

## a parent without a primary key
CREATE TABLE p (b INT, KEY k (b));
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (b));

## the child's index is made
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id));

## the child has an index
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, KEY k (a), FOREIGN KEY (a) REFERENCES p (id));

## the child's index stands behind the constraint
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id), KEY k (a));

## the child has a longer index
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, KEY k (a, b), FOREIGN KEY (a) REFERENCES p (id));

## the child's longer index begins with another column
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, KEY k (b, a), FOREIGN KEY (a) REFERENCES p (id));

## the child's index is a unique one
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, UNIQUE KEY u (a), FOREIGN KEY (a) REFERENCES p (id));

## the child's index is its primary key
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, PRIMARY KEY (a, b), FOREIGN KEY (a) REFERENCES p (id));

## the child's index has the columns in another order
CREATE TABLE p (a INT, b INT, PRIMARY KEY (a, b));
CREATE TABLE c (x INT, y INT, KEY k (y, x), FOREIGN KEY (x, y) REFERENCES p (a, b));

## the child's index is over the beginning of the column
CREATE TABLE p (a VARCHAR(20) PRIMARY KEY);
CREATE TABLE c (x VARCHAR(20), KEY k (x(5)), FOREIGN KEY (x) REFERENCES p (a));

## two constraints take one index
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE q (a INT, b INT, PRIMARY KEY (a, b));
CREATE TABLE c (x INT, y INT, FOREIGN KEY (x) REFERENCES p (id),
  FOREIGN KEY (x, y) REFERENCES q (a, b));

## an index made for a constraint gives way to a better one
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, FOREIGN KEY (a) REFERENCES p (id));
CREATE INDEX k ON c (a, b);
SHOW KEYS FROM c;

## an index made with a name gives way as well
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, CONSTRAINT n FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE c ADD UNIQUE KEY u (a);
SHOW KEYS FROM c;

## an index made later with the name of the made one
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE c ADD KEY a (b); -- error 1061

## DROP INDEX of the child
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
DROP INDEX a ON c; -- error 1553
SET foreign_key_checks = 0;
DROP INDEX a ON c;
SET foreign_key_checks = 1;
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1);
INSERT INTO c VALUES (2); -- error 1452

## DROP INDEX of the child, which has another one
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT, b INT, KEY k (a), KEY l (a, b), FOREIGN KEY (a) REFERENCES p (id));
DROP INDEX k ON c;
INSERT INTO c VALUES (1, 1); -- error 1452
INSERT INTO p VALUES (1);
INSERT INTO c VALUES (1, 1);
DELETE FROM p; -- error 1451

## DROP INDEX of the parent
CREATE TABLE p (id INT PRIMARY KEY, b INT, KEY k (b));
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (b));
DROP INDEX k ON p; -- error 1553
ALTER TABLE p DROP KEY k, ALGORITHM=COPY; -- error 1025 errno 150
ALTER TABLE p DROP KEY k, ADD KEY l (b, id);
DROP INDEX l ON p; -- error 1553

## DROP INDEX of the parent, which has another one
CREATE TABLE p (id INT PRIMARY KEY, b INT, KEY k (b), KEY l (b, id));
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (b));
DROP INDEX k ON p;
INSERT INTO p VALUES (1, 1);
INSERT INTO c VALUES (1);
INSERT INTO c VALUES (2); -- error 1452
DELETE FROM p; -- error 1451
DROP INDEX l ON p; -- error 1553

## DROP PRIMARY KEY of the parent
CREATE TABLE p (id INT PRIMARY KEY, b INT);
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE p DROP PRIMARY KEY; -- error 1025 errno 150
ALTER TABLE p DROP PRIMARY KEY, ADD PRIMARY KEY (b); -- | ROCKSDB error 1553: InnoDB loses the index, and refuses all children then
ALTER TABLE p DROP PRIMARY KEY, ADD PRIMARY KEY (id, b);

## DROP PRIMARY KEY of the child
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (a INT PRIMARY KEY, b INT, FOREIGN KEY (a) REFERENCES p (id));
ALTER TABLE c DROP PRIMARY KEY; -- error 1025 errno 150
ALTER TABLE c DROP PRIMARY KEY, ADD PRIMARY KEY (b); -- | ROCKSDB error 1553: InnoDB loses the index
ALTER TABLE c DROP PRIMARY KEY, ADD KEY k (a);

## DROP INDEX of the parent without checks
CREATE TABLE p (id INT PRIMARY KEY, b INT, KEY k (b));
CREATE TABLE c (a INT, FOREIGN KEY (a) REFERENCES p (b));
SET foreign_key_checks = 0;
DROP INDEX k ON p;
ALTER TABLE p ADD KEY k (b);
SET foreign_key_checks = 1;
INSERT INTO p VALUES (1, 1);
INSERT INTO c VALUES (1);
INSERT INTO c VALUES (2); -- error 1452

## RENAME INDEX on both sides
CREATE TABLE p (id INT PRIMARY KEY, b INT, KEY k (b));
CREATE TABLE c (a INT, KEY k (a), FOREIGN KEY (a) REFERENCES p (b));
ALTER TABLE p RENAME INDEX k TO l;
ALTER TABLE c RENAME INDEX k TO l;
INSERT INTO c VALUES (1); -- error 1452
INSERT INTO p VALUES (1, 1);
INSERT INTO c VALUES (1);

## DROP INDEX of the child, whose parent does not exist
SET foreign_key_checks = 0;
CREATE TABLE c (a INT, UNIQUE KEY k (a), FOREIGN KEY (a) REFERENCES p (id));
SET foreign_key_checks = 1;
ALTER TABLE c DROP KEY k, ALGORITHM=COPY; -- error 1025 errno 150
ALTER TABLE c DROP KEY k; -- error 1553
ALTER TABLE c DROP KEY k, ADD KEY l (a), ALGORITHM=COPY;
