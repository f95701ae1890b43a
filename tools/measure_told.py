#!/usr/bin/env python3
"""Asks a running MySQL what it tells of the columns of its computed tables and of SHOW: type, characters, decimals, flags, and whether they are
bytes. Writes crates/sql/src/infoschema/told.txt. Needs the package pymysql, and a schema `told` that it makes and drops.

    tools/measure_told.py 3307      # the port, of a root without a password
"""
import re
import sys

import pymysql

SHOWS = [
    "databases", "tables", "full tables", "table status", "open tables", "columns from t", "full columns from t", "index from t",
    "create table t", "create database told", "create view v", "create procedure p", "create function f", "create trigger g",
    "create event e", "create user root@localhost", "variables like 'version'", "processlist", "engines", "warnings", "grants",
    "character set", "collation", "plugins", "privileges", "triggers", "events", "procedure status", "binary log status",
    "replicas", "replica status", "binlog events", "engine innodb status", "count(*) warnings", "count(*) errors",
]
OTHERS = ["explain select 1", "explain format=tree select 1", "check table t", "checksum table t", "xa recover"]
MAKE = [
    "drop database if exists told", "create database told", "use told", "create table t (a int primary key)",
    "create view v as select a from t", "create procedure p() select 1", "create function f() returns int deterministic return 1",
    "create trigger g before insert on t for each row set @a = 1", "create event e on schedule every 1 day disable do select 1",
]

server = pymysql.connect(host="127.0.0.1", port=int(sys.argv[1]), user="root", charset="utf8mb4", use_unicode=False, conv={}, autocommit=None)


def columns(sql):
    server.query(sql)
    found = []
    for f in server._result.fields:
        text = f.charsetnr != 63
        chars = -(-f.length // 4) if text else f.length
        facts = f"{f.type_code},{chars},{f.scale},{f.flags},{'t' if text else 'b'}"
        # Of a SHOW over a view: what the column is said to be of. A name that is the column's own is left out.
        if sql.startswith("show ") and f.table_name:
            own = "" if f.org_name == f.name else f.org_name
            facts += f",{f.db.decode()},{f.table_name},{f.org_table},{own}"
        found.append((f.name, facts))
    return found


for sql in MAKE:
    server.query(sql)
lines = []
for sql in ["show " + s for s in SHOWS] + OTHERS:
    found = columns(sql)
    names = "|".join(name for name, _ in found)
    names = re.sub("^(Grants|CREATE USER) for .*", r"\1 for", names)
    names = "Tables_in" + names[len("Tables_in_told"):] if names.startswith("Tables_in_told") else names
    lines.append("\t".join(["show", names] + [facts for _, facts in found]))
    if sql == "show replica status":
        # SHOW SLAVE STATUS, which new servers do not have: the same under older names.
        names = names.replace("Get_Source_", "Get_master_").replace("Replica_", "Slave_").replace("Source", "Master")
        lines.append("\t".join(["show", names] + [facts for _, facts in found]))
here = open("crates/sql/src/infoschema/told.txt").read().lower()
for schema in ["information_schema", "performance_schema", "mysql"]:
    server.query(f"show tables from {schema}")
    for name in [r[0].decode() for r in server._result.rows]:
        # Those that the file has are those that there are here; a new one begins as a line with its two names.
        if f"{schema}\t{name}".lower() not in here:
            continue
        facts = [f"{n}={told}" for n, told in columns(f"select * from {schema}.`{name}` limit 0")]
        lines.append("\t".join([schema, name] + facts))
server.query("drop database told")
with open("crates/sql/src/infoschema/told.txt", "w") as out:
    out.write("\n".join(dict.fromkeys(lines)) + "\n")
