#!/bin/bash
# gh-ost changes a table of a Weir under load: it reads the binary log for what changes meanwhile, and swaps the tables at the end (its cut-over
# is a LOCK TABLES, a RENAME TABLE that waits for it, and a DROP TABLE that lets it go). No row that was acknowledged may be missing
# from the new table. Needs go.
set -u
. "$(dirname "$0")/lib.sh"
command -v go >/dev/null || skip "go is not installed"
ghost=$cache/gh-ost
if [ ! -x "$ghost" ]; then
  mkdir -p "$cache"
  dir=$(cd "$work" && go mod download -json github.com/github/gh-ost@v1.1.6 2>/dev/null | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
  [ -n "$dir" ] || skip "gh-ost cannot be fetched"
  cp -r "$dir" "$work/gh-ost" && chmod -R u+w "$work/gh-ost"
  # The module comes without its vendored sources.
  (cd "$work/gh-ost" && GOFLAGS='-buildvcs=false -mod=mod' go build -o "$ghost" ./go/cmd/gh-ost) 2>"$work/build" || skip "gh-ost cannot be built: $(tail -1 "$work/build")"
fi
start_source
ask "$port" -e "create database shop; use shop; create table t (id int primary key auto_increment, k int, v varchar(100), key (k)); create table acked (k int primary key);
  insert into t (k, v) with recursive s as (select 1 as i union all select i + 1 from s where i < 900) select i, repeat('x', 50) from s;
  insert into t (k, v) select k, v from t; insert into t (k, v) select k, v from t; insert into t (k, v) select k, v from t"

client() {
  local n=$1 i=0
  while [ ! -e "$work/enough" ]; do
    i=$((i + 1))
    ask "$port" shop -e "insert into t (k, v) values ($n * 100000 + $i, 'new'); insert into acked values ($n * 100000 + $i); update t set v = 'changed' where k = $i; delete from t where k between 300 and 899 and k = $i + 300 limit 1" 2>>"$work/errors"
  done
}
clients=()
for n in 1 2 3; do client $n & clients+=($!); done
timeout 120 "$ghost" --host=127.0.0.1 --port="$port" --user=root --database=shop --table=t --alter="add column z int not null default 7, drop key k, add key kk (k, z)" \
  --allow-on-master --ok-to-drop-table --chunk-size=200 --execute --serve-socket-file="$work/gh-ost.sock" --verbose >"$work/out" 2>&1 || { fail "gh-ost"; tail -5 "$work/out"; }
touch "$work/enough"
wait "${clients[@]}"
[ -s "$work/errors" ] && { fail "a client's statement"; sort "$work/errors" | uniq -c | head -5; }
lost=$(ask "$port" shop -N -e "select count(*) from acked where k not in (select k from t)")
say "$(ask "$port" shop -N -e "select count(*), sum(z = 7), (select count(*) from acked) from t") rows, rows with the new column, rows acknowledged under load; $lost lost"
[ "$lost" = 0 ] || failed=1
ask "$port" shop -N -e 'show create table t' | grep -q 'KEY `kk` (`k`,`z`)' || fail "the table is not the new one"
finish
