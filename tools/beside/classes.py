#!/usr/bin/env python3
"""Counts the differences that compare.py wrote down, by class, with an example of each."""

import argparse
import collections
import glob
import os
import re

ENTRY = re.compile(r"\[([A-Z]+)\] (.*?)\n   weir:  (.*?)\n   mysql: (.*)$", re.S)
OF_MESSAGES = ("ERR", "NOERR", "ERRNO", "ERRTEXT")


def pattern(message: str) -> str:
    """A message without the names in it, so that those of one kind are one class."""
    message = re.sub(r"'[^']*'", "'?'", message.split("\n")[0])
    return re.sub(r"`[^`]*`", "`?`", message)[:150]


def class_of(kind: str, sql: str, ours: str, theirs: str) -> str:
    if kind == "ERR":
        return pattern(ours)
    if kind == "NOERR":
        return pattern(theirs)
    if kind in OF_MESSAGES:
        return f"{pattern(ours)} <-> {pattern(theirs)}"
    if kind.startswith("WARN"):
        warnings = [side.split("\n")[0].partition(" warnings ")[2] or "none" for side in (ours, theirs)]
        return " <-> ".join(map(pattern, warnings))
    return " ".join(sql.split()[:3]).lower()[:50]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", help="what compare.py was given as --out")
    parser.add_argument("--kind", help="only differences of this kind (ERR, ROWS, ...)")
    parser.add_argument("--top", type=int, default=60, help="how many classes to show (default 60)")
    options = parser.parse_args()
    counts: collections.Counter = collections.Counter()
    files = collections.defaultdict(set)
    examples: dict = {}
    for path in sorted(glob.glob(os.path.join(options.folder, "*.diff"))):
        with open(path, errors="replace") as file:
            entries = re.split(r"\n(?=\[[A-Z]+\] |-- )", file.read())
        for match in filter(None, map(ENTRY.match, entries)):
            kind, sql, ours, theirs = match.groups()
            if options.kind in (None, kind):
                key = (kind, class_of(kind, sql, ours, theirs))
                counts[key] += 1
                files[key].add(path)
                examples.setdefault(key, (os.path.basename(path), sql, ours, theirs))
    for key, count in counts.most_common(options.top):
        name, sql, ours, theirs = examples[key]
        print(f"{count} in {len(files[key])} files: {key[0]} {key[1]}")
        print(f"    {name}: {' '.join(sql.split())[:200]}")
        if key[0] not in OF_MESSAGES:
            print(f"        weir:  {' '.join(ours.split())[:200]}\n        mysql: {' '.join(theirs.split())[:200]}")


if __name__ == "__main__":
    main()
