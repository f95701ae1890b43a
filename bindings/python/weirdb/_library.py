"""libweir.so and the types of its functions. ctypes lets the interpreter's lock go while they run."""

import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_int64, c_size_t, c_ssize_t, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

ROW = 100
DONE = 101

NULL, INT, UINT, DOUBLE, DECIMAL, TEXT, BLOB, JSON, DATE, TIME, DATETIME = range(11)


class Option(ctypes.Structure):
    """weir_option."""

    _fields_ = [("name", c_char_p), ("value", c_char_p)]


class TimeParts(ctypes.Structure):
    """weir_time."""

    _fields_ = [
        ("year", c_uint16), ("month", c_uint8), ("day", c_uint8), ("negative", c_uint8), ("minute", c_uint8), ("second", c_uint8),
        ("hour", c_uint32), ("microsecond", c_uint32),
    ]


def _load():
    """The library that WEIRDB_LIBRARY names, the one in this package, or the system's."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "libweir.so")
    named = os.environ.get("WEIRDB_LIBRARY")
    return ctypes.CDLL(named or (beside if os.path.exists(beside) else "libweir.so"))


lib = _load()

_handle = c_void_p
_texts = [_handle, c_int, c_char_p, c_ssize_t]
_times = [_handle, c_int, POINTER(TimeParts)]

for _name, _result, _arguments in [
    ("open", c_int, [c_char_p, POINTER(Option), c_size_t, POINTER(_handle)]),
    ("close", c_int, [_handle]),
    ("database_errno", c_int, [_handle]),
    ("database_errmsg", c_char_p, [_handle]),
    ("version", c_char_p, []),
    ("connect", c_int, [_handle, POINTER(_handle)]),
    ("disconnect", c_int, [_handle]),
    ("exec", c_int, [_handle, c_char_p, c_ssize_t]),
    ("interrupt", None, [_handle]),
    ("errno", c_int, [_handle]),
    ("sqlstate", c_char_p, [_handle]),
    ("errmsg", c_char_p, [_handle]),
    ("errcode", c_int, [_handle]),
    ("in_transaction", c_int, [_handle]),
    ("connection_id", c_uint64, [_handle]),
    ("affected_rows", c_uint64, [_handle]),
    ("last_insert_id", c_uint64, [_handle]),
    ("warning_count", c_int, [_handle]),
    ("prepare", c_int, [_handle, c_char_p, c_ssize_t, POINTER(_handle)]),
    ("bind_parameter_count", c_int, [_handle]),
    ("bind_null", c_int, [_handle, c_int]),
    ("bind_int64", c_int, [_handle, c_int, c_int64]),
    ("bind_uint64", c_int, [_handle, c_int, c_uint64]),
    ("bind_double", c_int, [_handle, c_int, c_double]),
    ("bind_text", c_int, _texts),
    ("bind_json", c_int, _texts),
    ("bind_decimal", c_int, _texts),
    ("bind_blob", c_int, [_handle, c_int, c_char_p, c_size_t]),
    ("bind_date", c_int, _times),
    ("bind_time", c_int, _times),
    ("bind_datetime", c_int, _times),
    ("clear_bindings", c_int, [_handle]),
    ("step", c_int, [_handle]),
    ("next_result", c_int, [_handle]),
    ("reset", c_int, [_handle]),
    ("finalize", c_int, [_handle]),
    ("column_count", c_int, [_handle]),
    ("column_name", c_char_p, [_handle, c_int]),
    ("column_declared", c_int, [_handle, c_int]),
    ("column_type", c_int, [_handle, c_int]),
    ("column_int64", c_int64, [_handle, c_int]),
    ("column_uint64", c_uint64, [_handle, c_int]),
    ("column_double", c_double, [_handle, c_int]),
    ("column_text", c_char_p, [_handle, c_int]),
    ("column_blob", c_void_p, [_handle, c_int]),
    ("column_bytes", c_size_t, [_handle, c_int]),
    ("column_time", c_int, [_handle, c_int, POINTER(TimeParts)]),
]:
    _function = getattr(lib, "weir_" + _name)
    _function.restype = _result
    _function.argtypes = _arguments


def new_handle():
    """A place for a handle."""
    return _handle()


def version():
    """The library's version."""
    return lib.weir_version().decode()


__all__ = ["Option", "TimeParts", "byref", "lib", "new_handle", "version"]
