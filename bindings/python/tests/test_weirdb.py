"""weirdb from outside: DB-API 2.0, types both ways, errors, threads, forks, crashes. `tests/weirdb.sh` runs it."""

import datetime as dt
import decimal
import gc
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import uuid

import weirdb


def memory(**options):
    return weirdb.connect(schema="app", innodb_buffer_pool_size="16M", **options)


class Standard(unittest.TestCase):
    """What PEP 249 asks for."""

    def test_module(self):
        self.assertEqual((weirdb.apilevel, weirdb.paramstyle), ("2.0", "qmark"))
        self.assertIn(weirdb.threadsafety, (1, 2, 3))
        for name in "InterfaceError DatabaseError DataError OperationalError IntegrityError InternalError ProgrammingError NotSupportedError".split():
            self.assertTrue(issubclass(getattr(weirdb, name), weirdb.Error))
            self.assertIs(getattr(weirdb.Connection, name), getattr(weirdb, name))
        self.assertTrue(issubclass(weirdb.IntegrityError, weirdb.DatabaseError))
        self.assertTrue(issubclass(weirdb.Error, Exception) and issubclass(weirdb.Warning, Exception))
        self.assertEqual(weirdb.Date(2024, 2, 29), dt.date(2024, 2, 29))
        self.assertEqual(weirdb.TimestampFromTicks(0).year, time.localtime(0).tm_year)
        self.assertEqual(weirdb.Binary(b"x"), b"x")

    def test_fetch(self):
        with memory() as conn:
            cur = conn.cursor()
            self.assertEqual((cur.rowcount, cur.description, cur.arraysize), (-1, None, 1))
            self.assertRaises(weirdb.Error, cur.fetchone)
            cur.execute("CREATE TABLE t (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20))")
            self.assertRaises(weirdb.Error, cur.fetchall)
            cur.execute("INSERT INTO t (name) VALUES (?), (?)", ("a", "b"))
            self.assertEqual((cur.rowcount, cur.lastrowid), (2, 1))
            cur.executemany("INSERT INTO t (name) VALUES (?)", [(str(n),) for n in range(700)])
            self.assertEqual(cur.rowcount, 700)
            self.assertIs(cur.execute("SELECT id, name FROM t ORDER BY id"), cur)
            self.assertEqual([c[0] for c in cur.description], ["id", "name"])
            self.assertTrue(cur.description[0][1] == weirdb.NUMBER and cur.description[1][1] == weirdb.STRING)
            self.assertFalse(cur.description[0][1] == weirdb.STRING)
            self.assertEqual(cur.rowcount, 702)
            self.assertEqual(cur.fetchone(), (1, "a"))
            self.assertEqual(cur.fetchmany(), [(2, "b")])
            self.assertEqual(len(cur.fetchmany(100)), 100)
            self.assertEqual(cur.rownumber, 102)
            self.assertEqual(len(cur.fetchall()), 600)
            self.assertEqual((cur.fetchone(), cur.fetchmany(3), cur.fetchall()), (None, [], []))
            self.assertEqual([row for row in cur.execute("SELECT 1 UNION ALL SELECT 2")], [(1,), (2,)])
            self.assertIsNone(cur.nextset())
            cur.setinputsizes([1])
            cur.setoutputsize(9)

    def test_bulk_inserts(self):
        with memory() as conn:
            cur = conn.cursor()
            cur.execute("CREATE TABLE `odd values (?)` (a INT PRIMARY KEY, b VARCHAR(30) DEFAULT 'x?')")
            cur.executemany("insert into `odd values (?)` (a, b)  values ( ? ,?) ;", ((n, f"v'{n}?") for n in range(1000)))
            self.assertEqual(cur.rowcount, 1000)
            cur.executemany("INSERT INTO `odd values (?)` (a, b) VALUES (?, ?) ON DUPLICATE KEY UPDATE b = VALUES(b)", [(1, "one"), (1, "uno"), (5000, "new")])
            self.assertEqual(conn.execute("SELECT b FROM `odd values (?)` WHERE a = 1").fetchone(), ("uno",))
            # Not of the plain form: one by one.
            cur.executemany("INSERT INTO `odd values (?)` (a, b) VALUES (? + 10000, 'what?')", [(1,), (2,)])
            self.assertEqual(cur.rowcount, 2)
            cur.executemany("UPDATE `odd values (?)` SET b = ? WHERE a = ?", [("z", 1), ("z", 2)])
            self.assertEqual(cur.rowcount, 2)
            with self.assertRaises(weirdb.IntegrityError):
                cur.executemany("INSERT INTO `odd values (?)` (a) VALUES (?)", [(20000,), (1,)])
            self.assertRaises(weirdb.ProgrammingError, cur.executemany, "INSERT INTO t VALUES (?, ?)", [(1, 2), (1,)])
            cur.executemany("INSERT INTO nowhere VALUES (?)", [])

    def test_results_of_procedures(self):
        with memory() as conn:
            cur = conn.cursor()
            cur.execute("CREATE PROCEDURE p(n INT) BEGIN SELECT n; SELECT 'a' AS x UNION ALL SELECT 'b'; END")
            self.assertEqual(cur.callproc("p", (7,)), (7,))
            self.assertEqual(cur.fetchall(), [(7,)])
            self.assertTrue(cur.nextset())
            self.assertEqual((cur.description[0][0], cur.fetchall()), ("x", [("a",), ("b",)]))
            self.assertIsNone(cur.nextset())

    def test_transactions(self):
        with tempfile.TemporaryDirectory() as d:
            with weirdb.connect(d, schema="app") as one:
                one.execute("CREATE TABLE t (i INT)")
                two = weirdb.connect(d, schema="app")
                one.execute("INSERT INTO t VALUES (1)")
                self.assertTrue(one.in_transaction and not one.autocommit)
                self.assertEqual(two.execute("SELECT COUNT(*) FROM t").fetchone(), (0,))
                one.commit()
                two.rollback()
                self.assertEqual(two.execute("SELECT COUNT(*) FROM t").fetchone(), (1,))
                one.execute("DELETE FROM t")
                one.rollback()
                two.close()
                with self.assertRaises(ZeroDivisionError), weirdb.connect(d, schema="app") as three:
                    three.execute("DELETE FROM t")
                    1 / 0
                free = weirdb.connect(d, schema="app", autocommit=True)
                free.execute("INSERT INTO t VALUES (2)")
                self.assertFalse(free.in_transaction)
                free.close()
            # The last statement was committed by its block.
            with weirdb.connect(d, schema="app") as conn:
                self.assertEqual(conn.execute("SELECT * FROM t ORDER BY i").fetchall(), [(1,), (2,)])


