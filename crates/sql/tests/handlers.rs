//! HANDLER: places in a table, keys, and what becomes of them when the table changes. What is expected is what a MySQL server answered.
use crate::common::*;
use std::time::Duration;
use weir_sql::session_api::KillKind;

#[test]
fn the_place_is_where_the_read_before_ended() {
    check(&[
        ("create table t (a int primary key, b int, key b (b))", "ok 0"),
        ("insert into t values (1,10),(3,30),(5,2500),(6,25),(8,2000),(9,25),(10,3001)", "ok 7"),
        ("handler t open", "ok 0"),
        ("handler t read first limit 2,1", "5|2500"),
        ("handler t read next", "6|25"),
        ("handler t read b next", "1|10"),
        ("handler t read b next limit 2", "6|25; 9|25"),
        ("handler t read b prev", "6|25"),
        ("handler t read next", "1|10"),
        ("handler t read b prev", "10|3001"),
        ("handler t read b prev limit 2", "5|2500; 8|2000"),
        ("handler t read b = (25) limit 1,5", "9|25"),
        ("handler t read b next", "3|30"),
        ("handler t read b = (25) limit 1,5", "9|25"),
        ("handler t read b prev", "9|25"),
        ("handler t read b = (25) limit 2", "6|25; 9|25"),
        ("handler t read b prev", "6|25"),
        ("handler t read b >= (25) where a > 100 limit 3", ""),
        ("handler t read b next", ""),
        ("handler t read b prev", "10|3001"),
        ("handler t read b < (25) limit 1,1", ""),
        ("handler t read b prev", ""),
        ("handler t read b next", "1|10"),
        ("handler t read b <= (25) limit 100", "9|25; 6|25; 1|10"),
        ("handler t read b prev", ""),
        ("handler t read b next", "1|10"),
        ("handler t read b = (26)", ""),
        ("handler t read b next", "3|30"),
        ("handler t read b = (26)", ""),
        ("handler t read b prev", "9|25"),
        ("handler t read b < (1)", ""),
        ("handler t read b prev", ""),
        ("handler t read b next", "1|10"),
    ]);
}

#[test]
fn behind_the_last_row_and_in_another_order() {
    check(&[
        ("create table t (a int primary key, b int, key b (b))", "ok 0"),
        ("insert into t values (1,10),(3,30),(5,2500),(6,25),(8,2000),(9,25),(10,3001)", "ok 7"),
        ("handler t open", "ok 0"),
        ("handler t read b > (26)", "3|30"),
        ("handler t read b prev", "9|25"),
        ("handler t read b last", "10|3001"),
        ("handler t read b next", ""),
        ("handler t read b next", ""),
        ("handler t read b prev", "10|3001"),
        ("handler t read first where a = 3", "3|30"),
        ("handler t read next where a = 6", "6|25"),
        ("handler t read next", "8|2000"),
        ("handler t read b first limit 0", ""),
        ("handler t read b next", "1|10"),
        ("handler t read b first limit 0", ""),
        ("handler t read b next", "6|25"),
        ("handler t read b = (null)", ""),
        ("handler t read b next", "1|10"),
        ("handler t read b = (1,2)", "E1070 Too many key parts specified; max 1 parts allowed"),
        ("handler t read b next where nosuch", "E1054 Unknown column 'nosuch' in 'field list'"),
        ("handler t read b next", "6|25"),
        ("handler t read `PRIMARY` next", "1|10"),
        ("handler t read `primary` next", "3|30"),
        ("handler t read b next", "1|10"),
        ("handler t read `PRIMARY` next", "1|10"),
        ("handler t read next", "1|10"),
        ("handler t read `PRIMARY` prev", "10|3001"),
        ("handler t read `PRIMARY` = (4)", ""),
        ("handler t read `PRIMARY` prev", "3|30"),
        ("handler t read `PRIMARY` = (4)", ""),
        ("handler t read `PRIMARY` next", "5|2500"),
        ("handler t read `PRIMARY` >= (100)", ""),
        ("handler t read `PRIMARY` next", ""),
        ("handler t read `PRIMARY` prev", "10|3001"),
        ("handler t read first limit 100", "1|10; 3|30; 5|2500; 6|25; 8|2000; 9|25; 10|3001"),
        ("insert into t values (11, 1)", "ok 1"),
        ("handler t read next", ""),
        ("handler t read b next", "11|1"),
        ("delete from t where a = 11", "ok 1"),
        ("handler t read b next", "1|10"),
        ("update t set b = 26 where a = 1", "ok 1"),
        ("handler t read b prev", ""),
        ("handler t read b next limit 3", "6|25; 9|25; 1|26"),
        ("handler t close", "ok 0"),
    ]);
}

