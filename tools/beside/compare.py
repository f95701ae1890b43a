#!/usr/bin/env python3
"""Sends the statements of mysqltest files to Weir and to a MySQL and writes down what differs.

Unlike mysqltest it goes on behind an error. The files' commands are followed as far as they decide
which statement goes over which connection; their expected results are not read, since the other
server gives them. See README.md beside this file.
"""

import argparse
import collections
import os
import re
import sys
import time

import pymysql

import script
from sides import Answer, ServerGone, Side, brief, difference, text

# What would stop a server, or hangs on what only one of the two has.
LEFT_OUT = re.compile(
    r"(?i)\s*(shutdown|restart|kill|start\s+(slave|replica|group)|stop\s|change\s+(master|replication)|clone"
    r"|install|uninstall|set\s+persist|reset\s|purge\s|alter\s+instance|set\s+(global\s+)?debug|binlog)"
)
# Both servers make tables of the one engine that both have.
OTHER_ENGINES = re.compile(
    r"(?i)\b(engine|type|default_(?:tmp_)?storage_engine)(\s*=\s*|\s+)[`'\"]?(myisam|memory|heap|archive|csv|blackhole)\b[`'\"]?"
)
DEBUG_ONLY = re.compile(r"(?i)debug_sync|\bdebug\s*=")
INCLUDES_LEFT_OUT = re.compile(
    r"restart|kill_mysqld|shutdown|start_mysqld|count_sessions|wait_until|wait_cond|wait_show|install_|uninstall_"
    r"|rpl|master-slave|save_binlog|show_binlog|force_|crash|^have_|^not_"
)
SECONDS_OF_A_FILE = 120
ROUNDS_OF_A_LOOP = 40
# How long a statement that is sent only has until the next one goes over another connection.
SECONDS_BEHIND_SEND = 0.3


class Unfollowable(Exception):
    """The rest of the file is left out, for the reason given."""


