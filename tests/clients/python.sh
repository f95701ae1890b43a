#!/usr/bin/env bash
# Python's clients against the server: logins, types, errors, transactions, procedures, several results, and what frameworks ask of
# information_schema. Needs python3 with venv and an index of packages; mysqlclient also a C compiler and the headers of a client
# library. What cannot be installed is skipped and named.
#
#     WEIR=target/debug/weir tests/clients/python.sh [pymysql mysqlclient ...]
set -euo pipefail
cd "$(dirname "$0")/../.."
# shellcheck source=tests/blackbox/lib.sh
. tests/blackbox/lib.sh

HERE=tests/clients/python
VENV=target/clients/python
CLIENTS=${*:-pymysql mysqlclient connector aiomysql asyncmy sqlalchemy django peewee}

# What a client needs, by the names of requirements.txt.
needs() {
    case $1 in
    pymysql) echo PyMySQL cryptography ;;
    mysqlclient) echo mysqlclient ;;
    connector) echo mysql-connector-python ;;
    aiomysql) echo aiomysql PyMySQL cryptography ;;
    asyncmy) echo asyncmy cryptography ;;
    sqlalchemy) echo SQLAlchemy greenlet PyMySQL cryptography ;;
    django) echo Django mysqlclient ;;
    peewee) echo peewee PyMySQL cryptography ;;
    *) fail "no client is called $1" ;;
    esac
}

installed() {
    local name
    for name in $(needs "$1"); do
        local wanted
        wanted=$(grep -i "^$name==" "$HERE/requirements.txt") || fail "$name is not in requirements.txt"
        if ! grep -qxF "$wanted" "$VENV/installed" 2>/dev/null; then
            "$VENV/bin/pip" install --quiet --disable-pip-version-check "$wanted" >"$WORK/pip" 2>&1 || return 1
            echo "$wanted" >>"$VENV/installed"
        fi
    done
}

[ -x "$VENV/bin/pip" ] || python3 -m venv "$VENV" || { echo "skipped: no python3 with venv"; exit 0; }
start_server --socket="$WORK/socket" --local-infile=1
export WEIR_PORT=$PORT WEIR_SOCKET=$WORK/socket
skipped=""
ready=""
for client in $CLIENTS; do
    if installed "$client"; then ready="$ready $client"; else skipped="$skipped $client"; fi
done
[ -n "$ready" ] || { echo "skipped:$skipped (not installable here)"; exit 0; }
sql <"$HERE/accounts.sql"
for client in $ready; do
    sql -e "drop database if exists clients; create database clients"
    "$VENV/bin/python" "$HERE/test_$client.py" >"$WORK/said" 2>&1 || { cat "$WORK/said" >&2; fail "$client"; }
    echo "$client: passed"
done
for client in $skipped; do echo "$client: SKIPPED, it could not be installed"; done
stop_server
