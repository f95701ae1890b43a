#!/bin/bash
# MariaDB as a replica of Weir, by file and position: MariaDB knows no GTIDs of MySQL's kind and passes those events over. What the two have in
# common is replicated: the source's collations must be such that MariaDB has (collation_server). mariadb-binlog reads copied files; from
# a server it refuses every version that is not MariaDB's own, MySQL 8's like Weir's. Needs mariadbd.
set -u
. "$(dirname "$0")/lib.sh"
command -v mariadbd >/dev/null && command -v mariadb-install-db >/dev/null || skip "mariadbd is not installed"
replica=$((port + 1))
start_source --collation-server=utf8mb4_general_ci
ask "$port" -e "create user repl identified with mysql_native_password by 'repl'; grant replication slave, replication client on *.* to repl"
read -r file at _ < <(ask "$port" -N -e 'show master status')
mariadb-install-db --no-defaults --datadir="$work/maria" --auth-root-authentication-method=normal >"$work/install" 2>&1 || skip "MariaDB cannot be set up: $(tail -1 "$work/install")"
mariadbd --no-defaults --user="$(id -un)" --datadir="$work/maria" --port=$replica --socket="$work/maria.sock" --server-id=3 >"$work/maria.log" 2>&1 &
pids+=($!)
answers $replica || { fail "MariaDB does not start"; finish; }
ask $replica -e "change master to master_host='127.0.0.1', master_port=$port, master_user='repl', master_password='repl', master_log_file='$file', master_log_pos=$at, master_use_gtid=no, master_connect_retry=1; start slave"
# Definition statements run there as they were sent, so they name no collation of MySQL's own.
ask "$port" --init-command='set names utf8mb4 collate utf8mb4_general_ci, default_collation_for_utf8mb4 = utf8mb4_general_ci' <<'SQL'
create database m; use m;
create table n (id int primary key, t tinyint, tu tinyint unsigned, s smallint, m mediumint, i int unsigned, b bigint, bu bigint unsigned, f float, d double, e decimal(20,6), bt bit(9), y year);
insert into n values (1,-128,255,-32768,-8388608,4294967295,-9223372036854775808,18446744073709551615,1.5,-2.25e100,-12345678901234.123456,b'101010101',1901),(2,null,null,null,null,null,null,null,null,null,null,null,null);
create table d (id int primary key, d date, t time, t3 time(3), dt datetime, dt6 datetime(6), ts timestamp null, ts6 timestamp(6) null);
insert into d values (1,'0001-01-01','-838:59:59','-00:00:00.001','1000-01-01 00:00:00','9999-12-31 23:59:59.999999','1970-01-02 03:00:00','2001-09-09 01:46:40.000001'),(2,null,null,null,null,null,null,null);
create table s (id int primary key auto_increment, c char(10), cl char(10) character set latin1, bi binary(10), vc varchar(300), vb varbinary(300), tx text, lb longblob, e enum('a','ü'), se set('x','y','zz'), j longtext, p point);
insert into s values (1,'ab','äö',x'0102','größe 🌍',x'00ff',repeat('t',70000 div 2),repeat('b',66000),'ü','x,zz','{"a": 1}',point(1,2)),(2,'','','','','','','','a','','',null),(3,null,null,null,null,null,null,null,null,null,null,null);
update s set vc = 'changed' where id = 1; delete from s where id = 2; replace into s (id, c) values (3, 'new');
create table nokey (a int, b varchar(20)); insert into nokey values (1,'x'),(1,'x'),(2,null); update nokey set b = 'z' where a = 1 limit 1;
create table parent (id int primary key, v int); create table child (id int primary key, p int, foreign key (p) references parent (id) on delete cascade on update cascade);
insert into parent values (1,1),(2,2); insert into child values (10,1),(20,2); update parent set id = 5 where id = 1; delete from parent where id = 2;
begin; insert into parent values (50,1); savepoint a; insert into parent values (51,1); rollback to a; insert into parent values (52,1); commit;
xa start 'one'; insert into parent values (60,1); xa end 'one'; xa prepare 'one'; xa commit 'one';
alter table parent add column w int default 4, add key (w); create index i on parent (v); rename table nokey to renamed; truncate table d; insert into d (id) values (7);
create table longer (id int primary key auto_increment, t longtext); insert into longer (t) values (repeat('a', 3000000)); insert into longer (t) select t from longer; update longer set t = concat(t, 'x');
set session binlog_row_image = minimal; update parent set v = 77 where id = 50; set session binlog_row_image = default;
set session binlog_format = statement; insert into parent (id, v) values (90, 9); update parent set v = v + 1 where id > 50; set session binlog_format = default;
flush binary logs; insert into parent (id, v) values (91, 9); analyze table parent;
SQL
read -r file at _ < <(ask "$port" -N -e 'show master status')
for _ in $(seq 100); do
  ask $replica -N -e "select master_pos_wait('$file', $at, 1)" | grep -qv -e -1 && break
done
[ -n "$(status $replica Last_SQL_Error)" ] && fail "MariaDB stopped: $(status $replica Last_SQL_Error)"
[ -n "$(status $replica Last_IO_Error)" ] && fail "MariaDB's receiver: $(status $replica Last_IO_Error)"
compare "$port" $replica m
first=$(ask "$port" -N -e 'show binary logs' | head -1 | cut -f1)
if command -v mariadb-binlog >/dev/null; then
  mariadb-binlog --verify-binlog-checksum "$work/source/$first" >"$work/read" 2>"$work/err" && say "mariadb-binlog reads $first: $(grep -c '^# at' "$work/read") events" || fail "mariadb-binlog: $(head -2 "$work/err")"
  mariadb-binlog --read-from-remote-server --host=127.0.0.1 --port="$port" --user=root "$first" 2>&1 | grep -q 'unrecognized MariaDB version' && say "mariadb-binlog from the server: refuses the version, as it refuses MySQL's"
fi
finish
