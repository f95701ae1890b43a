-- Tables of the probes, keys and views; the keys are made over the rows.
CREATE TABLE t (id INT NOT NULL PRIMARY KEY, a INT NOT NULL, b INT NOT NULL, c INT NOT NULL, g TINYINT NOT NULL, n INT NULL, d DECIMAL(12,2) NOT NULL, f DOUBLE NOT NULL, s VARCHAR(20) NOT NULL, w VARCHAR(30) NOT NULL, dt DATE NOT NULL, ts DATETIME NOT NULL, txt VARCHAR(100) NOT NULL, j JSON NOT NULL, pad VARCHAR(120) NOT NULL);
CREATE TABLE u (id INT NOT NULL PRIMARY KEY, a INT NOT NULL, b INT NOT NULL, v INT NULL, KEY ua (a), KEY ub (b));
-- rows
ALTER TABLE t ADD KEY ab (a, b), ADD KEY gab (g, a, b), ADD KEY b (b), ADD KEY c (c), ADD KEY n (n), ADD KEY d (d), ADD KEY f (f), ADD KEY s (s), ADD KEY w (w), ADD KEY dt (dt), ADD KEY ts (ts);
CREATE VIEW vg AS SELECT a, COUNT(*) k FROM t GROUP BY a;
CREATE VIEW vm AS SELECT id, a, b, NOW() nw FROM t;