#[test]
fn keys_of_several_parts_with_nulls_descending_and_cut() {
    check(&[
        (
            "create table t (id int primary key, a int, b varchar(10), key a(a), key ab(a,b), key bp(b(2)), key ad(a desc))",
            "ok 0",
        ),
        (
            "insert into t values (1,10,'x'),(2,20,'yab'),(3,null,null),(4,20,'yaa'),(5,30,null)",
            "ok 5",
        ),
        ("handler t open", "ok 0"),
        ("handler t read a first limit 10", "3|NULL|NULL; 1|10|x; 2|20|yab; 4|20|yaa; 5|30|NULL"),
        ("handler t read a = (null)", "3|NULL|NULL"),
        ("handler t read a > (null)", "1|10|x"),
        ("handler t read a >= (null)", "3|NULL|NULL"),
        ("handler t read a < (null)", ""),
        ("handler t read a <= (null)", "3|NULL|NULL"),
        ("handler t read a <= (20) limit 10", "4|20|yaa; 2|20|yab; 1|10|x; 3|NULL|NULL"),
        ("handler t read a < (20) limit 10", "1|10|x; 3|NULL|NULL"),
        ("handler t read a > (10) limit 10", "2|20|yab; 4|20|yaa; 5|30|NULL"),
        ("handler t read a = (20) limit 10", "2|20|yab; 4|20|yaa"),
        ("handler t read a = (20) limit 1,1", "4|20|yaa"),
        ("handler t read ab = (20) limit 10", "4|20|yaa; 2|20|yab"),
        ("handler t read ab <= (20) limit 10", "2|20|yab; 4|20|yaa; 1|10|x; 3|NULL|NULL"),
        ("handler t read ab >= (20) limit 10", "4|20|yaa; 2|20|yab; 5|30|NULL"),
        ("handler t read ab > (20) limit 10", "5|30|NULL"),
        ("handler t read ab = (20,'yab') limit 10", "2|20|yab"),
        ("handler t read ab < (20,'yab') limit 10", "4|20|yaa; 1|10|x; 3|NULL|NULL"),
        ("handler t read ab = (20,null)", ""),
        ("handler t read ab <= (20,'zz') limit 10", "2|20|yab; 4|20|yaa; 1|10|x; 3|NULL|NULL"),
        ("handler t read ab next", "3|NULL|NULL"),
        ("handler t read ad first limit 10", "5|30|NULL; 2|20|yab; 4|20|yaa; 1|10|x; 3|NULL|NULL"),
        ("handler t read ad >= (20) limit 10", "2|20|yab; 4|20|yaa; 1|10|x; 3|NULL|NULL"),
        ("handler t read ad > (20) limit 10", "1|10|x; 3|NULL|NULL"),
        ("handler t read ad < (20) limit 10", "5|30|NULL"),
        ("handler t read ad <= (20) limit 10", "4|20|yaa; 2|20|yab; 5|30|NULL"),
        ("handler t read ad = (null) limit 10", "3|NULL|NULL"),
        ("handler t read ad > (null) limit 10", ""),
        ("handler t read ad < (null) limit 10", "1|10|x; 4|20|yaa; 2|20|yab; 5|30|NULL"),
        ("handler t read bp first limit 10", "3|NULL|NULL; 5|30|NULL; 1|10|x; 2|20|yab; 4|20|yaa"),
        ("handler t read bp = ('yaa') limit 10", "2|20|yab; 4|20|yaa"),
        ("handler t read bp = ('y') limit 10", ""),
        ("handler t read bp > ('yaa') limit 10", ""),
        ("handler t read bp >= ('yab') limit 10", "2|20|yab; 4|20|yaa"),
        ("handler t read bp < ('yab') limit 10", "1|10|x; 5|30|NULL; 3|NULL|NULL"),
        (
            "handler t read bp <= ('yaa') limit 10",
            "4|20|yaa; 2|20|yab; 1|10|x; 5|30|NULL; 3|NULL|NULL",
        ),
        ("handler t read `PRIMARY` = (2.5)", "3|NULL|NULL"),
        ("handler t read `PRIMARY` >= ('2x')", "2|20|yab"),
        ("handler t read `PRIMARY` = (99999999999)", ""),
        ("handler t read `PRIMARY` >= (1+1)", "2|20|yab"),
        ("handler t read `PRIMARY` = (null)", "E1048 Column 'PRIMARY' cannot be null"),
    ]);
}

