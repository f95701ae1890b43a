"""Results as columns by Arrow's C stream interface, for pyarrow, pandas, polars and DuckDB, none of which is needed here.

https://arrow.apache.org/docs/format/CDataInterface.html and .../CStreamInterface.html. Integers, floats, texts and bytes keep their types; DECIMAL is
decimal128 with the scale that the values need, or text where 38 digits are too few; JSON is its text; TIME is a duration.

What a consumer holds is kept here until it releases it: `_held` has the memory of each structure by its number, which is the structure's private data.
"""

import array
import ctypes
import datetime
import itertools
import json

from . import _library as l
from ._errors import DataError

_EPOCH = datetime.date(1970, 1, 1)
_MICRO = datetime.timedelta(microseconds=1)
_NULLABLE = 2
#: Digits of a decimal128.
_DIGITS = 38


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_released = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))), ("dictionary", ctypes.c_void_p), ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64), ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(_Array))), ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p),
]
_get = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
_told = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
_Stream._fields_ = [
    ("get_schema", _get), ("get_next", _get), ("get_last_error", _told), ("release", ctypes.c_void_p), ("private_data", ctypes.c_void_p),
]

_held = {}
_numbers = itertools.count(1)


def _hold(structure, *memory):
    number = next(_numbers)
    _held[number] = memory
    structure.private_data = number


def _release_of(kind):
    def release(address):
        structure = kind.from_address(address)
        # Children are released by their parent, as the interface wants it; those that a consumer has moved out are not its any more.
        if kind is not _Stream:
            for i in range(structure.n_children):
                child = structure.children[i].contents
                if child.release:
                    _RELEASES[kind](ctypes.addressof(child))
        _held.pop(structure.private_data, None)
        structure.release = None

    return _released(release)


_RELEASES = {kind: _release_of(kind) for kind in (_Schema, _Array, _Stream)}


def _address(callback):
    return ctypes.cast(callback, ctypes.c_void_p).value


