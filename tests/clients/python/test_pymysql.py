import warnings

import checks
import pymysql
from pymysql.constants import CLIENT


def connect(**other):
    how = dict(host=checks.HOST, port=checks.PORT, user="root", database=checks.SCHEMA, charset="utf8mb4")
    return pymysql.connect(**{**how, **other})


for user, password in checks.ACCOUNTS:
    c = connect(user=user, password=password)
    assert checks.query(c, "select current_user()")[0][0] == f"{user}@%"
    c.close()
    checks.fails(1045, pymysql, lambda: connect(user=user, password="wrong"))
c = connect(unix_socket=checks.SOCKET, client_flag=CLIENT.MULTI_STATEMENTS, local_infile=True)
checks.types(c)
checks.errors(c, pymysql)
checks.transactions(c)

checks.procedure(c)
cursor = c.cursor()
cursor.callproc("twice", (21, 0))
assert cursor.fetchall() == ((21,),)
assert cursor.nextset() and cursor.fetchall() == ((42,),)
cursor.nextset()
cursor.execute("select @_twice_1")
assert cursor.fetchone() == (42,)

cursor.execute("select 1; select 2, 3; set @a = 4")
assert cursor.fetchall() == ((1,),)
assert cursor.nextset() and cursor.fetchall() == ((2, 3),)
assert cursor.nextset() and not cursor.nextset()

cursor.execute("select cast('12x' as signed)")
cursor.execute("show warnings")
assert cursor.fetchall()[0][1] == 1292

# Rows are read as they come, and a result that was not read to its end does not disturb the next.
many = c.cursor(pymysql.cursors.SSDictCursor)
many.execute("with recursive r as (select 1 n union all select n + 1 from r where n < 1000) select n from r")
assert many.fetchone() == {"n": 1} and many.fetchmany(2) == [{"n": 2}, {"n": 3}]
many.close()

cursor.execute("create table batch (id int auto_increment primary key, a int, b varchar(9))")
assert cursor.executemany("insert into batch (a, b) values (%s, %s)", [(n, str(n)) for n in range(500)]) == 500
assert cursor.lastrowid == 1
cursor.execute("set names latin1")
cursor.execute("select 'x', charset('x')")
assert cursor.fetchone() == ("x", "latin1")
c.select_db("mysql")
c.ping()
c.close()
