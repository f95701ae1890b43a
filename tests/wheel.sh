#!/usr/bin/env bash
# The Python package's wheel, made by packaging/wheel.py, is installed into a fresh environment and works there: a database in a directory, the dialect's
# entry point, and nothing of this checkout. LIBRARY: the library that goes in (default target/debug/libweir.so).
set -euo pipefail
cd "$(dirname "$0")/.."
LIBRARY=$(readlink -f "${LIBRARY:-target/debug/libweir.so}")
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
fail() { echo "FAILED: $*" >&2; exit 1; }

wheel=$(python3 packaging/wheel.py "$LIBRARY" "$WORK/wheels")
again=$(python3 packaging/wheel.py "$LIBRARY" "$WORK/again")
cmp -s "$wheel" "$again" || fail "the same sources make another wheel"
if ! python3 -m venv "$WORK/env" >/dev/null 2>&1; then
    echo "the wheel: made, and not installed: python3 makes no environment here (python3-venv)"
    exit 0
fi
"$WORK/env/bin/pip" install -q --no-index "$wheel" 2>"$WORK/pip" || fail "pip does not take it: $(cat "$WORK/pip")"
cd "$WORK"
env -u WEIRDB_LIBRARY -u PYTHONPATH "$WORK/env/bin/python" - <<'P'
import importlib.metadata
import weirdb
assert "site-packages" in weirdb.__file__, weirdb.__file__
with weirdb.connect("data") as conn:
    cur = conn.cursor()
    cur.execute("CREATE DATABASE app")
    cur.execute("CREATE TABLE app.t (id INT PRIMARY KEY, name TEXT)")
    cur.executemany("INSERT INTO app.t VALUES (?, ?)", [(1, "one"), (2, "two")])
    conn.commit()
with weirdb.connect("data", schema="app") as conn:
    cur = conn.cursor()
    cur.execute("SELECT name FROM t ORDER BY id")
    assert cur.fetchall() == [("one",), ("two",)]
points = importlib.metadata.distribution("weirdb").entry_points
assert [(p.group, p.name) for p in points] == [("sqlalchemy.dialects", "mysql.weirdb")], points
P
echo "the wheel: passed ($(basename "$wheel"), $(($(stat -c %s "$wheel") / 1000)) kB)"
