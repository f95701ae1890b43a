#!/usr/bin/env bash
# A transaction of many changes is cut off by a crash: how long the start takes, how long its rollback goes on in the background,
# how much memory the server has meanwhile, and whether every row is as it was.
#
#   tests/rollback.sh                    five million changes
#   CHANGES=200000 tests/rollback.sh     so many
#   WEIR=target/debug/weir ...           with this program
#
# The rows are inserted and committed, changed in one transaction, and the server is killed. While the rollback goes on others read and
# write another table. POOL (MiB, 256) is smaller than the table by default, so most pages come from the device twice.
cd "$(dirname "$0")/.."
. tests/blackbox/lib.sh

CHANGES=${CHANGES:-5000000}
POOL=${POOL:-256}

start() { start_server --innodb-buffer-pool-size=${POOL}M --innodb-redo-log-capacity=1G; }
rss_mib() { awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$SERVER/status"; }
now() { date +%s.%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.1f", b - a }'; }
transactions() { sql -e "select count(*) from information_schema.innodb_trx where trx_mysql_thread_id = 0"; }

start
sql -e "create database r; create table r.t (id int primary key auto_increment, v int, w int, pad char(60), key (w)); create table r.other (id int primary key auto_increment, v int)"
sql -e "insert into r.t (v, w, pad) values (1, 1, repeat('x', 60))"
rows=1
while [ "$rows" -lt "$CHANGES" ]; do
    more=$((CHANGES - rows < rows ? CHANGES - rows : rows))
    sql -e "insert into r.t (v, w, pad) select v, id % 1000, pad from r.t limit $more"
    rows=$((rows + more))
done
sum=$(sql -e "select count(*), sum(v), sum(w), sum(crc32(pad)) from r.t")

began=$(now)
mkfifo "$WORK/statements"
sql --unbuffered <"$WORK/statements" >"$WORK/client" 2>&1 &
exec 7>"$WORK/statements"
echo "begin; update r.t set v = v + 1, w = w + 7; select 'changed';" >&7
until grep -q changed "$WORK/client"; do
    sleep 0.2
done
echo "changed $CHANGES rows in $(since "$began") s, $(rss_mib) MiB"
# The changes are durable with the next commit.
sql -e "insert into r.other (v) values (0)"
kill -9 "$SERVER"
wait "$SERVER" 2>/dev/null || true
exec 7>&-

began=$(now)
start
echo "ready after $(since "$began") s"
most=0 written=0
while [ "$(transactions)" != 0 ]; do
    sql -e "insert into r.other (v) values (1)"
    written=$((written + 1))
    rss=$(rss_mib)
    most=$((rss > most ? rss : most))
    sleep 0.2
done
echo "rolled back after $(since "$began") s; $written other commits meanwhile, at most $most MiB"
after=$(sql -e "select count(*), sum(v), sum(w), sum(crc32(pad)) from r.t")
[ "$after" = "$sum" ] || { echo "rows differ: $sum before, $after after"; exit 1; }
checked=$(sql -e "check table r.t" | cut -f 4)
[ "$checked" = OK ] || { echo "CHECK TABLE: $checked"; exit 1; }
echo "every row is as it was"
