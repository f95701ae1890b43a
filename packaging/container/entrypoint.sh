#!/bin/bash
# The image's start: makes the data directory with a password of root at the first start, then becomes the server. Arguments are options
# of `weir serve`. Variables are those of MySQL's image: MYSQL_ROOT_PASSWORD (or _FILE), MYSQL_ALLOW_EMPTY_PASSWORD, MYSQL_DATABASE,
# MYSQL_USER and MYSQL_PASSWORD (or _FILE); *.sql and *.sh in /docker-entrypoint-initdb.d are run once.
set -euo pipefail
datadir=${WEIR_DATADIR:-/var/lib/weir}
socket=${WEIR_SOCKET:-/run/weir/weir.sock}
init=${WEIR_INIT:-/docker-entrypoint-initdb.d}
options=(--datadir="$datadir" --socket="$socket")
bind=0.0.0.0

fail() { echo "weir: $*" >&2; exit 1; }
# A variable, or the contents of the file that NAME_FILE names.
value() {
    local file=$1_FILE
    if [ -n "${!file:-}" ]; then cat "${!file}"; else printf %s "${!1:-}"; fi
}
# A text as a literal of SQL.
quoted() { local t=${1//\\/\\\\}; printf "'%s'" "${t//\'/\'\'}"; }
named() { printf '`%s`' "${1//\`/\`\`}"; }

first_start() {
    local root user password
    root=$(value MYSQL_ROOT_PASSWORD) user=${MYSQL_USER:-} password=$(value MYSQL_PASSWORD)
    [ -n "$root" ] || [ -n "${MYSQL_ALLOW_EMPTY_PASSWORD:-}" ] ||
        fail "a first start needs MYSQL_ROOT_PASSWORD, MYSQL_ROOT_PASSWORD_FILE or MYSQL_ALLOW_EMPTY_PASSWORD=1"
    [ -z "$user" ] || [ -n "$password" ] || fail "MYSQL_USER needs MYSQL_PASSWORD"
    weir serve "${options[@]}" --skip-networking "$@" &
    local server=$!
    local client=(mariadb --no-defaults --socket="$socket" --user=root)
    for _ in $(seq 600); do
        if "${client[@]}" -e 'DO 1' 2>/dev/null; then break; fi
        kill -0 "$server" 2>/dev/null || fail "the server has ended while it started"
        sleep 0.1
    done
    # The password comes last: a start that breaks off before is made again. Standard input keeps it out of the process list.
    {
        [ -z "${MYSQL_DATABASE:-}" ] || echo "CREATE DATABASE IF NOT EXISTS $(named "$MYSQL_DATABASE");"
        if [ -n "$user" ]; then
            echo "CREATE USER IF NOT EXISTS $(quoted "$user")@'%' IDENTIFIED BY $(quoted "$password");"
            [ -z "${MYSQL_DATABASE:-}" ] || echo "GRANT ALL ON $(named "$MYSQL_DATABASE").* TO $(quoted "$user")@'%';"
        fi
    } | "${client[@]}"
    local file
    for file in "$init"/*; do
        case $file in
        *.sh) bash "$file" ;;
        *.sql) "${client[@]}" ${MYSQL_DATABASE:+"$MYSQL_DATABASE"} <"$file" ;;
        esac
    done
    if [ -n "$root" ]; then
        {
            echo "CREATE USER IF NOT EXISTS 'root'@'%' IDENTIFIED BY $(quoted "$root");"
            echo "GRANT ALL ON *.* TO 'root'@'%' WITH GRANT OPTION;"
            echo "ALTER USER 'root'@'localhost' IDENTIFIED BY $(quoted "$root");"
        } | "${client[@]}"
    fi
    touch "$datadir/.entrypoint-done"
    kill -TERM "$server"
    wait "$server" || fail "the server did not stop after its first start"
}

[ -e "$datadir/.entrypoint-done" ] || first_start "$@"
# An open root is refused on addresses that others can reach; the server says so.
exec weir serve "${options[@]}" --bind-address="$bind" --http-port="${WEIR_HTTP_PORT:-3307}" "$@"
