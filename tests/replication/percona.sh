#!/bin/bash
# percona-toolkit over a pair: pt-table-checksum finds what differs on a replica (its checksums are logged as statements, so that the replica
# works them out over its own rows), pt-table-sync repairs it through the source, pt-heartbeat tells how far the replica is behind.
# Needs percona-toolkit (Debian's).
set -u
. "$(dirname "$0")/lib.sh"
for tool in pt-table-checksum pt-table-sync pt-heartbeat; do command -v $tool >/dev/null || skip "$tool is not installed"; done
replica=$((port + 1))
start_source
ask "$port" -e "create user repl identified with mysql_native_password by 'repl'; grant replication slave, replication client on *.* to repl"
start replica $replica 2 --report-host=127.0.0.1 --report-port=$replica
follow $replica
ask "$port" -e "create database shop; create database percona; use shop;
  create table a (id int primary key auto_increment, v varchar(20), n int, d double, t timestamp default current_timestamp, key k (n));
  insert into a (v, n, d) with recursive s as (select 1 as i union all select i + 1 from s where i < 900) select concat('x', i), i % 10, i / 3 from s;
  insert into a (v, n, d) select v, n, d from a; insert into a (v, n, d) select v, n, d from a;
  create table b (c varchar(30) primary key, x blob) character set utf8mb4; insert into b values ('ä', x'00ff'), ('b', null), ('c', 'text')"
caught_up $replica || finish
ask $replica -e "create table percona.dsns (id int auto_increment primary key, parent_id int, dsn varchar(255) not null)"
ask "$port" -e "create table if not exists percona.dsns (id int auto_increment primary key, parent_id int, dsn varchar(255) not null); insert into percona.dsns (dsn) values ('h=127.0.0.1,P=$replica,u=root')" 2>"$work/err" || fail "the table of replicas: $(cat "$work/err")"
dsn="h=127.0.0.1,P=$port,u=root"

# differences: how many chunks pt-table-checksum finds to differ.
differences() {
  timeout 120 pt-table-checksum "$dsn" --databases shop --no-version-check --recursion-method=dsn=h=127.0.0.1,P=$port,u=root,D=percona,t=dsns --chunk-size=500 --no-check-replication-filters --no-check-binlog-format >"$work/sums" 2>&1
  local rc=$?
  [ $((rc & ~16)) = 0 ] || { fail "pt-table-checksum ends with $rc"; tail -5 "$work/sums" >&2; }
  awk '$NF ~ /^shop\./ { d += $3; e += $2 } END { print d + 0 "/" e + 0 }' "$work/sums"
}
ask $replica -e 'stop replica; drop table percona.dsns; start replica' 2>/dev/null
caught_up $replica || finish
found=$(differences)
[ "$found" = 0/0 ] && say "equal tables: no difference" || { fail "differences/errors where there are none: $found"; cat "$work/sums"; }
ask $replica -e "update shop.a set v = 'other' where id = 700; delete from shop.a where id = 2000; insert into shop.b values ('only here', 'x')"
found=$(differences)
[ "$found" = 3/0 ] && say "three chunks differ, as they do" || { fail "differences/errors of 3/0: $found"; cat "$work/sums"; }
timeout 120 pt-table-sync --execute --replicate percona.checksums --sync-to-master --no-version-check h=127.0.0.1,P=$replica,u=root >"$work/sync" 2>&1
rc=$?
[ $((rc & ~2)) = 0 ] || { fail "pt-table-sync ends with $rc"; tail -5 "$work/sync"; }
caught_up $replica
compare "$port" $replica shop
found=$(differences)
[ "$found" = 0/0 ] && say "repaired" || fail "differences/errors after the repair: $found"
timeout 30 pt-heartbeat -D percona --create-table --update --run-time 6 --interval 1 "$dsn" --no-version-check >"$work/beat" 2>&1 &
beat=$!
sleep 3
late=$(timeout 10 pt-heartbeat -D percona --check --master-server-id 1 h=127.0.0.1,P=$replica,u=root --no-version-check 2>&1)
wait $beat || fail "pt-heartbeat: $(cat "$work/beat")"
awk -v l="$late" 'BEGIN { exit !(l >= 0 && l < 3) }' && say "the replica is $late s behind" || fail "pt-heartbeat --check: $late"
finish
