"""Weir inside a program: MySQL's SQL, types and transactions over a directory of files, without a server.

    import weirdb

    with weirdb.connect("./data", schema="app") as conn:
        cur = conn.cursor()
        cur.execute("CREATE TABLE IF NOT EXISTS t (id BIGINT PRIMARY KEY, name TEXT)")
        cur.executemany("INSERT INTO t VALUES (?, ?)", [(1, "one"), (2, "two")])
        cur.execute("SELECT name FROM t WHERE id = ?", (2,))
        print(cur.fetchone())

The interface is DB-API 2.0 (PEP 249). A directory is opened by one process at a time; within a process every `connect` to it is a connection
of its own. Statements run on the calling thread, without the interpreter's lock.
"""

from ._connection import Connection, connect
from ._cursor import Cursor
from ._errors import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Warning,
)
from ._library import version
from ._types import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Binary,
    Date,
    DateFromTicks,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
)

apilevel = "2.0"
#: Threads may share connections: their calls wait for each other.
threadsafety = 2
paramstyle = "qmark"

__version__ = "0.1.0"

__all__ = [
    "BINARY", "Binary", "Connection", "Cursor", "DATETIME", "DataError", "DatabaseError", "Date", "DateFromTicks", "Error", "IntegrityError",
    "InterfaceError", "InternalError", "NUMBER", "NotSupportedError", "OperationalError", "ProgrammingError", "ROWID", "STRING", "Time",
    "TimeFromTicks", "Timestamp", "TimestampFromTicks", "Warning", "apilevel", "connect", "paramstyle", "threadsafety", "version",
]
