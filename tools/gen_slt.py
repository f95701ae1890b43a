#!/usr/bin/env python3
"""Writes crates/sql/tests/slt/*.slt: queries whose answers a second computation knows.

Numbers come from Python's exact integers and decimals, texts and dates from Python's own types, and joins, groups, windows and set
operations from SQLite, over statements that mean the same in SQLite and in MySQL 8.0. Nothing here asks Weir.

    tools/gen_slt.py                  # writes the files
"""
import datetime as dt
import decimal
import itertools
import os
import random
import sqlite3

OUT = os.path.join(os.path.dirname(__file__), "..", "crates", "sql", "tests", "slt")
D = decimal.Decimal
decimal.getcontext().prec = 80


class File:
    def __init__(self, name, about):
        self.name, self.lines, self.seen = name, [f"# Written by tools/gen_slt.py. {about}", ""], set()

    def do(self, sql):
        self.lines += ["statement ok", sql, ""]

    def query(self, sql, rows, order="nosort"):
        if sql in self.seen:
            return
        self.seen.add(sql)
        rows = [[show(v) for v in row] for row in rows]
        if order == "rowsort":
            rows.sort()
        kinds = "T" * (len(rows[0]) if rows else 1)
        self.lines += [f"query {kinds} {order}", sql, "----"] + [" ".join(r) for r in rows] + [""]

    def one(self, expression, value):
        self.query(f"SELECT {expression}", [[value]])

    def write(self):
        with open(os.path.join(OUT, self.name + ".slt"), "w") as f:
            f.write("\n".join(self.lines))
        return len(self.seen)


def show(v):
    if v is None:
        return "NULL"
    if isinstance(v, bool):
        return str(int(v))
    if isinstance(v, D):
        return format(v, "f")
    v = str(v)
    return v if v else "(empty)"


def text(s):
    return "'" + s.replace("\\", "\\\\").replace("'", "''") + "'"


def cut(x):
    """Toward zero."""
    return int(x)


def rounded(x, digits):
    unit = D(1).scaleb(-digits)
    return x.quantize(unit, rounding=decimal.ROUND_HALF_UP)


def scale(s):
    return len(s.split(".")[1]) if "." in s else 0


def arithmetic():
    f = File("arithmetic", "Exact numbers: operators, rounding, bits and bases.")
    words = ["0", "1", "-1", "7", "-7", "255", "1000000", "-32768", "0.5", "-0.5", "2.25", "-3.75", "99.995", "12345.678", "0.001"]
    for a, b in itertools.product(words, words):
        x, y = D(a), D(b)
        whole = "." not in a and "." not in b
        wide = max(scale(a), scale(b))
        f.one(f"{a} + {b}".replace("- -", "- (-") if not b.startswith("-") else f"{a} + ({b})", (x + y).quantize(D(1).scaleb(-wide)))
        if abs(x) > 1 and abs(y) > 1:
            product = x * y
            f.one(f"{a} * ({b})", product.quantize(D(1).scaleb(-(scale(a) + scale(b)))) if not whole else product)
        if y == 0:
            f.one(f"{a} DIV {b}", None)
            f.one(f"{a} % {b}", None)
        else:
            f.one(f"{a} DIV ({b})", cut(x / y))
            rest = x - cut(x / y) * y
            # Whether a rest of zero keeps the sign of a negative number is not documented.
            if rest or x > 0:
                f.one(f"{a} % ({b})", abs(rest).quantize(D(1).scaleb(-wide)) * (-1 if rest < 0 else 1))
        f.one(f"{a} < ({b})", x < y)
        f.one(f"{a} <=> ({b})", x == y)
    for a in words:
        for digits in range(0, 4):
            r = rounded(D(a), digits) if digits < scale(a) else D(a)
            f.one(f"ROUND({a}, {digits})", r + 0 if r else abs(r))
        f.one(f"ABS({a})", abs(D(a)))
        f.one(f"SIGN({a})", (D(a) > 0) - (D(a) < 0))
        f.one(f"CEIL({a})", int(D(a).to_integral_value(decimal.ROUND_CEILING)))
        f.one(f"FLOOR({a})", int(D(a).to_integral_value(decimal.ROUND_FLOOR)))
    naturals = [0, 1, 2, 5, 10, 35, 100, 255, 256, 65535, 4294967295, 2**63 - 1, 2**64 - 1]
    for a in naturals:
        f.one(f"BIN({a})", bin(a)[2:])
        f.one(f"OCT({a})", oct(a)[2:])
        f.one(f"HEX({a})", "%X" % a)
        f.one(f"BIT_COUNT({a})", bin(a).count("1"))
        f.one(f"~{a}", 2**64 - 1 - a)
        for b in naturals:
            f.one(f"{a} & {b}", a & b)
            f.one(f"{a} | {b}", a | b)
            f.one(f"{a} ^ {b}", a ^ b)
        for n in (0, 1, 7, 63, 64):
            f.one(f"{a} << {n}", (a << n) % 2**64 if n < 64 else 0)
            f.one(f"{a} >> {n}", a >> n if n < 64 else 0)
    return f.write()