class Comparison:
    def __init__(self, options):
        self.root = options.tests
        self.out = options.out
        self.weir = Side(options.weir, options.timeout)
        self.mysql = Side(options.mysql, options.timeout)
        self.sides = (self.weir, self.mysql)
        self.statements = 0
        self.differences: collections.Counter = collections.Counter()
        self.given = dict(pair.split("=", 1) for pair in options.variable)

    def file(self, path: str) -> None:
        self.path = path
        self.variables = {"ENGINE": "InnoDB", "DEFAULT_ENGINE": "InnoDB", "engine_type": "InnoDB", **self.given}
        self.sent: dict = {}
        self.deadline = time.monotonic() + SECONDS_OF_A_FILE
        self.depth = 0
        for side in self.sides:
            side.clear()
        with open(os.path.join(self.out, os.path.basename(path) + ".diff"), "w") as self.log:
            try:
                self.include(path)
            except (Unfollowable, RecursionError) as reason:
                self.log.write(f"-- the rest is left out: {reason}\n")

    def include(self, path: str) -> None:
        self.depth += 1
        if self.depth > 60:
            raise Unfollowable("too many includes")
        self.follow(script.read(path))

    def follow(self, items: list) -> None:
        for item in items:
            if time.monotonic() > self.deadline:
                raise Unfollowable(f"{SECONDS_OF_A_FILE} seconds are over")
            if isinstance(item, script.Statement):
                self.statement(item.text)
            elif isinstance(item, script.Command):
                self.command(item.text)
            else:
                self.block(item)

    def block(self, block: script.Block) -> None:
        rounds = 0
        while rounds < ROUNDS_OF_A_LOOP and self.holds(block.condition):
            self.follow(block.body)
            rounds += 1
            if block.kind == "if":
                break

    def holds(self, condition: str) -> bool:
        negated = condition.startswith("!")
        condition = condition.lstrip("! ")
        try:
            if condition.startswith("`"):
                value = self.scalar(condition.strip("`")) not in ("", "0")
            elif match := re.match(r"(.+?)\s*(==|!=|<=|>=|<|>)\s*(.+)$", condition):
                value = self.compares(*match.groups())
            else:
                value = self.replaced(condition) not in ("", "0")
        except KeyError:
            value = False
        return value != negated

    def compares(self, left: str, operator: str, right: str) -> bool:
        one, other = (self.replaced(side).strip("\"'") for side in (left, right))
        try:
            one, other = float(one), float(other)
        except ValueError:
            pass
        order = (one > other) - (one < other)
        return {"==": order == 0, "!=": order != 0, "<": order < 0, "<=": order <= 0, ">": order > 0, ">=": order >= 0}[
            operator
        ]

    def replaced(self, pattern: str) -> str:
        """With the values of the file's variables; KeyError where one is not known."""
        return re.sub(r"\$\{(\w+)\}|\$(\w+)", lambda m: self.variables[m.group(1) or m.group(2)], pattern)

    def scalar(self, query: str) -> str:
        """A variable's value is MySQL's, so that both servers go the same way."""
        sql = self.replaced(query).encode("utf8", "surrogateescape")
        self.weir.run(sql)
        answer = self.mysql.run(sql)
        found = answer.kind == "ok" and answer.results and answer.results[0].rows
        return text(found[0][0]) if found and found[0][0] is not None else ""

    def cell(self, query: str, column: str, row: str) -> str:
        """What `query_get_value` finds, in MySQL's answer as well."""
        sql = self.replaced(query.strip().strip("\"'")).encode("utf8", "surrogateescape")
        self.weir.run(sql)
        answer = self.mysql.run(sql)
        if answer.kind != "ok" or len(answer.results[0].rows) < int(row):
            return "No such row"
        names = [c.name.lower() for c in answer.results[0].columns]
        return text(answer.results[0].rows[int(row) - 1][names.index(column.lower())])

    def command(self, line: str) -> None:
        word = script.first_word(line)
        rest = line[len(word or "") :].strip().rstrip(";").strip()
        try:
            if word == "let":
                self.let(rest)
            elif word in ("inc", "dec"):
                name = rest.strip("$ ")
                self.variables[name] = str(int(self.variables.get(name, "0")) + (1 if word == "inc" else -1))
            elif word in ("eval", "query", "query_vertical", "query_horizontal"):
                self.statement(self.replaced(rest))
            elif word == "source":
                self.source(self.replaced(rest.strip("'\" ")))
            elif word == "connect":
                self.connect(self.replaced(rest))
            elif word == "connection":
                self.switch(self.replaced(rest))
            elif word in ("disconnect", "dirty_close") and rest != "default":
                for side in self.sides:
                    side.disconnect(rest)
            elif word in ("send", "send_eval"):
                self.send(self.replaced(rest) if word == "send_eval" else rest)
            elif word == "reap":
                self.reap()
            elif word in ("exit", "skip", "die"):
                raise Unfollowable(word)
        except (KeyError, ValueError) as reason:
            self.log.write(f"-- command left out for {reason}: {line[:100]!r}\n")

    def let(self, assignment: str) -> None:
        match = re.match(r"\$?(\w+)\s*=\s*(.*)$", assignment, re.S)
        if not match:
            return
        name, value = match.groups()
        if match := re.match(r"query_get_value\s*\((.*),\s*(\w+)\s*,\s*(\d+)\s*\)$", value, re.S):
            self.variables[name] = self.cell(*match.groups())
            return
        is_query = value.startswith("`") and value.endswith("`")
        self.variables[name] = self.scalar(value.strip("`")) if is_query else self.replaced(value)

    def source(self, name: str) -> None:
        base = os.path.basename(name)
        if "have_debug" in base:
            raise Unfollowable(f"it needs {base}")
        if INCLUDES_LEFT_OUT.search(base):
            return
        for folder in (self.root, os.path.dirname(self.path), os.path.join(self.root, "suite")):
            path = os.path.join(folder, name)
            if os.path.exists(path):
                return self.include(path)

    def connect(self, arguments: str) -> None:
        words = [word.strip().strip("'\"") for word in arguments.strip("() ").split(",")]
        name, _, user, password, schema = (words + [""] * 5)[:5]
        schema = None if schema == "*NO-ONE*" else schema or "test"
        answers = []
        for side in self.sides:
            try:
                side.connect(name, user or "root", password, schema)
                answers.append(Answer("ok"))
            except (pymysql.err.MySQLError, RuntimeError) as error:
                # RuntimeError: the client library lacks what the account's method of authentication needs.
                answers.append(Answer("err", error=(tuple(error.args) + ("", ""))[:2]))
        self.compare("connect " + ", ".join(words), *answers)
        if any(answer.kind == "err" for answer in answers) and name != "default":
            for side in self.sides:
                side.disconnect(name)

    def switch(self, name: str) -> None:
        if any(name not in side.connections for side in self.sides):
            raise Unfollowable(f"there is no connection {name}")
        for side in self.sides:
            side.current = name

    def send(self, sql: str) -> None:
        """Both servers have the statement; their answers are looked at by `reap` on the same connection."""
        name = self.weir.current
        if self.left_out(sql):
            return
        bytes_sent = sendable(sql)
        self.sent[name] = (sql, [side.start(bytes_sent) for side in self.sides])
        time.sleep(SECONDS_BEHIND_SEND)

    def reap(self) -> None:
        sql, waiting = self.sent.pop(self.weir.current, (None, ()))
        if sql is not None:
            self.compare(sql, *(each.result() for each in waiting))

    def left_out(self, sql: str) -> bool:
        if DEBUG_ONLY.search(sql):
            raise Unfollowable("it needs a debug build")
        return bool(LEFT_OUT.match(sql))

    def statement(self, sql: str) -> None:
        if self.left_out(sql):
            return
        self.reap()
        sent = sendable(sql)
        self.compare(sql, self.weir.run(sent), self.mysql.run(sent))

    def compare(self, sql: str, ours: Answer, theirs: Answer) -> None:
        self.statements += 1
        kind = difference(sql, ours, theirs)
        if kind is None:
            return
        self.differences[kind] += 1
        shown = sql[:1500].encode("utf8", "replace").decode()
        self.log.write(f"[{kind}] {shown}\n   weir:  {brief(ours)}\n   mysql: {brief(theirs)}\n")
        if kind == "META":
            for one, other in zip(ours.results, theirs.results):
                for a, b in zip(one.columns, other.columns):
                    if a != b:
                        self.log.write(f"     {a.name}: weir {tuple(a[1:])} mysql {tuple(b[1:])}\n")
        self.log.flush()


