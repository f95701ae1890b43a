"""The exceptions of DB-API 2.0, by the class that the library gives an error."""


class Warning(Exception):  # noqa: A001 - the name is the standard's
    """Of the standard; this package raises none. SHOW WARNINGS lists those of the last statement."""


class Error(Exception):
    """Any error of this package.

    errno: MySQL's number, or 0. sqlstate: its five characters. retryable: the whole transaction may succeed when it is done again.
    """

    def __init__(self, message, errno=0, sqlstate="HY000", retryable=False):
        super().__init__(errno, message) if errno else super().__init__(message)
        self.errno = errno
        self.sqlstate = sqlstate
        self.msg = message
        self.retryable = retryable


class InterfaceError(Error):
    """The interface was used in a wrong way: something closed, a value of a type that has no place in a column."""


class DatabaseError(Error):
    """An error of the database."""


class DataError(DatabaseError):
    """A value does not fit."""


class OperationalError(DatabaseError):
    """Nothing that the program has written wrongly: locks, limits, rights, interrupts, a directory in use."""


class IntegrityError(DatabaseError):
    """A key, a foreign key, NOT NULL or a CHECK is broken."""


class InternalError(DatabaseError):
    """The database has met something that it did not expect."""


class ProgrammingError(DatabaseError):
    """A statement that cannot be read, a table that is not there, a wrong number of parameters."""


class NotSupportedError(DatabaseError):
    """It is MySQL, and not built here."""


RETRYABLE = 6

#: By the codes of weir.h.
BY_CODE = {
    1: ProgrammingError,  # WEIR_SYNTAX
    2: ProgrammingError,  # WEIR_NOT_FOUND
    3: ProgrammingError,  # WEIR_EXISTS
    4: IntegrityError,  # WEIR_CONSTRAINT
    5: DataError,  # WEIR_DATA
    6: OperationalError,  # WEIR_RETRYABLE
    7: OperationalError,  # WEIR_ACCESS
    8: OperationalError,  # WEIR_RESOURCE
    9: OperationalError,  # WEIR_INTERRUPTED
    10: NotSupportedError,  # WEIR_NOT_SUPPORTED
    11: OperationalError,  # WEIR_UNAVAILABLE
    12: ProgrammingError,  # WEIR_MISUSE
}


def error_of(code, errno, sqlstate, message):
    """The exception of a code."""
    kind = BY_CODE.get(code, DatabaseError)
    return kind(message, errno, sqlstate, code == RETRYABLE)
