#!/usr/bin/env python3
"""The files of crates/sql/tests/slt (sqllogictest), run through libweir's C interface by ctypes: prepared, stepped through, columns read as texts.
WEIRDB_LIBRARY names the library (default target/debug/libweir.so)."""
import ctypes
import glob
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "bindings", "python"))
os.environ.setdefault("WEIRDB_LIBRARY", os.path.join(ROOT, "target", "debug", "libweir.so"))
from weirdb._library import DONE, NULL, ROW, lib  # noqa: E402  (the types of the functions, and nothing of the package's cursors)


class Refused(Exception):
    pass


class Session:
    def __init__(self, directory):
        self.db, self.conn = ctypes.c_void_p(), ctypes.c_void_p()
        if lib.weir_open(directory, None, 0, ctypes.byref(self.db)):
            raise SystemExit(lib.weir_database_errmsg(self.db).decode())
        self.sure(lib.weir_connect(self.db, ctypes.byref(self.conn)))
        self.sure(lib.weir_exec(self.conn, b"CREATE DATABASE slt; USE slt", -1))

    def sure(self, code):
        if code:
            raise Refused(f"error {lib.weir_errno(self.conn)}: {lib.weir_errmsg(self.conn).decode()}")

    def ask(self, sql):
        """The rows of a statement as texts, and whether it has columns at all."""
        statement, rows = ctypes.c_void_p(), []
        text = sql.encode()
        self.sure(lib.weir_prepare(self.conn, text, len(text), ctypes.byref(statement)))
        try:
            while (code := lib.weir_step(statement)) == ROW:
                rows.append([self.cell(statement, i) for i in range(lib.weir_column_count(statement))])
            if code != DONE:
                self.sure(code)
            return rows
        finally:
            lib.weir_finalize(statement)

    @staticmethod
    def cell(statement, at):
        if lib.weir_column_type(statement, at) == NULL:
            return "NULL"
        return lib.weir_column_text(statement, at).decode() or "(empty)"

    def close(self):
        self.sure(lib.weir_disconnect(self.conn))
        if lib.weir_close(self.db):
            raise SystemExit("the database does not close")


def records(path):
    """Line of the first line, its words, the statement, the lines that are expected."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    at = 0
    while at < len(lines):
        if not lines[at] or lines[at].startswith("#"):
            at += 1
            continue
        begun, head, sql, wanted = at + 1, lines[at].split(), [], []
        at += 1
        while at < len(lines) and lines[at] and lines[at] != "----":
            sql.append(lines[at])
            at += 1
        if at < len(lines) and lines[at] == "----":
            at += 1
            while at < len(lines) and lines[at]:
                wanted.append(lines[at])
                at += 1
        yield begun, head, "\n".join(sql), wanted


def run(path, session):
    done = 0
    for line, head, sql, wanted in records(path):
        place = f"{os.path.basename(path)}:{line}: {sql}"
        try:
            rows = session.ask(sql)
            failed = None
        except Refused as e:
            rows, failed = [], str(e)
        if head[:2] == ["statement", "error"]:
            if failed is None:
                raise SystemExit(f"{place}\nno error")
        elif failed is not None:
            raise SystemExit(f"{place}\n{failed}")
        elif head[0] == "query":
            got = [" ".join(row) for row in rows]
            if "rowsort" in head:
                # As the runner in Rust has it: rows are compared as lists of values.
                got = [" ".join(row) for row in sorted(rows)]
                wanted = sorted(wanted, key=str.split)
            if [" ".join(g.split()) for g in got] != [" ".join(w.split()) for w in wanted]:
                raise SystemExit(f"{place}\nwanted {wanted}\ngot    {got}")
        elif head[0] != "statement":
            raise SystemExit(f"{place}\nnobody knows '{head[0]}' here")
        done += 1
    return done


def main():
    files = sys.argv[1:] or sorted(glob.glob(os.path.join(ROOT, "crates", "sql", "tests", "slt", "*.slt")))
    for path in files:
        session = Session(b":memory:")
        print(f"{os.path.basename(path)}: {run(path, session)} records")
        session.close()


if __name__ == "__main__":
    main()
