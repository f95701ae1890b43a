#!/bin/bash
# Weir as a replica of real servers: of a MySQL that runs already (MYSQL=host:port, root without a password, binary log and GTIDs on), and of
# a MariaDB that is started here where mariadbd is installed. What is not there is passed over with a message.
#
# usage: tests/replication/run.sh [ROUNDS]     ROUNDS: kills of the replica under load, 10 by default
# WEIR: the binary, target/debug/weir by default.
set -u
here=$(cd "$(dirname "$0")" && pwd)
weir=${WEIR:-$here/../../target/debug/weir}
rounds=${1:-10}
work=$(mktemp -d)
pids=()
failed=0
trap 'kill "${pids[@]}" 2>/dev/null; kill -9 "$replica" 2>/dev/null; rm -rf "$work"' EXIT
replica=
port=$((20000 + RANDOM % 10000))

say() { echo "replication: $*"; }
ask() { local p=$1; shift; mysql -h127.0.0.1 -P"$p" -uroot --default-character-set=utf8mb4 "$@"; }
answers() { for _ in $(seq 300); do ask "$1" -e 'select 1' >/dev/null 2>&1 && return 0; sleep 0.1; done; return 1; }

start_weir() {
  "$weir" serve --datadir="$work/weir" --port=$port --socket="$work/weir.sock" --server-id=7777 --event-scheduler=OFF >>"$work/weir.log" 2>&1 &
  replica=$!
  answers $port || { say "Weir does not start"; tail -5 "$work/weir.log"; exit 1; }
}

status() { ask $port -e "show replica status for channel '$1'\G" | sed -n "s/^ *$2: //p"; }

# Waits until the channel has come to where the source is now.
catch_up() {
  local channel=$1 source=$2 file at
  read -r file at _ < <(ask "$source" -N -e 'show binary log status' 2>/dev/null || ask "$source" -N -e 'show master status')
  for _ in $(seq 600); do
    [ "$(status "$channel" Relay_Source_Log_File)" = "$file" ] && [ "$(status "$channel" Exec_Source_Log_Pos)" -ge "$at" ] && return 0
    [ -n "$(status "$channel" Last_SQL_Error)" ] && { say "stopped: $(status "$channel" Last_SQL_Error)"; return 1; }
    sleep 0.1
  done
  say "not caught up: $(status "$channel" Exec_Source_Log_Pos) of $at in $file"
  return 1
}

compare() {
  local source=$1 t
  shift
  for db in "$@"; do
    for t in $(ask "$source" -N -e "select table_name from information_schema.tables where table_schema='$db' and table_type='BASE TABLE'"); do
      for p in "$source" $port; do
        ask "$p" -N -e "set time_zone='+00:00'; select * from $db.$t" 2>&1 | sort >"$work/rows.$p"
      done
      cmp -s "$work/rows.$source" "$work/rows.$port" || { say "differs: $db.$t"; diff "$work/rows.$source" "$work/rows.$port" | head -4; failed=1; }
    done
  done
}

# Rows, updates, deletes and definition statements without an end.
load() {
  ask "$1" -e "create database if not exists repl_load; use repl_load; create table t (id int primary key auto_increment, k int, v varchar(200), key(k))"
  local n=0
  while [ ! -e "$work/enough" ]; do
    n=$((n + 1))
    echo "begin; insert into t (k, v) values ($n, repeat('x', $((n % 200)))), ($n, 'y'); update t set k = k + 1 where id = $((n / 2)); commit;"
    echo "delete from t where id = $((n * 2 - 30)); update t set v = concat('z', $n) where k between $((n - 5)) and $n;"
    [ $((n % 25)) = 0 ] && echo "alter table t add column c$n int; update t set c$n = k; alter table t drop column c$n;"
    [ $((n % 40)) = 0 ] && echo "create table u$n (a int); insert into u$n values ($n); rename table u$n to w$n;"
    sleep 0.01
  done | ask "$1" repl_load
}

follow() {
  local name=$1 source=$2 how=$3
  say "$name: $(ask "$source" -N -e 'select version()')"
  ask "$source" -e 'drop database if exists src_documents; drop database if exists repl_types; drop database if exists repl_work; drop database if exists repl_load'
  [ "$how" = file ] && how=$( (ask "$source" -N -e 'show binary log status' 2>/dev/null || ask "$source" -N -e 'show master status') | awk '{print "source_log_file=\"" $1 "\", source_log_pos=" $2}')
  [ "$how" = gtid ] && { how=source_auto_position=1; ask $port -e "set global gtid_purged='+$(ask "$source" -N -r -e 'select @@global.gtid_executed' | tr -d '\n')'"; }
  ask $port -e "change replication source to source_host='127.0.0.1', source_port=$source, source_user='repl', source_password='repl', get_source_public_key=1, source_connect_retry=1, $how for channel '$name'; start replica for channel '$name'" || { failed=1; return; }
  ask "$source" <"$here/types.sql"
  ask "$source" <"$here/statements.sql"
  # MariaDB's documents are texts.
  case $name in mysql*) ask "$source" <"$here/documents.sql" || failed=1 ;; esac
  catch_up "$name" "$source" || failed=1
  compare "$source" repl_types repl_work
  case $name in mysql*) compare "$source" src_documents ;; esac
  rm -f "$work/enough"
  load "$source" &
  local loader=$!
  for r in $(seq "$rounds"); do
    sleep "0.$((3 + r % 7))"
    kill -9 $replica
    wait $replica 2>/dev/null
    start_weir
  done
  touch "$work/enough"
  wait $loader
  catch_up "$name" "$source" || failed=1
  compare "$source" repl_load
  say "$name: $(ask "$source" -N -e 'select count(*) from repl_load.t') rows at the end, after $rounds kills"
  ask $port -e "stop replica for channel '$name'; reset replica all for channel '$name'; drop database if exists src_documents; drop database if exists repl_types; drop database if exists repl_work; drop database if exists repl_load"
}

[ -x "$weir" ] || { say "no binary $weir"; exit 1; }
start_weir
account="create user if not exists 'repl'@'%' identified by 'repl'; grant replication slave, replication client on *.* to 'repl'@'%'"
if [ -n "${MYSQL:-}" ]; then
  source=${MYSQL##*:}
  ask "$source" -e "set sql_log_bin=0; $account"
  follow mysql_gtid "$source" gtid
  follow mysql_file "$source" file
else
  say "no MySQL: name one with MYSQL=127.0.0.1:PORT"
fi
if command -v mariadbd >/dev/null && command -v mariadb-install-db >/dev/null; then
  source=$((port + 1))
  mariadb-install-db --no-defaults --user="$(id -un)" --datadir="$work/maria" --auth-root-authentication-method=normal >"$work/install.log" 2>&1
  mariadbd --no-defaults --user="$(id -un)" --datadir="$work/maria" --port=$source --socket="$work/maria.sock" --pid-file="$work/maria.pid" --log-bin --server-id=2 --binlog-format=ROW >"$work/maria.log" 2>&1 &
  pids+=($!)
  answers $source || { say "MariaDB does not start"; exit 1; }
  ask $source -e "set sql_log_bin=0; drop user if exists ''@'localhost'; drop user if exists ''@'$(hostname)'; flush privileges; $account"
  follow mariadb_file $source file
else
  say "no MariaDB is installed"
fi
[ $failed = 0 ] && say "all tables are equal"
exit $failed
