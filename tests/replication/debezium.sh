#!/bin/bash
# Debezium's MySQL connector, embedded: a snapshot of what is there, then the stream, ended and begun again in the middle of a load. The rows
# that its events come to must be those of the tables. Needs a JDK (17) and Maven.
set -u
. "$(dirname "$0")/lib.sh"
command -v javac >/dev/null && command -v mvn >/dev/null || skip "javac and mvn are not installed"
lib=$cache/debezium
if [ ! -d "$lib/lib" ]; then
  mvn -q -f "$here/debezium/pom.xml" dependency:copy-dependencies -DoutputDirectory="$lib/lib" >"$work/mvn" 2>&1 || skip "Debezium cannot be fetched: $(tail -1 "$work/mvn")"
fi
mkdir -p "$lib/classes"
javac -nowarn -d "$lib/classes" -cp "$lib/lib/*" "$here/debezium/Follow.java" || exit 1
start_source
for file in source types; do ask "$port" <"$here/$file.sql" || failed=1; done
ask "$port" -e "create user dbz identified by 'dbz'; grant select, reload, show databases, replication slave, replication client, lock tables on *.* to dbz"
java=(timeout 180 java -cp "$lib/classes:$lib/lib/*" Follow "$port" "$work" dbz dbz src_work)
"${java[@]}" 0 >"$work/first" 2>"$work/err" || { fail "the snapshot"; tail -5 "$work/err"; }
(for n in $(seq 40); do ask "$port" src_work -e "insert into parent (id, v) values (1000 + $n, $n); update parent set v = v + 1 where id = 1000 + $n; delete from parent where id = 1000 + $n - 5; insert into longer (t) values (repeat('z', $n * 1000))"; sleep 0.1; done
 ask "$port" src_work -e "alter table parent add column late int default 9; insert into parent (id, v) values (2000, 1)") &
load=$!
"${java[@]}" 6 >"$work/second" 2>"$work/err" || { fail "the stream"; tail -5 "$work/err"; }
wait $load
"${java[@]}" 8 >"$work/third" 2>"$work/err" || { fail "the stream, begun again"; tail -5 "$work/err"; }
# Each line: table, tab, key or row before, tab, row after. The last state of each row by its key.
for t in parent longer audit; do
  key=id; [ $t = audit ] && key=n
  cat "$work/first" "$work/second" "$work/third" | awk -F'\t' -v t=$t '$1 == t { if ($3 == "null") delete row[$2]; else row[$2] = 1 } END { for (k in row) print k }' | sort >"$work/mirror"
  ask "$port" src_work -N -e "select $key from $t" | sort >"$work/table"
  cmp -s "$work/mirror" "$work/table" && say "$t: $(wc -l <"$work/table") rows" || { fail "$t differs"; diff "$work/mirror" "$work/table" | head -4; }
done
grep -q $'^parent\t2000\t.*"late":9' "$work"/second "$work"/third || fail "the column that was added is not in the stream"
finish
