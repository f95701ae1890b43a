"""The suite of the package `dbapi-compliance` over weirdb. Run by hand, in an environment that has the package: it is not a part of this one.

Two of its tests are the driver's to write: results of a CALL one after the other, and sizes of columns, which weirdb takes without need. One is written
otherwise here: a connection may be closed twice, as with the standard library's sqlite3 and with most drivers, and PEP 249 does not forbid it."""
import shutil
import tempfile
import unittest

import dbapi20

import weirdb


class Compliance(dbapi20.DatabaseAPI20Test):
    driver = weirdb
    lower_func = None  # It stands for a stored procedure that a database has from the start: MySQL has none.

    def setUp(self):
        self.directory = tempfile.mkdtemp()
        self.connect_args = (self.directory,)
        self.connect_kw_args = {"schema": "compliance", "innodb_buffer_pool_size": "16M"}
        conn = weirdb.connect(self.directory)
        conn.cursor().execute("CREATE DATABASE compliance")
        conn.close()

    def tearDown(self):
        shutil.rmtree(self.directory, ignore_errors=True)

    def test_non_idempotent_close(self):
        conn = self._connect()
        conn.close()
        conn.close()
        self.assertRaises(weirdb.Error, conn.cursor)

    def help_nextset_setUp(self, cur):
        cur.execute(f"CREATE TABLE {self.table_prefix}booze (name VARCHAR(20))")
        for sql in self._populate():
            cur.execute(sql)
        cur.execute(
            f"CREATE PROCEDURE deleteme() BEGIN SELECT COUNT(*) FROM {self.table_prefix}booze; SELECT name FROM {self.table_prefix}booze; END"
        )

    def help_nextset_tearDown(self, cur):
        cur.execute("DROP PROCEDURE deleteme")

    def test_nextset(self):
        conn = self._connect()
        try:
            cur = conn.cursor()
            self.help_nextset_setUp(cur)
            cur.callproc("deleteme")
            self.assertEqual(cur.fetchone()[0], len(self.samples))
            self.assertTrue(cur.nextset())
            self.assertEqual(len(cur.fetchall()), len(self.samples))
            self.assertIsNone(cur.nextset())
            self.help_nextset_tearDown(cur)
        finally:
            conn.close()

    def test_setoutputsize(self):
        conn = self._connect()
        try:
            cur = conn.cursor()
            cur.setoutputsize(1000)
            cur.setoutputsize(2000, 0)
        finally:
            conn.close()


if __name__ == "__main__":
    unittest.main()