#[test]
fn values_become_those_of_the_column() {
    check(&[
        (
            "create table c (i int not null, s varchar(3), e enum('a','b'), d date, dt datetime, tm time, y year, de decimal(5,2), f double, st set('x','y'), u int unsigned, bn varbinary(3), ch char(3), txt text, ti tinyint, ts timestamp null, key i(i), key s(s), key e(e), key d(d), key dt(dt), key tm(tm), key y(y), key de(de), key f(f), key st(st), key u(u), key bn(bn), key ch(ch), key txt(txt(2)), key ti(ti), key ts(ts))",
            "ok 0",
        ),
        (
            "insert into c values (0,'abc','a','2020-01-01','2020-01-01 10:00:00','10:00:00',2020,1.50,1.5,'x',0,'abc','ab','abcd',127,'2020-01-01 10:00:00')",
            "ok 1",
        ),
        (
            "insert into c values (7,'abd','b','2021-01-01','2021-01-01 10:00:00','11:00:00',2021,2.50,2.5,'y',5,'abd','ac','acde',1,'2021-01-01 10:00:00')",
            "ok 1",
        ),
        ("create table n (i int, key (i))", "ok 0"),
        ("handler c open", "ok 0"),
        (
            "handler c read i = ('abc') where @i := i + 1",
            "0|abc|a|2020-01-01|2020-01-01 10:00:00|10:00:00|2020|1.50|1.5|x|0|abc|ab|abcd|127|2020-01-01 10:00:00",
        ),
        ("select @i", "1"),
        ("handler c read i = (null)", "E1048 Column 'i' cannot be null"),
        ("handler c read i >= (null)", "E1048 Column 'i' cannot be null"),
        ("handler c read i = (1/0)", "E1048 Column 'i' cannot be null"),
        ("handler c read i = (-0.4) where s = 'abc' and (@i := 'minus')", ""),
        ("select @i", "minus"),
        (
            "handler c read s >= ('abcd') where (@i := s) <> ''",
            "0|abc|a|2020-01-01|2020-01-01 10:00:00|10:00:00|2020|1.50|1.5|x|0|abc|ab|abcd|127|2020-01-01 10:00:00",
        ),
        ("select @i", "abc"),
        ("handler c read s = (0)", ""),
        ("handler c read s = ('ABC ') where (@i := s) = ''", ""),
        ("select @i", "abc"),
        ("handler c read e = ('zz')", ""),
        ("handler c read e >= ('b') where (@i := e) = ''", ""),
        ("select @i", "b"),
        ("handler c read d = ('2020-13-01')", "E1210 Incorrect arguments to HANDLER ... READ"),
        ("handler c read d = (0)", "E1210 Incorrect arguments to HANDLER ... READ"),
        ("handler c read d = ('p')", "E1210 Incorrect arguments to HANDLER ... READ"),
        ("handler c read d = (20200101) where (@i := d) = 1", ""),
        ("select @i", "2020-01-01"),
        ("handler c read dt = ('p')", "E1210 Incorrect arguments to HANDLER ... READ"),
        ("handler c read tm = ('p')", "E1210 Incorrect arguments to HANDLER ... READ"),
        ("handler c read tm = ('900:00:00')", ""),
        ("handler c read y = ('p')", "E1210 Incorrect arguments to HANDLER ... READ"),
        ("handler c read y = (3000)", ""),
        ("handler c read y = (20) where (@i := y) = 1", ""),
        ("select @i", "2020"),
        ("handler c read de = (1.501) where (@i := de) = 0", ""),
        ("select @i", "1.50"),
        ("handler c read de = (99999)", ""),
        ("handler c read f = ('x')", ""),
        ("handler c read st = ('q')", ""),
        ("handler c read u = (-1) where (@i := u) = 1", ""),
        ("select @i", "0"),
        ("handler c read bn = ('abcd') where (@i := txt) = 1", ""),
        ("select @i", "abcd"),
        ("handler c read ch = ('abzz')", ""),
        ("handler c read txt = ('abcdefgh') where (@i := txt) = 1", ""),
        ("select @i", "abcd"),
        ("handler c read ti > (1000)", ""),
        ("handler c read ti >= (1000) where (@i := ti) = 1", ""),
        ("select @i", "127"),
        ("handler c read i = (i)", "E1210 Incorrect arguments to HANDLER ... READ"),
        ("handler c read i = (default)", "E1210 Incorrect arguments to HANDLER ... READ"),
        ("handler c read i = ((0,1))", "E1241 Operand should contain 1 column(s)"),
        ("handler c read i = (count(*))", "E1111 Invalid use of group function"),
        ("handler c read i = (nosuch)", "E1054 Unknown column 'nosuch' in 'field list'"),
        (
            "handler c read i = (nosuch())",
            "E1235 This version of MySQL doesn't yet support 'stored functions in HANDLER ... READ'",
        ),
        ("handler c read i = ((select 1))", "E1064"),
        ("handler c read i = ()", "E1064"),
        ("set sql_mode = ''", "ok 0"),
        ("handler c read d = ('2020-13-01')", "E1210 Incorrect arguments to HANDLER ... READ"),
        ("handler c read y = ('p')", "E1210 Incorrect arguments to HANDLER ... READ"),
    ]);
}

