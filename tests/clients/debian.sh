#!/bin/bash
# Clients and tools that Debian packages: PHP, Perl, Ruby, percona-toolkit, mydumper, MariaDB's programs, mysqld_exporter. Each is
# skipped where it is not installed. Needs mariadb and a built server (WEIR, default target/release/weir).
set -euo pipefail
cd "$(dirname "$0")/../.."
WEIR=$(realpath "${WEIR:-target/release/weir}")
HERE=$PWD/tests/clients/debian
. tests/blackbox/lib.sh
start_server --local-infile=1
cd "$WORK"
status=0
HOST="-h 127.0.0.1 -P $PORT -u root"
DSN="h=127.0.0.1,P=$PORT,u=root"
export WEIR_PORT=$PORT

# tool NAME COMMAND: the program has to end with 0, and to write no error.
tool() {
    local name=$1
    shift
    command -v "$1" >/dev/null || { echo "skipped $name: $1 is not installed"; return; }
    if timeout 60 "$@" >"$name.out" 2>&1 && ! grep -qiE '^(error|DBD::|.*ERROR [0-9]+)' "$name.out"; then
        echo "ok      $name"
    else
        echo "FAILED  $name"
        tail -n 5 "$name.out"
        status=1
    fi
}

sql -e "create database shop; create database percona; use shop;
    create table a (id int primary key auto_increment, v varchar(20), n int, key k (n), key k2 (n, v));
    create table b (id int primary key, a_id int, constraint f foreign key (a_id) references a (id));
    insert into a (v, n) with recursive s as (select 1 as i union all select i + 1 from s where i < 500) select concat('x', i), i % 10 from s;
    insert into b select id, id from a where id <= 100;
    create table copy like a; insert into copy select * from a; create table archive like a; create view va as select * from a;
    create user reader identified by 'p'; grant select, insert on shop.* to reader"

tool php php "$HERE/client.php"
tool perl perl "$HERE/client.pl"
tool ruby ruby "$HERE/client.rb"
tool pt-show-grants pt-show-grants "$DSN"
tool pt-duplicate-key-checker pt-duplicate-key-checker "$DSN" --databases shop
tool pt-find pt-find --host 127.0.0.1 --port "$PORT" --user root shop
tool pt-online-schema-change pt-online-schema-change --execute --alter "add column z int default 3, drop key k" --no-version-check "D=shop,t=copy,$DSN"
tool pt-online-schema-change-parent pt-online-schema-change --execute --alter "add column z int default 3" --alter-foreign-keys-method=auto --no-version-check "D=shop,t=a,$DSN"
tool pt-table-checksum pt-table-checksum "$DSN" --databases shop --no-check-binlog-format --no-check-replication-filters --no-version-check --recursion-method=none
tool pt-table-sync pt-table-sync --print "$DSN,D=shop,t=a" "$DSN,D=shop,t=copy" --no-check-slave --no-version-check
tool pt-archiver pt-archiver --source "$DSN,D=shop,t=a" --dest "$DSN,D=shop,t=archive" --where "id > 400" --limit 20 --commit-each --no-check-columns --no-version-check
tool pt-variable-advisor pt-variable-advisor "$DSN" --no-version-check
tool pt-mysql-summary pt-mysql-summary --host 127.0.0.1 --port "$PORT" --user root
tool pt-kill pt-kill "$DSN" --busy-time 1000 --print --run-time 1 --interval 1 --no-version-check
tool pt-deadlock-logger pt-deadlock-logger "$DSN" --iterations 1 --run-time 1 --interval 1 --no-version-check
tool pt-heartbeat pt-heartbeat -D percona --create-table --update --run-time 2 --interval 1 "$DSN" --no-version-check
tool mydumper mydumper $HOST -B shop -o dump
sql -e "create database shop2"
tool myloader myloader $HOST -d dump -B shop2 -o
tool mariadb-check mariadb-check $HOST --all-databases
tool mariadb-analyze mariadb-check $HOST --analyze shop
tool mariadb-optimize mariadb-check $HOST --optimize shop
tool mariadb-compress mariadb --compress $HOST shop -e "select count(*), repeat('x', 1000000) as r from a"
tool mariadb-dump-compress mariadb-dump --compress $HOST shop
tool mariadb-slap mariadb-slap $HOST --auto-generate-sql --concurrency=4 --iterations=2 --number-of-queries=100
printf '901\tx\t3\n' >a.txt
tool mariadb-import mariadb-import $HOST --local --columns=id,v,n shop "$WORK/a.txt"
tool mariadb-show mariadb-show $HOST -k -t shop a
tool mariadb-admin mariadb-admin $HOST status extended-status variables processlist ping version refresh
tool mytop mytop $HOST -d shop --batchmode

if command -v prometheus-mysqld-exporter >/dev/null && command -v curl >/dev/null; then
    # All collectors, but those for other servers. Options of collectors have a dot more or a value.
    prometheus-mysqld-exporter --help >help 2>&1 || true
    COLLECT=$(sed -n 's/^ *\(--collect\.[a-z_.]*\)\( .*\)*$/\1/p' help | grep -v -e tokudb -e heartbeat -e user.privileges -e replica_host -e processes_by || true)
    PAGE=127.0.0.1:$((20000 + PORT % 10000))
    : >exporter.log
    # shellcheck disable=SC2086
    DATA_SOURCE_NAME="root@(127.0.0.1:$PORT)/" timeout 20 prometheus-mysqld-exporter --web.listen-address=$PAGE $COLLECT >>exporter.log 2>&1 &
    for _ in $(seq 1 50); do
        curl -s "http://$PAGE/metrics" >metrics && break
        sleep 0.1
    done
    # Of performance_schema there are empty tables, and of InnoDB's counters and tablespaces none.
    if grep -q '^mysql_up 1' metrics && ! grep 'Error from scraper' exporter.log | grep -v -e eventsstatementssum -e innodb_metrics -e innodb_tablespaces -e server_uuid; then
        echo "ok      mysqld_exporter ($(grep -c '^mysql_' metrics) lines)"
    else
        echo "FAILED  mysqld_exporter"
        tail -n 3 exporter.log
        status=1
    fi
else
    echo "skipped mysqld_exporter: it is not installed"
fi
exit $status
