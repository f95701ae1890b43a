"""python-mysql-replication as a reader of a Weir's binary log.

usage: mirror.py PORT DATABASE...

Reads the whole log once by file and position and once by GTIDs, keeps a copy of the tables from the row events alone, and compares the copy
with the tables. Then it reads the log again in halves: the second begins where the first one ended. At last it waits for a transaction that
comes later, over some heartbeats.
"""

import datetime
import json
import sys
import threading
import time
import zlib
from collections import Counter

import pymysql
from pymysql.constants import FIELD_TYPE
from pymysqlreplication import BinLogStreamReader
from pymysqlreplication.event import GtidEvent, HeartbeatLogEvent, QueryEvent, XidEvent
from pymysqlreplication.row_event import DeleteRowsEvent, RowsEvent, UpdateRowsEvent, WriteRowsEvent

port, databases = int(sys.argv[1]), sys.argv[2:]
settings = dict(host="127.0.0.1", port=port, user="root", password="")
ZERO, SECOND = datetime.timedelta(), datetime.timedelta(seconds=1)
failures = []
ABSENT = object()


def check(name, good, text=""):
    print(f"{'ok     ' if good else 'FAILED '} {name} {text}")
    if not good:
        failures.append(name)


def reader(server_id=901, **how):
    if not ({"log_file", "auto_position"} & set(how)):
        how.update(log_file=first, log_pos=4)
    how.setdefault("blocking", False)
    return BinLogStreamReader(connection_settings=dict(settings), server_id=server_id, resume_stream=True, **how)


def plain(value):
    """A value of either side in one form: the library and the driver have types of their own for some."""
    if isinstance(value, (str, bytes)) and len(value) > 1000:
        return f"{len(value)} {zlib.crc32(value.encode() if isinstance(value, str) else value)}"
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    if isinstance(value, (set, frozenset)):
        return ",".join(sorted(value))
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, datetime.datetime):
        return value.replace(tzinfo=None)
    if isinstance(value, (dict, list)):
        return json.dumps(text_of(value), sort_keys=True)
    return value


