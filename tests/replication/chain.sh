#!/bin/bash
# A replica that is a source itself (log_replica_updates): a chain of three servers with all types and statements, a failover onto the one in the
# middle, a ring of three, and kill -9 of the one in the middle under load.
#
# usage: tests/replication/chain.sh [ROUNDS]     ROUNDS: kills of the server in the middle under load, 6 by default
# WEIR: the binary, target/debug/weir by default. FIRST=host:port, LAST=host:port: MySQLs (root without a password, GTIDs and log_replica_updates
# on) in the place of the first and the last server of the chain; both are other Weirs without them. A ring is closed of Weirs only.
set -u
. "$(dirname "$0")/lib.sh"
rounds=${1:-6}
gtids="--log-bin --gtid-mode=ON --enforce-gtid-consistency=ON"
a=$port; b=$((port + 1)); c=$((port + 2))
[ -n "${FIRST:-}" ] && a=${FIRST#*:}
[ -n "${LAST:-}" ] && c=${LAST#*:}
plugin=mysql_native_password
[ -n "${FIRST:-}${LAST:-}" ] && plugin=caching_sha2_password

start_middle() { start b "$b" 2 $gtids --max-binlog-size=${size:-1073741824}; middle=${pids[-1]}; }

# behind A B: waits until B has all that A has executed.
behind() { port=$1 caught_up "$2"; }

# follows A B: makes B a replica of A.
follows() { port=$1 follow "$2"; }

stop_following() { ask "$1" -e 'stop replica; reset replica all'; }

[ -n "${FIRST:-}" ] || start a "$a" 1 $gtids
start_middle
[ -n "${LAST:-}" ] || start c "$c" 3 $gtids
# The databases of an earlier run, and what was logged about them.
for p in $a $c; do
  ask "$p" -e "stop replica; reset replica all; set sql_log_bin = 0; drop database if exists src_types; drop database if exists src_work; drop database if exists src_documents; drop database if exists src_load; drop user if exists repl" 2>/dev/null
done
old=$(executed "$a")
[ -n "$old" ] && ask "$b" -e "set global gtid_purged = '+$old'"
[ -n "${LAST:-}" ] && ask "$c" -e "set @new = gtid_subtract('$old', @@global.gtid_executed); set global gtid_purged = concat('+', @new)"
say "$(ask "$a" -N -e 'select version()') -> $(ask "$b" -N -e 'select version()') -> $(ask "$c" -N -e 'select version()')"
ask "$a" -e "create user 'repl'@'%' identified with $plugin by 'repl'; grant replication slave, replication client on *.* to 'repl'@'%'"
follows "$a" "$b"
behind "$a" "$b"
follows "$b" "$c"

say "all types and statements"
ask "$a" <"$here/source.sql" && ask "$a" <"$here/documents.sql" || failed=1
behind "$a" "$b" && behind "$b" "$c"
compare "$a" "$b" src_types src_work src_documents
compare "$b" "$c" src_types src_work src_documents
[ "$(executed "$a")" = "$(executed "$b")" ] || fail "other GTIDs: $(executed "$a"), $(executed "$b")"

# What the log in the middle has of each transaction: those of the first server, once each.
names_in_middle() { for f in $(ask "$b" -N -e 'show binary logs' | cut -f1); do ask "$b" -N -e "show binlog events in '$f'" | awk '$3 == "Gtid" { print $NF }'; done; }
once() {
  names_in_middle | sort >"$work/names"
  say "$(wc -l <"$work/names") transactions in the middle's log"
  uniq -d "$work/names" >"$work/twice"
  [ -s "$work/twice" ] && fail "logged twice: $(head -3 "$work/twice")"
}
once

say "kill -9 of the middle under load, $rounds times"
size=65536
ask "$a" -e "create database src_load; use src_load; create table parent (a int primary key); create table acked (c int, n int, v varchar(400), primary key (c, n)); create table child (a int primary key, b int, key (b), foreign key (b) references parent (a) on delete cascade); create table log (i int auto_increment primary key, n int)"
client() {
  local i=$1 n=0
  while [ ! -e "$work/enough" ]; do
    n=$((n + 1))
    ask "$a" src_load -e "insert into acked values ($i, $n, repeat('x', $((n % 300)))); update acked set v = 'changed' where c = $i and n = $((n / 2)); begin; insert into parent values ($((i * 100000 + n))); insert into child values ($((i * 100000 + n)), $((i * 100000 + n))); commit; delete from parent where a = $((i * 100000 + n - 3)); create table made_$i as select n from acked where c = $i; drop table made_$i" 2>/dev/null || sleep 0.2
  done
}
clients=()
for i in 1 2 3; do client $i & clients+=($!); done
for _ in $(seq "$rounds"); do
  sleep $((1 + RANDOM % 3))
  kill -9 "$middle"; wait "$middle" 2>/dev/null
  start_middle
done
touch "$work/enough"
wait "${clients[@]}"
behind "$a" "$b" && behind "$b" "$c"
compare "$a" "$b" src_load
compare "$b" "$c" src_load
[ "$(executed "$a")" = "$(executed "$b")" ] || fail "other GTIDs in the middle: $(executed "$a"), $(executed "$b")"
say "$(ask "$a" -N -e 'select count(*) from src_load.acked') rows, $(ask "$b" -N -e 'show binary logs' | wc -l) files in the middle"
once
for f in "$work"/b/binlog.[0-9]*; do
  mysqlbinlog --verify-binlog-checksum "$f" >"$work/read" 2>"$work/err" || { fail "mysqlbinlog: $(head -2 "$work/err")"; break; }
done

say "failover: the middle is the source of the others"
stop_following "$b"
follows "$b" "$a"
ask "$b" -e "create table src_load.after (a int primary key); insert into src_load.after values (1), (2)"
behind "$b" "$a" && behind "$b" "$c"
compare "$b" "$a" src_load
compare "$b" "$c" src_load

[ -n "${FIRST:-}" ] && stop_following "$a"
[ -n "${LAST:-}" ] && stop_following "$c"
[ -n "${FIRST:-}${LAST:-}" ] && finish

say "a ring, with a write at each"
stop_following "$a"
follows "$c" "$a"
follows "$a" "$b"
n=10
for p in $a $b $c $a $b $c; do
  n=$((n + 1))
  ask "$p" -e "insert into src_load.after values ($n)"
done
for p in $a $b $c; do
  for q in $a $b $c; do [ "$p" = "$q" ] || behind "$p" "$q"; done
done
compare "$a" "$b" src_load
compare "$b" "$c" src_load
for p in $a $b $c; do
  s=$(status "$p" Last_SQL_Error)$(status "$p" Last_IO_Error)
  [ -n "$s" ] && fail "port $p: $s"
done
[ "$(executed "$a")" = "$(executed "$b")" ] && [ "$(executed "$b")" = "$(executed "$c")" ] || fail "other GTIDs in the ring"
finish
