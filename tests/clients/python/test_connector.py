import checks
import mysql.connector as connector


def connect(pure, **other):
    how = dict(host=checks.HOST, port=checks.PORT, user="root", database=checks.SCHEMA, use_pure=pure, allow_local_infile=True)
    return connector.connect(**{**how, **other})


def prepared(connection, text, args):
    cursor = connection.cursor(prepared=True)
    cursor.execute(text, args)
    rows = cursor.fetchall()
    cursor.close()
    return rows


def run(pure):
    c = connect(pure, user="native", password="s3cret-~")
    assert checks.query(c, "select current_user()")[0][0] == "native@%"
    c.close()
    checks.fails(1045, connector, lambda: connect(pure, user="native", password="wrong"))
    c = connect(pure)
    checks.types(c)
    checks.errors(c, connector)
    checks.transactions(c)
    checks.procedure(c)
    cursor = c.cursor()
    assert cursor.callproc("twice", (21, 0)) == (21, 42)
    assert [r.fetchall() for r in cursor.stored_results()] == [[(21,)], [(42,)]]
    cursor.close()

    # One prepared statement, values of changing types.
    cursor = c.cursor(prepared=True)
    for value in [1, "zwei", 2.5, None, b"\x00\xff", 10**18]:
        cursor.execute("select %s", (value,))
        got = cursor.fetchone()[0]
        assert (bytes(got) if isinstance(got, bytearray) else got) == value, (value, got)
    cursor.close()
    rows = prepared(c, "select id, c5 from types where id = %s", (1,))
    assert rows == [(1, checks.TYPES[5][1])]

    named = c.cursor(dictionary=True, buffered=True)
    named.execute("select %(a)s as a, %(b)s as b", {"a": 1, "b": "x"})
    assert named.fetchall() == [{"a": 1, "b": "x"}]
    named.close()
    checks.query(c, "set @kept = 1")
    c.reset_session()
    assert checks.query(c, "select @kept")[0][0] is None
    c.cmd_change_user("native", "s3cret-~", checks.SCHEMA)
    assert checks.query(c, "select current_user()")[0][0] == "native@%"
    c.set_charset_collation("latin1")
    assert checks.query(c, "select charset('x')")[0][0] == "latin1"
    c.ping(reconnect=False)
    c.close()


run(True)
if connector.HAVE_CEXT:
    run(False)
else:
    print("without the C extension")