class Values(unittest.TestCase):
    def test_both_ways(self):
        columns = "i BIGINT, u BIGINT UNSIGNED, d DOUBLE, de DECIMAL(65,20), t TEXT, b LONGBLOB, j JSON, da DATE, ti TIME(6), dt DATETIME(6), y YEAR"
        row = (
            -(2**63), 2**64 - 1, -1.5e300, decimal.Decimal("-123456789012345678901234567890.00000000000000000001"), "Grüße 世界 🦀 \0 '\"\\ ?",
            bytes(range(256)), {"a": [1, 2.5, None, "ä"]}, dt.date(9999, 12, 31), -dt.timedelta(hours=838, minutes=59, seconds=59),
            dt.datetime(2024, 2, 29, 23, 59, 59, 999999), 2155,
        )
        with memory() as conn:
            conn.execute(f"CREATE TABLE v ({columns})")
            marks = ",".join("?" * len(row))
            conn.execute(f"INSERT INTO v VALUES ({marks})", row)
            conn.execute(f"INSERT INTO v VALUES ({marks})", (None,) * len(row))
            got = conn.execute("SELECT * FROM v").fetchall()
            self.assertEqual(got, [row, (None,) * len(row)])
            one = conn.execute("SELECT ?, CAST(? AS BINARY), CAST(? AS BINARY), ?, ?", (True, bytearray(b"x"), memoryview(b"y"), uuid.UUID(int=5), dt.time(1, 2, 3))).fetchone()
            self.assertEqual(one, (1, b"x", b"y", str(uuid.UUID(int=5)), dt.timedelta(hours=1, minutes=2, seconds=3)))
            self.assertEqual(conn.execute("SELECT SUM(n), 1.50 FROM (SELECT 1 n UNION SELECT 2) x").fetchone(), (decimal.Decimal(3), decimal.Decimal("1.50")))
            conn.execute("SET sql_mode = ''")
            self.assertEqual(conn.execute("SELECT CAST('2024-00-00' AS DATE)").fetchone(), ("2024-00-00",))

    def test_what_has_no_place_is_refused(self):
        with memory() as conn:
            for value, kind in [
                (object(), weirdb.InterfaceError), (float("nan"), weirdb.DataError), (decimal.Decimal("Infinity"), weirdb.DataError),
                (10**70, weirdb.DataError), (dt.datetime.now(dt.timezone.utc), weirdb.InterfaceError), (dt.timedelta(days=99), weirdb.DataError),
                ({1, 2}, weirdb.InterfaceError),
            ]:
                with self.assertRaises(kind):
                    conn.execute("SELECT ?", (value,))
            for wrong in ["x", None, 5, {"a": 1}, (), (1, 2)]:
                with self.assertRaises((weirdb.ProgrammingError, TypeError)):
                    conn.execute("SELECT ?", wrong)
            self.assertRaises(weirdb.InterfaceError, conn.execute, b"SELECT 1")
            self.assertRaises(weirdb.InterfaceError, conn.execute, None)
            self.assertEqual(conn.execute("SELECT ?", (1,)).fetchone(), (1,))