def sendable(sql: str) -> bytes:
    return OTHER_ENGINES.sub(r"\1\2InnoDB", sql).encode("utf8", "surrogateescape")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weir", type=int, required=True, metavar="PORT", help="port of Weir on 127.0.0.1")
    parser.add_argument("--mysql", type=int, required=True, metavar="PORT", help="port of MySQL on 127.0.0.1")
    parser.add_argument("--tests", required=True, metavar="FOLDER", help="MySQL's mysql-test folder, for includes")
    parser.add_argument("--out", required=True, metavar="FOLDER", help="gets one .diff file for each test file")
    parser.add_argument("--timeout", type=float, default=15, metavar="SECONDS", help="for one answer (default 15)")
    parser.add_argument("--variable", action="append", default=[], metavar="NAME=VALUE", help="a variable of every file")
    parser.add_argument("files", nargs="+", help=".test files")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    comparison = Comparison(options)
    for path in options.files:
        before, start = comparison.statements, time.monotonic()
        known = collections.Counter(comparison.differences)
        try:
            comparison.file(path)
        except (ServerGone, pymysql.err.OperationalError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 1
        new = dict(comparison.differences - known)
        seconds = time.monotonic() - start
        print(f"{os.path.basename(path)}: {comparison.statements - before} statements, {new}, {seconds:.1f} s", flush=True)
    print(f"{comparison.statements} statements, {dict(comparison.differences)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
