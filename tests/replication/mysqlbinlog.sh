#!/bin/bash
# MySQL's mysqlbinlog reads a Weir's log from the server, with and without an end, and its output makes the same tables in another Weir, whose
# log names the transactions as the first one's does. MYSQLBINLOG: the program, mysqlbinlog by default; MariaDB's of that name is passed over.
set -u
. "$(dirname "$0")/lib.sh"
read -ra reader <<<"${MYSQLBINLOG:-mysqlbinlog}"
# MariaDB's says neither its name nor MySQL's, and has a version of its own.
"${reader[@]}" --version 2>/dev/null | grep -q 'Ver [89]\.' || skip "MySQL's mysqlbinlog is not installed"
second=$((port + 1))
start_source
start second $second 2 --log-bin --gtid-mode=ON --enforce-gtid-consistency=ON
# CREATE TABLE ... SELECT is CREATE TABLE ... START TRANSACTION in a log, which a replica understands and a session does not (yet).
sed -e 's/create table kept as select \* from parent/create table kept (id int not null, v int); insert into kept select * from parent/' \
  -e 's/create table taken (id int primary key) select/create table taken (id int primary key); insert into taken select/' "$here/source.sql" >"$work/source.sql"
for file in "$work/source.sql" "$here/types.sql"; do ask "$port" <"$file" || failed=1; done
ask "$port" -e "flush binary logs; create database late; create table late.t (a int primary key); insert into late.t values (1), (2)"
first=$(ask "$port" -N -e 'show binary logs' | head -1 | cut -f1)
read_log() { "${reader[@]}" --read-from-remote-server --host=127.0.0.1 --port="$port" --user=root --verify-binlog-checksum "$@"; }
read_log --to-last-log "$first" >"$work/all" 2>"$work/err" || { fail "mysqlbinlog: $(head -2 "$work/err")"; finish; }
say "$(grep -ac '^# at' "$work/all") events"
# Row images in full, as people read them.
read_log --base64-output=decode-rows -vv --to-last-log "$first" >"$work/verbose" 2>"$work/err" || fail "mysqlbinlog -vv: $(head -2 "$work/err")"
[ "$(grep -ac '^### INSERT' "$work/verbose")" -gt 50 ] || fail "rows are not told"
ask $second --binary-mode <"$work/all" >"$work/out" 2>"$work/err" || fail "the output is refused: $(head -3 "$work/err")"
compare "$port" $second src_types src_work repl_types late
[ "$(executed "$port")" = "$(executed $second)" ] && say "the same transactions: $(executed $second)" || fail "$(executed "$port") and $(executed $second)"
# Once more: all of it was executed, and nothing is done.
ask $second --binary-mode <"$work/all" >"$work/out" 2>"$work/err" || fail "the second time: $(head -3 "$work/err")"
compare "$port" $second src_types src_work repl_types late
# One that stays gets what comes later.
timeout 8 "${reader[@]}" --read-from-remote-server --host=127.0.0.1 --port="$port" --user=root --stop-never --connection-server-id=77 "$first" >"$work/stays" 2>"$work/err" &
stays=$!
sleep 2
ask "$port" -e "insert into late.t values (12345)"
sleep 1
[ "$(ask "$port" -N -e 'show replicas' | awk '$1 == 77' | wc -l)" = 1 ] || fail "it is not among the replicas"
wait $stays
grep -aq 'late' "$work/stays" && [ "$(grep -ac '^# at' "$work/stays")" -gt "$(grep -ac '^# at' "$work/all")" ] || fail "--stop-never has not got what came later"
finish
