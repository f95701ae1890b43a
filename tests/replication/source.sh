#!/bin/bash
# Weir as a source: replicas that follow it by GTIDs and by file and position, readers of its log, and kill -9 of it under load.
#
# usage: tests/replication/source.sh [ROUNDS]     ROUNDS: kills of the source under load, 8 by default
# WEIR: the binary, target/debug/weir by default. MYSQL=host:port: a MySQL (root without a password, GTIDs on, log_replica_updates on)
# that is made a replica; without it the replica is another Weir. SOURCE_OPTIONS: more options of the source. What is not installed is passed
# over with a message.
set -u
here=$(cd "$(dirname "$0")" && pwd)
weir=${WEIR:-$here/../../target/debug/weir}
rounds=${1:-8}
work=$(mktemp -d)
failed=0
source=; replica=
port=$((21000 + RANDOM % 4000)); replica_port=$((port + 1))
trap 'kill -9 $source $replica 2>/dev/null; rm -rf "$work"' EXIT

say() { echo "source: $*"; }
ask() { local p=$1; shift; mysql -h127.0.0.1 -P"$p" -uroot --default-character-set=utf8mb4 "$@"; }
answers() { for _ in $(seq 600); do ask "$1" -e 'select 1' >/dev/null 2>&1 && return 0; sleep 0.1; done; return 1; }
executed() { ask "$1" -N -r -e 'select @@global.gtid_executed' | tr -d '\n'; }

start_source() {
  "$weir" serve --datadir="$work/source" --port=$port --socket="$work/s.sock" --server-id=1 --log-bin --gtid-mode=ON \
    --enforce-gtid-consistency=ON --max-binlog-size=${size:-1073741824} ${SOURCE_OPTIONS:-} --event-scheduler=OFF --log-bin-trust-function-creators=1 >>"$work/source.log" 2>&1 &
  source=$!
  answers $port || { say "the source does not start"; tail -5 "$work/source.log"; exit 1; }
}

start_replica() {
  if [ -n "${MYSQL:-}" ]; then
    replica_port=${MYSQL#*:}
  else
    "$weir" serve --datadir="$work/replica" --port=$replica_port --socket="$work/r.sock" --server-id=2 --event-scheduler=OFF >>"$work/replica.log" 2>&1 &
    replica=$!
  fi
  answers $replica_port || { say "the replica does not start"; exit 1; }
  say "replica: $(ask $replica_port -N -e 'select version()')"
  ask $replica_port -e "change replication source to source_host='127.0.0.1', source_port=$port, source_user='repl', source_password='repl', get_source_public_key=1, source_connect_retry=1, source_retry_count=1000, source_auto_position=1; start replica"
}

status() { ask $replica_port -e 'show replica status\G' | sed -n "s/^ *$1: //p"; }

# Waits until the replica has all that the source has executed.
catch_up() {
  local all
  all=$(executed $port)
  for _ in $(seq 900); do
    [ "$(ask $replica_port -N -e "select gtid_subset('$all', @@global.gtid_executed)")" = 1 ] && return 0
    [ -n "$(status Last_SQL_Error)" ] && { say "stopped: $(status Last_SQL_Error)"; return 1; }
    sleep 0.1
  done
  say "not caught up: $(executed $replica_port) of $all; $(status Last_IO_Error)"
  return 1
}

compare() {
  local t n=0
  for db in "$@"; do
    for t in $(ask $port -N -e "select table_name from information_schema.tables where table_schema='$db' and table_type='BASE TABLE'"); do
      for p in $port $replica_port; do
        ask $p -N -e "set time_zone='+00:00'; select * from $db.$t" 2>&1 | sort >"$work/rows.$p"
      done
      n=$((n + 1))
      cmp -s "$work/rows.$port" "$work/rows.$replica_port" || { say "differs: $db.$t"; diff "$work/rows.$port" "$work/rows.$replica_port" | head -4; failed=1; }
    done
  done
  say "$n tables compared"
}

# Each client notes what was acknowledged to it.
client() {
  local c=$1 n=0
  while [ ! -e "$work/enough" ]; do
    n=$((n + 1))
    if ask $port src_load -e "insert into acked values ($c, $n, repeat('x', $((n % 300)))); update acked set v = 'changed' where c = $c and n = $((n / 2))" 2>/dev/null; then
      echo "$c $n" >>"$work/acked.$c"
    else
      sleep 0.2
    fi
  done
}

start_source
# MySQL 9 has no mysql_native_password, and the account is made on the replica as well.
plugin=mysql_native_password; [ -n "${MYSQL:-}" ] && plugin=caching_sha2_password
ask $port -e "create user 'repl'@'%' identified with $plugin by 'repl'; grant replication slave, replication client on *.* to 'repl'@'%'"
start_replica
ask $port <"$here/source.sql" && ask $port <"$here/documents.sql" || failed=1
catch_up && compare src_types src_work src_documents || failed=1

say "kill -9 of the source under load, $rounds times"
size=65536
ask $port -e "create database src_load; use src_load; create table acked (c int, n int, v varchar(400), primary key (c, n))"
clients=()
for c in 1 2 3 4; do client $c & clients+=($!); done
for _ in $(seq "$rounds"); do
  sleep $((1 + RANDOM % 3))
  kill -9 $source; wait $source 2>/dev/null
  start_source
done
touch "$work/enough"
wait "${clients[@]}"
ask $port -N -e 'select c, n from src_load.acked order by c, n' | tr '\t' ' ' | sort >"$work/there"
cat "$work"/acked.* | sort >"$work/told"
lost=$(comm -13 "$work/there" "$work/told" | wc -l)
say "$(wc -l <"$work/told") inserts acknowledged, $lost lost; $(ask $port -N -e 'show binary logs' | wc -l) files"
[ "$lost" = 0 ] || failed=1
catch_up && compare src_load || failed=1

for reader in mysqlbinlog mariadb-binlog; do
  command -v $reader >/dev/null || { say "$reader is not installed"; continue; }
  first=$(ask $port -N -e 'show binary logs' | head -1 | cut -f1)
  $reader --verify-binlog-checksum "$work/source/$first" >"$work/read" 2>"$work/err" && say "$reader reads $first: $(grep -c '^# at' "$work/read") events" || { say "$reader: $(head -2 "$work/err")"; failed=1; }
  $reader --read-from-remote-server --host=127.0.0.1 --port=$port --user=root --to-last-log "$first" >"$work/read" 2>"$work/err" && say "$reader from the server: $(grep -c '^# at' "$work/read") events" || say "$reader from the server: $(head -2 "$work/err")"
done
[ -n "${MYSQL:-}" ] && ask $replica_port -e "stop replica; reset replica all"
[ $failed = 0 ] && say "all is well"
exit $failed
