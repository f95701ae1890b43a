# Helpers of the scripts that run other people's readers of a binary log against a Weir. Needs mysql on the PATH and a built server (WEIR,
# default target/debug/weir). Sourced; what was started is ended, and the files are removed, when the script ends.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
weir=${WEIR:-$here/../../target/debug/weir}
cache=${CACHE:-$here/../../target/clients}
work=$(mktemp -d)
name=$(basename "$0" .sh)
failed=0
pids=()
port=$((21000 + RANDOM % 4000))
trap 'kill -9 "${pids[@]}" 2>/dev/null; rm -rf "$work"' EXIT

say() { echo "$name: $*"; }
skip() { say "skipped: $*"; exit 0; }
fail() { say "FAILED: $*"; failed=1; }
ask() { local p=$1; shift; mysql -h127.0.0.1 -P"$p" -uroot --default-character-set=utf8mb4 "$@"; }
answers() { for _ in $(seq 600); do ask "$1" -e 'select 1' >/dev/null 2>&1 && return 0; sleep 0.1; done; return 1; }
executed() { ask "$1" -N -r -e 'select @@global.gtid_executed' | tr -d '\n'; }

# start NAME PORT SERVER-ID [OPTION...]: a Weir with its directory under $work.
start() {
  local n=$1 p=$2 id=$3
  shift 3
  "$weir" serve --datadir="$work/$n" --port="$p" --socket="$work/$n.sock" --server-id="$id" --event-scheduler=OFF \
    --log-bin-trust-function-creators=1 "$@" >>"$work/$n.log" 2>&1 &
  pids+=($!)
  answers "$p" || { say "the server $n does not start"; tail -5 "$work/$n.log"; exit 1; }
}

# A source of GTIDs on $port. SOURCE_OPTIONS: more of them, as --binlog-transaction-compression=ON.
start_source() { start source "$port" 1 --log-bin --gtid-mode=ON --enforce-gtid-consistency=ON ${SOURCE_OPTIONS:-} "$@"; }

# follow PORT: makes the server there a replica of $port.
follow() {
  ask "$1" -e "change replication source to source_host='127.0.0.1', source_port=$port, source_user='repl', source_password='repl', source_auto_position=1, get_source_public_key=1, source_connect_retry=1; start replica"
}

status() { ask "$1" -e 'show replica status\G' | sed -n "s/^ *$2: //p"; }

# caught_up PORT: waits until the replica there has all that $port has executed.
caught_up() {
  local all
  all=$(executed "$port")
  for _ in $(seq 600); do
    [ "$(ask "$1" -N -e "select gtid_subset('$all', @@global.gtid_executed)")" = 1 ] && return 0
    [ -n "$(status "$1" Last_SQL_Error)" ] && { fail "the replica stopped: $(status "$1" Last_SQL_Error)"; return 1; }
    sleep 0.1
  done
  fail "not caught up: $(executed "$1") of $all; $(status "$1" Last_IO_Error)"
  return 1
}

# compare A B DATABASE...: the same rows in both servers.
compare() {
  local a=$1 b=$2 t n=0 p
  shift 2
  for db in "$@"; do
    for t in $(ask "$a" -N -e "select table_name from information_schema.tables where table_schema='$db' and table_type='BASE TABLE'"); do
      for p in "$a" "$b"; do ask "$p" -N -e "set time_zone='+00:00'; select * from \`$db\`.\`$t\`" 2>&1 | sort >"$work/rows.$p"; done
      n=$((n + 1))
      cmp -s "$work/rows.$a" "$work/rows.$b" || { fail "differs: $db.$t"; diff "$work/rows.$a" "$work/rows.$b" | head -4; }
    done
  done
  say "$n tables compared"
}

finish() {
  [ $failed = 0 ] && say "all is well"
  exit $failed
}