def substring(s, start, length=None):
    if start == 0 or abs(start) > len(s):
        return ""
    at = start - 1 if start > 0 else len(s) + start
    return s[at:] if length is None else s[at:at + max(length, 0)]


def substring_index(s, by, n):
    if n == 0 or not by:
        return ""
    parts = s.split(by)
    return by.join(parts[:n]) if n > 0 else by.join(parts[n:])


def pad(s, n, fill, left):
    if n <= len(s):
        return s[:n]
    if not fill:
        return ""
    more = (fill * n)[:n - len(s)]
    return more + s if left else s + more


def strings():
    f = File("strings", "Functions over texts, in characters that take one to four bytes.")
    words = ["", "a", "abc", "hello", "a,b,,c", "Straße", "日本語", "x😀y", "www.mysql.com", "aaaa"]
    for s in words:
        q = text(s)
        f.one(f"CHAR_LENGTH({q})", len(s))
        f.one(f"LENGTH({q})", len(s.encode()))
        f.one(f"REVERSE({q})", s[::-1])
        f.one(f"HEX({q})", s.encode().hex().upper())
        f.one(f"ASCII({q})", s.encode()[0] if s else 0)
        f.one(f"UNHEX(HEX({q})) = {q}", 1)
        for n in (-1, 0, 1, 2, 3, 10):
            f.one(f"LEFT({q}, {n})", s[:max(n, 0)])
            f.one(f"RIGHT({q}, {n})", s[-n:] if n > 0 else "")
            f.one(f"SUBSTRING({q}, {n})", substring(s, n))
            f.one(f"SUBSTRING({q}, {n}, 2)", substring(s, n, 2))
            f.one(f"REPEAT({q}, {n})", s * max(n, 0))
            if n >= 0:
                f.one(f"LPAD({q}, {n}, 'xy')", pad(s, n, "xy", True))
                f.one(f"RPAD({q}, {n}, '-')", pad(s, n, "-", False))
            for by in (",", ".", "a"):
                f.one(f"SUBSTRING_INDEX({q}, '{by}', {n})", substring_index(s, by, n))
        for t in ("", "a", "b", ",", "l", "本", "aa", "com"):
            f.one(f"LOCATE({text(t)}, {q})", s.find(t) + 1)
            f.one(f"INSTR({q}, {text(t)})", s.find(t) + 1)
            f.one(f"REPLACE({q}, {text(t)}, '<>')", s.replace(t, "<>") if t else s)
            f.one(f"CONCAT({q}, {text(t)})", s + t)
            f.one(f"CONCAT_WS('-', {q}, NULL, {text(t)})", s + "-" + t)
            f.one(f"{q} LIKE CONCAT('%', {text(t)}, '%')", t in s)
            f.one(f"{q} LIKE CONCAT({text(t)}, '%')", s.startswith(t))
            f.one(f"FIND_IN_SET({text(t)}, {q})", 0 if "," in t or not s else (s.split(",").index(t) + 1 if t in s.split(",") else 0))
    return f.write()


