#!/usr/bin/env python3
"""Writes crates/sql/src/value/temporal/names.txt: the names of months and days in MySQL's locales, asked of a running MariaDB
(`gen_time_names.py PORT`), whose locales have MySQL's names and numbers. One line for each locale, in the order of the numbers:
name|months|short months|days from Monday|short days."""
import subprocess
import sys

port = sys.argv[1]


def ask(sql):
    args = ["mariadb", "-h127.0.0.1", f"-P{port}", "-uroot", "-N", "--default-character-set=utf8mb4", "--force", "-e", sql]
    return subprocess.run(args, capture_output=True, text=True).stdout.rstrip("\n").split("\n")


lines = []
for number in range(200):
    months = ",".join(f"date_format('2001-{m:02}-01', '%M')" for m in range(1, 13))
    short = months.replace("%M", "%b")
    # The first of January 2001 was a Monday.
    days = ",".join(f"date_format('2001-01-{d:02}', '%W')" for d in range(1, 8))
    lists = ", '|', ".join(f"concat_ws(',', {names})" for names in (months, short, days, days.replace("%W", "%a")))
    got = ask(f"set lc_time_names = {number}; select concat(@@lc_time_names, '|', {lists})")
    if got == [""]:
        break
    # This one is MariaDB's alone.
    if not got[0].startswith("ka_GE"):
        lines.append(got[0])
with open("crates/sql/src/value/temporal/names.txt", "w", encoding="utf-8") as out:
    out.write("\n".join(lines) + "\n")
print(len(lines), "locales")
