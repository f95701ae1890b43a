#!/usr/bin/env bash
# The Python package over the library that was built, with nothing installed: its tests, and its wheel where pip can make one.
set -euo pipefail
cd "$(dirname "$0")/.."
TARGET=$(readlink -f "${CARGO_TARGET_DIR:-target}")/debug
# WEIR_LIBRARY_OF=--workspace: with the features that other programs of the workspace want, where those are built already.
${CARGO:-cargo} build -q ${WEIR_LIBRARY_OF:--p weir-capi}
export WEIRDB_LIBRARY=$TARGET/libweir.so PYTHONPATH=bindings/python PYTHONDONTWRITEBYTECODE=1
timeout 300 python3 -W error::ResourceWarning -m unittest -q bindings/python/tests/test_weirdb.py
echo "the Python package: passed"
