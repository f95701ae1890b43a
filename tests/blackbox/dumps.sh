#!/usr/bin/env bash
# A sample database as they are published, through the mariadb client's programs: loaded, asked, dumped, loaded again, and equal.
cd "$(dirname "$0")/../.."
. tests/blackbox/lib.sh

start_server
client() { "$1" --host=127.0.0.1 --port="$PORT" --user=root "${@:2}"; }
is() { [ "$2" = "$3" ] || fail "$1: expected '$3', found '$2'"; }

# --- loaded as it is: FULLTEXT and SPATIAL keys are there, and a note tells of each that no tree comes after it ---
sql --show-warnings <tests/blackbox/rental.sql >"$WORK/load" 2>&1 || fail "load: $(cat "$WORK/load")"
is "notes about keys" "$(grep -c "^Note (Code 1235): .* is no index on disk here" "$WORK/load")" 2
is "keys" "$(sql rental -e "select index_name, index_type from information_schema.statistics where table_schema = 'rental' and index_type <> 'BTREE' and seq_in_index = 1 order by 1" | tr '\t\n' ' ;')" "idx_location SPATIAL;idx_title_description FULLTEXT;"

# --- it answers -------------------------------------------------------------------------------------------------
is points "$(sql rental -e "select st_astext(location) from address order by 1")" "$(printf 'POINT(-112.8185647 49.6999986)\nPOINT(153.1408538 -27.6333361)')"
is view "$(sql rental -e "select id, city, round(x, 3) from places order by id" | tr '\t\n' ' ;')" "1 Lethbridge -112.819;2 A Coruña (La Coruña) 153.141;"
is function "$(sql rental -e "select distance_between(1, 2)")" "276.97447"
is procedure "$(sql rental -e "call films_rated('PG', @n); select @n" | tr '\n' ' ')" "1 1 "
is trigger "$(sql rental -e "select count(*) from film_text")" 2
is words "$(sql rental -e "select title from film_text where match (title, description) against ('dinosaur')")" "ACADEMY DINOSAUR"
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
for key in 'SPATIAL KEY `idx_location` (`location`)' 'FULLTEXT KEY `idx_title_description` (`title`,`description`)'; do
    grep -qF "$key" "$WORK/first" || fail "the dump has no $key"
done
if grep -q 'rental`\.' "$WORK/first"; then fail "the dump names its schema: $(grep 'rental`\.' "$WORK/first" | head -n 2)"; fi
grep -q 'VIEW `places` AS select `' "$WORK/first" || fail "the dump's view: $(grep 'VIEW `places`' "$WORK/first")"
grep -q 'geometry NOT NULL /\*!80003 SRID 0 \*/' "$WORK/first" || fail "the dump has no SRID: $(grep geometry "$WORK/first")"

# --- sets with units of several bytes, and orders of languages ---------------------------------------------------
sql -e "create database sets"
while read -r collation text; do
    sql sets -e "create table t_$collation (id int primary key, a varchar(20), c char(9), e enum('a','$text') comment '$text', t text, unique (a), key (t(5))) collate $collation;
        insert into t_$collation values (1, '$text', '$text', '$text', repeat('$text', 200)), (2, 'ch', 'ch ', 1, null), (3, null, null, null, '')"
done <<'END'
ucs2_general_ci žluť
ucs2_unicode_520_ci жук
utf16_bin a😀b
utf16_czech_ci chléb
utf16le_general_ci 😀
utf32_danish_ci Aalborg
utf8mb4_croatian_ci džem
utf8mb3_general_mysql500_ci Straße
latin1_german2_ci Straße
latin2_hungarian_ci őr
cp1250_polish_ci łódź
cp1251_ukrainian_ci ґанок
cp1257_lithuanian_ci žąsis
latin7_estonian_cs žõi
END
shown() {
    for t in $(sql "$1" -e "show tables"); do
        sql "$1" -e "show create table $t; select id, a, c, e + 0, e, t, hex(a), hex(c), length(t), hex(left(t, 3)) from $t order by a; select id from $t where a like 'c%' or t = a"
    done | sed -E 's/ CHARACTER SET [a-z0-9]+ COLLATE/ COLLATE/g'
}
shown sets >"$WORK/sets"
is "a text of utf16" "$(sql sets -e "select hex(a) from t_utf16_bin where a = 'a😀b'")" 0061D83DDE000062
for set in utf8mb4 binary; do
    client mariadb-dump --default-character-set=$set --skip-dump-date --skip-comments sets >"$WORK/first" 2>"$WORK/said" || fail "mariadb-dump of sets in $set: $(cat "$WORK/said")"
    sql -e "drop database if exists sets_again; create database sets_again"
    client mariadb --binary-mode --default-character-set=utf8mb4 sets_again <"$WORK/first" >"$WORK/load" 2>&1 || fail "loading sets in $set: $(cat "$WORK/load")"
    diff "$WORK/sets" <(shown sets_again) >"$WORK/diff" || fail "sets dumped in $set: $(head -c 2000 "$WORK/diff")"
done

# --- names and errors in the client's set ------------------------------------------------------------------------
in_latin1() { client mariadb --default-character-set=latin1 -e "$(printf "$1")" 2>&1 | od -An -tx1 | tr -d ' \n'; }
is "a column's name" "$(in_latin1 'select 1 as `\xe9`')" e90a310a
said=$(in_latin1 'select * from sets.`\xe9`' || true)
[[ $said == *2ee927* ]] || fail "an error's text: $said"

# --- and it is all there after a crash --------------------------------------------------------------------------
kill_server
start_server
is "checksums after a crash" "$(sums rental)" "$before"
diff "$WORK/sets" <(shown sets) >"$WORK/diff" || fail "sets after a crash: $(head -c 2000 "$WORK/diff")"
stop_server
echo "dumps: ok"
