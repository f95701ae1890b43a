#!/usr/bin/env bash
# Mixed load for as long as wanted: the same memory, descriptors and threads at the end as at the start, a stop under load, a
# crash under load, whole tables after each.
#
#   tests/soak.sh                 two minutes
#   HOURS=5 tests/soak.sh         five hours (MINUTES=n for minutes)
#
# A round is ROUND seconds (20) of sysbench read-write traffic beside definition statements, connections that come and go,
# clients that are killed in a transaction, and transactions of thousands of rows that are rolled back. After each round the
# server rests until purge is done, and is measured. The first WARM rounds (2) fill caches; descriptors and threads may not grow
# after them. Resident memory must stay within 150 MiB of the pool: frames, the allocator's share and that of each thread are
# touched one after the other, so it rises for some ten rounds. In a run of 30 rounds or more its lowest value in the last third
# is compared with that in the middle third.
cd "$(dirname "$0")/.."
. tests/blackbox/lib.sh

ROUND=${ROUND:-20}
WARM=${WARM:-2}
seconds=$((${HOURS:-0} * 3600 + ${MINUTES:-0} * 60))
[ "$seconds" -gt 0 ] || seconds=100
ROWS=${ROWS:-20000}
POOL=64

start() { start_server --innodb-buffer-pool-size=${POOL}M --innodb-redo-log-capacity=64M --max-connections=200; }

rss_kib() { awk '/VmRSS/ { print $2 }' "/proc/$SERVER/status"; }
descriptors() { find "/proc/$SERVER/fd" -mindepth 1 2>/dev/null | wc -l; }
threads() { awk '/Threads/ { print $2 }' "/proc/$SERVER/status"; }
deleted() { find "/proc/$SERVER/fd" -mindepth 1 -printf '%l\n' 2>/dev/null | grep -c '(deleted)' || true; }
history_length() { sql -e "show engine innodb status" | grep -oE "History list length [0-9]+" | grep -oE "[0-9]+$"; }
connected() { sql -e "show global status like 'Threads_connected'" | cut -f 2; }

definitions() {
    local n=0 until=$1
    while [ "$(date +%s)" -lt "$until" ]; do
        n=$((n + 1))
        # A lock that is not to be had in time is normal here; anything else is not.
        sql soak >/dev/null 2>"$WORK/ddl.$n" <<SQL || grep -qE "ERROR (1205|1213|1317)" "$WORK/ddl.$n" || { cat "$WORK/ddl.$n" >>"$WORK/bad"; }
set lock_wait_timeout = 5;
create table d$n (id int primary key auto_increment, k int, pad varchar(200), key (k));
insert into d$n (k, pad) select k, pad from sbtest.sbtest1 limit 500;
alter table d$n add column extra int default 7, add index (extra);
truncate table d$n;
insert into d$n (k) values (1), (2), (3);
rename table d$n to e$n;
optimize table e$n;
alter table sbtest.sbtest2 add index soak (k, id);
alter table sbtest.sbtest2 drop index soak;
drop table e$n;
SQL
        # What a lost lock has left half way.
        sql -e "drop table if exists soak.d$n, soak.e$n" 2>>"$WORK/noise" || true
        sql -e "alter table sbtest.sbtest2 drop index soak" 2>>"$WORK/noise" || true
        rm -f "$WORK/ddl.$n"
    done
}

come_and_go() {
    local until=$1 client
    while [ "$(date +%s)" -lt "$until" ]; do
        sql -e "select count(*) from information_schema.tables" >/dev/null 2>>"$WORK/noise" || true
        # A transaction of thousands of rows, taken back; its client sometimes dies in the middle.
        sql -e "begin; update sbtest.sbtest1 set k = k + 1 where id % 5 = 0; select sleep(0.2); rollback" >/dev/null 2>>"$WORK/noise" &
        client=$!
        [ $((RANDOM % 3)) -gt 0 ] || { sleep 0.3 && kill -9 "$client" 2>/dev/null || true; }
        wait "$client" 2>/dev/null || true
    done
}

traffic() { bench --tables=2 --table-size="$ROWS" --threads=8 --time="$1" --mysql-ignore-errors=1205,1213,1412,1317 oltp_read_write run; }

rest() {
    for _ in $(seq 1 300); do
        [ "$(history_length)" = 0 ] && [ "$(connected)" -le 1 ] && break
        sleep 0.1
    done
    sleep 1
}

start
sql -e "create database sbtest; create database soak"
bench --tables=2 --table-size="$ROWS" oltp_read_write prepare >/dev/null || fail "prepare"
: >"$WORK/noise"
end=$(($(date +%s) + seconds))
round=0
memory=()
printf '%6s %9s %6s %8s %12s\n' round "RSS KiB" fds threads transactions
while [ "$(date +%s)" -lt "$end" ] || [ "$round" -le "$WARM" ]; do
    round=$((round + 1))
    until=$(($(date +%s) + ROUND))
    definitions "$until" &
    ddl=$!
    come_and_go "$until" &
    coming=$!
    traffic "$ROUND" >"$WORK/load" 2>&1 || fail "traffic in round $round: $(cat "$WORK/load")"
    wait "$ddl" "$coming"
    [ ! -s "$WORK/bad" ] || fail "definition statements: $(cat "$WORK/bad")"
    rest
    now=("$(rss_kib)" "$(descriptors)" "$(threads)")
    printf '%6s %9s %6s %8s %12s\n' "$round" "${now[@]}" "$(awk '/transactions:/ { print $2 }' "$WORK/load")"
    [ "$(deleted)" = 0 ] || fail "files that were removed are still open: $(deleted)"
    memory+=("${now[0]}")
    [ "${now[0]}" -le $(((POOL + 150) * 1024)) ] || fail "resident memory of ${now[0]} KiB with a pool of $POOL MiB"
    if [ "$round" -eq "$WARM" ]; then
        base=("${now[@]}")
    fi
done
lowest() { printf '%s\n' "$@" | sort -n | head -n 1; }
if [ "$round" -ge 30 ]; then
    third=$((round / 3))
    before=$(lowest "${memory[@]:third:third}")
    after=$(lowest "${memory[@]: -third}")
    [ "$after" -le $((before + before / 10)) ] || fail "resident memory grew from $before to $after KiB"
fi
[ "${now[1]}" -le $((base[1] + 8)) ] || fail "descriptors grew from ${base[1]} to ${now[1]}"
[ "${now[2]}" -le $((base[2] + 8)) ] || fail "threads grew from ${base[2]} to ${now[2]}"
check_tables sbtest.sbtest1 sbtest.sbtest2
[ -z "$(sql -e 'show tables from soak')" ] || fail "tables that were dropped are listed"

# SIGTERM under load: bounded, and nothing is lost of what was answered.
traffic 30 >"$WORK/load" 2>&1 &
load=$!
sleep 3
asked=$(date +%s%N)
kill "$SERVER"
wait "$SERVER" || fail "the server did not stop cleanly under load"
SERVER=""
stopped=$((($(date +%s%N) - asked) / 1000000))
wait "$load" 2>/dev/null || true
[ "$stopped" -le 30000 ] || fail "a stop under load took $stopped ms"
echo "SIGTERM under load: $stopped ms"
start
check_tables sbtest.sbtest1 sbtest.sbtest2
traffic 30 >"$WORK/load" 2>&1 &
load=$!
sleep 3
kill_server
wait "$load" 2>/dev/null || true
start
check_tables sbtest.sbtest1 sbtest.sbtest2
stop_server
grep -q panicked "$WORK/log" && fail "the server's log speaks of a panic"
echo "soak: $round rounds"