def text_of(value):
    """The names and texts of a document, which the library leaves as bytes."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return {text_of(k): text_of(v) for k, v in value.items()}
    if isinstance(value, list):
        return [text_of(v) for v in value]
    return value


def as_library(value, kind, name):
    """A value of the table as the library gives it, where the library has a form of its own."""
    if name == "vu" and value:
        # It reads UTF-16 with the low byte first.
        return value.encode("utf-16-be").decode("utf-16-le")
    if name == "se" and value == "":
        return None
    if kind == FIELD_TYPE.BIT and value is not None:
        return int.from_bytes(value, "big")
    if kind == FIELD_TYPE.YEAR and value == 0:
        return 1900
    if kind == FIELD_TYPE.STRING and isinstance(value, bytes):
        value = value.rstrip(b"\0")
    if value == b"":
        return ""
    if kind == FIELD_TYPE.TIME and value is not None and value < ZERO and value.microseconds:
        # It takes the fraction of a negative time for a positive one, and the whole seconds for one more.
        seconds, fraction = divmod(-value, SECOND)
        return -(seconds + 1) * SECOND + fraction
    return value


def of_log(value, kind):
    if value == b"":
        return ""
    return int(value, 2) if kind == FIELD_TYPE.BIT and value is not None else value


class Mirror:
    def __init__(self):
        self.tables = {}
        # Rows of prepared branches, which count when their XA COMMIT comes.
        self.branches, self.in_branch = {}, None
        self.kinds = Counter()

    def rows(self, event):
        return self.tables.setdefault((event.schema, event.table), [])

    @staticmethod
    def row(row, which):
        """The values of an image; those of columns that it leaves out are ABSENT."""
        absent = row.get(which.replace("values", "none_sources"), {})
        return tuple(ABSENT if "bitmap" in str(absent.get(k)).lower() else plain(v) for k, v in row[which].items())

    @staticmethod
    def find(held, image):
        """Where a row stands that agrees with the columns of the image."""
        fits = (n for n, h in enumerate(held) if all(i is ABSENT or i == x for i, x in zip(image, h)))
        at = next(fits, None)
        if at is None:
            raise ValueError(f"no row is like {image}\n  of {held[:5]}"[:4000])
        return at

    def take(self, event):
        self.kinds[type(event).__name__] += 1
        if isinstance(event, QueryEvent):
            self.definition(event)
        if not isinstance(event, RowsEvent) or event.schema not in databases:
            return
        if self.in_branch:
            self.branches[self.in_branch].append(event)
            return
        self.change(event)

    def change(self, event):
        held = self.rows(event)
        for row in event.rows:
            if isinstance(event, WriteRowsEvent):
                held.append(self.row(row, "values"))
            elif isinstance(event, DeleteRowsEvent):
                del held[self.find(held, self.row(row, "values"))]
            elif isinstance(event, UpdateRowsEvent):
                at = self.find(held, self.row(row, "before_values"))
                after = self.row(row, "after_values")
                held[at] = tuple(old if new is ABSENT else new for old, new in zip(held[at], after))

    def definition(self, event):
        """What the statements of source.sql do to tables that have rows."""
        words = event.query.lower().replace("`", "").split()
        schema = event.schema.decode() if isinstance(event.schema, bytes) else event.schema
        branch = words[2].rstrip(",") if words[0] == "xa" else None
        if words[:2] == ["xa", "start"]:
            self.in_branch, self.branches[branch] = branch, []
        elif words[:2] == ["xa", "end"]:
            self.in_branch = None
        elif words[:2] == ["xa", "commit"]:
            for held in self.branches.pop(branch):
                self.change(held)
        elif words[:2] == ["xa", "rollback"]:
            del self.branches[branch]
        elif words[:2] == ["drop", "database"]:
            for key in [k for k in self.tables if k[0] == words[2]]:
                del self.tables[key]
        elif words[0] == "truncate":
            self.tables.pop((schema, words[-1]), None)
        elif words[:2] == ["insert", "into"]:
            # The one change of types.sql that the log has as its text, at a time that is in 2001.
            self.tables[(schema, words[2])].append((11, "2001"))
        elif words[:2] == ["rename", "table"]:
            self.tables[(schema, words[4])] = self.tables.pop((schema, words[2]), [])


def same(name, mirror):
    connection = pymysql.connect(**settings, charset="utf8mb4")
    cursor = connection.cursor()
    cursor.execute("set time_zone = '+00:00'")
    count, before = 0, len(failures)
    for (schema, table), held in sorted(mirror.tables.items()):
        if schema not in databases:
            continue
        cursor.execute(f"select * from `{schema}`.`{table}`")
        names, types = [d[0] for d in cursor.description], [d[1] for d in cursor.description]
        there = []
        for row in cursor.fetchall():
            out = []
            for value, kind, column in zip(row, types, names):
                if kind == FIELD_TYPE.JSON and value is not None:
                    value = json.loads(value)
                out.append(plain(as_library(value, kind, column)))
            there.append(tuple(out))
        held = [tuple(of_log(v, k) for v, k in zip(row, types)) for row in held]
        count += len(there)
        a, b = Counter(map(repr, there)), Counter(map(repr, held))
        if a != b:
            check(f"{name}: {schema}.{table}", False, f"\n  in the table {list((a - b))[:2]}\n  in the log   {list((b - a))[:2]}"[:1500])
    check(name, before == len(failures), f"{len(mirror.tables)} tables, {count} rows, {sum(mirror.kinds.values())} events")


connection = pymysql.connect(**settings)
cursor = connection.cursor()
cursor.execute("show binary logs")
first = cursor.fetchall()[0][0]
cursor.execute("select @@global.gtid_executed, @@server_uuid")
executed, uuid = cursor.fetchone()

mirror = Mirror()
stream = reader()
gtids = []
for event in stream:
    mirror.take(event)
    if isinstance(event, GtidEvent):
        gtids.append(event.gtid)
stream.close()
print(dict(mirror.kinds))
same("by file and position", mirror)

by_gtids = Mirror()
stream = reader(auto_position=f"{uuid}:1")
for event in stream:
    by_gtids.take(event)
stream.close()
rows = {k: n for k, n in mirror.kinds.items() if k.endswith("RowsEvent")}
found = {k: n for k, n in by_gtids.kinds.items() if k.endswith("RowsEvent")}
check("by GTIDs", found == rows, f"{found} of {rows}")
check("each identifier once", len(gtids) == len(set(gtids)) and all(g.startswith(uuid) for g in gtids), f"{len(gtids)} of {executed}")

# In halves: up to a commit in the middle, and from there.
halves, middle = Mirror(), None
stream = reader()
commits = 0
for event in stream:
    halves.take(event)
    commits += isinstance(event, XidEvent)
    if commits == mirror.kinds["XidEvent"] // 2:
        middle = dict(log_file=stream.log_file, log_pos=stream.log_pos)
        break
stream.close()
stream = reader(**middle)
for event in stream:
    halves.take(event)
stream.close()
same("in halves", halves)

# Half of the transactions are known already.
half = len(gtids) // 2
stream = reader(auto_position=f"{uuid}:1-{half}")
seen = [e.gtid for e in stream if isinstance(e, GtidEvent)]
stream.close()
check("from a GTID in the middle", seen == gtids[half:], f"{len(seen)} of {len(gtids)}")

# A reader that waits: heartbeats come while nothing happens, and then the transaction.
cursor.execute("show binary log status")
file, position = cursor.fetchone()[:2]
stream = reader(blocking=True, log_file=file, log_pos=position, slave_heartbeat=0.4)


def later():
    time.sleep(2)
    own = pymysql.connect(**settings, autocommit=True)
    own.cursor().execute("create database py_later")
    own.cursor().execute("create table py_later.t (a int primary key)")
    own.cursor().execute("insert into py_later.t values (42)")


threading.Thread(target=later).start()
beats, row = 0, None
begun = time.time()
for event in stream:
    beats += isinstance(event, HeartbeatLogEvent)
    if isinstance(event, WriteRowsEvent):
        row = list(event.rows[0]["values"].values())
        break
    if time.time() - begun > 20:
        break
stream.close()
check("a reader that waits", row == [42] and beats >= 2, f"{beats} heartbeats, {row}, {time.time() - begun:.1f} s")
cursor.execute("drop database py_later")
sys.exit(1 if failures else 0)
