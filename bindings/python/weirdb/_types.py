"""Values both ways, and the constructors and type objects of DB-API 2.0."""

import ctypes
import datetime
import decimal
import json
import time
import uuid

from . import _library as l
from ._errors import DataError, InterfaceError
from ._library import TimeParts, byref, lib

Date = datetime.date
Time = datetime.time
Timestamp = datetime.datetime
Binary = bytes


def DateFromTicks(ticks):  # noqa: N802 - the name is the standard's
    return Date(*time.localtime(ticks)[:3])


def TimeFromTicks(ticks):  # noqa: N802
    return Time(*time.localtime(ticks)[3:6])


def TimestampFromTicks(ticks):  # noqa: N802
    return Timestamp(*time.localtime(ticks)[:6])


class TypeObject:
    """Equal to the codes of `Cursor.description` that it stands for."""

    def __init__(self, *codes):
        self.codes = frozenset(codes)

    def __eq__(self, other):
        return other in self.codes if isinstance(other, int) else self is other

    def __hash__(self):
        return hash(self.codes)


STRING = TypeObject(l.TEXT, l.JSON)
BINARY = TypeObject(l.BLOB)
NUMBER = TypeObject(l.INT, l.UINT, l.DOUBLE, l.DECIMAL)
DATETIME = TypeObject(l.DATE, l.TIME, l.DATETIME)
ROWID = TypeObject()


def _integer(stmt, at, v):
    if -(1 << 63) <= v < 1 << 63:
        return lib.weir_bind_int64(stmt, at, v)
    if 0 <= v < 1 << 64:
        return lib.weir_bind_uint64(stmt, at, v)
    return _digits(stmt, at, str(v))


def _digits(stmt, at, digits):
    raw = digits.encode()
    if len(digits.lstrip("-").replace(".", "")) > 65:
        raise DataError(f"a DECIMAL has 65 digits at the most, not {digits[:20]}...")
    return lib.weir_bind_decimal(stmt, at, raw, len(raw))


def _decimal(stmt, at, v):
    if not v.is_finite():
        raise DataError(f"{v} is no DECIMAL")
    return _digits(stmt, at, format(v, "f"))


def _float(stmt, at, v):
    if v != v or v in (float("inf"), float("-inf")):
        raise DataError(f"{v} is no DOUBLE")
    return lib.weir_bind_double(stmt, at, v)


def _text(stmt, at, v):
    raw = v.encode()
    return lib.weir_bind_text(stmt, at, raw, len(raw))


def _bytes(stmt, at, v):
    raw = bytes(v)
    return lib.weir_bind_blob(stmt, at, raw, len(raw))


def _json(stmt, at, v):
    raw = json.dumps(v, ensure_ascii=False).encode()
    return lib.weir_bind_json(stmt, at, raw, len(raw))


def _datetime(stmt, at, v):
    if v.tzinfo is not None:
        raise InterfaceError("a DATETIME has no time zone: give one without, or .astimezone(...).replace(tzinfo=None)")
    parts = TimeParts(v.year, v.month, v.day, 0, v.minute, v.second, v.hour, v.microsecond)
    return lib.weir_bind_datetime(stmt, at, byref(parts))


def _date(stmt, at, v):
    return lib.weir_bind_date(stmt, at, byref(TimeParts(year=v.year, month=v.month, day=v.day)))


def _time(stmt, at, v):
    if v.tzinfo is not None:
        raise InterfaceError("a TIME has no time zone")
    parts = TimeParts(hour=v.hour, minute=v.minute, second=v.second, microsecond=v.microsecond)
    return lib.weir_bind_time(stmt, at, byref(parts))


def _timedelta(stmt, at, v):
    micros = v // datetime.timedelta(microseconds=1)
    seconds, micro = divmod(abs(micros), 1_000_000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    if hour > 838:
        raise DataError(f"a TIME is 838:59:59 at the most, not {v}")
    parts = TimeParts(negative=micros < 0, hour=hour, minute=minute, second=second, microsecond=micro)
    return lib.weir_bind_time(stmt, at, byref(parts))


_BINDERS = {
    type(None): lambda stmt, at, v: lib.weir_bind_null(stmt, at),
    bool: _integer,
    int: _integer,
    float: _float,
    str: _text,
    bytes: _bytes,
    bytearray: _bytes,
    memoryview: _bytes,
    decimal.Decimal: _decimal,
    datetime.datetime: _datetime,
    datetime.date: _date,
    datetime.time: _time,
    datetime.timedelta: _timedelta,
    uuid.UUID: lambda stmt, at, v: _text(stmt, at, str(v)),
    dict: _json,
    list: _json,
}


def bind(stmt, at, value):
    """Binds a parameter, numbered from 1. A class that is derived from one of those that are known is taken for it."""
    binder = _BINDERS.get(type(value))
    if binder is None:
        known = (b for kind, b in _BINDERS.items() if kind is not type(None) and isinstance(value, kind))
        binder = next(known, None)
        if binder is None:
            raise InterfaceError(f"parameter {at} is a {type(value).__name__}, which no column has")
    return binder(stmt, at, value)


def _blob_of(stmt, column):
    n = lib.weir_column_bytes(stmt, column)
    return ctypes.string_at(lib.weir_column_blob(stmt, column), n) if n else b""


def _text_of(stmt, column):
    return _blob_of(stmt, column).decode()


def _parts_of(stmt, column):
    parts = TimeParts()
    lib.weir_column_time(stmt, column, byref(parts))
    return parts


def _date_of(stmt, column):
    p = _parts_of(stmt, column)
    # A date that Python has no object for (0000-00-00, an incomplete one) stays the text that MySQL shows.
    return datetime.date(p.year, p.month, p.day) if p.year and p.month and p.day else _text_of(stmt, column)


def _datetime_of(stmt, column):
    p = _parts_of(stmt, column)
    if not (p.year and p.month and p.day):
        return _text_of(stmt, column)
    return datetime.datetime(p.year, p.month, p.day, p.hour, p.minute, p.second, p.microsecond)


def _time_of(stmt, column):
    p = _parts_of(stmt, column)
    span = datetime.timedelta(hours=p.hour, minutes=p.minute, seconds=p.second, microseconds=p.microsecond)
    return -span if p.negative else span


_READERS = [
    lambda stmt, column: None,
    lib.weir_column_int64,
    lib.weir_column_uint64,
    lib.weir_column_double,
    lambda stmt, column: decimal.Decimal(_text_of(stmt, column)),
    _text_of,
    _blob_of,
    lambda stmt, column: json.loads(_text_of(stmt, column)),
    _date_of,
    _time_of,
    _datetime_of,
]


def row_of(stmt, columns):
    """The current row as a tuple."""
    kind = lib.weir_column_type
    return tuple([_READERS[kind(stmt, at)](stmt, at) for at in range(columns)])
