#!/bin/bash
# kill -9 of a source and of its replica by turns, under load: what was acknowledged is on the source, the files of the log have each of its
# transactions once, and the replica comes to the same tables. A replica that was away while its source purged the log is told so.
#
# usage: tests/replication/kill.sh [ROUNDS]     kills of each of the two, 10 by default
set -u
. "$(dirname "$0")/lib.sh"
rounds=${1:-10}
replica=$((port + 1))
begin_source() { start_source --max-binlog-size=65536; source_pid=${pids[-1]}; }
begin_replica() { start replica $replica 2; replica_pid=${pids[-1]}; }
begin_source
ask "$port" -e "create user repl identified with mysql_native_password by 'repl'; grant replication slave, replication client on *.* to repl;
  create database bank; use bank; create table acked (c int, n int, v varchar(400), primary key (c, n));
  create table account (id int primary key, money int); insert into account values (1, 1000), (2, 1000), (3, 1000), (4, 1000)"
begin_replica
follow $replica

# Each client notes what was acknowledged to it. A transfer and its note are one transaction.
client() {
  local c=$1 n=0
  while [ ! -e "$work/enough" ]; do
    n=$((n + 1))
    if ask "$port" bank -e "begin; update account set money = money - 1 where id = $c; update account set money = money + 1 where id = $((c % 4 + 1)); insert into acked values ($c, $n, repeat('x', $((n % 300)))); commit" 2>/dev/null; then
      echo "$c $n" >>"$work/acked.$c"
    else
      sleep 0.1
    fi
  done
}
clients=()
for c in 1 2 3 4; do client $c & clients+=($!); pids+=($!); done
for _ in $(seq "$rounds"); do
  sleep 0.$((3 + RANDOM % 7))
  kill -9 "$source_pid"; wait "$source_pid" 2>/dev/null
  begin_source
  sleep 0.$((3 + RANDOM % 7))
  kill -9 "$replica_pid"; wait "$replica_pid" 2>/dev/null
  begin_replica
done
touch "$work/enough"
wait "${clients[@]}"
ask "$port" -N -e 'select c, n from bank.acked order by c, n' | tr '\t' ' ' | sort >"$work/there"
cat "$work"/acked.* | sort >"$work/told"
lost=$(comm -13 "$work/there" "$work/told" | wc -l)
say "$rounds kills of each; $(wc -l <"$work/told") transactions acknowledged, $lost lost; $(ask "$port" -N -e 'show binary logs' | wc -l) files"
[ "$lost" = 0 ] || fail "acknowledged transactions are not there"
[ "$(wc -l <"$work/told")" -gt "$rounds" ] || fail "there was hardly any load"
[ "$(ask "$port" -N -e 'select sum(money) from bank.account')" = 4000 ] || fail "the sum is $(ask "$port" -N -e 'select sum(money) from bank.account')"
caught_up $replica && compare "$port" $replica bank
# All transactions of the source have names without a gap.
uuid=$(ask "$port" -N -e 'select @@server_uuid')
executed "$port" | grep -Eq "^$uuid:1(-[0-9]+)?$" || fail "gaps: $(executed "$port")"

# The source purges what a replica that is away still needs.
ask $replica -e 'stop replica'
ask "$port" -e "insert into bank.acked values (9, 1, ''); flush binary logs; insert into bank.acked values (9, 2, ''); flush binary logs"
last=$(ask "$port" -N -e 'show binary logs' | tail -1 | cut -f1)
ask "$port" -e "purge binary logs to '$last'"
ask $replica -e 'start replica'
for _ in $(seq 100); do [ -n "$(status $replica Last_IO_Error)" ] && break; sleep 0.1; done
[ "$(status $replica Last_IO_Errno)" = 13114 ] && status $replica Last_IO_Error | grep -q 'purged required binary logs' || fail "the purged log: $(status $replica Last_IO_Errno) $(status $replica Last_IO_Error)"
[ "$(ask $replica -N -e 'select count(*) from bank.acked where c = 9')" = 0 ] || fail "half of what was purged is there"
finish
