-- Statements that become loads (docs/bulk-load.md), by themselves or with rocksdb_bulk_load.

## a large INSERT .. SELECT
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, filler VARCHAR(1000), FOREIGN KEY (a) REFERENCES p (id) ON DELETE CASCADE);
INSERT INTO p SELECT seq FROM seq_1_to_50;
INSERT INTO c SELECT seq, 1 + seq MOD 51, REPEAT('x', 900) FROM seq_1_to_4000; -- error 1452
INSERT INTO p VALUES (51);
INSERT INTO c SELECT seq, 1 + seq MOD 51, REPEAT('x', 900) FROM seq_1_to_4000;
DELETE FROM p WHERE id > 3;

## only its last row has no parent
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, filler VARCHAR(1000), FOREIGN KEY (a) REFERENCES p (id));
INSERT INTO p VALUES (1);
INSERT INTO c SELECT seq, IF(seq = 4000, 2, 1), REPEAT('x', 900) FROM seq_1_to_4000; -- error 1452
INSERT INTO c SELECT seq, IF(seq = 4000, NULL, 1), REPEAT('x', 900) FROM seq_1_to_4000;
DELETE FROM c WHERE id < 3999;

## many parents, of several columns and collations
CREATE TABLE p (id INT PRIMARY KEY, name VARCHAR(20) COLLATE utf8mb4_general_ci, part INT, KEY (name, part));
CREATE TABLE q (id SMALLINT UNSIGNED PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a VARCHAR(10) COLLATE utf8mb4_general_ci, b INT, d SMALLINT UNSIGNED, filler VARCHAR(1000), CONSTRAINT one FOREIGN KEY (a, b) REFERENCES p (name, part) ON UPDATE CASCADE, CONSTRAINT two FOREIGN KEY (d) REFERENCES q (id));
INSERT INTO p SELECT seq, CONCAT('Name', seq MOD 100), seq MOD 7 FROM seq_1_to_700;
INSERT INTO q SELECT seq FROM seq_0_to_999;
INSERT INTO c SELECT seq, CONCAT('nAME', seq MOD 100), seq MOD 7, seq MOD 1000, REPEAT('x', 900) FROM seq_1_to_4000;
DELETE FROM c WHERE id > 10;
UPDATE p SET part = 9 WHERE name = 'name3' AND part = 3;
DELETE FROM c;
INSERT INTO c SELECT seq, CONCAT('nAME', seq MOD 100), seq MOD 7, seq MOD 1001, REPEAT('x', 900) FROM seq_4_to_4000; -- error 1452
INSERT INTO c SELECT seq, CONCAT('name', seq MOD 101), seq MOD 7, seq MOD 1000, REPEAT('x', 900) FROM seq_4_to_4000; -- error 1452

## rows that refer to rows of the same statement
CREATE TABLE t (id INT PRIMARY KEY, a INT, filler VARCHAR(1000), FOREIGN KEY (a) REFERENCES t (id));
INSERT INTO t SELECT seq, IF(seq = 1, NULL, seq - 1), REPEAT('x', 900) FROM seq_1_to_4000 ORDER BY seq;
UPDATE t SET a = NULL;
DELETE FROM t;
INSERT INTO t SELECT seq, seq + 1, REPEAT('x', 900) FROM seq_1_to_4000 ORDER BY seq; -- error 1452

## rocksdb_bulk_load
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id));
INSERT INTO p VALUES (1), (2), (3);
BEGIN NOT ATOMIC SET rocksdb_bulk_load=1; INSERT INTO c VALUES (1, 1); INSERT INTO c VALUES (2, 2), (3, 3), (4, NULL); INSERT INTO c SELECT seq, 1 + seq MOD 3 FROM seq_5_to_100 ORDER BY seq; SET rocksdb_bulk_load=0; END;
DELETE FROM p WHERE id = 1; -- error 1451
BEGIN NOT ATOMIC SET rocksdb_bulk_load=1; INSERT INTO c VALUES (101, 4); END; -- error 1452
SET rocksdb_bulk_load=0;
BEGIN NOT ATOMIC SET rocksdb_bulk_load=1; INSERT INTO c VALUES (101, 1), (102, 4); END; -- error 1452
SET rocksdb_bulk_load=0;
INSERT INTO c VALUES (103, 4); -- error 1452

## rocksdb_bulk_load, after a failure nothing of the load is there
CREATE TABLE p (id INT PRIMARY KEY);
CREATE TABLE c (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES p (id));
INSERT INTO p VALUES (1);
BEGIN NOT ATOMIC SET rocksdb_bulk_load=1; INSERT INTO c VALUES (1, 1); INSERT INTO c VALUES (2, 2); END; -- error 1452 | ROCKSDB definition: the load ends, and the rows of its earlier statements are not loaded
SET rocksdb_bulk_load=0;

## rocksdb_bulk_load, rows that refer to one another
CREATE TABLE t (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES t (id));
BEGIN NOT ATOMIC SET rocksdb_bulk_load=1; INSERT INTO t VALUES (1, NULL), (2, 1), (3, 2); SET rocksdb_bulk_load=0; END;
BEGIN NOT ATOMIC SET rocksdb_bulk_load=1; INSERT INTO t VALUES (4, 5); END; -- error 1452
SET rocksdb_bulk_load=0;
