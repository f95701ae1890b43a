"""The two servers: their connections, what they answer, and how two answers differ."""

import concurrent.futures
import re
import time
from typing import NamedTuple, Optional

import pymysql
from pymysql.constants import CLIENT

SYSTEM_SCHEMAS = ("mysql", "sys", "information_schema", "performance_schema")
# Numbers of the client's own errors for a connection that is gone.
GONE = (0, 2006, 2013, 2014)


class ServerGone(Exception):
    pass


class Column(NamedTuple):
    name: str
    type: int
    length: int
    decimals: int
    flags: int
    charset: int


class Result(NamedTuple):
    columns: tuple
    rows: tuple
    affected: Optional[int]
    insert_id: Optional[int]
    warnings: int


class Answer(NamedTuple):
    """`kind` is "ok", "err" (`error` is number and text) or "lost" (no answer in time)."""

    kind: str
    results: tuple = ()
    warnings: tuple = ()
    error: tuple = ()


def text(value: Optional[bytes]) -> str:
    if value is None:
        return "NULL"
    return value.decode("utf8", "replace") if isinstance(value, bytes) else str(value)


def quoted(name: str) -> str:
    return "`%s`" % name.replace("`", "``")


class Side:
    def __init__(self, port: int, timeout: float):
        self.port = port
        self.timeout = timeout
        self.connections: dict = {}
        self.current = "default"
        self.globals: dict = {}
        self.threads = concurrent.futures.ThreadPoolExecutor(32)

    def connect(self, name="default", user="root", password="", schema: Optional[str] = "test"):
        self.connections[name] = pymysql.connect(
            host="127.0.0.1",
            port=self.port,
            user=user,
            password=password,
            database=schema,
            charset="utf8mb4",
            use_unicode=False,
            conv={},
            autocommit=None,
            read_timeout=self.timeout,
            write_timeout=self.timeout,
            client_flag=CLIENT.MULTI_STATEMENTS | CLIENT.MULTI_RESULTS,
            local_infile=True,
        )
        self.current = name

    def disconnect(self, name: str) -> None:
        connection = self.connections.pop(name, None)
        if connection:
            try:
                connection.close()
            except pymysql.err.Error:
                pass
        if self.current not in self.connections:
            self.current = "default"

    def disconnect_all(self) -> None:
        for name in list(self.connections):
            self.disconnect(name)

    def start(self, sql: bytes) -> concurrent.futures.Future:
        """Runs the statement on the current connection beside whatever is run on others."""
        return self.threads.submit(self.run, sql, self.current)

    def run(self, sql: bytes, name: Optional[str] = None) -> Answer:
        name = name or self.current
        connection = self.connections[name]
        try:
            connection.query(sql)
            results = [result_of(connection)]
            while connection._result.has_next:
                connection.next_result()
                results.append(result_of(connection))
            warnings = ()
            if results[-1].warnings and not re.match(rb"(?i)\s*(show\s+(warn|err|count)|get\s+diag)", sql):
                warnings = tuple(row[:3] for row in self.rows("show warnings", name))
            return Answer("ok", tuple(results), warnings)
        except pymysql.err.MySQLError as error:
            if len(error.args) == 2 and error.args[0] not in GONE:
                return Answer("err", error=error.args)
            return self.lost(name, repr(error))
        except Exception as error:
            # The client library meets what is not the protocol with errors of many kinds.
            return self.lost(name, repr(error))

    def lost(self, name: str, why: str) -> Answer:
        """Another connection takes the place of the one that is lost."""
        current = self.current
        self.disconnect(name)
        for schema in ("test", "test", None, None, None):
            try:
                self.connect(name, schema=schema)
                self.current = current
                return Answer("lost", error=(0, why))
            except pymysql.err.OperationalError:
                time.sleep(1)
        raise ServerGone(f"the server at port {self.port} does not come back after: {why}")

    def rows(self, sql: str, name: Optional[str] = None) -> tuple:
        """Rows of a statement of the comparison's own; none where it fails."""
        connection = self.connections[name or self.current]
        try:
            connection.query(sql)
            return connection._result.rows or ()
        except pymysql.err.MySQLError:
            return ()

    def clear(self) -> None:
        """Brings the server back to what the first file met: schemas, accounts, variables."""
        self.disconnect_all()
        self.connect(schema=None)
        own = self.connections["default"].thread_id()
        for row in self.rows("show processlist"):
            if int(row[0]) != own and row[1] == b"root":
                self.rows(f"kill {int(row[0])}")
        for form, name_length, _, data in self.rows("xa recover"):
            # Prepared transactions outlive their connections, with all their locks.
            parts = data[: int(name_length)], data[int(name_length) :]
            name, branch = ("x'%s'" % part.hex() for part in parts)
            self.rows(f"xa rollback {name}, {branch}, {int(form)}")
        self.rows("set foreign_key_checks = 0")
        self.rows("unlock tables")
        self.rows("unlock instance")
        self.restore_variables()
        self.drop_schemas()
        others = "select user, host from mysql.user where user not like 'mysql.%' and user != 'root'"
        for user, host in self.rows(others):
            self.rows(f"drop user '{text(user)}'@'{text(host)}'")
        self.rows("create database test")
        self.rows("create database mtr")
        self.disconnect_all()
        self.connect()

    def drop_schemas(self) -> None:
        """Connections that were killed may hold their tables for a moment longer."""
        for _ in range(10):
            names = [text(name) for (name,) in self.rows("show databases")]
            left = [name for name in names if name not in SYSTEM_SCHEMAS]
            if names and not any(self.tables(name) for name in left):
                # MySQL does not drop a schema (1010) into whose folder a statement has written a file.
                for name in left:
                    self.rows(f"drop database {quoted(name)}")
                return
            for name in left:
                self.rows(f"drop database {quoted(name)}")
                for table, kind in self.tables(name):
                    word = "view" if kind == b"VIEW" else "table"
                    self.rows(f"drop {word} {quoted(name)}.{quoted(text(table))}")
            if not self.connections["default"].open:
                time.sleep(1)
                self.connect(schema=None)
                self.rows("set foreign_key_checks = 0")
        raise ServerGone(f"the schemas of the server at port {self.port} cannot be dropped: {left}")

    def tables(self, schema: str) -> tuple:
        return self.rows(f"show full tables from {quoted(schema)}")

    def restore_variables(self) -> None:
        now = dict(self.rows("show global variables"))
        self.globals = self.globals or now
        for name, value in now.items():
            before = self.globals.get(name)
            if before is not None and before != value:
                old = text(before)
                if not re.fullmatch(r"-?\d+(\.\d+)?", old):
                    old = "'%s'" % old.replace("\\", "\\\\").replace("'", "''")
                self.rows(f"set global {text(name)} = {old}")


