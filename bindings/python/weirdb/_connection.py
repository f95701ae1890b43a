"""Connections: the databases of this process, transactions, prepared statements that are kept."""

import os
import threading
import weakref
from collections import OrderedDict

from . import _errors
from ._errors import InterfaceError, OperationalError, error_of
from ._library import Option, byref, lib, new_handle

#: Statements that a connection keeps prepared.
STATEMENTS = 64

_lock = threading.Lock()
#: Databases that are open here: the handle and how many connections it has, by the directory's real path.
_open = {}


class _Database:
    """A directory that is open, shared by the connections to it."""

    def __init__(self, path, options):
        given = [(str(name).encode(), str(value).encode()) for name, value in options.items()]
        pairs = (Option * len(given))(*[Option(name, value) for name, value in given])
        self.handle = new_handle()
        self.users = 0
        self.pid = os.getpid()
        self.options = dict(options)
        code = lib.weir_open(os.fsencode(path), pairs, len(given), byref(self.handle))
        if code:
            text = lib.weir_database_errmsg(self.handle).decode()
            errno = lib.weir_database_errno(self.handle)
            lib.weir_close(self.handle)
            raise error_of(code, errno, "08001", text)


def _acquire(path, options):
    if path == ":memory:":
        db = _Database(path, options)
        db.users = 1
        return db, None
    key = os.path.realpath(path)
    with _lock:
        db = _open.get(key)
        if db is not None and db.pid != os.getpid():
            raise OperationalError(f"the database was opened by process {db.pid}, from which this one was forked")
        if db is not None and options and options != db.options:
            raise InterfaceError("the database is open here with other options")
        if db is None:
            db = _open[key] = _Database(path, options)
        db.users += 1
        return db, key


def _release(db, key):
    with _lock:
        db.users -= 1
        if db.users == 0:
            if key is not None:
                _open.pop(key, None)
            if db.pid == os.getpid():
                lib.weir_close(db.handle)


def connect(database=":memory:", schema=None, autocommit=False, **options):
    """A connection to the database in a directory, or to a new one in memory.

    schema: the default schema, made where there is none. autocommit: each statement is a transaction of its own. Everything else is an option of
    the database by its name, for example innodb_buffer_pool_size="64M"; it counts where the directory is not open here.
    """
    return Connection(database, schema, autocommit, options)


class Connection:
    """A session. As the standard has it a transaction is open from the first statement to `commit` or `rollback`, unless `autocommit`."""

    Warning = _errors.Warning
    Error = _errors.Error
    InterfaceError = _errors.InterfaceError
    DatabaseError = _errors.DatabaseError
    DataError = _errors.DataError
    OperationalError = _errors.OperationalError
    IntegrityError = _errors.IntegrityError
    InternalError = _errors.InternalError
    ProgrammingError = _errors.ProgrammingError
    NotSupportedError = _errors.NotSupportedError

    def __init__(self, database, schema, autocommit, options):
        self._handle = None
        self._lock = threading.RLock()
        self._cursors = weakref.WeakSet()
        self._statements = OrderedDict()
        self._db, self._key = _acquire(database, options)
        handle = new_handle()
        code = lib.weir_connect(self._db.handle, byref(handle))
        if code:
            _release(self._db, self._key)
            raise error_of(code, 2002, "08001", "cannot connect to the database")
        self._handle = handle
        try:
            if schema is not None:
                name = schema.replace("`", "``")
                self._run(f"CREATE DATABASE IF NOT EXISTS `{name}`; USE `{name}`")
            self.autocommit = autocommit
        except BaseException:
            self.close()
            raise

    def _check(self):
        if self._handle is None:
            raise InterfaceError("the connection is closed")
        return self._handle

    def _error(self, code):
        h = self._handle
        return error_of(code, lib.weir_errno(h), lib.weir_sqlstate(h).decode(), lib.weir_errmsg(h).decode())

    def _run(self, sql):
        """A statement without rows and parameters."""
        with self._lock:
            raw = sql.encode()
            code = lib.weir_exec(self._check(), raw, len(raw))
            if code:
                raise self._error(code)

    def _prepare(self, sql):
        """A statement that nobody else uses: one that is kept, or a new one."""
        handle = self._check()
        if sql.lstrip()[:4].upper().rstrip() == "USE":
            # Names in a prepared statement are those of the schema in which it was prepared.
            self._forget_statements()
        kept = self._statements.pop(sql, None)
        if kept is not None:
            return kept
        stmt = new_handle()
        raw = sql.encode()
        code = lib.weir_prepare(handle, raw, len(raw), byref(stmt))
        if code:
            raise self._error(code)
        return stmt

    def _give_back(self, sql, stmt):
        lib.weir_reset(stmt)
        if self._handle is None or sql in self._statements:
            lib.weir_finalize(stmt)
            return
        lib.weir_clear_bindings(stmt)
        self._statements[sql] = stmt
        while len(self._statements) > STATEMENTS:
            lib.weir_finalize(self._statements.popitem(last=False)[1])

    def _forget_statements(self):
        while self._statements:
            lib.weir_finalize(self._statements.popitem()[1])

    @property
    def autocommit(self):
        """Whether each statement is a transaction of its own."""
        self._check()
        return self._autocommit

    @autocommit.setter
    def autocommit(self, on):
        self._run(f"SET autocommit = {1 if on else 0}")
        self._autocommit = bool(on)

    @property
    def in_transaction(self):
        """Whether a transaction is open."""
        with self._lock:
            return bool(lib.weir_in_transaction(self._check()))

    @property
    def id(self):
        """CONNECTION_ID()."""
        return lib.weir_connection_id(self._check())

    def cursor(self, stream=False):
        """A cursor. Its rows are fetched when it executes, so that cursors of a connection do not disturb each other. With `stream` rows are made as
        they are fetched: a result of any length takes little memory, and the next statement of the connection ends it."""
        from ._cursor import Cursor

        self._check()
        return Cursor(self, stream)

    def execute(self, sql, parameters=()):
        """A new cursor that has executed a statement."""
        return self.cursor().execute(sql, parameters)

    def executemany(self, sql, parameters):
        """A new cursor that has executed a statement for each of many rows of parameters."""
        return self.cursor().executemany(sql, parameters)

    def commit(self):
        """Makes what was done durable."""
        self._run("COMMIT")

    def rollback(self):
        """Undoes what was done since the last commit."""
        self._run("ROLLBACK")

    def interrupt(self):
        """Ends the statement that runs, from any thread: it raises OperationalError 1317."""
        handle = self._handle
        if handle is not None:
            lib.weir_interrupt(handle)

    def close(self):
        """Rolls back what is open and ends the connection. The database is closed with the last one to it."""
        with self._lock:
            if self._handle is None:
                return
            for cursor in list(self._cursors):
                cursor.close()
            self._forget_statements()
            lib.weir_disconnect(self._handle)
            self._handle = None
            _release(self._db, self._key)

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, kind, value, traceback):
        """Commits, or rolls back after an exception; then the connection is closed."""
        try:
            if self._handle is not None:
                self.rollback() if kind else self.commit()
        finally:
            self.close()

    def __del__(self):
        if getattr(self, "_handle", None) is not None and lib is not None:
            self.close()
