import checks
import MySQLdb
import MySQLdb.cursors


def connect(**other):
    how = dict(host=checks.HOST, port=checks.PORT, user="root", database=checks.SCHEMA, charset="utf8mb4")
    return MySQLdb.connect(**{**how, **other})


for user, password in checks.ACCOUNTS:
    c = connect(user=user, password=password)
    assert checks.query(c, "select current_user()")[0][0] == f"{user}@%"
    c.close()
    checks.fails(1045, MySQLdb, lambda: connect(user=user, password="wrong"))
c = connect(unix_socket=checks.SOCKET, host="localhost")
checks.types(c)
checks.errors(c, MySQLdb)
checks.transactions(c)
checks.procedure(c)
cursor = c.cursor()
cursor.callproc("twice", (21, 0))
assert cursor.fetchall() == ((21,),)
assert cursor.nextset() == 1 and cursor.fetchall() == ((42,),)
while cursor.nextset():
    pass
cursor.execute("select 1; select 2")
assert cursor.fetchall() == ((1,),)
assert cursor.nextset() == 1 and cursor.fetchall() == ((2,),)
cursor.close()
c.query("select cast('12x' as signed)")
c.store_result()
assert c.warning_count() == 1 and c.show_warnings()[0][1] == 1292
many = c.cursor(MySQLdb.cursors.SSDictCursor)
many.execute("select 1 as a union select 2")
assert many.fetchone() == {"a": 1} and many.fetchall() == ({"a": 2},)
many.close()
c.change_user("native", "s3cret-~", checks.SCHEMA)
assert checks.query(c, "select current_user()")[0][0] == "native@%"
c.set_character_set("latin1")
assert checks.query(c, "select charset('x')")[0][0] == "latin1"
assert c.get_server_info().startswith("8.0.")
c.close()