def _bits(values):
    """One bit for each value that is there, the lowest one first; None where all are."""
    missing = values.count(None)
    if missing == 0:
        return None, 0
    out = bytearray((len(values) + 7) // 8)
    for i, value in enumerate(values):
        if value is not None:
            out[i >> 3] |= 1 << (i & 7)
    return bytes(out), missing


def _fixed(code, convert=None):
    def buffers(values):
        zero = 0.0 if code == "d" else 0
        return [array.array(code, [zero if v is None else convert(v) if convert else v for v in values]).tobytes()]

    return buffers


def _long(convert):
    def buffers(values):
        parts = [b"" if v is None else convert(v) for v in values]
        ends = array.array("q", itertools.accumulate(map(len, parts), initial=0))
        return [ends.tobytes(), b"".join(parts)]

    return buffers


def _day(v):
    if not isinstance(v, datetime.date):
        raise DataError(f"the date '{v}' has no place in Arrow's columns")
    return v.toordinal() - _EPOCH.toordinal()


def _moment(v):
    if not isinstance(v, datetime.datetime):
        raise DataError(f"the moment '{v}' has no place in Arrow's columns")
    return (v - datetime.datetime(1970, 1, 1)) // _MICRO


def _decimals(values):
    """The format of a column of DECIMAL, and its buffers."""
    there = [v for v in values if v is not None]
    scale = max((-v.as_tuple().exponent for v in there), default=0)
    scale = max(scale, 0)
    whole = max((v.adjusted() + 1 for v in there), default=1)
    if max(whole, 1) + scale > _DIGITS:
        return b"U", _long(lambda v: format(v, "f").encode())
    def digits(v):
        sign, ds, exponent = v.as_tuple()
        number = int("".join(map(str, ds))) * 10 ** (exponent + scale)
        return -number if sign else number

    def buffers(values):
        return [b"".join((0 if v is None else digits(v)).to_bytes(16, "little", signed=True) for v in values)]

    return b"d:%d,%d" % (_DIGITS, scale), buffers


def _column(kind, values):
    if kind == l.DECIMAL:
        return _decimals(values)
    return {
        l.INT: (b"l", _fixed("q")),
        l.UINT: (b"L", _fixed("Q")),
        l.DOUBLE: (b"g", _fixed("d")),
        l.TEXT: (b"U", _long(str.encode)),
        l.JSON: (b"U", _long(lambda v: json.dumps(v, ensure_ascii=False).encode())),
        l.BLOB: (b"Z", _long(bytes)),
        l.DATE: (b"tdD", _fixed("i", _day)),
        l.TIME: (b"tDu", _fixed("q", lambda v: v // _MICRO)),
        l.DATETIME: (b"tsu:", _fixed("q", _moment)),
        # A column of NULLs alone.
        l.NULL: (b"U", _long(lambda v: b"")),
    }[kind]


def _fill(to, kind, name, form, children):
    """A schema at an address."""
    to.format, to.name, to.metadata, to.flags = form, name, None, _NULLABLE
    to.n_children, to.dictionary = len(children), None
    pointers = (ctypes.POINTER(kind) * max(len(children), 1))(*[ctypes.pointer(c) for c in children])
    to.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(kind)))
    to.release = _address(_RELEASES[kind])
    _hold(to, pointers, children, form, name)


def _put(to, length, missing, buffers, children):
    """An array at an address."""
    to.length, to.null_count, to.offset, to.n_buffers, to.n_children = length, missing, 0, len(buffers), len(children)
    # A buffer of no bytes has a place, too.
    memory = [None if b is None else ctypes.create_string_buffer(b, max(len(b), 1)) for b in buffers]
    places = (ctypes.c_void_p * len(buffers))(*[None if m is None else ctypes.addressof(m) for m in memory])
    pointers = (ctypes.POINTER(_Array) * max(len(children), 1))(*[ctypes.pointer(c) for c in children])
    to.buffers = ctypes.cast(places, ctypes.POINTER(ctypes.c_void_p))
    to.children = ctypes.cast(pointers, ctypes.POINTER(ctypes.POINTER(_Array)))
    to.dictionary = None
    to.release = _address(_RELEASES[_Array])
    _hold(to, memory, places, pointers, children)


_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype = ctypes.py_object
_capsule_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_STREAM = b"arrow_array_stream"


class Columns:
    """The rows of a result as columns. `__arrow_c_stream__` gives them to a reader of Arrow's PyCapsule interface: `pyarrow.table(columns)`."""

    def __init__(self, names, kinds, rows, batch):
        self._rows = len(rows)
        columns = list(zip(*rows)) if rows else [()] * len(names)
        made = [_column(kind, values) for kind, values in zip(kinds, columns)]
        self._fields = [(name.encode(), form) for name, (form, _) in zip(names, made)]
        self._batches = []
        # All at once: what no column of Arrow's can hold raises here, and no call of a consumer can fail.
        for at in range(0, len(rows), max(1, batch)):
            parts = [values[at : at + batch] for values in columns]
            self._batches.append((len(parts[0]), [(*_bits(part), buffers(part)) for part, (_, buffers) in zip(parts, made)]))

    def __len__(self):
        return self._rows

    def __arrow_c_stream__(self, requested_schema=None):
        """A capsule with a stream of record batches. Another schema than the result's is not made; that is allowed by the interface."""
        left = iter(self._batches)

        def schema(_, out):
            fields = []
            for name, form in self._fields:
                fields.append(_Schema())
                _fill(fields[-1], _Schema, name, form, [])
            _fill(_Schema.from_address(out), _Schema, b"", b"+s", fields)
            return 0

        def batch(_, out):
            to = _Array.from_address(out)
            rows, columns = next(left, (0, ()))
            if rows == 0:
                to.release = None
                return 0
            children = []
            for there, missing, buffers in columns:
                children.append(_Array())
                _put(children[-1], rows, missing, [there, *buffers], [])
            _put(to, rows, 0, [None], children)
            return 0

        stream = _Stream(_get(schema), _get(batch), _told(lambda _: None), _address(_RELEASES[_Stream]), None)
        _hold(stream, stream, self)
        # No destructor: it would be code of Python's that may run while an exception is on its way. So a capsule that nobody imports keeps its rows.
        return _capsule_new(ctypes.addressof(stream), _STREAM, None)