#[test]
fn names_and_what_is_refused() {
    check(&[
        ("create table t (a int, b int, key a (a))", "ok 0"),
        ("insert into t values (1, 2), (2, 1)", "ok 2"),
        ("create view v as select 1 as a", "ok 0"),
        ("create function f() returns int return 1", "ok 0"),
        ("handler t read first", "E1109 Unknown table 't' in HANDLER"),
        ("handler t close", "E1109 Unknown table 't' in HANDLER"),
        ("handler nosuch open", "E1146 Table 'test.nosuch' doesn't exist"),
        ("handler t open", "ok 0"),
        ("handler t open", "E1066 Not unique table/alias: 't'"),
        ("handler t open as x", "ok 0"),
        ("handler t open as T", "E1066 Not unique table/alias: 'T'"),
        ("handler test.t open y", "ok 0"),
        ("handler v open", "E1347 'test.v' is not BASE TABLE"),
        (
            "handler information_schema.columns open",
            "E1347 'information_schema.COLUMNS' is not BASE TABLE",
        ),
        (
            "handler performance_schema.threads open",
            "E1031 Table storage engine for 'threads' doesn't have this option",
        ),
        ("handler x read first", "1|2"),
        ("handler X read next", "2|1"),
        ("handler x close", "ok 0"),
        ("handler X close", "E1109 Unknown table 'X' in HANDLER"),
        ("handler t read nosuch first", "E1176 Key 'nosuch' doesn't exist in table 't'"),
        (
            "handler t read nosuch first where nosuch = 1",
            "E1054 Unknown column 'nosuch' in 'field list'",
        ),
        ("handler t read a first where t.a = 2", "2|1"),
        ("handler t read a first where y.a = 2", "E1054 Unknown column 'y.a' in 'field list'"),
        ("handler y read a first where y.a = 2", "2|1"),
        ("handler t read a first where count(*) > 1", "E1111 Invalid use of group function"),
        (
            "handler t read a first where row_number() over () = 1",
            "E3593 You cannot use the window function 'row_number' in this context.'",
        ),
        (
            "handler t read a first where f() = 1",
            "E1235 This version of MySQL doesn't yet support 'stored functions in HANDLER ... READ'",
        ),
        (
            "handler t read a first where nosuch() = 1",
            "E1235 This version of MySQL doesn't yet support 'stored functions in HANDLER ... READ'",
        ),
        ("handler t read a first where a in (select 1)", "E1064"),
        ("handler t read a first where exists (select 1)", "E1064"),
        ("handler t read a first limit @x", "E1064"),
        ("handler t read a first limit 2 offset 1", "2|1"),
        ("handler t read a first limit 1 for update", "E1064"),
        ("handler t read a first where 1 = 0", ""),
        ("handler t read a first where rand() >= 0 and sleep(0) = 0", "1|2"),
        ("handler t read a first where a between 2 and 3 and b in (1, 7)", "2|1"),
        (
            "prepare s from 'handler t read first'",
            "E1295 This command is not supported in the prepared statement protocol yet",
        ),
        (
            "prepare s from 'handler t open as k'",
            "E1295 This command is not supported in the prepared statement protocol yet",
        ),
        (
            "prepare s from 'handler t close'",
            "E1295 This command is not supported in the prepared statement protocol yet",
        ),
        (
            "create procedure p() handler t read first",
            "E1314 HANDLER is not allowed in stored procedures",
        ),
        (
            "create procedure p() handler t open",
            "E1314 HANDLER is not allowed in stored procedures",
        ),
        ("explain handler t read first", "E1064"),
        ("select 1, 2 union select 3, 4", "1|2; 3|4"),
        ("handler t read a first limit 3", "1|2; 2|1"),
        ("select row_count(), found_rows()", "-1|2"),
        ("handler t close", "ok 0"),
        ("select row_count()", "0"),
        ("xa start 'x'", "ok 0"),
        ("handler t open", "ok 0"),
        ("handler t read first", "1|2"),
        ("xa end 'x'", "ok 0"),
        (
            "handler t read first",
            "E1399 XAER_RMFAIL: The command cannot be executed when global transaction is in the  IDLE state",
        ),
        (
            "handler t open as z",
            "E1399 XAER_RMFAIL: The command cannot be executed when global transaction is in the  IDLE state",
        ),
        ("handler t close", "ok 0"),
        ("xa rollback 'x'", "ok 0"),
    ]);
}

