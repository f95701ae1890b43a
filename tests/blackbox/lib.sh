# Helpers of the black-box tests: a server on a free port and a temporary directory, always stopped.
# Needs: a built binary (WEIR, default target/release/weir), mariadb and sysbench on the PATH.
set -euo pipefail

WEIR=${WEIR:-target/release/weir}
WORK=$(mktemp -d "${TMPDIR:-/tmp}/weir-blackbox.XXXXXX")
SERVER=""
PORT=""

fail() {
    echo "FAILED: $*" >&2
    [ -f "$WORK/log" ] && tail -n 30 "$WORK/log" >&2
    exit 1
}

clean_up() {
    if [ -n "$SERVER" ]; then
        kill -9 "$SERVER" 2>/dev/null || true
        wait "$SERVER" 2>/dev/null || true
    fi
    rm -rf "$WORK"
}
trap clean_up EXIT

# start_server [options]: waits until it accepts connections; sets PORT.
start_server() {
    : >"$WORK/log"
    "$WEIR" serve --datadir="$WORK/data" --port=0 "$@" >>"$WORK/log" 2>&1 &
    SERVER=$!
    for _ in $(seq 1 400); do
        PORT=$(sed -n 's/.*--host=127.0.0.1 --port=\([0-9]*\).*/\1/p' "$WORK/log" | head -n 1)
        if [ -n "$PORT" ] && grep -q -- "--socket=" "$WORK/log"; then
            return 0
        fi
        kill -0 "$SERVER" 2>/dev/null || fail "the server ended while starting"
        sleep 0.05
    done
    fail "the server was not ready within 20 seconds"
}

stop_server() {
    kill "$SERVER"
    wait "$SERVER" || fail "the server did not stop cleanly"
    SERVER=""
}

kill_server() {
    kill -9 "$SERVER"
    wait "$SERVER" 2>/dev/null || true
    SERVER=""
}

sql() {
    mariadb --host=127.0.0.1 --port="$PORT" --user=root --batch --skip-column-names "$@"
}

bench() {
    sysbench --db-driver=mysql --mysql-host=127.0.0.1 --mysql-port="$PORT" --mysql-user=root --mysql-db=sbtest "$@"
}

# Every line of CHECK TABLE must end in OK.
check_tables() {
    local bad
    bad=$(sql -e "check table $(echo "$*" | tr " " ",")" | awk -F '\t' '!($3 == "status" && $4 == "OK")')
    [ -z "$bad" ] || fail "CHECK TABLE: $bad"
}
