#!/bin/bash
# python-mysql-replication as a reader of a Weir's binary log: all types and statements of source.sql and types.sql, by file and position and
# by GTIDs, resumed in the middle, and waiting over heartbeats. Needs python3 with pip and venv.
set -u
. "$(dirname "$0")/lib.sh"
venv=$cache/replication-python
command -v python3 >/dev/null || skip "python3 is not installed"
if ! "$venv/bin/python" -c 'import pymysqlreplication' 2>/dev/null; then
  python3 -m venv "$venv" && "$venv/bin/pip" install -q mysql-replication==1.0.17 pymysql cryptography || skip "mysql-replication cannot be installed"
fi
# Names, signs and character sets of columns stand in the log only so.
start_source --binlog-row-metadata=FULL
for file in source types; do ask "$port" <"$here/$file.sql" || failed=1; done
timeout 120 "$venv/bin/python" -W ignore::DeprecationWarning "$here/python/mirror.py" "$port" src_types src_work repl_types || failed=1
finish