#[test]
fn partitions_generated_and_functional_keys() {
    check(&[
        (
            "create table p (id int primary key, a int, key a(a)) partition by hash(id) partitions 3",
            "ok 0",
        ),
        ("insert into p values (1,5),(2,4),(3,3),(4,2),(5,1),(6,4)", "ok 6"),
        ("handler p open", "ok 0"),
        ("handler p read first limit 10", "3|3; 6|4; 1|5; 4|2; 2|4; 5|1"),
        ("handler p read first", "3|3"),
        ("handler p read next limit 2", "6|4; 1|5"),
        ("handler p read next limit 2", "4|2; 2|4"),
        ("handler p read next limit 2", "5|1"),
        ("handler p read next", ""),
        ("handler p read `PRIMARY` first limit 2", "1|5; 2|4"),
        ("handler p read `PRIMARY` next limit 2", "3|3; 4|2"),
        ("handler p read a first limit 3", "5|1; 4|2; 3|3"),
        ("handler p read a next", "2|4"),
        ("handler p read a next limit 9", "6|4; 1|5"),
        ("handler p read a last limit 2", "1|5; 6|4"),
        ("handler p read a prev limit 2", "2|4; 3|3"),
        ("handler p read a = (4) limit 10", "2|4; 6|4"),
        ("handler p read a <= (3) limit 10", "3|3; 4|2; 5|1"),
        ("handler p read a > (3) limit 10", "2|4; 6|4; 1|5"),
        (
            "create table g (id int primary key, a int, v int as (a+1), s int as (a*2) stored, i int invisible default 7, key v(v), key e ((a+100)), key inv(a) invisible)",
            "ok 0",
        ),
        ("insert into g (id,a) values (1,1),(2,2),(3,3)", "ok 3"),
        ("handler g open", "ok 0"),
        ("handler g read first limit 10", "1|1|2|2; 2|2|3|4; 3|3|4|6"),
        ("handler g read v = (3)", "2|2|3|4"),
        ("handler g read v prev", "1|1|2|2"),
        ("handler g read e = (102)", "2|2|3|4"),
        ("handler g read e next", "3|3|4|6"),
        ("handler g read e first", "1|1|2|2"),
        ("handler g read inv last where v = 3", "2|2|3|4"),
        ("handler g read first where i = 7 and id > 2", "3|3|4|6"),
        ("create table n (a int, b varchar(5))", "ok 0"),
        ("insert into n values (3,'c'),(1,'a'),(2,'b')", "ok 3"),
        ("handler n open", "ok 0"),
        ("handler n read next limit 2", "3|c; 1|a"),
        ("handler n read next", "2|b"),
        ("handler n read next", ""),
        ("handler n read `PRIMARY` first", "E1176 Key 'PRIMARY' doesn't exist in table 'n'"),
        (
            "handler n read `GEN_CLUST_INDEX` first",
            "E1176 Key 'GEN_CLUST_INDEX' doesn't exist in table 'n'",
        ),
    ]);
}

#[test]
fn entries_of_lists_long_texts_and_special_keys() {
    check(&[
        (
            "create table m (id int primary key, j json, key k ((cast(j as unsigned array))))",
            "ok 0",
        ),
        ("insert into m values (1, '[1, 2]'), (2, '[2, 3]'), (3, null)", "ok 3"),
        ("handler m open", "ok 0"),
        ("handler m read k first limit 10", "3|NULL; 1|[1, 2]; 1|[1, 2]; 2|[2, 3]; 2|[2, 3]"),
        ("handler m read k prev limit 2", "2|[2, 3]; 2|[2, 3]"),
        ("handler m read k prev limit 2", "1|[1, 2]; 1|[1, 2]"),
        ("handler m read k prev", "3|NULL"),
        ("handler m read k next", "1|[1, 2]"),
        ("handler m read k next", "1|[1, 2]"),
        ("handler m read k next", "2|[2, 3]"),
        ("handler m read k = (2) limit 10", "1|[1, 2]; 2|[2, 3]"),
        ("handler m read k = (2)", "1|[1, 2]"),
        ("handler m read k next", "2|[2, 3]"),
        ("handler m read k next", "2|[2, 3]"),
        ("handler m read k next", ""),
        ("create table l (id int primary key, t longtext, key (t(10)))", "ok 0"),
        (
            "insert into l values (1, repeat('b', 20000)), (2, repeat('a', 30000)), (3, repeat('c', 9000))",
            "ok 3",
        ),
        ("handler l open", "ok 0"),
        ("handler l read t first where length(t) < 100 or (@n := id) = 7 limit 5", ""),
        ("select @n", "3"),
        ("handler l read t = ('bbbbbbbbbb') where length(t) = 100 or (@n := length(t)) = 7", ""),
        ("select @n", "20000"),
        ("handler l read t next where length(t) = 100 or (@n := length(t)) = 7", ""),
        ("select @n", "9000"),
        (
            "create table s (g geometry not null srid 0, c text, spatial key g (g), fulltext key c (c))",
            "ok 0",
        ),
        ("insert into s values (point(1, 1), 'one')", "ok 1"),
        ("handler s open", "ok 0"),
        ("handler s read g first", ""),
        ("handler s read g next", ""),
        ("handler s read g > (point(0, 0))", ""),
        ("handler s read c first", ""),
        ("handler s read c = ('one')", ""),
        ("handler s read first where c = 'two'", ""),
    ]);
}