class Errors(unittest.TestCase):
    def test_classes(self):
        with memory() as conn:
            conn.execute("CREATE TABLE t (id INT PRIMARY KEY, n INT NOT NULL, CHECK (n < 10))")
            conn.execute("INSERT INTO t VALUES (1, 1)")
            for sql, kind, number, state in [
                ("SELEC", weirdb.ProgrammingError, 1064, "42000"),
                ("SELECT * FROM nowhere", weirdb.ProgrammingError, 1146, "42S02"),
                ("INSERT INTO t VALUES (1, 1)", weirdb.IntegrityError, 1062, "23000"),
                ("INSERT INTO t VALUES (2, NULL)", weirdb.IntegrityError, 1048, "23000"),
                ("INSERT INTO t VALUES (2, 10)", weirdb.IntegrityError, 3819, "HY000"),
                ("INSERT INTO t VALUES (2, 'x')", weirdb.DataError, 1366, "HY000"),
                ("INSERT INTO t VALUES (99999999999, 1)", weirdb.DataError, 1264, "22003"),
                ("SET GLOBAL port = 1", weirdb.DatabaseError, 1238, "HY000"),
            ]:
                with self.assertRaises(kind) as caught:
                    conn.execute(sql)
                self.assertEqual((caught.exception.errno, caught.exception.sqlstate), (number, state), sql)
            with self.assertRaises(weirdb.DatabaseError):
                weirdb.connect(port=1)
            with self.assertRaises(weirdb.OperationalError):
                weirdb.connect("/proc/no/such")

    def test_after_a_close(self):
        conn = memory()
        cur = conn.cursor()
        streaming = conn.cursor(stream=True).execute("SELECT 1 UNION ALL SELECT 2")
        cur.execute("SELECT 1")
        cur.close()
        cur.close()
        self.assertRaises(weirdb.Error, cur.fetchone)
        self.assertRaises(weirdb.Error, cur.execute, "SELECT 1")
        conn.close()
        conn.close()
        for call in (conn.cursor, conn.commit, conn.rollback, lambda: conn.execute("SELECT 1"), streaming.fetchone, conn.__enter__):
            self.assertRaises(weirdb.Error, call)
        conn.interrupt()

    def test_interrupt_and_locks(self):
        with tempfile.TemporaryDirectory() as d:
            one, two = weirdb.connect(d, schema="app"), weirdb.connect(d, schema="app")
            one.execute("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
            one.execute("INSERT INTO t VALUES (1, 0)")
            one.commit()
            one.execute("UPDATE t SET n = 1")
            timer = threading.Timer(0.3, two.interrupt)
            timer.start()
            begun = time.monotonic()
            with self.assertRaises(weirdb.OperationalError) as caught:
                two.execute("UPDATE t SET n = 2")
            self.assertEqual(caught.exception.errno, 1317)
            self.assertLess(time.monotonic() - begun, 20)
            two.execute("SET innodb_lock_wait_timeout = 1")
            with self.assertRaises(weirdb.OperationalError) as caught:
                two.execute("UPDATE t SET n = 2")
            self.assertTrue(caught.exception.errno == 1205 and caught.exception.retryable)
            one.close()
            two.close()


class Streams(unittest.TestCase):
    def test_rows_are_made_as_they_are_fetched(self):
        with memory() as conn:
            conn.execute("CREATE TABLE s (i INT PRIMARY KEY)")
            conn.cursor().executemany("INSERT INTO s VALUES (?)", [(i,) for i in range(1000)])
            cur = conn.cursor(stream=True)
            begun = time.monotonic()
            cur.execute("SELECT a.i FROM s a, s b, s c")
            self.assertEqual(cur.rowcount, -1)
            self.assertEqual(len(cur.fetchmany(500)), 500)
            self.assertEqual(conn.execute("SELECT COUNT(*) FROM s").fetchone(), (1000,))
            with self.assertRaises(weirdb.ProgrammingError) as caught:
                cur.fetchall()
            self.assertEqual(caught.exception.errno, 2014)
            self.assertEqual(sum(1 for _ in cur.execute("SELECT i FROM s")), 1000)
            self.assertLess(time.monotonic() - begun, 30)
            a, b = conn.cursor(), conn.cursor()
            a.execute("SELECT i FROM s ORDER BY i")
            b.execute("SELECT i FROM s ORDER BY i DESC")
            self.assertEqual((a.fetchone(), b.fetchone(), a.fetchone()), ((0,), (999,), (1,)))


class Processes(unittest.TestCase):
    def test_threads(self):
        with tempfile.TemporaryDirectory() as d:
            with weirdb.connect(d, schema="app") as conn:
                conn.execute("CREATE TABLE t (id INT PRIMARY KEY, n INT)")
                conn.execute("INSERT INTO t VALUES (1, 0)")
                conn.commit()
                failed = []

                def work(own):
                    try:
                        c = weirdb.connect(d, schema="app") if own else conn
                        for _ in range(50):
                            c.execute("UPDATE t SET n = n + ?", (1,))
                            c.commit()
                        if own:
                            c.close()
                    except Exception as e:  # noqa: BLE001 - told by the test
                        failed.append(e)

                threads = [threading.Thread(target=work, args=(n % 2 == 0,)) for n in range(6)]
                for t in threads:
                    t.start()
                for t in threads:
                    t.join()
                self.assertEqual(failed, [])
                self.assertEqual(conn.execute("SELECT n FROM t").fetchone(), (300,))

    def test_another_process_and_a_fork(self):
        with tempfile.TemporaryDirectory() as d:
            conn = weirdb.connect(d, schema="app")
            conn.execute("CREATE TABLE t (i INT)")
            code = "import sys, weirdb\ntry:\n    weirdb.connect(sys.argv[1])\nexcept weirdb.OperationalError as e:\n    print(e.errno, e)"
            told = subprocess.run([sys.executable, "-c", code, d], capture_output=True, text=True, check=True).stdout
            self.assertIn("2002", told)
            self.assertIn(f"(pid {os.getpid()}, ", told)
            child = os.fork()
            if child == 0:
                bad = 1
                try:
                    conn.execute("INSERT INTO t VALUES (1)")
                except weirdb.Error as e:
                    bad = 0 if "forked" in str(e) else 2
                try:
                    weirdb.connect(d)
                    bad = 3
                except weirdb.OperationalError:
                    pass
                os._exit(bad)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            conn.execute("INSERT INTO t VALUES (2)")
            conn.commit()
            self.assertEqual(conn.execute("SELECT * FROM t").fetchall(), [(2,)])
            conn.close()

    def test_kill(self):
        """What was said to be committed is there."""
        code = (
            "import sys, weirdb\nc = weirdb.connect(sys.argv[1], schema='app')\nc.execute('CREATE TABLE IF NOT EXISTS n (i INT PRIMARY KEY)')\n"
            "i = c.execute('SELECT COALESCE(MAX(i), 0) FROM n').fetchone()[0]\nwhile True:\n    i += 1\n    c.execute('INSERT INTO n VALUES (?)', (i,))\n"
            "    c.commit()\n    print(i, flush=True)"
        )
        with tempfile.TemporaryDirectory() as d:
            known = 0
            for round_ in range(5):
                p = subprocess.Popen([sys.executable, "-c", code, d], stdout=subprocess.PIPE, text=True)
                for _ in range(3 + 7 * round_ % 11):
                    known = int(p.stdout.readline())
                p.send_signal(signal.SIGKILL)
                p.wait()
                p.stdout.close()
                with weirdb.connect(d, schema="app") as c:
                    count, last = c.execute("SELECT COUNT(*), MAX(i) FROM n").fetchone()
                    self.assertTrue(last >= known and count == last, (count, last, known))


try:
    import pyarrow
except ImportError:
    pyarrow = None


@unittest.skipIf(pyarrow is None, "pyarrow is not installed")
class Arrow(unittest.TestCase):
    """Columns by Arrow's C stream interface, as pyarrow reads them."""

    def table(self, cursor, **how):
        table = pyarrow.table(cursor.arrow(**how))
        table.validate(full=True)
        return table

    def test_types_and_nulls(self):
        columns = "i INT, u BIGINT UNSIGNED, d DOUBLE, n DECIMAL(20,4), s VARCHAR(40), b VARBINARY(20), j JSON, da DATE, ti TIME(6), dt DATETIME(6)"
        row = (
            -1, 2**64 - 1, 1.5, decimal.Decimal("-12.3400"), "\u00e9", b"\0x", {"a": 1}, dt.date(1969, 2, 28),
            dt.timedelta(hours=-5, microseconds=7), dt.datetime(1969, 12, 31, 23, 59, 59, 5),
        )
        with memory() as conn:
            conn.execute(f"CREATE TABLE t ({columns})")
            conn.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [row, (None,) * 10])
            table = self.table(conn.execute("SELECT * FROM t"))
            found, nulls = table.to_pylist()
            self.assertEqual(tuple(found.values()), row[:6] + ('{"a": 1}',) + row[7:])
            self.assertEqual(set(nulls.values()), {None})
            self.assertEqual(str(table.schema.field("n").type), "decimal128(38, 4)")
            nothing = self.table(conn.execute("SELECT i, s FROM t WHERE i > 5"))
            self.assertEqual((nothing.num_rows, str(nothing.schema.field("i").type)), (0, "int64"))
            wide = self.table(conn.execute("SELECT CAST('99999999999999999999999999999999999.99999' AS DECIMAL(60,5)) AS x"))
            self.assertEqual(wide.to_pylist(), [{"x": "99999999999999999999999999999999999.99999"}])

    def test_batches_and_what_is_kept(self):
        from weirdb import _arrow

        before = len(_arrow._held)
        with memory() as conn:
            conn.execute("CREATE TABLE t (i INT PRIMARY KEY)")
            conn.executemany("INSERT INTO t VALUES (?)", [(n,) for n in range(5000)])
            table = self.table(conn.execute("SELECT i FROM t ORDER BY i"), batch=1000)
            self.assertEqual((table.num_rows, table.column(0).num_chunks), (5000, 5))
            self.assertEqual(table.column(0).to_pylist(), list(range(5000)))
            rest = conn.execute("SELECT i FROM t ORDER BY i")
            rest.fetchmany(4990)
            self.assertEqual(self.table(rest).num_rows, 10)
            conn.execute("SET sql_mode = ''")
            with self.assertRaisesRegex(weirdb.DataError, "0000-00-00"):
                conn.execute("SELECT CAST('0000-00-00' AS DATE)").arrow()
        del table, rest
        gc.collect()
        self.assertEqual(len(_arrow._held), before)


if __name__ == "__main__":
    unittest.main()
