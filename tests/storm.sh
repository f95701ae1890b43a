#!/usr/bin/env bash
# Storms of connections: thousands come at once, work, and go in every way that a client can go; between two storms the server must be as it was
# before the first: descriptors, threads, transactions, locks, and every row that was acknowledged.
#
#   tests/storm.sh                                five storms of 3,000
#   CONNECTIONS=300 STORMS=3 tests/storm.sh       smaller ones
#   WEIR=target/debug/weir ...                    with this program
#
# A connection ends by COM_QUIT, by closing, by a reset, in the middle of a packet, inside a transaction, before its login, or after a kill.
# Threads of the kernel for io_uring come and go, some 30.
# Resident memory may grow until the second storm, when the allocator and the thread stacks have their size, and by MORE MiB (48) after it.
cd "$(dirname "$0")/.."
. tests/blackbox/lib.sh

CONNECTIONS=${CONNECTIONS:-3000}
STORMS=${STORMS:-5}
MORE=${MORE:-48}

ulimit -n $((CONNECTIONS * 2 + 500)) 2>/dev/null || fail "ulimit -n allows fewer than $((CONNECTIONS * 2 + 500)) descriptors"
start_server --innodb-buffer-pool-size=64M --max-connections=$((CONNECTIONS + 20))
sql -e "create database s; create table s.ledger (id int primary key auto_increment, storm int, client int, unique (storm, client)); create table s.hot (id int primary key, n int); insert into s.hot values (1, 0), (2, 0)"

rss_mib() { awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$SERVER/status"; }
peak_mib() { awk '/VmHWM/ { print int($2 / 1024) }' "/proc/$SERVER/status"; }
descriptors() { find "/proc/$SERVER/fd" -mindepth 1 2>/dev/null | wc -l; }
threads() { awk '/Threads/ { print $2 }' "/proc/$SERVER/status"; }
transactions() { sql -e "select count(*) from information_schema.innodb_trx"; }
sessions() { sql -e "select count(*) from information_schema.processlist where command not in ('Daemon')"; }
# Waits until only the asking session is there.
rest() {
    for _ in $(seq 200); do
        [ "$(sessions)" = 1 ] && [ "$(transactions)" = 0 ] && return
        sleep 0.1
    done
    fail "$(sessions) sessions and $(transactions) transactions are left behind storm $1"
}

rest 0
before_fds=$(descriptors)
before_threads=$(threads)
echo "before: $(rss_mib) MiB, $before_fds descriptors, $before_threads threads"
acknowledged=0
for storm in $(seq "$STORMS"); do
    began=$(date +%s.%N)
    said=$(python3 tests/blackbox/storm.py "$PORT" "$CONNECTIONS" "$storm") || fail "storm $storm: $said"
    seconds=$(awk -v a="$began" -v b="$(date +%s.%N)" 'BEGIN { printf "%.1f", b - a }')
    committed=${said%% *}
    acknowledged=$((acknowledged + committed))
    rest "$storm"
    there=$(sql -e "select count(*) from s.ledger where storm = $storm")
    # A commit whose answer its client did not wait for may be there or not: the script says how many those are.
    unknown=$(echo "$said" | awk '{ print $2 }')
    [ "$there" -ge "$committed" ] && [ "$there" -le $((committed + unknown)) ] ||
        fail "storm $storm: $there rows, $committed acknowledged and $unknown without an answer"
    fds=$(descriptors)
    [ "$fds" -le $((before_fds + 8)) ] || fail "storm $storm: $fds descriptors, $before_fds before"
    # Threads that served a client wait for another one for a while before they end.
    for _ in $(seq 300); do
        [ "$(threads)" -gt $((before_threads + 64)) ] || break
        sleep 0.1
    done
    [ "$(threads)" -le $((before_threads + 64)) ] || fail "storm $storm: $(threads) threads, $before_threads before"
    now=$(rss_mib)
    [ "$storm" = 2 ] && second=$now
    [ "$storm" -le 2 ] || [ "$now" -le $((second + MORE)) ] || fail "storm $storm: $now MiB, $second behind the second"
    echo "storm $storm: $seconds s, $said; behind it $now MiB (at most $(peak_mib)), $fds descriptors, $(threads) threads"
done
[ "$(sql -e 'check table s.ledger, s.hot' | awk '$4 != "OK"' | wc -l)" = 0 ] || fail "CHECK TABLE"
stop_server
start_server --innodb-buffer-pool-size=64M
[ "$(sql -e 'select count(*) from s.ledger')" -ge "$acknowledged" ] || fail "acknowledged rows are lost behind a stop"
stop_server
echo "storms: passed ($((STORMS * CONNECTIONS)) connections, $acknowledged acknowledged commits)"