#[test]
fn the_session_s_own_statements_close_handlers() {
    check(&[
        ("create table t (a int, b int, key b (b))", "ok 0"),
        ("insert into t values (1,10),(2,20),(3,30)", "ok 3"),
        ("create table o (a int primary key)", "ok 0"),
        ("insert into o values (1),(2)", "ok 2"),
        ("handler o open", "ok 0"),
        ("handler o read first", "1"),
        ("handler t open", "ok 0"),
        ("create table if not exists t (a int)", "ok 0"),
        ("handler t read b next", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
        ("analyze table t", "test.t|analyze|status|OK"),
        ("handler t read b next", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
        ("check table t", "test.t|check|status|OK"),
        ("handler t close", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
        (
            "repair table t",
            "test.t|repair|note|The storage engine for the table doesn't support repair",
        ),
        ("handler t close", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
        ("alter table t add column b int", "E1060 Duplicate column name 'b'"),
        ("handler t read b next", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
        ("handler t open as u", "ok 0"),
        ("drop table t, nosuch", "E1051 Unknown table 'test.nosuch'"),
        ("handler t read b next", "E1109 Unknown table 't' in HANDLER"),
        ("handler u read b next", "E1109 Unknown table 'u' in HANDLER"),
        ("handler t open", "ok 0"),
        ("handler t read b next", "1|10"),
        ("flush tables", "ok 0"),
        ("handler t read b next", "1|10"),
        ("flush table o", "ok 0"),
        ("handler t read b next", "2|20"),
        ("flush table t", "ok 0"),
        ("handler t read b next", "1|10"),
        ("flush tables with read lock", "ok 0"),
        ("handler t read b next", "1|10"),
        ("unlock tables", "ok 0"),
        ("handler t read b next", "2|20"),
        ("create view v as select * from t", "ok 0"),
        ("drop view v", "ok 0"),
        ("handler t read b next", "3|30"),
        ("create table l like t", "ok 0"),
        ("handler t close", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
        ("create table c as select * from t", "ok 3"),
        ("handler t close", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
    ]);
}

#[test]
fn definition_statements_of_the_session_close_handlers() {
    check(&[
        ("create table t (a int, b int, key b (b))", "ok 0"),
        ("insert into t values (1,10),(2,20),(3,30)", "ok 3"),
        ("create table l like t", "ok 0"),
        ("create table o (a int primary key)", "ok 0"),
        ("insert into o values (1),(2)", "ok 2"),
        ("handler o open", "ok 0"),
        ("handler o read first", "1"),
        ("handler t open", "ok 0"),
        ("create index i on t (a)", "ok 0"),
        ("handler t close", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
        ("drop index i on t", "ok 0"),
        ("handler t close", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
        ("create trigger tr before insert on t for each row set @a = 1", "ok 0"),
        ("handler t close", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
        ("drop trigger tr", "ok 0"),
        ("handler t close", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
        ("rename table l to k", "ok 0"),
        ("handler t read b first", "1|10"),
        ("rename table k to l, t to k, k to t", "ok 0"),
        ("handler t close", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
        ("truncate t", "ok 0"),
        ("handler t close", "E1109 Unknown table 't' in HANDLER"),
    ]);
}

#[test]
fn temporary_tables_and_schemas() {
    check(&[
        ("create table t (a int, b int, key b (b))", "ok 0"),
        ("create table o (a int primary key)", "ok 0"),
        ("insert into o values (1),(2)", "ok 2"),
        ("handler o open", "ok 0"),
        ("handler o read first", "1"),
        ("insert into t values (1,10),(2,20),(3,30)", "ok 3"),
        ("handler t open", "ok 0"),
        ("handler t open as x", "ok 0"),
        ("create temporary table t (q int, key (q))", "ok 0"),
        ("handler t read b next", "E1109 Unknown table 't' in HANDLER"),
        ("handler x read b next", "E1109 Unknown table 'x' in HANDLER"),
        ("insert into t values (5), (6)", "ok 2"),
        ("handler t open", "ok 0"),
        ("handler t read q first", "5"),
        ("handler t read q next", "6"),
        ("handler t read q prev", "5"),
        ("truncate t", "ok 0"),
        ("handler t close", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
        ("alter table t add r int", "ok 0"),
        ("handler t close", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
        ("drop table t", "ok 0"),
        ("handler t close", "E1109 Unknown table 't' in HANDLER"),
        ("handler t open", "ok 0"),
        ("handler t read b last", "3|30"),
        ("create procedure p() alter table t comment 'x'", "ok 0"),
        ("call p()", "ok 0"),
        ("handler t read b prev", "E1109 Unknown table 't' in HANDLER"),
        ("create database d", "ok 1"),
        ("create table d.z (a int primary key)", "ok 0"),
        ("insert into d.z values (1)", "ok 1"),
        ("handler d.z open", "ok 0"),
        ("handler z read first", "1"),
        ("drop database d", "ok 1"),
        ("handler z close", "E1109 Unknown table 'z' in HANDLER"),
        ("handler o read next", "2"),
    ]);
}

#[test]
fn lock_tables_admit_no_handlers_and_keep_them() {
    check(&[
        ("create table t (a int primary key)", "ok 0"),
        ("insert into t values (1),(2),(3)", "ok 3"),
        ("create table o (a int)", "ok 0"),
        ("handler t open", "ok 0"),
        ("handler t read `PRIMARY` first", "1"),
        ("lock tables o read", "ok 0"),
        (
            "handler t read `PRIMARY` next",
            "E1192 Can't execute the given command because you have active locked tables or an active transaction",
        ),
        (
            "handler nosuch read first",
            "E1192 Can't execute the given command because you have active locked tables or an active transaction",
        ),
        (
            "handler t open as x",
            "E1192 Can't execute the given command because you have active locked tables or an active transaction",
        ),
        (
            "handler nosuch open",
            "E1192 Can't execute the given command because you have active locked tables or an active transaction",
        ),
        (
            "handler t close",
            "E1192 Can't execute the given command because you have active locked tables or an active transaction",
        ),
        (
            "handler nosuch close",
            "E1192 Can't execute the given command because you have active locked tables or an active transaction",
        ),
        ("unlock tables", "ok 0"),
        ("handler t read `PRIMARY` next", "2"),
        ("lock tables t write", "ok 0"),
        ("truncate t", "ok 0"),
        ("unlock tables", "ok 0"),
        ("handler t read `PRIMARY` next", "E1109 Unknown table 't' in HANDLER"),
        ("start transaction read only", "ok 0"),
        ("handler t open", "ok 0"),
        ("handler t read first", ""),
        ("insert into t values (1)", "E1792 Cannot execute statement in a READ ONLY transaction."),
        ("commit", "ok 0"),
        ("handler t read first", ""),
        ("insert into t values (1)", "ok 1"),
        ("handler t read next", ""),
        ("begin", "ok 0"),
        ("insert into t values (2)", "ok 1"),
        ("handler t read first limit 5", "1; 2"),
        ("rollback", "ok 0"),
        ("handler t read first limit 5", "1"),
    ]);
}

/// Nothing of the table is held between two reads, so a definition statement does not wait. The next read has the definition as it is then,
/// from the beginning, as MySQL's has it after the wait.
#[test]
fn other_sessions_change_the_definition() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        a.check(&[
            ("create table t (a int, b int, key b (b))", "ok 0"),
            ("insert into t values (1, 10), (2, 20), (3, 30)", "ok 3"),
            ("handler t open", "ok 0"),
            ("handler t read b first limit 2", "1|10; 2|20"),
        ])
        .await;
        let steps: [(&str, &[(&str, &str)]); 8] = [
            (
                "alter table t add column n int default 5",
                &[("handler t read b next", "1|10|5"), ("handler t read b next", "2|20|5")],
            ),
            (
                "rename table t to u",
                &[("handler t read b next", "E1146 Table 'test.t' doesn't exist")],
            ),
            ("rename table u to t", &[("handler t read b next", "1|10|5")]),
            (
                "drop index b on t",
                &[("handler t read b next", "E1176 Key 'b' doesn't exist in table 't'")],
            ),
            ("truncate t", &[("handler t read first", "")]),
            ("drop table t", &[("handler t read first", "E1146"), ("handler t open", "E1066")]),
            (
                "create view t as select 1",
                &[("handler t read first", "E1347 'test.t' is not BASE TABLE")],
            ),
            ("drop view t", &[("handler t close", "ok 0"), ("handler t close", "E1109")]),
        ];
        for (sql, cases) in steps {
            b.rows(sql).await;
            a.check(cases).await;
        }
        for c in [a, b] {
            c.0.close().await;
        }
    });
}

/// Each read by itself sees what is committed, those of a transaction what it sees.
#[test]
fn rows_of_other_sessions() {
    with_server(1, |server| async move {
        let (mut a, mut b) = (server.client(), server.client());
        a.all(&[
            "create table t (a int primary key, b int, key (b))",
            "insert into t values (1, 10), (2, 20), (3, 30), (4, 40)",
            "handler t open",
        ])
        .await;
        let steps: [(&str, &[(&str, &str)]); 12] = [
            ("do 0", &[("handler t read b next limit 2", "1|10; 2|20")]),
            ("insert into t values (5, 5), (6, 25)", &[("handler t read b next", "6|25")]),
            // The row that it is on goes.
            ("delete from t where a = 6", &[("handler t read b next", "3|30")]),
            ("update t set b = 1 where a = 3", &[("handler t read b prev", "2|20")]),
            ("do 0", &[("handler t read b last", "4|40")]),
            ("insert into t values (7, 99)", &[("handler t read b next", "7|99")]),
            ("do 0", &[("handler t read b next", "")]),
            ("delete from t where a = 7", &[("handler t read b prev", "4|40")]),
            ("do 0", &[("begin", "ok 0"), ("handler t read b last", "4|40")]),
            (
                "insert into t values (8, 100)",
                &[("handler t read b last", "4|40"), ("commit", "ok 0")],
            ),
            (
                "do 0",
                &[
                    ("handler t read b last", "8|100"),
                    ("set transaction isolation level serializable", "ok 0"),
                    ("begin", "ok 0"),
                    ("handler t read b last", "8|100"),
                    ("select count(*) from performance_schema.data_locks", "0"),
                ],
            ),
            // It has locked nothing.
            ("delete from t where a = 8", &[("commit", "ok 0"), ("handler t read b last", "4|40")]),
        ];
        for (sql, cases) in steps {
            b.rows(sql).await;
            a.check(cases).await;
        }
        for c in [a, b] {
            c.0.close().await;
        }
    });
}

#[test]
fn rights_are_asked_at_open_and_at_read() {
    with_server(1, |server| async move {
        let mut root = server.client();
        root.all(&[
            "create table t (a int primary key, b int)",
            "insert into t values (1, 10)",
            "create user u@localhost",
            "grant insert on test.t to u@localhost",
        ])
        .await;
        let mut u = server.client_in("u", "test");
        u.check(&[
            ("handler t open", "E1142 SELECT command denied to user 'u'@'localhost' for table 't'"),
            ("handler t read first", "E1109"),
        ])
        .await;
        root.rows("grant select (a) on test.t to u@localhost").await;
        u.check(&[
            ("handler t open", "ok 0"),
            ("handler t read first", "E1142"),
            ("create temporary table own (a int)", "E1044"),
        ])
        .await;
        root.rows("grant select on test.t to u@localhost").await;
        u.check(&[("handler t read first", "1|10")]).await;
        root.rows("revoke select, select (a) on test.t from u@localhost").await;
        u.check(&[("handler t read next", "E1142"), ("handler t close", "ok 0")]).await;
        for c in [root, u] {
            c.0.close().await;
        }
    });
}

#[test]
fn a_fresh_start_and_a_kill() {
    with_server(1, |server| async move {
        let kill = server.kill_switch();
        let mut c = server.client_with(kill.clone());
        c.all(&[
            "create table t (a int primary key)",
            "insert into t with recursive r (n) as (select 1 union all select n + 1 from r where n < 900) select n from r",
            "handler t open",
            "handler t read first",
        ])
        .await;
        // As in MySQL it is no SELECT, so it has no time limit.
        c.check(&[
            ("set max_execution_time = 1", "ok 0"),
            ("handler t read next where sleep(0.01) = 1 limit 5", ""),
            ("handler t read first", "1"),
        ])
        .await;
        let rt = server.inst.db.rt().clone();
        let running = rt.spawn("reads", async move {
            let answer = c.ask("handler t read next where sleep(0.001) = 5").await;
            (c, answer)
        });
        rt.sleep(Duration::from_millis(50)).await;
        kill.kill(KillKind::Query);
        let (mut c, read) = running.await;
        assert_eq!(read.errno(), 1317, "{}", read.line());
        kill.clear_query();
        // What failed has moved nothing.
        c.check(&[("handler t read next", "2")]).await;
        c.0.reset().await.map_err(|e| e.message).expect("a fresh start");
        c.check(&[("handler t read first", "E1109"), ("handler t open", "ok 0")]).await;
        c.0.close().await;
    });
}

#[test]
fn handlers_are_charged_to_the_session() {
    check(&[
        ("create table t (a varchar(700) primary key)", "ok 0"),
        ("insert into t values (repeat('x', 700))", "ok 1"),
        ("handler t open as a", "ok 0"),
        ("handler t open as b", "ok 0"),
        ("handler t read first", "E1109"),
        ("handler a close", "ok 0"),
        ("handler b read first where length(a) = 7", ""),
    ]);
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a varchar(700) primary key)",
            "insert into t values (repeat('x', 700))",
        ])
        .await;
        let none = c.0.memory().used();
        for n in 0..100 {
            c.rows(&format!("handler t open as h{n}")).await;
            c.rows(&format!("handler h{n} read first")).await;
        }
        let many = c.0.memory().used();
        assert!(many >= none + 100 * 1200, "{none} to {many}");
        c.rows("drop table t").await;
        assert_eq!(c.0.memory().used(), none);
        c.0.close().await;
    });
}
