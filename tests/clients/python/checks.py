"""What every client of the DB-API is asked: each check takes a connection of the client, and its module for the errors."""

import datetime
import decimal
import os

HOST = "127.0.0.1"
PORT = int(os.environ["WEIR_PORT"])
SOCKET = os.environ["WEIR_SOCKET"]
SCHEMA = "clients"
ACCOUNTS = [("native", "s3cret-~"), ("sha2", "s3cret-~"), ("blank", "")]


def errno(error):
    return error.args[0] if isinstance(error.args[0], int) else error.errno


def fails(number, module, run):
    try:
        run()
    except module.Error as error:
        assert errno(error) == number, error
        return error
    raise AssertionError(f"error {number} expected")


def query(connection, text, *args):
    cursor = connection.cursor()
    cursor.execute(text, *args)
    rows = cursor.fetchall() if cursor.description else None
    cursor.close()
    return rows


TYPES = [
    ("tinyint unsigned", 255),
    ("bigint", -(2**63)),
    ("bigint unsigned", 2**64 - 1),
    ("decimal(20,5)", decimal.Decimal("-12345678901.00001")),
    ("double", 1.5e300),
    ("varchar(20)", "grün ☃ 😀 '\\\""),
    ("varbinary(20)", b"\x00\xff\\'"),
    ("date", datetime.date(2024, 2, 29)),
    ("datetime(6)", datetime.datetime(2024, 2, 29, 23, 59, 59, 123456)),
    ("timestamp", datetime.datetime(2024, 2, 29, 23, 59, 59)),
    ("time", datetime.timedelta(hours=100, minutes=1)),
    ("longtext", "x" * 100_000),
    ("enum('a','b')", "b"),
]


def types(connection, prepared=None):
    """Values of each type come back as they went, by text and, with `prepared`, by a prepared statement."""
    columns = ", ".join(f"c{n} {ty}" for n, (ty, _) in enumerate(TYPES))
    query(connection, "drop table if exists types")
    query(connection, f"create table types (id int primary key, {columns})")
    marks = ", ".join(["%s"] * (len(TYPES) + 1))
    values = [value for _, value in TYPES]
    query(connection, f"insert into types values ({marks})", [1, *values])
    query(connection, f"insert into types values ({marks})", [2] + [None] * len(TYPES))
    for fetch in [query] + ([prepared] if prepared else []):
        full, empty = fetch(connection, "select * from types where id < %s order by id", (3,))
        for (ty, sent), got in zip(TYPES, full[1:]):
            got = bytes(got) if isinstance(got, bytearray) and isinstance(sent, bytes) else got
            assert got == sent, (ty, sent, got)
        assert set(empty[1:]) == {None}, empty


def errors(connection, module):
    query(connection, "drop table if exists errors")
    query(connection, "create table errors (id int primary key, n int not null, check (n < 9))")
    query(connection, "insert into errors values (1, 1)")
    for number, text in [
        (1062, "insert into errors values (1, 2)"),
        (1048, "insert into errors values (2, null)"),
        (3819, "insert into errors values (2, 10)"),
        (1264, "insert into errors values (99999999999, 1)"),
        (1064, "selec 1"),
        (1146, "select * from nothing"),
        (1054, "select nothing from errors"),
        (1049, "use nothing"),
    ]:
        fails(number, module, lambda: query(connection, text))


def transactions(connection):
    query(connection, "drop table if exists accounts")
    query(connection, "create table accounts (id int primary key, n int)")
    query(connection, "insert into accounts values (1, 100)")
    connection.commit()
    query(connection, "update accounts set n = 1")
    connection.rollback()
    assert query(connection, "select n from accounts")[0][0] == 100
    query(connection, "update accounts set n = 2")
    connection.commit()
    connection.rollback()
    assert query(connection, "select n from accounts")[0][0] == 2


def procedure(connection):
    query(connection, "drop procedure if exists twice")
    query(
        connection,
        "create procedure twice(in a int, out b int) begin set b = a * 2; select a as first; select b as second; end",
    )