def result_of(connection) -> Result:
    result = connection._result
    if not result.description:
        return Result((), (), result.affected_rows, result.insert_id, result.warning_count)
    columns = tuple(
        Column(text(f.name), f.type_code, f.length, f.scale, f.flags, f.charsetnr) for f in result.fields
    )
    return Result(columns, tuple(result.rows or ()), None, None, result.warning_count)


# Statements whose answers differ by nature: they tell of plans and of the server itself.
OWN = re.compile(
    r"(?i)\s*(explain|desc\s+select|describe\s+select|analyze|help|optimize"
    r"|show\s+(global\s+|session\s+)?(status|variables|engine|plugins|processlist|binary|binlog))"
)


def difference(sql: str, ours: Answer, theirs: Answer) -> Optional[str]:
    """What weighs most of what differs, as one word; None where nothing does."""
    kinds = (ours.kind, theirs.kind)
    if "lost" in kinds:
        return None if kinds == ("lost", "lost") else "LOST"
    if kinds != ("ok", "ok"):
        if kinds[0] != kinds[1]:
            return "ERR" if ours.kind == "err" else "NOERR"
        if ours.error[0] != theirs.error[0]:
            return "ERRNO"
        return None if ours.error[1] == theirs.error[1] else "ERRTEXT"
    if OWN.match(sql):
        return None
    if len(ours.results) != len(theirs.results):
        return "RESULTS"
    pairs = list(zip(ours.results, theirs.results))
    for one, other in pairs:
        if word := difference_of_results(sql, one, other):
            return word
    if ours.warnings != theirs.warnings:
        codes = [[w[:2] for w in answer.warnings] for answer in (ours, theirs)]
        return "WARN" if codes[0] != codes[1] else "WARNTEXT"
    if any([c[1:] for c in one.columns] != [c[1:] for c in other.columns] for one, other in pairs):
        return "META"
    return None


def difference_of_results(sql: str, one: Result, other: Result) -> Optional[str]:
    if [c.name for c in one.columns] != [c.name for c in other.columns]:
        return "NAMES"
    if one.rows != other.rows:
        if sorted(map(repr, one.rows)) != sorted(map(repr, other.rows)):
            return "ROWS"
        if re.search(r"(?i)order\s+by", sql):
            return "ORDER"
    if one.affected != other.affected:
        return "AFFECTED"
    return "INSERTID" if one.insert_id != other.insert_id else None


def brief(answer: Answer) -> str:
    if answer.kind != "ok":
        return f"{answer.kind} {answer.error[0]} {answer.error[1]}"[:300]
    parts = []
    for result in answer.results:
        if not result.columns:
            parts.append(f"affected {result.affected}, insert id {result.insert_id}")
            continue
        rows = " / ".join("|".join(text(v) for v in row) for row in result.rows[:12])
        more = f" ... {len(result.rows)} rows" if len(result.rows) > 12 else ""
        parts.append("|".join(c.name for c in result.columns) + " :: " + rows + more)
    shown = " ;; ".join(parts)
    if answer.warnings:
        shown += " warnings " + str([tuple(map(text, w)) for w in answer.warnings[:5]])
    return shown[:900]
