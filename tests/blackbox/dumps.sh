#!/usr/bin/env bash
# A sample database as they are published, through the mariadb client's programs: loaded, asked, dumped, loaded again, and equal.
cd "$(dirname "$0")/../.."
. tests/blackbox/lib.sh

start_server
client() { "$1" --host=127.0.0.1 --port="$PORT" --user=root "${@:2}"; }
is() { [ "$2" = "$3" ] || fail "$1: expected '$3', found '$2'"; }

# --- without the option FULLTEXT and SPATIAL keys are refused, and the error names it --------------------------
if sql <tests/blackbox/rental.sql >"$WORK/load" 2>&1; then fail "a SPATIAL key was taken"; fi
grep -q "ERROR 1235.*SPATIAL.*weir_skip_unsupported_indexes" "$WORK/load" || fail "refused with: $(cat "$WORK/load")"

sql -e "set global weir_skip_unsupported_indexes = on"
sql --show-warnings <tests/blackbox/rental.sql >"$WORK/load" 2>&1 || fail "load: $(cat "$WORK/load")"
is "warnings about keys" "$(grep -c "was left out" "$WORK/load")" 2

# --- it answers -------------------------------------------------------------------------------------------------
is points "$(sql rental -e "select st_astext(location) from address order by 1")" "$(printf 'POINT(-112.8185647 49.6999986)\nPOINT(153.1408538 -27.6333361)')"
is view "$(sql rental -e "select id, city, round(x, 3) from places order by id" | tr '\t\n' ' ;')" "1 Lethbridge -112.819;2 A Coruña (La Coruña) 153.141;"
is function "$(sql rental -e "select distance_between(1, 2)")" "276.97447"
is procedure "$(sql rental -e "call films_rated('PG', @n); select @n" | tr '\n' ' ')" "1 1 "
is trigger "$(sql rental -e "select count(*) from film_text")" 2
is list "$(sql rental -e "select fid, price, rating, texts from film_list order by fid limit 1" | tr '\t' ' ')" "1 4.99 PG ACADEMY DINOSAUR"
is polygon "$(sql rental -e "select st_astext(area), st_srid(area) from store where store_id = 1" | tr '\t' ' ')" "POLYGON((0 0,0 1,1 1,0 0)) 4326"
if sql rental -e "insert into address values (9, 'x', null, 1, st_srid(point(1, 1), 4326), now())" 2>"$WORK/bad"; then fail "a wrong SRID was taken"; fi
grep -q "ERROR 3643" "$WORK/bad" || fail "a wrong SRID: $(cat "$WORK/bad")"

# --- dumped and loaded, it is the same --------------------------------------------------------------------------
sums() { sql "$1" -e "checksum table address, city, film, film_text, staff, store" | awk '{ print $2 }'; }
before=$(sums rental)
for hex in "" --hex-blob; do
    # shellcheck disable=SC2086
    client mariadb-dump --routines --triggers --skip-dump-date --skip-comments $hex rental >"$WORK/first" 2>"$WORK/said" || fail "mariadb-dump $hex: $(cat "$WORK/said")"
    sql -e "drop database if exists again; create database again"
    client mariadb --binary-mode again <"$WORK/first" >"$WORK/load" 2>&1 || fail "loading a dump $hex: $(cat "$WORK/load")"
    is "checksums $hex" "$(sums again)" "$before"
    # shellcheck disable=SC2086
    client mariadb-dump --routines --triggers --skip-dump-date --skip-comments $hex again >"$WORK/second" || fail "mariadb-dump again"
    # A collation that a dump wrote is one that was written: SHOW CREATE TABLE then names its character set, too, as MySQL's does.
    diff <(sed 's/ CHARACTER SET utf8mb4 COLLATE/ COLLATE/' "$WORK/first") <(sed 's/ CHARACTER SET utf8mb4 COLLATE/ COLLATE/' "$WORK/second") >"$WORK/diff" || fail "the second dump $hex differs: $(head -c 2000 "$WORK/diff")"
    is "function of the copy" "$(sql again -e "select distance_between(1, 2)")" "276.97447"
done
grep -q 'geometry NOT NULL /\*!80003 SRID 0 \*/' "$WORK/first" || fail "the dump has no SRID: $(grep geometry "$WORK/first")"

# --- and it is all there after a crash --------------------------------------------------------------------------
kill_server
start_server
is "checksums after a crash" "$(sums rental)" "$before"
stop_server
echo "dumps: ok"
