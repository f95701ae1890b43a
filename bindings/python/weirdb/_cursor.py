"""Cursors: statements, parameters, rows."""

import re

from ._errors import InterfaceError, NotSupportedError, ProgrammingError
from ._library import DONE, ROW, lib
from ._types import bind, row_of

#: An INSERT of one row that consists of parameters, which becomes one of many rows.
_BULK = re.compile(
    r"\s*(?:INSERT|REPLACE)\b(?:[^'\"`?]|`[^`]*`)*?\bVALUES?\s*(\(\s*\?(?:\s*,\s*\?)*\s*\))\s*(ON\s+DUPLICATE\b(?:[^'\"?])*)?;?\s*\Z",
    re.IGNORECASE | re.DOTALL,
)
#: ER_UNSUPPORTED_PS.
_NOT_PREPARABLE = 1295
#: Rows and parameters of such a statement at the most.
_ROWS = 256
_PARAMETERS = 65_535


class Cursor:
    """A cursor of DB-API 2.0. `arraysize` is how many rows `fetchmany` gives without a number."""

    def __init__(self, connection, stream=False):
        self.connection = connection
        self.arraysize = 1
        self._stream = stream
        self._closed = False
        self._sql = None
        self._stmt = None
        self._forget()
        connection._cursors.add(self)

    def _forget(self):
        self.description = None
        self.rowcount = -1
        self.lastrowid = None
        self.rownumber = None
        self._rows = None
        self._more = False

    def _release(self):
        """The statement goes back to its connection."""
        stmt, self._stmt = self._stmt, None
        if stmt is not None:
            self.connection._give_back(self._sql, stmt)

    def _check(self):
        if self._closed:
            raise InterfaceError("the cursor is closed")
        self.connection._check()

    def execute(self, sql, parameters=()):
        """Executes a statement; each `?` is a parameter. Returns the cursor."""
        if not isinstance(sql, str):
            raise InterfaceError(f"a statement is a str, not {type(sql).__name__}")
        with self.connection._lock:
            self._check()
            self._release()
            self._forget()
            self._run(sql, parameters)
            return self

    def _run(self, sql, parameters):
        if isinstance(parameters, (str, bytes, dict)) or not hasattr(parameters, "__len__"):
            raise ProgrammingError("parameters are a sequence: (value,) for one of them", 1210)
        try:
            self._sql, self._stmt = sql, self.connection._prepare(sql)
        except NotSupportedError as e:
            # CREATE PROCEDURE, USE and some others cannot be prepared; they have no rows and no parameters.
            if e.errno != _NOT_PREPARABLE or len(parameters) > 0:
                raise
            self.connection._run(sql)
            self.rowcount = 0
            return
        try:
            self._bind(parameters)
            code = lib.weir_step(self._stmt)
            self._first(code)
            if not self._stream or self.description is None:
                self._fetch_all(code)
        except BaseException:
            self._release()
            raise

    def _bind(self, parameters):
        wanted = lib.weir_bind_parameter_count(self._stmt)
        if wanted != len(parameters):
            raise ProgrammingError(f"the statement has {wanted} parameters, and {len(parameters)} are given", 1210)
        for at, value in enumerate(parameters, 1):
            code = bind(self._stmt, at, value)
            if code:
                raise self.connection._error(code)

    def _first(self, code):
        """The beginning of a result: what its columns are."""
        if code not in (ROW, DONE):
            raise self.connection._error(code)
        columns = lib.weir_column_count(self._stmt)
        self._columns = columns
        stmt = self._stmt
        self.description = None
        if columns:
            self.description = tuple(
                (lib.weir_column_name(stmt, at).decode(), lib.weir_column_declared(stmt, at), None, None, None, None, None)
                for at in range(columns)
            )
            self.rownumber = 0
            self._rows = []
            if code == ROW:
                self._rows.append(row_of(stmt, columns))
            self._next = 0
            self._more = code == ROW

    def _step(self):
        """The next row of the statement; None: that was the last."""
        code = lib.weir_step(self._stmt)
        if code == ROW:
            return row_of(self._stmt, self._columns)
        self._more = False
        if code != DONE:
            raise self.connection._error(code)
        return None

    def _fetch_all(self, code):
        if self.description is not None:
            while self._more:
                row = self._step()
                if row is not None:
                    self._rows.append(row)
            self.rowcount = len(self._rows)
        else:
            self._counts()

    def _counts(self):
        handle = self.connection._handle
        self.rowcount = lib.weir_affected_rows(handle)
        self.lastrowid = lib.weir_last_insert_id(handle) or None

    def executemany(self, sql, seq_of_parameters):
        """Executes a statement for each row of parameters. An INSERT of one row of parameters writes many rows with one statement."""
        with self.connection._lock:
            self._check()
            self._release()
            self._forget()
            rows = list(seq_of_parameters)
            bulk = _BULK.match(sql)
            total, last = 0, None
            if bulk and len(rows) > 1:
                total, last = self._insert_many(sql, bulk, rows)
            else:
                for parameters in rows:
                    self.execute(sql, parameters)
                    if self.description is not None:
                        raise ProgrammingError("executemany is for statements without rows")
                    total += self.rowcount
                    last = self.lastrowid
            self._forget()
            self.rowcount, self.lastrowid = total, last
            return self

    def _insert_many(self, sql, bulk, rows):
        width = bulk.group(1).count("?")
        for row in rows:
            if not hasattr(row, "__len__") or isinstance(row, (str, bytes, dict)) or len(row) != width:
                raise ProgrammingError(f"each row has {width} parameters", 1210)
        step = max(1, min(_ROWS, _PARAMETERS // width))
        head, values, tail = sql[: bulk.start(1)], bulk.group(1), sql[bulk.end(1) :]
        total, last = 0, None
        for at in range(0, len(rows), step):
            part = rows[at : at + step]
            self._release()
            self._run(head + ",".join([values] * len(part)) + tail, [v for row in part for v in row])
            total += self.rowcount
            last = self.lastrowid
        return total, last

    def callproc(self, name, parameters=()):
        """CALL. OUT parameters are user variables, which a statement reads; the parameters are returned as they were given."""
        marks = ",".join("?" * len(parameters))
        self.execute("CALL `{}`({})".format("`.`".join(name.replace("`", "``").split(".")), marks), parameters)
        return parameters

    def _readable(self):
        self._check()
        if self.description is None:
            raise ProgrammingError("there is no result to fetch from")

    def fetchone(self):
        """The next row, or None."""
        with self.connection._lock:
            self._readable()
            if self._next < len(self._rows):
                row = self._rows[self._next]
                self._next += 1
            else:
                if not self._more:
                    return None
                row = self._step()
                if row is None:
                    return None
            self.rownumber += 1
            return row

    def fetchmany(self, size=None):
        """The next rows, as many as are asked for or there are."""
        rows = []
        for _ in range(self.arraysize if size is None else size):
            row = self.fetchone()
            if row is None:
                break
            rows.append(row)
        return rows

    def fetchall(self):
        """All rows that are left."""
        with self.connection._lock:
            self._readable()
            rows = self._rows[self._next :]
            self._next = len(self._rows)
            while self._more:
                row = self._step()
                if row is not None:
                    rows.append(row)
            self.rownumber += len(rows)
            return rows

    def arrow(self, batch=65_536):
        """The rows that are left, as columns for Arrow: `pyarrow.table(cursor.arrow())`, `polars.DataFrame(cursor.arrow())`. batch: rows that are handed
        over at once."""
        from ._arrow import Columns

        rows = self.fetchall()
        names, kinds = zip(*[column[:2] for column in self.description])
        return Columns(names, kinds, rows, batch)

    def pandas(self):
        """The rows that are left, as a DataFrame of pandas, which has to be installed."""
        import pandas

        names = [column[0] for column in self.description or ()]
        return pandas.DataFrame.from_records(self.fetchall(), columns=names)

    def nextset(self):
        """Goes on to the next result of a CALL; None: there is none."""
        with self.connection._lock:
            self._check()
            if self._stmt is None or self.description is None:
                return None
            code = lib.weir_next_result(self._stmt)
            if code == DONE:
                self._forget()
                self._counts()
                return None
            if code != ROW:
                raise self.connection._error(code)
            self._first(lib.weir_step(self._stmt))
            if not self._stream:
                self._fetch_all(ROW)
            return True

    def setinputsizes(self, sizes):
        """Of the standard; values bring their sizes along."""

    def setoutputsize(self, size, column=None):
        """Of the standard; values bring their sizes along."""

    def close(self):
        """Ends the cursor."""
        with self.connection._lock:
            if not self._closed:
                self._closed = True
                self._release()
                self._forget()

    def __iter__(self):
        return self

    def __next__(self):
        row = self.fetchone()
        if row is None:
            raise StopIteration
        return row

    def __enter__(self):
        return self

    def __exit__(self, kind, value, traceback):
        self.close()

    def __del__(self):
        if not getattr(self, "_closed", True) and self.connection._handle is not None:
            self.close()
