#!/usr/bin/env bash
# The unmodified sysbench OLTP scripts: prepare, run, cleanup; text and prepared statements; no error allowed.
# Environment: ROWS (default 500000), SECONDS_EACH (3), THREADS ("1 16 64").
cd "$(dirname "$0")/../.."
. tests/blackbox/lib.sh

ROWS=${ROWS:-500000}
SECONDS_EACH=${SECONDS_EACH:-3}
THREADS=${THREADS:-1 16 64}
TESTS="oltp_read_write oltp_read_only oltp_write_only oltp_point_select oltp_update_index oltp_update_non_index oltp_insert oltp_delete select_random_points select_random_ranges"

run() {
    local out
    out=$(bench "$@" run 2>&1) || fail "sysbench $*: $out"
    echo "$out" | grep -q FATAL && fail "sysbench $*: $out"
    # Deadlocks that the script retries are counted as ignored; anything else is fatal.
    echo "$out" | awk -v name="$*" '/transactions:|queries:/ { if (!done) { printf "%-90s %s\n", name, $3; done = 1 } }'
}

start_server --innodb-buffer-pool-size=512M --innodb-redo-log-capacity=512M
sql -e "create database sbtest"
for threads in $THREADS; do
    bench --table-size="$ROWS" oltp_read_write prepare >/dev/null || fail "prepare"
    for mode in disable auto; do
        for test in $TESTS; do
            run --table-size="$ROWS" --threads="$threads" --time="$SECONDS_EACH" --db-ps-mode="$mode" "$test"
        done
    done
    check_tables sbtest.sbtest1
    bench oltp_read_write cleanup >/dev/null || fail "cleanup"
    for mode in disable auto; do
        bench --threads="$threads" bulk_insert prepare >/dev/null || fail "bulk_insert prepare"
        run --threads="$threads" --time="$SECONDS_EACH" --db-ps-mode="$mode" bulk_insert
        bench --threads="$threads" bulk_insert cleanup >/dev/null || fail "bulk_insert cleanup"
    done
done
stop_server
echo "sysbench: all tests passed"
