#!/usr/bin/env python3
"""Texts and numbers near the rules by which dates and times are read, and what a server makes of them.

    moments.py --port 3306 [--seed 1] [--count 2000]            writes a table: the value as SQL, CAST(.. AS DATETIME(6)), CAST(.. AS TIME(6)),
                                                                 each with the first word of its warning
    moments.py --port 3306 --beside 3307 [--seed 1] [--count N]  the rows of the table in which two servers differ

The table in crates/sql/tests/common/moments.tsv is a part of what it wrote with MySQL.
"""
import argparse
import random

import pymysql

DATES = ["2024-02-29", "2023-02-29", "24-2-3", "2024-13-01", "2024-00-10", "0000-00-00", "2024-12-31", "1-1-1", "20240229", "240229",
         "2024/02/29", "2024.2.29", "20240230", "2024", "202402", "69-1-1", "70-1-1", "00-1-1", "10000-01-01", "0024-02-03", "2024-2"]
CLOCKS = ["10:11:12", "1:2:3", "10:11", "10", "101112", "24:00:00", "23:59:59", "10:60:00", "10:11:60", "10.11.12", "1011", "10:11:12.5",
          "10:11:12.123456", "10:11:12.1234567", "10:11:12.9999999", "23:59:59.9999995", "10:11:12.", "838:59:59", "839:00:00",
          "838:59:59.5", "00:00:00", "10:11.5", ":11:12", "10::12", "100:11:12"]
BETWEEN = [" ", "T", "t", "  ", "\t", "-", ":", ".", "", "/", "+", " T", "T ", "x", "\n"]
BEFORE = ["", "", "", "", "", "", "", "", "", "", " ", "-", "+", "\t", "x", " -", "0"]
BEHIND = ["", "", "", "", "", "", "", "", "", "", " ", "x", " x", "Z", "+02:00", "-02:00", " +02:00", "-00:00", "+14:00", "+14:01", "+2:00", "+0200", "+02", "+02:00x",
          "e5", "E-2", ".", ".5", ":", "-", "+15:00", "-14:00", "+00:00", " AM"]
DAYS = ["1 ", "-1 ", "34 ", "35 ", "1  ", "1x", "1\t"]
ALPHABET = "0123456789012345678901234567890123-:. T+/x"


def text(rng):
    """One text: pieces of dates and times put together, or one whose characters were changed."""
    shape = rng.random()
    if shape < 0.45:
        made = rng.choice(DATES) + rng.choice(BETWEEN[:3] * 4 + BETWEEN) + rng.choice(CLOCKS)
    elif shape < 0.6:
        made = rng.choice(DATES)
    elif shape < 0.75:
        made = rng.choice(["", "", "-"]) + rng.choice(CLOCKS)
    elif shape < 0.85:
        made = rng.choice(DAYS) + rng.choice(CLOCKS)
    else:
        width = rng.randint(1, 18)
        made = "".join(rng.choice("0123456789") for _ in range(width))
        if rng.random() < 0.5:
            made += rng.choice([".", "T", " ", ":"]) + "".join(rng.choice("0123456789") for _ in range(rng.randint(0, 8)))
    made = rng.choice(BEFORE) + made + rng.choice(BEHIND)
    if rng.random() < 0.25:
        at = rng.randrange(len(made)) if made else 0
        made = made[:at] + rng.choice(ALPHABET) + made[at + rng.randint(0, 1):]
    return "'" + made.replace("\\", "\\\\").replace("'", "\\'").replace("\t", "\\t").replace("\n", "\\n") + "'"


def number(rng):
    """One number: an integer of a date's or a time's length, with or without a fraction, exact or a double."""
    known = ["20240229", "240229", "20240229101112", "240229101112", "20240230", "0", "101", "691231", "700101", "691232", "991231235959",
             "101112", "8385959", "8390000", "100000000", "10000101", "99991231", "9991231", "20240230101112", "101000000", "1"]
    made = rng.choice(known) if rng.random() < 0.7 else str(rng.randrange(10 ** rng.randint(1, 15)))
    if rng.random() < 0.2:
        made = "-" + made
    fraction = rng.random()
    if fraction < 0.5:
        made += "." + rng.choice(["5", "0", "123456", "1234567", "9999999", "9", "000001"])
    if rng.random() < 0.25:
        made += "e0"
    return made


class Side:
    def __init__(self, port):
        self.conn = pymysql.connect(host="127.0.0.1", port=port, user="root", charset="utf8mb4", autocommit=None, conv={})
        self.cur = self.conn.cursor()
        self.cur.execute("set time_zone = '+00:00'")
        self.cur.execute("set timestamp = 1704067200")

    def ask(self, value, kind):
        try:
            self.cur.execute(f"select cast({value} as {kind})")
        except pymysql.MySQLError as e:
            return "ERROR", e.args[1].split(":")[0]
        got = self.cur.fetchone()[0]
        self.cur.execute("show warnings")
        # What is said of delimiters (4095, 4096) is not part of the table.
        told = [row[2].split(":")[0] for row in self.cur.fetchall() if row[1] == "1292"]
        return got, told[0] if told else ""

    def row(self, value):
        moment, told = self.ask(value, "datetime(6)")
        time, told_of_time = self.ask(value, "time(6)")
        return "\t".join([value, moment or "NULL", told, time or "NULL", told_of_time])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--port", type=int, required=True)
    p.add_argument("--beside", type=int)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--count", type=int, default=2000)
    a = p.parse_args()
    rng = random.Random(a.seed)
    values = sorted({(number if rng.random() < 0.2 else text)(rng) for _ in range(a.count)})
    one, other = Side(a.port), a.beside and Side(a.beside)
    differ = 0
    for value in values:
        mine = one.row(value)
        if not other:
            print(mine)
            continue
        theirs = other.row(value)
        if mine != theirs:
            differ += 1
            print(mine)
            print("    beside:" + theirs[len(value):])
    if other:
        print(f"{differ} of {len(values)} differ")


if __name__ == "__main__":
    main()
