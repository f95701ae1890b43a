create database src_types; create database src_work;
use src_types;
create table numbers (id int primary key, t tinyint, tu tinyint unsigned, s smallint, m mediumint, mu mediumint unsigned, i int unsigned, b bigint, bu bigint unsigned, f float, d double, n decimal(20,6), n2 decimal(65,30), bt bit(1), bt9 bit(9), bt64 bit(64), y year, bo bool);
insert into numbers values (1,-128,255,-32768,-8388608,16777215,4294967295,-9223372036854775808,18446744073709551615,1.5,-2.25e100,-12345678901234.123456,12345678901234567890123456789012345.123456789012345678901234567890,b'1',b'101010101',b'1111111111111111111111111111111111111111111111111111111111111111',1901,true),
 (2,127,0,32767,8388607,0,0,9223372036854775807,0,-1.5,0,0.000001,-0.000000000000000000000000000001,b'0',b'0',0,2155,false),(3,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null),(4,0,1,1,1,1,1,1,1,0,0,0,0,0,1,1,0,0);
create table moments (id int primary key, d date, t time, t3 time(3), t6 time(6), dt datetime, dt2 datetime(2), dt6 datetime(6), ts timestamp null, ts3 timestamp(3) null, ts6 timestamp(6) null);
set time_zone = '+02:00';
insert into moments values (1,'0001-01-01','-838:59:59','-00:00:00.001','838:59:58.999999','1000-01-01 00:00:00','2026-11-28 12:34:56.78','9999-12-31 23:59:59.999999','1970-01-01 03:00:00','2038-01-19 04:14:07.123','2001-09-09 01:46:40.000001'),
 (2,'9999-12-31','00:00:00','12:34:56.789','-12:34:56.000001','2026-02-28 23:59:59','2026-02-28 23:59:59.99','2026-02-28 23:59:59.5','2026-03-29 02:30:00','2026-03-29 02:30:00','2026-03-29 02:30:00'),(3,null,null,null,null,null,null,null,null,null,null);
set time_zone = default;
create table texts (id int primary key, c char(10), cb char(10) character set latin1, bi binary(10), vc varchar(300), vl varchar(100) character set latin1, vu varchar(60) character set utf16, vb varbinary(300), tt tinytext, tx text, mt mediumtext, lt longtext, tb tinyblob, bb blob, lb longblob, e enum('a','ü','c'), se set('x','y','zz'), e2 enum('p','q') character set latin1);
insert into texts values (1,'ab  ','äö',x'0102','größe 🌍','äöü','ξ🌍',x'00ff','tiny',repeat('t',70000 div 2),repeat('m',100000),'long',x'00',x'ff00ff',repeat('b',66000),'ü','x,zz','q'),
 (2,'','','','','','','','','','','','','','','a','',null),(3,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null,null);
create table documents (id int primary key, j json, g geometry, p point, ls linestring);
insert into documents values (1,'{"a": [1, 2.5, "x", null, true], "ü": {"deep": [[]]}, "big": 18446744073709551615}',st_geomfromtext('POLYGON((0 0,1 0,1 1,0 0))'),point(1,2),st_geomfromtext('LINESTRING(0 0,1 1)',4326)),(2,'[]',null,null,null),(3,null,point(0,0),point(-1.5,2.5),null);
update documents set j = json_set(j, '$.a[1]', 'changed') where id = 1;
create table made (a int, b int as (a + 1) virtual, c int as (a * 2) stored, d varchar(10) default (concat('d', 1)), primary key (a), key fk1 ((a + b)));
insert into made (a) values (1),(2),(3); update made set a = 9 where a = 2; delete from made where a = 3;
create table nokey (a int, b varchar(20)); insert into nokey values (1,'x'),(1,'x'),(2,null),(null,null); update nokey set b = 'z' where a = 1 limit 1; delete from nokey where a is null;
create table parts (id int, v int, primary key (id, v)) partition by range (v) (partition p0 values less than (10), partition p1 values less than maxvalue);
insert into parts values (1,1),(2,50); update parts set v = 60 where id = 1;
use src_work;
create table parent (id int primary key, v int); create table child (id int primary key, p int, foreign key (p) references parent (id) on delete cascade on update cascade);
create table grandchild (id int primary key, c int, foreign key (c) references child (id) on delete set null);
insert into parent values (1,1),(2,2),(3,3); insert into child values (10,1),(20,2),(30,3); insert into grandchild values (100,10),(200,20);
update parent set id = 5 where id = 1; delete from parent where id = 2;
create table audit (n int auto_increment primary key, what varchar(40)); create trigger tr after insert on parent for each row insert into audit (what) values (concat('new ', new.id));
insert into parent values (7,7),(8,8);
begin; insert into parent values (50,1); savepoint a; insert into parent values (51,1); rollback to a; insert into parent values (52,1); commit;
begin; insert into parent values (60,1); rollback;
insert ignore into parent values (50,2),(70,2); replace into parent values (70,3); insert into parent values (70,4) on duplicate key update v = v + 10;
delimiter //
create procedure many(n int) begin declare i int default 0; while i < n do insert into audit (what) values (concat('p', i)); set i = i + 1; end while; end//
delimiter ;
call many(20);
create function twice(x int) returns int deterministic return 2 * x; create view v as select id, twice(v) t from parent;
create temporary table tmp (a int); insert into tmp values (1); create table kept as select * from parent; create table taken (id int primary key) select id from parent where id > 7;
create table likes like parent; insert into likes select * from parent;
alter table likes add column w int default 4, add key (w); update likes set w = id where id < 10; create index i on likes (v); drop index i on likes; rename table likes to liked; truncate table liked; insert into liked (id) values (1);
create table gone (a int); drop table gone, tmp; drop table if exists never_there;
insert into kept select id + 1000, v from kept; update kept set v = v + 1; delete from kept where id % 3 = 0;
xa start 'one'; insert into audit (what) values ('xa'); xa end 'one'; xa prepare 'one'; xa commit 'one';
xa start 'two'; insert into audit (what) values ('xa2'); xa end 'two'; xa prepare 'two'; xa rollback 'two';
xa start 'three'; insert into audit (what) values ('xa3'); xa end 'three'; xa commit 'three' one phase;
create table longer (id int primary key auto_increment, t longtext); insert into longer (t) values (repeat('a', 3000000)), (repeat('b', 10)); insert into longer (t) select t from longer; update longer set t = concat(t, 'x'); delete from longer where id = 1;
set session binlog_row_image = minimal; update parent set v = 77 where id = 7; insert into parent values (90, 9); delete from child where id = 30; update src_types.texts set vc = 'minimal' where id = 1; set session binlog_row_image = noblob; update src_types.texts set vc = 'noblob' where id = 1; update src_types.texts set tx = 'changed' where id = 1; set session binlog_row_image = default;
set sql_log_bin = 0; create table own (a int); drop table own; set sql_log_bin = 1;
create database src_gone; create table src_gone.t (a int); insert into src_gone.t values (1); drop database src_gone;
