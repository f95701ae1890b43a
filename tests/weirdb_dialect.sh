#!/usr/bin/env bash
# SQLAlchemy's suite for dialects over the Python package, on a directory of its own. Needs python3 with venv and an index of packages; without them nothing
# is tried, and that is said. `cargo build -p weir-capi` makes the library.
set -euo pipefail
cd "$(dirname "$0")/.."
TARGET=$(readlink -f "${CARGO_TARGET_DIR:-target}")/debug
[ -e "$TARGET/libweir.so" ] || { echo "there is no $TARGET/libweir.so: cargo build -p weir-capi" >&2; exit 1; }
VENV=target/clients/dialect
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
[ -x "$VENV/bin/pip" ] || python3 -m venv "$VENV" || { echo "skipped: no python3 with venv"; exit 0; }
"$VENV/bin/pip" install --quiet --disable-pip-version-check "SQLAlchemy>=2,<2.1" "pytest>=8,<9" >"$WORK/pip" 2>&1 || { echo "skipped: SQLAlchemy and pytest cannot be installed"; exit 0; }
export WEIRDB_LIBRARY=$TARGET/libweir.so PYTHONPATH=$PWD/bindings/python PYTHONDONTWRITEBYTECODE=1
cp bindings/python/tests/dialect/* "$WORK"
"$VENV/bin/python" -c "import weirdb; c = weirdb.connect('$WORK/data', schema='test'); c.execute('CREATE DATABASE test_schema'); c.close()"
root=$PWD
cd "$WORK"
timeout 600 "$root/$VENV/bin/python" -m pytest -q -p no:cacheprovider -W ignore --dburi "mysql+weirdb:///$WORK/data?schema=test" test_suite.py >said 2>&1 || { tail -30 said; exit 1; }
tail -1 said
echo "SQLAlchemy's suite: passed"
