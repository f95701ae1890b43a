#!/usr/bin/env bash
# kill -9 at random moments under oltp_read_write, while clients keep a ledger of what was acknowledged.
# Environment: ROUNDS (default 30), ROWS (50000).
cd "$(dirname "$0")/../.."
. tests/blackbox/lib.sh

ROUNDS=${ROUNDS:-30}
ROWS=${ROWS:-50000}
CLIENTS=4

# One client: single inserts, each noted in its ledger once the server has answered.
ledger_client() {
    local me=$1 first=$2
    # The client prints the value after the commit was acknowledged; unbuffered, so nothing is in flight.
    seq "$first" $((first + 100000)) | sed "s/.*/insert into ledger.l values ($me, &); select &;/" |
        mariadb --host=127.0.0.1 --port="$PORT" --user=root --batch --skip-column-names --unbuffered >>"$WORK/ledger.$me" 2>/dev/null || true
}

start_server --innodb-redo-log-capacity=512M
sql -e "create database sbtest; create database ledger; create table ledger.l (client int, n int, primary key (client, n), key (n))"
bench --table-size="$ROWS" oltp_read_write prepare >/dev/null || fail "prepare"
for c in $(seq 1 $CLIENTS); do : >"$WORK/ledger.$c"; done

slowest=0
for round in $(seq 1 "$ROUNDS"); do
    bench --table-size="$ROWS" --threads=8 --time=60 --db-ps-mode=disable oltp_read_write run >/dev/null 2>&1 &
    load=$!
    clients=()
    for c in $(seq 1 $CLIENTS); do
        ledger_client "$c" $((round * 1000000)) &
        clients+=($!)
    done
    sleep "$(awk -v seed="$RANDOM" 'BEGIN { srand(seed); printf "%.2f", 0.2 + rand() * 1.3 }')"
    kill_server
    wait "$load" 2>/dev/null || true
    for p in "${clients[@]}"; do wait "$p" 2>/dev/null || true; done
    begun=$(date +%s%N)
    start_server --innodb-redo-log-capacity=512M
    took=$((($(date +%s%N) - begun) / 1000000))
    [ "$took" -lt 10000 ] || fail "round $round: the start took $took ms"
    [ "$took" -le "$slowest" ] || slowest=$took
    for c in $(seq 1 $CLIENTS); do
        acked=$(grep -c . "$WORK/ledger.$c" || true)
        sql -e "select n from ledger.l where client = $c order by n" >"$WORK/found"
        missing=$(comm -23 <(sort "$WORK/ledger.$c") <(sort "$WORK/found") | wc -l)
        [ "$missing" -eq 0 ] || fail "round $round: client $c lost $missing of $acked acknowledged rows"
    done
    check_tables sbtest.sbtest1 ledger.l
done
total=$(cat "$WORK"/ledger.* | wc -l)
stop_server
echo "kill -9: $ROUNDS rounds, $total acknowledged commits, none lost; slowest start $slowest ms"
