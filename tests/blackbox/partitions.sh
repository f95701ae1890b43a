#!/usr/bin/env bash
# Partitioned tables through the mariadb client's programs: the partitioned form of the published "employees" database, every other
# way to partition, maintenance, a dump that loads again and is equal, and a server that is killed in the middle of maintenance.
cd "$(dirname "$0")/../.."
. tests/blackbox/lib.sh

start_server
client() { "$1" --host=127.0.0.1 --port="$PORT" --user=root "${@:2}"; }
is() { [ "$2" = "$3" ] || fail "$1: expected '$3', found '$2'"; }

# --- as the sample database has it ------------------------------------------------------------------------------
{
    echo "create database e; use e;"
    for t in salaries:"to_days(from_date)" titles:"columns"; do
        how=${t#*:} name=${t%%:*}
        echo "create table $name (emp_no int not null, v varchar(50) character set utf8mb4 collate utf8mb4_general_ci not null, from_date date not null, to_date date, primary key (emp_no, from_date), key (v))"
        if [ "$how" = columns ]; then echo "partition by range columns (from_date) ("; else echo "partition by range ($how) ("; fi
        for y in $(seq 1985 2001); do
            if [ "$how" = columns ]; then bound="'$y-12-31'"; else bound="to_days('$y-12-31')"; fi
            echo "partition p$y values less than ($bound),"
        done
        if [ "$how" = columns ]; then echo "partition pmax values less than (maxvalue));"; else echo "partition pmax values less than maxvalue);"; fi
        echo "insert into $name with recursive n (i) as (select 0 union all select i + 1 from n where i < 999)"
        echo "  select 10001 + i div 10, concat('v', i % 17), '1985-02-01' + interval (i * 7 % 6400) day, null from n;"
    done
    n=0
    for way in "list (a % 4) (partition x values in (0, 1), partition y values in (2, 3, null))" "list columns (b) (partition x values in ('a', 'b'), partition y values in ('c', null))" \
        "hash (a) partitions 4" "linear hash (a) partitions 5" "key (b) partitions 3" "linear key algorithm=1 (a) partitions 3" "key () partitions 2"; do
        n=$((n + 1))
        pk="primary key (a)"; case $way in *"(b)"*|*"a % 4"*) pk="key (a)";; esac
        echo "create table w$n (a int, b char(1) character set utf8mb4 collate utf8mb4_general_ci, $pk) partition by $way; insert into w$n values (1, 'a'), (2, 'b'), (3, 'c'), (4, null), (5, 'a');"
    done
    # Subpartitions with names by default and with names of their own, by one column and by two.
    echo "create table s1 (a int, b int, d date not null, primary key (a, d)) partition by range (year(d)) subpartition by hash (to_days(d)) subpartitions 3"
    echo "  (partition p0 values less than (1990), partition p1 values less than (2000), partition p2 values less than maxvalue);"
    echo "create table s2 (a int, b int, d date not null, key (b)) partition by list columns (a) subpartition by linear key algorithm=1 (b)"
    echo "  (partition p0 values in (0, 1, 2) (subpartition x0 comment 'one', subpartition x1), partition p1 values in (3, 4, null) (subpartition x2, subpartition x3));"
    for t in s1 s2; do
        echo "insert into $t with recursive n (i) as (select 0 union all select i + 1 from n where i < 499) select i % 5, i % 37, '1985-02-01' + interval i * 13 day from n;"
    done
} >"$WORK/load.sql"
client mariadb <"$WORK/load.sql" >"$WORK/said" 2>&1 || fail "load: $(cat "$WORK/said")"
is rows "$(sql e -e "select count(*) from salaries")" 1000
# Days that TO_DAYS does not know (a month 0) are NULL and lie in the first partition, which such a range may mean.
is pruned "$(sql e -e "explain select * from salaries where from_date between '1990-01-01' and '1990-06-30'" | cut -f4)" p1985,p1990
is answers "$(sql e -e "select count(*) from salaries where from_date between '1990-01-01' and '1990-06-30'")" "$(sql e -e "select count(*) from titles ignore index (v) where year(from_date) = 1990 and month(from_date) <= 6")"
is partitions "$(sql e -e "select count(*) from information_schema.partitions where table_schema = 'e' and table_name = 'titles'")" 18

is leaves "$(sql e -e "select count(*), count(distinct subpartition_name) from information_schema.partitions where table_schema = 'e' and table_name in ('s1', 's2')" | tr '\t' ' ')" "13 13"
is "pruned twice" "$(sql e -e "explain select * from s1 where d = '1995-05-05'" | cut -f4 | cut -d_ -f1)" p1
is "a subpartition's rows" "$(sql e -e "select count(*) from s2 partition (x0, x1)")" "$(sql e -e "select count(*) from s2 partition (p0)")"

# --- maintenance -----------------------------------------------------------------------------------------------
sums() { sql "$1" -e "checksum table salaries, titles, w1, w2, w3, w4, w5, w6, w7, s1, s2" | awk '{ print $2 }'; }
before=$(sums e)
sql e -e "alter table salaries reorganize partition p1985, p1986 into (partition p1986 values less than (to_days('1986-12-31')))"
sql e -e "alter table w3 add partition partitions 3; alter table w3 coalesce partition 2; alter table w5 rebuild partition all"
sql e -e "alter table s1 reorganize partition p0, p1 into (partition p0 values less than (2000)); alter table s2 rebuild partition p0; alter table s2 optimize partition x3" >/dev/null
sql e -e "create table out_of_s2 like s2; alter table out_of_s2 remove partitioning; alter table s2 exchange partition x1 with table out_of_s2; alter table s2 exchange partition x1 with table out_of_s2; drop table out_of_s2"
is "checksums after maintenance" "$(sums e)" "$before"
is "check" "$(sql e -e "check table salaries, titles, w1, w2, w3, w4, w5, w6, w7, s1, s2" | cut -f4 | sort -u)" OK

# --- dumped and loaded, it is the same --------------------------------------------------------------------------
client mariadb-dump --skip-dump-date --skip-comments e >"$WORK/first" 2>"$WORK/said" || fail "mariadb-dump: $(cat "$WORK/said")"
sql -e "create database again"
client mariadb again <"$WORK/first" >"$WORK/said" 2>&1 || fail "loading the dump: $(cat "$WORK/said")"
is "checksums of the copy" "$(sums again)" "$before"
client mariadb-dump --skip-dump-date --skip-comments again >"$WORK/second"
diff "$WORK/first" "$WORK/second" >"$WORK/diff" || fail "the second dump differs: $(head -c 2000 "$WORK/diff")"

# --- killed in the middle of maintenance: old or new ------------------------------------------------------------
for n in 1 2 3 4; do
    (for p in 1 2 3 4 5 6 7 8 9; do
        sql e -e "alter table titles rebuild partition all; alter table salaries partition by hash (emp_no) partitions $((p + 1));
            alter table s1 rebuild partition all; alter table s2 partition by range (b) subpartition by hash (a) subpartitions $p (partition x values less than (9), partition y values less than maxvalue)"
    done >/dev/null 2>&1) &
    sleep "0.$((n * 3))"
    kill_server
    wait $! || true
    start_server
    is "checksums after kill $n" "$(sums e)" "$before"
    is "check after kill $n" "$(sql e -e "check table salaries, titles, s1, s2" | cut -f4 | sort -u)" OK
done
stop_server
echo "partitions: ok"
