#!/usr/bin/env bash
# LOAD DATA and INTO OUTFILE with the mariadb client's programs: there and back, by files of the server and of the client.
cd "$(dirname "$0")/../.."
. tests/blackbox/lib.sh

mkdir "$WORK/files"
start_server --secure-file-priv="$WORK/files" --local-infile=1
client() { "$1" --host=127.0.0.1 --port="$PORT" --user=root "${@:2}"; }
sums() { sql d -e "checksum table t, u" | awk '{ print $2 }'; }

sql -e "create database d"
sql d <<'SQL'
create table t (id int primary key auto_increment, s varchar(200), b varbinary(100), d decimal(10,2), f double, dt datetime(3),
    e enum('a', 'b'), n int, p point, g int generated always as (n * 2) stored) character set utf8mb4;
create table u (a int, b text);
insert into t (s, b, d, f, dt, e, n) values ('plain', x'00ff', 1.5, 1e100, '2024-01-01 00:00:00.125', 'a', null),
    ('tab\tline\nquote"back\\slash', x'5c4e0a', -0.01, -0.1, null, null, 0), ('ä€😀', '', null, null, '1000-01-01', 'b', -1), ('', 'NULL', 0, 0, null, 'a', 7), (null, null, null, null, null, null, null);
update t set p = point(id * 1.1, -92) where id < 4;
insert into u values (1, 'NULL'), (2, null), (null, '\\N'), (3, ',";');
SQL
before=$(sums)

# --- mariadb-dump --tab writes on the server, mariadb-import loads from both sides --------------------------
tab() {
    rm -f "$WORK"/files/*
    client mariadb-dump --tab="$WORK/files" "$@" d >"$WORK/dump" 2>&1 || fail "mariadb-dump --tab $*: $(cat "$WORK/dump")"
    [ "$(stat -c %a "$WORK/files/t.txt")" = 640 ] || fail "the mode of a file is $(stat -c %a "$WORK/files/t.txt")"
}
for format in "" "--fields-terminated-by=, --fields-optionally-enclosed-by=\"" "--fields-terminated-by=; --fields-enclosed-by=' --lines-terminated-by=%%"; do
    # shellcheck disable=SC2086
    tab $format
    for where in "" --local; do
        sql d -e "truncate t; truncate u"
        # shellcheck disable=SC2086
        client mariadb-import $where --default-character-set=binary $format d "$WORK/files/t.txt" "$WORK/files/u.txt" >"$WORK/import" 2>&1 ||
            fail "mariadb-import $where $format: $(cat "$WORK/import")"
        grep -q "Records: 5  Deleted: 0  Skipped: 0  Warnings: 0" "$WORK/import" || fail "mariadb-import: $(cat "$WORK/import")"
        [ "$(sums)" = "$before" ] || fail "not the same after mariadb-import $where $format: $(sql d -e 'select * from t; select * from u')"
    done
done
sql d -e "drop table t, u"
for table in t u; do
    sql d <"$WORK/files/$table.sql" || fail "the definition of $table"
done

# --- endless input of a client, killed --------------------------------------------------------------------------
sql d -e "create table e (a longtext)"
mariadb --host=127.0.0.1 --port="$PORT" --user=root --local-infile=1 d -e "load data local infile '/dev/zero' into table e" >"$WORK/endless" 2>&1 &
endless=$!
for _ in $(seq 1 200); do
    id=$(sql -e "select id from information_schema.processlist where info like 'load data local%'")
    [ -n "$id" ] && break
    sleep 0.05
done
[ -n "$id" ] || fail "endless input: $(cat "$WORK/endless")"
sql -e "kill $id"
wait "$endless" && fail "endless input ended well"
[ "$(sql d -e 'select count(*) from e')" = 0 ] || fail "rows of endless input"
rss=$(awk '/VmRSS/ { print int($2 / 1024) }' "/proc/$SERVER/status")
[ "$rss" -lt 700 ] || fail "endless input took $rss MiB"
stop_server
echo "files of the server and of clients: there and back"
