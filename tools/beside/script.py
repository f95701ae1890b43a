"""Reads mysqltest files into a tree of commands, blocks and statements.

Only what the comparison needs is understood: a command is a line that starts with `--` or a
statement whose first word is a command's; everything else goes to the servers.
"""

import re
from typing import NamedTuple, Optional, Union


class Command(NamedTuple):
    text: str


class Statement(NamedTuple):
    text: str


class Block(NamedTuple):
    kind: str  # "if" or "while"
    condition: str
    body: list


Item = Union[Command, Statement, Block]

COMMANDS = set(
    """
    echo error let source connect connection disconnect dec inc eval exec execw sleep real_sleep
    send reap send_eval dirty_close query query_vertical query_horizontal die skip exit expr
    sorted_result partially_sorted_result lowercase_result replace_result replace_regex
    replace_column replace_numeric_round disable_warnings enable_warnings disable_query_log
    enable_query_log disable_result_log enable_result_log disable_abort_on_error
    enable_abort_on_error disable_info enable_info disable_metadata enable_metadata
    disable_ps_protocol enable_ps_protocol disable_reconnect enable_reconnect disable_testcase
    enable_testcase disable_connect_log enable_connect_log disable_session_track_info
    enable_session_track_info disable_async_client enable_async_client vertical_results
    horizontal_results write_file append_file remove_file remove_files_wildcard copy_file
    copy_files_wildcard move_file cat_file diff_files chmod mkdir rmdir force-rmdir force-cpdir
    file_exists list_files list_files_write_file list_files_append_file perl if while assert end
    reset_connection change_user ping shutdown_server send_shutdown send_quit result_format
    character_set start_timer end_timer save_master_pos sync_with_master sync_slave_with_master
    wait_for_slave_to_stop output query_attributes
    """.split()
)

# Commands whose body follows on lines of its own, up to a terminating word.
WITH_BODY = ("perl", "write_file", "append_file")


def find(text: str, delimiter: str) -> int:
    """Where the delimiter first stands outside quotes and comments, or -1."""
    quote = None
    at = 0
    while at < len(text):
        char = text[at]
        if quote:
            if char == "\\" and quote != "`":
                at += 1
            elif char == quote:
                quote = None
        elif text.startswith(delimiter, at):
            return at
        elif char in "'\"`":
            quote = char
        elif char == "#" or text.startswith("/*", at):
            end = "\n" if char == "#" else "*/"
            at = text.find(end, at)
            if at < 0:
                return -1
            at += len(end) - 1
        at += 1
    return -1


def quoted(text: str) -> bool:
    """Whether the text ends within quotes or within a comment."""
    return find(text + "\0", "\0") < 0


class Reader:
    def __init__(self, text: str):
        self.lines = text.split("\n")
        self.delimiter = ";"
        self.stack: list[list[Item]] = [[]]
        self.pending = ""

    def read(self) -> list:
        self.lines.reverse()
        while self.lines:
            line = self.lines.pop()
            if not self.pending.strip():
                self.pending = ""
                if self.starts(line.strip()):
                    continue
            elif line.lstrip().startswith("#") and not quoted(self.pending):
                continue
            self.pending += line + "\n"
            self.flush()
        if self.pending.strip():
            self.add(Statement(self.pending.strip()))
        return self.stack[0]

    def starts(self, line: str) -> bool:
        """Takes a line that is whole by itself: a comment, a `--` command, a brace."""
        if not line or line.startswith("#") or line == "{":
            return True
        if line.startswith("--"):
            self.command(line[2:].strip())
            return True
        if line.startswith("}"):
            self.end()
            self.lines.append(line[1:])
            return True
        if re.match(r"(if|while)\s*\(", line):
            self.block(line)
            return True
        return False

    def block(self, head: str) -> None:
        while "{" not in head and self.lines:
            head += " " + self.lines.pop().strip()
        brace = head.rfind("{") if head.endswith("{") else head.find("{")
        self.lines.append(head[brace + 1 :])
        match = re.match(r"(if|while)\s*\((.*)\)\s*$", head[:brace].strip(), re.S)
        kind, condition = match.groups() if match else ("if", "0")
        block = Block(kind, condition.strip(), [])
        self.add(block)
        self.stack.append(block.body)

    def end(self) -> None:
        if len(self.stack) > 1:
            self.stack.pop()

    def add(self, item: Item) -> None:
        self.stack[-1].append(item)

    def command(self, text: str) -> None:
        words = text.rstrip(";").split()
        if not words:
            return
        word = words[0].lower()
        if word == "delimiter":
            self.set_delimiter(text)
        elif word in WITH_BODY:
            at = 1 if word == "perl" else 2
            self.skip_to(words[at] if len(words) > at else "EOF")
        else:
            self.add(Command(text))

    def set_delimiter(self, text: str) -> None:
        new = text.split(None, 1)[1].strip() if " " in text else ";"
        self.delimiter = new[:-1] if len(new) > 1 and new.endswith(";") else new

    def skip_to(self, word: str) -> None:
        while self.lines and self.lines.pop().strip() != word:
            pass

    def flush(self) -> None:
        """Takes the statements and commands that have come to their delimiter."""
        while (at := find(self.pending, self.delimiter)) >= 0:
            text = self.pending[:at].strip()
            self.pending = self.pending[at + len(self.delimiter) :]
            word = first_word(text)
            if word == "delimiter":
                # The old delimiter ends the command that sets the new one.
                self.delimiter = text.split(None, 1)[1].strip()
            elif word in WITH_BODY:
                self.command(text)
                self.pending = ""
            elif word in COMMANDS:
                self.add(Command(text))
            elif text:
                self.add(Statement(text))
            rest = self.pending.lstrip()
            if rest.startswith("#"):
                self.pending = ""
            elif rest.startswith("}"):
                self.end()
                self.pending = rest[1:]


def first_word(text: str) -> Optional[str]:
    match = re.match(r"[A-Za-z_\-]+", text)
    return match.group(0).lower() if match else None


def read(path: str) -> list:
    with open(path, encoding="utf8", errors="surrogateescape") as file:
        return Reader(file.read()).read()