def add_months(d, n):
    month = d.month - 1 + n
    year, month = d.year + month // 12, month % 12 + 1
    last = [31, 29 if year % 4 == 0 and (year % 100 or year % 400 == 0) else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    return d.replace(year=year, month=month, day=min(d.day, last))


def dates():
    f = File("dates", "Dates, times and their arithmetic.")
    days = [dt.date(*d) for d in ((2024, 2, 29), (2023, 12, 31), (2000, 1, 1), (1999, 3, 31), (1970, 1, 1), (2100, 2, 28), (1900, 7, 15), (2024, 8, 5), (2021, 1, 3))]
    for d in days:
        q = f"DATE'{d}'"
        f.one(f"TO_DAYS({q})", d.toordinal() + 365)
        f.one(f"FROM_DAYS({d.toordinal() + 365})", d)
        f.one(f"DAYOFWEEK({q})", d.isoweekday() % 7 + 1)
        f.one(f"WEEKDAY({q})", d.weekday())
        f.one(f"DAYOFYEAR({q})", d.timetuple().tm_yday)
        f.one(f"QUARTER({q})", (d.month + 2) // 3)
        f.one(f"WEEK({q}, 3)", d.isocalendar()[1])
        f.one(f"WEEKOFYEAR({q})", d.isocalendar()[1])
        f.one(f"YEARWEEK({q}, 3)", "%d%02d" % d.isocalendar()[:2])
        f.one(f"WEEK({q}, 0)", int(d.strftime("%U")))
        f.one(f"WEEK({q}, 5)", int(d.strftime("%W")))
        f.one(f"DAYNAME({q})", d.strftime("%A"))
        f.one(f"MONTHNAME({q})", d.strftime("%B"))
        f.one(f"LAST_DAY({q})", add_months(d.replace(day=1), 1) - dt.timedelta(1))
        f.one(f"EXTRACT(YEAR_MONTH FROM {q})", d.year * 100 + d.month)
        f.one(f"DATE_FORMAT({q}, '%Y/%m/%d %a %b %j %y')", d.strftime("%Y/%m/%d %a %b %j %y"))
        f.one(f"{q} + 0", d.strftime("%Y%m%d"))
        f.one(f"MAKEDATE({d.year}, {d.timetuple().tm_yday})", d)
        for n in (-400, -31, -1, 0, 1, 28, 366):
            f.one(f"{q} + INTERVAL {n} DAY", d + dt.timedelta(n))
            f.one(f"DATE_SUB({q}, INTERVAL {n} WEEK)", d - dt.timedelta(7 * n))
            f.one(f"ADDDATE({q}, {n})", d + dt.timedelta(n))
        for n in (-13, -1, 1, 11, 12, 25):
            f.one(f"DATE_ADD({q}, INTERVAL {n} MONTH)", add_months(d, n))
            f.one(f"DATE_ADD({q}, INTERVAL {n} QUARTER)", add_months(d, 3 * n))
            f.one(f"DATE_ADD({q}, INTERVAL {n} YEAR)", add_months(d, 12 * n))
        for e in days:
            f.one(f"DATEDIFF({q}, DATE'{e}')", (d - e).days)
            f.one(f"TIMESTAMPDIFF(DAY, DATE'{e}', {q})", (d - e).days)
            f.one(f"{q} > DATE'{e}'", d > e)
    stamps = [dt.datetime(2024, 2, 29, 23, 59, 59), dt.datetime(2023, 6, 15, 12, 34, 56), dt.datetime(1999, 12, 31, 0, 0, 1)]
    for d in stamps:
        q = f"TIMESTAMP'{d}'"
        for n in (-100000, -61, -1, 1, 59, 86400):
            f.one(f"{q} + INTERVAL {n} SECOND", d + dt.timedelta(seconds=n))
            f.one(f"{q} - INTERVAL {n} MINUTE", d - dt.timedelta(minutes=n))
            f.one(f"{q} + INTERVAL {n} HOUR", d + dt.timedelta(hours=n))
        f.one(f"DATE_FORMAT({q}, '%H:%i:%s %p %I')", d.strftime("%H:%M:%S %p %I"))
        f.one(f"TIME_TO_SEC({q})", d.hour * 3600 + d.minute * 60 + d.second)
        for e in stamps:
            f.one(f"TIMESTAMPDIFF(SECOND, TIMESTAMP'{e}', {q})", int((d - e).total_seconds()))
            f.one(f"TIMESTAMPDIFF(HOUR, TIMESTAMP'{e}', {q})", cut(D(int((d - e).total_seconds())) / 3600))
    for n in (0, 1, 59, 60, 3599, 3661, 86399, 86400, 360000):
        f.one(f"SEC_TO_TIME({n})", "%02d:%02d:%02d" % (n // 3600, n // 60 % 60, n % 60))
        f.one(f"TIME_TO_SEC(SEC_TO_TIME({n}))", n)
    return f.write()


def queries():
    f = File("queries", "Joins, groups, subqueries, windows and set operations; SQLite computed the answers.")
    rng = random.Random(7)
    lite = sqlite3.connect(":memory:")
    make = [
        "CREATE TABLE a (id INT PRIMARY KEY, n INT, s VARCHAR(10), k INT)",
        "CREATE TABLE b (id INT PRIMARY KEY, n INT, s VARCHAR(10), a_id INT)",
    ]
    for name in "ab":
        rows = []
        for i in range(1, 21):
            n = rng.choice(["NULL"] + list(range(-3, 8)))
            s = rng.choice(["NULL", "'x'", "'y'", "'zz'", "'w'"])
            rows.append(f"({i}, {n}, {s}, {rng.randrange(1, 25)})")
        make.append(f"INSERT INTO {name} VALUES " + ", ".join(rows))
    for sql in make:
        f.do(sql)
        lite.execute(sql)
    conditions = ["a.n > 2", "a.n IS NULL", "a.s = 'x'", "a.s IN ('x', 'zz')", "a.n BETWEEN 0 AND 4", "NOT (a.n = 1)", "a.n IN (SELECT b.n FROM b)",
                  "a.n NOT IN (SELECT b.n FROM b WHERE b.n IS NOT NULL)", "EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id)",
                  "NOT EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id AND b.n > a.n)", "a.k > (SELECT MIN(b.id) FROM b WHERE b.s = a.s)", "a.n + a.k > 10",
                  "a.s LIKE 'z%'", "COALESCE(a.n, 0) = 0", "a.n <> 3 OR a.s IS NULL", "a.id % 3 = 1"]
    def ask(sql, order="rowsort"):
        f.query(sql, lite.execute(sql).fetchall(), order)
    for c in conditions:
        ask(f"SELECT a.id, a.n, a.s FROM a WHERE {c}")
        ask(f"SELECT COUNT(*), COUNT(a.n), SUM(a.n), MIN(a.s), MAX(a.k) FROM a WHERE {c}")
        ask(f"SELECT a.s, COUNT(*), SUM(a.k) FROM a WHERE {c} GROUP BY a.s")
        ask(f"SELECT a.s, MIN(a.n) FROM a WHERE {c} GROUP BY a.s HAVING COUNT(*) > 1")
        ask(f"SELECT DISTINCT a.s FROM a WHERE {c}")
        ask(f"SELECT a.id FROM a WHERE {c} ORDER BY a.k DESC, a.id LIMIT 3", "nosort")
        ask(f"SELECT a.id, b.id FROM a JOIN b ON a.id = b.a_id WHERE {c}")
        ask(f"SELECT a.id, b.n FROM a LEFT JOIN b ON a.id = b.a_id AND b.n > 1 WHERE {c}")
        ask(f"SELECT a.n FROM a WHERE {c} UNION SELECT b.n FROM b WHERE b.n > 3")
        ask(f"SELECT a.s FROM a WHERE {c} UNION ALL SELECT b.s FROM b WHERE b.n = 1")
        ask(f"SELECT a.id, RANK() OVER (PARTITION BY a.s ORDER BY a.k) FROM a WHERE {c}")
        ask(f"SELECT a.id, SUM(a.k) OVER (ORDER BY a.id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM a WHERE {c}")
        ask(f"SELECT a.id, LAG(a.n) OVER (ORDER BY a.id), LEAD(a.k, 2, -1) OVER (ORDER BY a.id) FROM a WHERE {c}")
        ask(f"SELECT a.id, (SELECT COUNT(*) FROM b WHERE b.n = a.n) FROM a WHERE {c}")
        ask(f"WITH c AS (SELECT a.s AS s, SUM(a.k) AS t FROM a WHERE {c} GROUP BY a.s) SELECT c.s, c.t FROM c WHERE c.t > 5")
        ask(f"SELECT CASE WHEN {c} THEN 'yes' ELSE 'no' END, COUNT(*) FROM a GROUP BY 1")
    for c, d in itertools.combinations(conditions, 2):
        ask(f"SELECT a.id FROM a WHERE ({c}) AND ({d})")
        ask(f"SELECT a.id FROM a WHERE ({c}) OR NOT ({d})")
    return f.write()


if __name__ == "__main__":
    os.makedirs(OUT, exist_ok=True)
    print(sum(make() for make in (arithmetic, strings, dates, queries)), "queries")
