#!/usr/bin/env bash
# Two applications that many people run, a blog and a wiki: their tables are made, what they say is answered (applications/*.expected, which
# MariaDB 10.11 answers too, except for display widths, the columns of SHOW INDEX, the names of keys in messages and what is deprecated), and a dump of each loads and is
# equal; all of it is there after a crash.
cd "$(dirname "$0")/../.."
. tests/blackbox/lib.sh

start_server
client() { "$1" --host=127.0.0.1 --port="$PORT" --user=root --default-character-set=utf8mb4 "${@:2}"; }
here=tests/blackbox/applications
tables() { sql "$1" -e "show tables" | paste -sd, -; }
sums() { sql "$1" -e "checksum table $(tables "$1")" | awk '{ sub(/.*\./, "", $1); print $1, $2 }'; }
plain() { sed 's/ CHARACTER SET utf8mb4 COLLATE/ COLLATE/' "$1"; }

for app in wordpress mediawiki; do
    sql -e "create database $app default character set utf8mb4 collate utf8mb4_unicode_520_ci"
    client mariadb $app <$here/$app.sql >"$WORK/load" 2>&1 || fail "tables of $app: $(cat "$WORK/load")"
    client mariadb --force --show-warnings $app <$here/$app.statements.sql >"$WORK/said" 2>&1 || fail "$app: $(cat "$WORK/said")"
    diff $here/$app.expected "$WORK/said" >"$WORK/diff" || fail "$app answers otherwise: $(head -c 3000 "$WORK/diff")"

    client mariadb-dump --hex-blob --skip-dump-date --skip-comments $app >"$WORK/first" 2>"$WORK/bad" || fail "mariadb-dump $app: $(cat "$WORK/bad")"
    sql -e "create database again_$app default character set utf8mb4 collate utf8mb4_unicode_520_ci"
    client mariadb again_$app <"$WORK/first" >"$WORK/load" 2>&1 || fail "loading the dump of $app: $(cat "$WORK/load")"
    diff <(sums $app) <(sums again_$app) || fail "the copy of $app is not equal"
    client mariadb-dump --hex-blob --skip-dump-date --skip-comments again_$app >"$WORK/second" || fail "mariadb-dump of the copy"
    # A collation that a dump wrote is one that was written: SHOW CREATE TABLE then names its character set, too, as MySQL's does.
    diff <(plain "$WORK/first") <(plain "$WORK/second") >"$WORK/diff" || fail "the second dump of $app differs: $(head -c 2000 "$WORK/diff")"
    sums $app >"$WORK/sums.$app"
done
kill_server
start_server
for app in wordpress mediawiki; do
    diff "$WORK/sums.$app" <(sums $app) || fail "$app after a crash"
done
stop_server
echo "applications: ok"
