#!/usr/bin/env bash
# Memory: data four times the pool; many connections. Bad input from outside: start-up errors, damage, a full disk.
cd "$(dirname "$0")/../.."
. tests/blackbox/lib.sh

rss_mib() { awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$SERVER/status"; }

# --- a 64 MiB pool, data of four times that ---------------------------------------------------------------
ROWS=${ROWS:-1200000}
start_server --innodb-buffer-pool-size=64M --innodb-redo-log-capacity=256M
sql -e "create database sbtest"
bench --table-size="$ROWS" oltp_read_write prepare >/dev/null || fail "prepare with a 64 MiB pool"
bench --table-size="$ROWS" --threads=16 --time="${SECONDS_EACH:-10}" --db-ps-mode=auto oltp_read_write run >"$WORK/rw" 2>&1 &
load=$!
for _ in 1 2 3; do
    n=$(sql -e "select count(*) from sbtest.sbtest1 where pad <> ''")
    [ "$n" -ge $((ROWS - 64)) ] || fail "a full scan saw $n rows of $ROWS"
done
wait "$load" || fail "oltp_read_write with a 64 MiB pool: $(cat "$WORK/rw")"
grep -q FATAL "$WORK/rw" && fail "oltp_read_write with a 64 MiB pool: $(cat "$WORK/rw")"
rss=$(rss_mib)
[ "$rss" -le $((64 + 150)) ] || fail "RSS of $rss MiB with a 64 MiB pool"
size=$(du -sm "$WORK/data/tables" | cut -f 1)
echo "64 MiB pool, $size MiB of data: $(awk '/transactions:/ { print $2 }' "$WORK/rw") transactions beside full scans, RSS $rss MiB"
check_tables sbtest.sbtest1
stop_server
rm -rf "$WORK/data"

# --- connections ------------------------------------------------------------------------------------------
start_server --max-connections=1100
before=$(rss_mib)
{
    for _ in $(seq 1 1000); do
        # A connection that only logs in: bash opens the socket, the server's greeting waits unread.
        exec {fd}<>"/dev/tcp/127.0.0.1/$PORT"
    done
    sleep 1
    idle=$(($(rss_mib) - before))
    [ "$idle" -lt 48 ] || fail "1000 connections cost $idle MiB"
    echo "1000 connections before their login: $idle MiB"
}
stop_server
# sysbench logs in for good: 500 at work.
rm -rf "$WORK/data"
start_server --max-connections=600
sql -e "create database sbtest"
bench --table-size=10000 oltp_read_write prepare >/dev/null
bench --table-size=10000 --threads=500 --time=5 oltp_point_select run >"$WORK/many" 2>&1 || fail "500 clients: $(cat "$WORK/many")"
echo "500 clients at work: $(awk '/transactions:/ { print $2 }' "$WORK/many") point selects"
sql -e "set global max_connections = 1"
sql -e "select sleep(2)" >/dev/null &
sleeper=$!
sleep 0.5
sql -e "create user plain@localhost; " || fail "the extra connection of an administrator"
refused=$(mariadb --host=127.0.0.1 --port="$PORT" --user=plain -e "select 1" 2>&1 || true)
echo "$refused" | grep -q "ERROR 1040" || fail "max_connections: $refused"
wait "$sleeper"
sql -e "set global max_connections = 151"

# --- a killed client's locks go at once ---------------------------------------------------------------------
sql -e "create table sbtest.k (id int primary key, v int); insert into sbtest.k values (1, 1)"
(echo "begin; update sbtest.k set v = 2 where id = 1; select sleep(100);"; sleep 100) | mariadb --host=127.0.0.1 --port="$PORT" --user=root --unbuffered >/dev/null 2>&1 &
sleep 1
victim=$(sql -e "select id from information_schema.processlist where info like '%sleep(100)%' and info not like '%processlist%'")
[ -n "$victim" ] || fail "the client to be killed is not listed"
sql -e "kill $victim"
sql -e "set innodb_lock_wait_timeout = 3; update sbtest.k set v = 3 where id = 1" || fail "the lock of a killed client"
[ "$(sql -e "select v from sbtest.k")" = 3 ] || fail "the change of a killed client"
stop_server

# --- starts that must be refused --------------------------------------------------------------------------
# expect PATTERN WHAT command...: the command's output, failing or not, has the pattern.
expect() {
    local want=$1 what=$2
    shift 2
    local out
    out=$("$@" 2>&1 || true)
    echo "$out" | grep -qi -- "$want" || fail "$what: $out"
}

refuses() {
    local want=$1
    shift
    local out
    if out=$("$WEIR" serve --datadir="$WORK/data" --port=0 "$@" 2>&1); then
        fail "started in spite of $*"
    fi
    echo "$out" | grep -q -- "$want" || fail "'$want' is not in: $out"
}
refuses "pages of 16384 bytes" --innodb-page-size=4096
refuses "did you mean '--innodb-buffer-pool-size'" --innodb-bufer-pool-size=1G
refuses "has no password" --bind-address=0.0.0.0
start_server
port=$PORT
refuses "in use by another process"
if out=$("$WEIR" serve --datadir="$WORK/other" --port="$port" 2>&1); then fail "two servers on one port"; fi
echo "$out" | grep -q "cannot listen on" || fail "port in use: $out"
sql -e "create database d; create table d.t (id int primary key, v varchar(200)); insert into d.t values (1, 'x'), (2, 'y')"
expect "ERROR 1062 (23000)" "duplicate key" sql -e "insert into d.t values (1, 'again')"
expect "ERROR 1054 (42S22)" "unknown column" sql -e "select nothing from d.t"
expect "ERROR 1064 (42000)" "syntax error" sql -e "selec 1"
expect "ERROR 1264 (22003)" "value out of range" sql -e "create table d.n (i tinyint); insert into d.n values (300)"
expect "ERROR 1045 (28000)" "wrong password" mariadb --host=127.0.0.1 --port="$PORT" --user=root --password=wrong -e "select 1"
stop_server

# --- a damaged page and a damaged log -----------------------------------------------------------------------
# Files are numbered as the tables were made: the one before the last is d.t.
table=$(ls "$WORK"/data/tables/*.weir | tail -n 2 | head -n 1)
cp "$table" "$WORK/whole"
# The doublewrite area would repair a page of the last batch.
rm "$WORK/data/doublewrite.weir"
# Byte 100 of the third page and the following ones: whichever holds the rows.
for page in 1 2 3 4; do
    printf '\377\377\377\377' | dd of="$table" bs=1 seek=$((page * 16384 + 100)) conv=notrunc status=none
done
start_server
expect "error" "damage in a page went unnoticed" sql -e "select * from d.t"
[ "$(sql -e "select 1")" = 1 ] || fail "the server did not live through a damaged page"
stop_server

# --- a full disk (needs the right to mount) ------------------------------------------------------------------
mkdir -p "$WORK/small"
if mount -t tmpfs -o size=160m tmpfs "$WORK/small" 2>/dev/null; then
    trap 'clean_up; umount -l "$WORK/small" 2>/dev/null || true' EXIT
    rm -rf "$WORK/data"
    ln -s "$WORK/small/data" "$WORK/data"
    mkdir "$WORK/small/data"
    start_server --innodb-redo-log-capacity=32M --innodb-buffer-pool-size=32M
    sql -e "create database d; create table d.big (id int primary key auto_increment, v varchar(8000)); insert into d.big (v) values (repeat('x', 8000))"
    full=""
    for _ in $(seq 1 20); do
        full=$(sql -e "insert into d.big (v) select v from d.big" 2>&1 || true)
        [ -z "$full" ] || break
    done
    echo "$full" | grep -q "ERROR 1114" || fail "a full disk: $full"
    before=$(sql -e "select count(*) from d.big")
    [ "$(sql -e "select 1")" = 1 ] || fail "the server did not live through a full disk"
    check_tables d.big
    kill_server
    start_server --innodb-redo-log-capacity=32M --innodb-buffer-pool-size=32M
    [ "$(sql -e "select count(*) from d.big")" = "$before" ] || fail "rows were lost on a full disk"
    stop_server
    umount "$WORK/small"
    echo "full disk: the statement failed with 1114, $before rows kept"
else
    echo "full disk: not tried, mounting is not allowed here (the simulated device tries it in cargo test)"
fi
echo "limits: all passed"
