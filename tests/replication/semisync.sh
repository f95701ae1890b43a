#!/bin/bash
# Semi-synchronous replication between Weir and MySQL: a MySQL as the replica of a Weir, and a Weir as the replica of a MySQL.
#
# usage: MYSQL=host:port tests/replication/semisync.sh     a MySQL (root without a password, GTIDs on, a binary log) whose plugins
# semisync_source.so and semisync_replica.so can be installed. WEIR: the binary, target/debug/weir by default. Without MYSQL nothing is done: the
# black-box tests have a Weir on both sides.
set -u
. "$(dirname "$0")/lib.sh"
[ -n "${MYSQL:-}" ] || skip "no MYSQL"
other=${MYSQL#*:}
answers "$other" || skip "nobody answers at $MYSQL"

figure() { ask "$1" -N -e "show global status like 'Rpl_semi_sync_$2'" | cut -f2; }
becomes() { for _ in $(seq 300); do [ "$(figure "$1" "$2")" = "$3" ] && return 0; sleep 0.1; done; fail "$2 is $(figure "$1" "$2") and not $3"; return 1; }
millis() { date +%s%3N; }
for p in source replica; do ask "$other" -e "install plugin rpl_semi_sync_$p soname 'semisync_$p.so'" 2>/dev/null; done
channel="for channel 'weir_semi_sync'"
clean() {
  ask "$other" -e "stop replica $channel; reset replica all $channel" 2>/dev/null
  ask "$other" -e "set global rpl_semi_sync_source_enabled=off; set global rpl_semi_sync_replica_enabled=off; set global rpl_semi_sync_source_timeout=10000; drop database if exists weir_semi; drop user if exists weir_semi"
}
trap 'clean >/dev/null 2>&1; kill -9 "${pids[@]}" 2>/dev/null; rm -rf "$work"' EXIT
clean

# MySQL is the replica.
for extra in "" ${ALSO:-"source_ssl=1"}; do
  start_source --rpl-semi-sync-source-timeout=600000 --require-secure-transport=OFF
  ask "$port" -e "create user 'repl'@'%' identified with caching_sha2_password by 'repl'; grant replication slave, replication client on *.* to 'repl'@'%'; reset binary logs and gtids"
  ask "$other" -e "set global rpl_semi_sync_replica_enabled=on; change replication source to source_host='127.0.0.1', source_port=$port, source_user='repl', source_password='repl', source_auto_position=1, get_source_public_key=1, source_connect_retry=1 ${extra:+, $extra} $channel; start replica $channel"
  becomes "$other" replica_status ON && becomes "$port" source_clients 1
  ask "$port" -e "set global rpl_semi_sync_source_enabled=on; create database weir_semi; create table weir_semi.t (a int primary key, b longblob)"
  for point in after_sync after_commit; do
    ask "$port" -e "set global rpl_semi_sync_source_wait_point=$point"
    for n in $(seq 30); do ask "$port" weir_semi -e "replace into t (a, b) values ($n, repeat('x', $RANDOM))"; done
    ask "$port" weir_semi -e "replace into t (a, b) values (99, repeat('y', 20000000)); flush binary logs; alter table t add column c_$point int; drop table if exists d; create table d select a from t"
  done
  [ "$(figure "$port" source_no_tx)" = 0 ] || fail "commits without an acknowledgement: $(figure "$port" source_no_tx)"
  say "MySQL as the replica ${extra:-in clear}: $(figure "$port" source_yes_tx) commits acknowledged, $(figure "$port" source_tx_avg_wait_time) us on average"
  ask "$port" -e "set global rpl_semi_sync_source_timeout=1000"
  ask "$other" -e "stop replica io_thread $channel"
  begun=$(millis)
  ask "$port" weir_semi -e "insert into t (a) values (1000)"
  took=$(($(millis) - begun))
  [ $took -ge 1000 ] && [ "$(figure "$port" source_status)" = OFF ] || fail "without a replica: $took ms, $(figure "$port" source_status)"
  ask "$other" -e "start replica io_thread $channel"
  becomes "$port" source_status ON
  for _ in $(seq 100); do [ "$(ask "$other" -N -e 'select count(*) from weir_semi.t where a = 1000')" = 1 ] && break; sleep 0.1; done
  compare "$port" "$other" weir_semi
  ask "$other" -e "stop replica $channel; reset replica all $channel; drop database weir_semi; set global rpl_semi_sync_replica_enabled=off"
  kill -9 "${pids[@]}"; wait "${pids[@]}" 2>/dev/null; pids=(); rm -rf "$work/source"
done

# Weir is the replica.
ask "$other" -e "create user weir_semi identified by 'repl'; grant replication slave on *.* to weir_semi; create database weir_semi; create table weir_semi.t (a int primary key, b longblob)"
start replica "$port" 2 --rpl-semi-sync-replica-enabled=ON
ask "$port" -e "create database weir_semi; create table weir_semi.t (a int primary key, b longblob)"
place=($(ask "$other" -N -e 'show binary log status' 2>/dev/null || ask "$other" -N -e 'show master status'))
for tls in 0 1; do
  ask "$port" -e "stop replica; change replication source to source_host='127.0.0.1', source_port=$other, source_user='weir_semi', source_password='repl', source_log_file='${place[0]}', source_log_pos=${place[1]}, get_source_public_key=1, source_connect_retry=1, source_ssl=$tls; change replication filter replicate_do_db = (weir_semi); start replica"
  becomes "$port" replica_status ON
  ask "$other" -e "set global rpl_semi_sync_source_timeout=20000; set global rpl_semi_sync_source_enabled=on; flush status"
  before=$(figure "$other" source_yes_tx)
  for n in $(seq 30); do ask "$other" weir_semi -e "replace into t (a, b) values ($n, repeat('x', $RANDOM))"; done
  ask "$other" weir_semi -e "replace into t (a, b) values (99, repeat('y', 2000000 + $tls)); flush binary logs; replace into t (a, b) values (100, 'behind $tls')"
  [ "$(ask "$port" -N -e "select b from weir_semi.t where a = 100")" = "behind $tls" ] || fail "what was acknowledged is not there"
  [ "$(figure "$other" source_status)" = ON ] || fail "MySQL waits no longer for Weir"
  say "Weir as the replica, TLS $tls: $(($(figure "$other" source_yes_tx) - before)) commits acknowledged"
  ask "$other" -e "set global rpl_semi_sync_source_enabled=off"
  compare "$port" "$other" weir_semi
  place=($(ask "$other" -N -e 'show binary log status' 2>/dev/null || ask "$other" -N -e 'show master status'))
  [ -n "$(status "$port" Last_IO_Error)$(status "$port" Last_SQL_Error)" ] && fail "$(status "$port" Last_IO_Error) $(status "$port" Last_SQL_Error)"
done
finish
