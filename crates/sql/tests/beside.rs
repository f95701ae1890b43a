//! What a MySQL beside it answered otherwise, and what was repaired, by class.
use crate::common::*;

/// A number is drawn when nothing refuses the row any more, and one whose row was not inserted goes to the next row.
#[test]
fn numbers_are_drawn_for_rows_that_are_written() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (id int auto_increment primary key, k int unique, g int as (100 div k), check (k < 100))",
            "insert into t (k) values (1), (2)",
        ])
        .await;
        c.check(&[
            ("insert into t (k) values (500)", "E3819"),
            ("insert into t (k) values (0)", "E1365"),
            ("insert ignore into t (k) values (500), (3)", "ok 1"),
            ("insert ignore into t (k) values (1), (4), (2), (5)", "ok 2"),
            ("select id, k from t", "1|1; 2|2; 3|3; 5|4; 6|5"),
            ("alter table t auto_increment = 20", "ok 0"),
            ("insert into t (k) values (6), (1), (7) on duplicate key update k = k", "ok 2"),
            ("select id, k from t where id > 6", "20|6; 21|7"),
            ("insert into t (k) select 1 union all select 8 on duplicate key update k = values(k)", "ok 1"),
            ("select id from t where k = 8", "23"),
        ])
        .await;
    });
}

/// LAST_INSERT_ID() is of rows that were inserted; that of a row that was updated goes to the client alone.
#[test]
fn an_updated_row_is_no_last_insert() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (id int auto_increment primary key, k int unique, n int)",
            "insert into t (k, n) values (1, 1), (2, 2)",
            "insert into t (k, n) values (2, 1) on duplicate key update n = n + 1",
        ])
        .await;
        c.check(&[
            ("select last_insert_id()", "1"),
            ("insert into t (k, n) values (2, 1), (9, 9) on duplicate key update n = n", "ok 1"),
            ("select last_insert_id()", "4"),
            ("insert into t (k) values (2) on duplicate key update id = last_insert_id(id), n = 0", "ok 2"),
            ("select last_insert_id()", "2"),
        ])
        .await;
    });
}

/// A BEFORE INSERT trigger sees no number yet, generated columns of the statement's values, and may give a value to a column that has
/// neither one nor a default.
#[test]
fn triggers_see_the_row_as_the_statement_gives_it() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (id int auto_increment primary key, a int not null, b int as (a * 2) stored, c varchar(9))",
            "create trigger i before insert on t for each row set @seen = concat_ws(',', new.id, new.a, new.b), \
             new.a = ifnull(new.a, 7)",
            "create trigger u before update on t for each row set @seen = concat_ws(',', old.b, new.a, new.b), \
             new.a = new.a + 1",
        ])
        .await;
        c.check(&[
            ("insert into t (a) values (5)", "ok 1"),
            ("select @seen, id, a, b from t", "0,5,10|1|5|10"),
            ("insert into t (c) values ('x'), ('y')", "ok 2"),
            ("insert into t (c) select 'z'", "ok 1"),
            ("select id, a, b, c from t where id > 1", "2|7|14|x; 3|7|14|y; 4|7|14|z"),
            ("select @seen", "0"),
            ("update t set a = 50 where id = 1", "ok 1"),
            ("select @seen, a, b from t where id = 1", "10,50,100|51|102"),
            ("drop trigger i", "ok 0"),
            ("create trigger i before insert on t for each row set @seen = ifnull(new.a, 'none')", "ok 0"),
            ("insert into t (c) values ('q')", "E1364 Field 'a' doesn't have a default value"),
            ("select @seen", "none"),
            ("drop trigger i", "ok 0"),
            ("create trigger i before insert on t for each row set new.id = 90", "ok 0"),
            ("insert into t (a) values (1)", "ok 1"),
            ("select id from t where a = 1", "90"),
        ])
        .await;
    });
}

/// Bounds of frames and counts of rows are plain numbers in the grammar, and changes pass over no rows.
#[test]
fn numbers_that_the_grammar_asks_for() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a int)", "insert into t values (1), (2), (3)"]).await;
        c.check(&[
            ("update t set a = 9 limit 1, 2", "E1064"),
            ("delete from t limit 1 offset 1", "E1064"),
            ("select count(*) over (order by a rows between -1 preceding and current row) from t", "E1064"),
            ("select count(*) over (order by a range between null preceding and current row) from t", "E1064"),
            ("select count(*) over (order by a rows '1' preceding) from t", "E1064"),
            ("select count(*) over (order by a rows a preceding) from t", "E1064"),
            ("select count(*) over (order by a rows unbounded following) from t", "E1064"),
            ("select count(*) over (order by a rows 1 following) from t", "E1064"),
            ("select count(*) over (order by a rows between 1.5 preceding and current row) from t", "E3586"),
            ("select count(*) over (order by a rows interval 1 day preceding) from t", "E3596"),
            ("select count(*) over (order by a range 0.5 preceding) from t", "1; 1; 1"),
            ("select count(*) over (rows 1 preceding exclude ties) from t", "E1235"),
            ("select count(*) over (order by 1) from t", "E3592"),
            ("select ntile(-1) over () from t", "E1064"),
            ("select ntile('2') over () from t", "E1064"),
            ("select ntile(a) over () from t", "E1327 Undeclared variable: a"),
            ("select lag(a, null) over () from t", "E1064"),
            ("select nth_value(a, 1.5) over () from t", "E1210"),
            ("select nth_value(a, a) over () from t", "E1210"),
            ("select any_value(a) over () from t", "E1064"),
            ("select rank() from t", "E1064"),
            ("select a as x, rank() over (order by x) from t", "E1054 Unknown column 'x' in 'window order by'"),
            ("set @n = 2", "ok 0"),
            ("select ntile(@n) over (order by a), lag(a, 2, 'none') over (order by a) from t", "1|none; 1|none; 2|1"),
            ("select a from t", "1; 2; 3"),
        ])
        .await;
    });
}

/// The new row's names in ON DUPLICATE KEY UPDATE.
#[test]
fn row_aliases_name_what_is_given() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (id int primary key, a int, b int default 5, g int as (a * 2))",
            "insert into t (id, a) values (1, 1)",
        ])
        .await;
        c.check(&[
            ("insert into t (id, a) values (1, 2) as n(x) on duplicate key update a = x", "E1353"),
            ("insert into t (id, a) values (1, 2) as n(x, x) on duplicate key update a = x", "E1060"),
            ("insert into t (id, a) values (1, 2) as t on duplicate key update a = 3", "E1066"),
            ("insert into t (id, a) values (1, 2) as n on duplicate key update n.a = 3", "E1054 Unknown column 'n.a' in 'field list'"),
            ("insert into t (id, a) values (1, 2) as n on duplicate key update a = n.b", "E1054 Unknown column 'n.b' in 'field list'"),
            ("insert into t (id, a) values (1, 2) as n on duplicate key update a = n.g", "E1054"),
            ("insert into t (id, a) values (1, 2) as n(x, y) on duplicate key update t.a = y + b", "ok 2"),
            ("insert into t (id, a) values (1, 9) on duplicate key update g = default", "ok 0"),
            ("select id, a, b, g from t", "1|7|5|14"),
        ])
        .await;
    });
}

#[test]
fn recursive_tables() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            (
                "with recursive n as (select 1 i, null z union all select i + 1, i from n where i < 3) select * from n",
                "E1406 Data too long for column 'z' at row 1",
            ),
            ("create table t as with recursive n as (select 1 i, null z union all select 2, null from n where i < 2) select * from n", "ok 2"),
            ("select column_type from information_schema.columns where table_name = 't' and column_name = 'z'", "binary(0)"),
            ("create table u as select * from (select null z) d", "ok 1"),
            ("select column_type from information_schema.columns where table_name = 'u'", "binary(0)"),
            // Each UNION before the table itself is of its own kind.
            (
                "with recursive n as (select 1 i union all select 1 union select 2 union all select i + 1 from n where i < 3) select * from n",
                "1; 2; 2; 3; 3",
            ),
            (
                "with recursive n as (select 1 i union select i + 1 from n where i < 3 union all select 7 from n where i < 2) select * from n",
                "E1235",
            ),
            (
                "select /*+ set_var(cte_max_recursion_depth = 2) */ * from (with recursive n as (select 1 i union all select i + 1 from n where i < 9) select * from n) d",
                "E3636",
            ),
            ("set cte_max_recursion_depth = 5", "ok 0"),
            ("show warnings", ""),
        ])
        .await;
    });
}

#[test]
fn resignal_says_anew_what_the_condition_is() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create procedure p() begin declare exit handler for sqlexception resignal set message_text = 'again', mysql_errno = 1234; \
             signal sqlstate '45000' set message_text = 'first'; end",
            "create procedure q() begin declare exit handler for sqlexception resignal sqlstate '45001' set message_text = 'again'; \
             signal sqlstate '45000' set message_text = 'first'; end",
        ])
        .await;
        c.check(&[
            ("call p()", "E1234 again"),
            ("show warnings", "Error|1234|again"),
            ("call q()", "E1644 again"),
            ("show warnings", "Error|1644|first; Error|1644|again"),
        ])
        .await;
    });
}

/// Parts of a document as values of a type.
#[test]
fn what_a_part_of_a_document_is_to_a_type() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("select json_value('[null]', '$[0]' returning json) is null, json_value('[1.7]', '$[0]' returning signed)", "1|2"),
            ("select json_value('[\"1.7\"]', '$[0]' returning signed), json_value('[\" -3\"]', '$[0]' returning signed)", "NULL|-3"),
            ("select json_value(json_array(date'2020-01-01'), '$[0]' returning signed)", "NULL"),
            ("select json_value(json_array(time'10:00:00'), '$[0]' returning datetime)", "NULL"),
            ("select j is null, i from json_table('[null, \"1e1\"]', '$[*]' columns (j json path '$', i int path '$' null on error)) t", "1|NULL; 0|NULL"),
            ("select cast(cast('\"1.7\"' as json) as signed), cast(cast('\"-12e1\"' as json) as signed)", "1|-12"),
        ])
        .await;
    });
}

/// IF() and CASE beside a number are the number of what they choose; years of one digit are no short ones; no double is infinite.
#[test]
fn numbers_and_dates_that_are_read() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (d date, e enum('a', 'b'), f double)",
            "insert into t values ('2024-03-30', 'b', 1)",
        ])
        .await;
        c.check(&[
            ("select if(0, 'x', d) > 20240101, if(0, 1, d) = 20240330, case when 1 then e else 'x' end = 2 from t", "1|1|1"),
            ("select if(0, 'x', d) in (1, 20240330), if(0, 'x', d) between 20240101 and 20250101, if(0, 'x', d) < 1 from t", "1|1|0"),
            ("update t set f = 2 where if(0, 1, d) < 1", "ok 0"),
            ("select cast('1-1-1' as date), cast('01-1-1' as date), year('7-2-3')", "0001-01-01|2001-01-01|7"),
            ("update t set f = '1e400'", "E1264 Out of range value for column 'f' at row 1"),
            ("select f from t", "1"),
            ("select time('-838:59:59.9'), cast('838:59:59.5' as time(1))", "-838:59:59.0|838:59:59.0"),
            ("create table u (t time(3))", "ok 0"),
            ("insert into u values ('838:59:59.5')", "E1292 Incorrect time value: '838:59:59.5' for column 't' at row 1"),
            ("insert ignore into u values ('-838:59:59.5'), ('838:59:59')", "ok 2"),
            ("select t from u", "-838:59:59.000; 838:59:59.000"),
        ])
        .await;
    });
}

/// CHARACTER SET at a column is shown with its collation, whatever the table's are, also behind a conversion.
#[test]
fn character_sets_that_columns_name() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a char(1) charset utf8mb4, b char(1) charset latin1, c char(1), d nchar(1), e enum('x') charset ascii)"])
            .await;
        let shown = |c: &str| {
            format!(
                "t|CREATE TABLE `t` (\n{c}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci"
            )
        };
        c.check(&[(
            "show create table t",
            &*shown(
                "  `a` char(1) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_ai_ci DEFAULT NULL,\n  \
                 `b` char(1) CHARACTER SET latin1 COLLATE latin1_swedish_ci DEFAULT NULL,\n  `c` char(1) DEFAULT NULL,\n  \
                 `d` char(1) CHARACTER SET utf8mb3 COLLATE utf8mb3_general_ci DEFAULT NULL,\n  \
                 `e` enum('x') CHARACTER SET ascii COLLATE ascii_general_ci DEFAULT NULL",
            ),
        )])
        .await;
        c.all(&["alter table t drop d, drop e, convert to charset latin1 collate latin1_bin"])
            .await;
        c.check(&[(
            "show create table t",
            "t|CREATE TABLE `t` (\n  `a` char(1) CHARACTER SET latin1 COLLATE latin1_bin DEFAULT NULL,\n  \
             `b` char(1) CHARACTER SET latin1 COLLATE latin1_bin DEFAULT NULL,\n  `c` char(1) COLLATE latin1_bin DEFAULT NULL\n\
             ) ENGINE=InnoDB DEFAULT CHARSET=latin1 COLLATE=latin1_bin",
        )])
        .await;
    });
}

#[test]
fn what_a_select_may_begin_with() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a int)", "insert into t values (1)"]).await;
        c.check(&[
            ("select 1, * from t", "E1064"),
            ("select *, 1, t.* from t", "1|1|1"),
            ("select mid('abc', 2), mid('abc' from -2 for 1)", "bc|b"),
            ("select a from t for update of x", "E3568 Unresolved table name `x` in locking clause."),
            ("select sql_no_cache a from t", "1"),
            ("show warnings", "Warning|1681|'SQL_NO_CACHE' is deprecated and will be removed in a future release."),
        ])
        .await;
    });
}

/// A client reads values by the types that are announced, and those of computed columns come with the parameters.
#[test]
fn columns_have_the_types_of_their_parameters() {
    use crate::told::Told;
    use weir_sql::session_api::ParamValue::{Bytes, Double, Int};
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a int)", "insert into t values (1)"]).await;
        let (int, double, decimal) = (8, 5, 246);
        for (sql, types) in [
            ("select ? + 1", [int, double, decimal, int]),
            ("select x from (select abs(?) x) d", [int, double, double, int]),
            ("select (select a * ? from t)", [int, double, decimal, int]),
        ] {
            let id = c.0.prepare(sql.as_bytes()).await.expect("prepares").id;
            let values = [Int(7), Double(1.5), Bytes(b"1.5".to_vec()), Int(7)];
            for (value, ty) in values.into_iter().zip(types) {
                let mut got = Told::default();
                c.0.execute(id, std::slice::from_ref(&value), &mut got).await.unwrap();
                assert_eq!(got.columns[0].type_code, ty, "{sql} {value:?}");
            }
        }
        c.0.close().await;
    });
}

#[test]
fn variables_and_rows_of_programs() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (a int)",
            "create procedure p() begin declare d json default '{\"a\": [7]}'; select d->'$.a', d->>'$.a[0]'; end",
        ])
        .await;
        c.check(&[
            ("call p()", "[7]|7"),
            (
                "create trigger i before insert on t for each row set old.a = 1",
                "E1362 Updating of OLD row is not allowed in trigger",
            ),
            ("create trigger i before insert on t for each row set new.a = old.a", "E1363"),
            ("create trigger i before delete on t for each row set new.a = 1", "E1363"),
            (
                "create trigger i after insert on t for each row set new.a = 1",
                "E1362 Updating of NEW row is not allowed in after trigger",
            ),
        ])
        .await;
    });
}

/// A view whose list has a subquery that reads nothing around it: its other columns can be changed.
#[test]
fn a_subquery_in_the_list_of_a_view() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (id int primary key, a int)",
            "create table u (x int)",
            "insert into t values (1, 1), (2, 2)",
            "insert into u values (7)",
            "create view v as select id, (select max(x) from u) z, a from t",
            "create view w as select id, (select x from u where x = t.id) z, a from t",
            "create view k as select id, (select 1) z from t where id < 9 with check option",
        ])
        .await;
        c.check(&[
            (
                "select table_name, is_updatable from information_schema.views order by 1",
                "k|YES; v|YES; w|NO",
            ),
            ("update v set a = z + id where z = 7", "ok 2"),
            ("select * from v", "1|7|8; 2|7|9"),
            ("update v set z = 3", "E1348 Column 'z' is not updatable"),
            ("update v, u set v.a = u.x", "ok 2"),
            ("update v set a = 0 order by z, id desc limit 1", "ok 1"),
            ("delete from v where a = 0 and z = 7", "ok 1"),
            ("select * from v", "1|7|7"),
            ("insert into v (id, a) values (3, 3)", "E1471"),
            ("update w set a = 3", "E1288"),
            ("update k set id = 10", "E1369"),
            ("update k set id = 8", "ok 1"),
        ])
        .await;
    });
}

#[test]
fn points_in_time_in_utc() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (ts timestamp(3) null, d datetime)",
            "set time_zone = '+02:00'",
            "insert into t values ('2020-03-04 05:06:07.891', '2020-03-04 05:06:07'), (null, null)",
        ])
        .await;
        let no_zone = "E3998 Cannot cast value to TIMESTAMP WITH TIME ZONE.";
        c.check(&[
            ("select cast(ts at time zone 'UTC' as datetime) from t", "2020-03-04 03:06:07; NULL"),
            (
                "select cast(ts at time zone interval '+00:00' as datetime(2)) from t limit 1",
                "2020-03-04 03:06:07.00",
            ),
            (
                "select cast(timestamp'2020-01-01 00:00:00' at time zone '+00:00' as datetime)",
                "2019-12-31 22:00:00",
            ),
            ("select cast(null at time zone 'UTC' as datetime)", "NULL"),
            ("select cast(d at time zone 'UTC' as datetime) from t", no_zone),
            ("select cast(now() at time zone 'UTC' as datetime)", no_zone),
            ("select cast('2020-01-01' at time zone 'UTC' as datetime)", no_zone),
            (
                "select cast(ts at time zone '+05:30' as datetime) from t",
                "E1298 Unknown or incorrect time zone: '+05:30'",
            ),
            ("select cast(ts at time zone interval 'UTC' as datetime) from t", "E1298"),
            ("select cast(ts at time zone 'UTC' as datetime(7)) from t", "E1426"),
            ("select cast(ts at time zone 'UTC' as date) from t", "E1064"),
            ("select ts at time zone 'UTC' from t", "E1064"),
            ("create view v as select cast(ts at time zone 'UTC' as datetime(3)) u from t", "ok 0"),
            ("select * from v limit 1", "2020-03-04 03:06:07.000"),
        ])
        .await;
        let text = c.rows("show create view v").await;
        assert!(
            text.contains("cast(`t`.`ts` AT TIME ZONE '+00:00' as datetime(3)) AS `u`"),
            "{text}"
        );
    });
}

/// Where a number is wanted, IF(), CASE and ELT() ask what they choose for one, as which a BIT is no text.
#[test]
fn a_chosen_bit_is_a_number_where_one_is_wanted() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (b bit(8), c char(3))", "insert into t values (65, 'x')"]).await;
        c.check(&[
            ("select if(1, b, 'x') + 0, case when 1 then b else c end * 2, elt(1, b, c) + 0 from t", "65|130|65"),
            ("select if(1, b, c), hex(if(1, b, c)), concat(elt(1, b, c), 'q') from t", "A|41|Aq"),
            ("select if(1, b, c) = 65, if(1, b, c) = 'A', -if(0, c, b) from t", "1|1|-65"),
            ("select sum(if(1, b, c)) from t", "65"),
            ("select cast(if(1, b, c) as decimal), cast(if(1, b, c) as signed) from t", "65|0"),
            ("select coalesce(b, c) + 0 from t", "0"),
        ])
        .await;
    });
}

/// An outer join whose missing rows WHERE refuses is not one: the recursive table may stand in it.
#[test]
fn recursion_in_an_outer_join() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (x int)", "insert into t values (1), (2), (3)"]).await;
        let step = |from: &str| {
            format!(
                "with recursive c as (select 1 n union all select c.n + 1 from {from}) select * from c"
            )
        };
        let (inner, outer) = ("1; 2; 3; 4", "E3576");
        for (from, want) in [
            ("t left join c on c.n = t.x where c.n is not null", inner),
            ("t left join c on c.n = t.x where c.n < t.x + 1", inner),
            ("c right join t on c.n = t.x where c.n > 0", inner),
            ("t left join (c join t u on c.n = u.x) on c.n = t.x where u.x > 0", inner),
            ("t left join c on c.n = t.x left join t u on u.x = c.n where u.x > 0", inner),
            ("t left join c on c.n = t.x", outer),
            ("t left join c on c.n = t.x where ifnull(c.n, 0) > 0", outer),
            ("c right join t on c.n = t.x where t.x > 0", outer),
            ("t straight_join c on c.n = t.x where c.n > 0", outer),
        ] {
            c.check(&[(&step(from), want)]).await;
        }
    });
}

#[test]
fn what_json_table_sees() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (x json)", "insert into t values ('[1]')"]).await;
        let unknown = "E1109 Unknown table 't' in a table function argument";
        c.check(&[
            ("select a from t left join json_table(t.x, '$[*]' columns (a int path '$')) j on 1", "1"),
            ("select a from t right join json_table(t.x, '$[*]' columns (a int path '$')) j on 1", unknown),
            ("select a from json_table(t.x, '$[*]' columns (a int path '$')) j, t", unknown),
            (
                "select a from json_table(x, '$[*]' columns (a int path '$')) j, t",
                "E1054 Unknown column 'x' in 'a table function argument'",
            ),
            ("select j.x from t right join lateral (select t.x) j on 1", "E1054 Unknown column 't.x' in 'field list'"),
            (
                "create view v as select * from json_table('{}', '$' columns (a varchar(10) path '$.a', b text charset latin1 \
                 path '$.a', c char(3) collate utf8mb4_bin path '$.a', d int path '$')) j",
                "ok 0",
            ),
        ])
        .await;
        let text = c.rows("show create view v").await;
        let columns = "(`a` varchar(10) character set utf8mb4 path '$.a', `b` text character set latin1 path '$.a', \
                       `c` char(3) character set utf8mb4 collate utf8mb4_bin path '$.a', `d` int path '$')";
        assert!(text.contains(columns), "{text}");
    });
}

#[test]
fn window_functions_in_windows() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (x int)"]).await;
        let nested = |w: &str| {
            format!("E3595 You cannot nest a window function in the specification of window '{w}'.")
        };
        let (own, named) = (nested("<unnamed window>"), nested("w"));
        c.check(&[
            ("select sum(x) over (order by rank() over (order by x)) from t", &own),
            ("select sum(x) over (partition by row_number() over ()) from t", &own),
            ("select sum(x) over w from t window w as (order by rank() over ())", &named),
            ("select x from t window w as (order by rank() over ())", &named),
            ("select sum(rank() over ()) over () from t", "E3593"),
        ])
        .await;
    });
}

/// The index that was made for a foreign key makes way for the user's own.
#[test]
fn an_index_for_a_foreign_key_is_replaced() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table p (a int primary key)",
            "create table c (a int, b int, constraint f foreign key (a) references p (a))",
            "create table d (a int, foreign key (a) references p (a))",
            "create table e (a int, key own (a), foreign key (a) references p (a))",
        ])
        .await;
        let keys = "select table_name, index_name from information_schema.statistics where table_name in ('c', 'd', 'e') \
                    group by 1, 2 order by 1, 2";
        c.check(&[
            (keys, "c|f; d|a; e|own"),
            ("alter table c add key x (a desc), add key y (b, a)", "ok 0"),
            (keys, "c|f; c|x; c|y; d|a; e|own"),
            ("create index z on c (a, b)", "ok 0"),
            ("alter table d add key (a)", "ok 0"),
            ("create index more on e (a)", "ok 0"),
            (keys, "c|x; c|y; c|z; d|a; e|more; e|own"),
            ("alter table d add primary key (a)", "ok 0"),
            (keys, "c|x; c|y; c|z; d|a; d|PRIMARY; e|more; e|own"),
        ])
        .await;
    });
}

#[test]
fn bits_of_long_texts() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a blob, b tinyblob, c varbinary(512), d varbinary(511))"]).await;
        c.check(&[
            ("select bit_and(a) from t", "E3514"),
            ("select bit_or(c) over () from t", "E3514"),
            ("select bit_xor(concat(a)) from t", "E3514"),
            (
                "select bit_or(b) is null, bit_or(d) is null, hex(bit_or(left(a, 2))) from t",
                "0|0|0000",
            ),
        ])
        .await;
    });
}

/// An expression without a value of its type is named by its columns, not by their values.
#[test]
fn values_out_of_range_are_told_by_name() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table n (i int unsigned, u int unsigned, b bigint, d double)",
            "insert into n values (1, 2, 9223372036854775807, 1e308)",
            "create table g (a bigint, c bigint as (a + 1))",
            "create view v as select b + 1 x, b from n",
            "set @a = 1",
        ])
        .await;
        let (big, next) = ("E1690 BIGINT value is out of range in '", "(`test`.`n`.`b` + 1)'");
        let of_next = format!("{big}{next}");
        c.check(&[
            ("select i - u from n", "E1690 BIGINT UNSIGNED value is out of range in '(`test`.`n`.`i` - `test`.`n`.`u`)'"),
            ("select i - u from n q", "E1690 BIGINT UNSIGNED value is out of range in '(`test`.`q`.`i` - `test`.`q`.`u`)'"),
            ("select (b + 1) * 2 from n", &of_next),
            ("select * from n where b + 1 = 0", &of_next),
            ("select * from n order by b + 1", &of_next),
            ("select x from v", &of_next),
            ("select b + 1 from v", &of_next),
            ("update n set b = b + 1", &of_next),
            ("insert into g (a) select b + 1 from n", &of_next),
            ("select sum(b + 1) from n group by i", &of_next),
            ("select (select n.b + 1 from g) from n", "NULL"),
            ("select -(b) - 2 from n", &format!("{big}(-(`test`.`n`.`b`) - 2)'")),
            ("select max(b) + 1 from n", &format!("{big}(max(`test`.`n`.`b`) + 1)'")),
            ("select x + 1 from (select max(b) x from n) t", &format!("{big}(`t`.`x` + 1)'")),
            ("select b + @a from n", &format!("{big}(`test`.`n`.`b` + (@`a`))'")),
            ("select b - -1 from n", &format!("{big}(`test`.`n`.`b` - -(1))'")),
            ("insert into g (a) values (9223372036854775807)", &format!("{big}(`a` + 1)'")),
            ("select pow(d, 2) from n", "E1690 DOUBLE value is out of range in 'pow(`test`.`n`.`d`,2)'"),
            ("select round(b, -1) from n", &format!("{big}round(`test`.`n`.`b`,-(1))'")),
        ])
        .await;
    });
}

/// A constant beside a column becomes one of its values where rows are changed, whatever rows there are.
#[test]
fn constants_that_are_no_values_of_the_column() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (id int primary key, a int, e decimal(5, 1), d datetime, g date, s varchar(9))",
            "create table u like t",
        ])
        .await;
        let double = "E1292 Truncated incorrect DOUBLE value: 'x'";
        c.check(&[
            ("update t set a = 1 where id <=> 'x'", double),
            ("update t set a = 1 where a > 'x' and id = 9", double),
            ("update t set a = 1 where e = 'x'", "E1292 Truncated incorrect DECIMAL value: 'x'"),
            ("delete from t where 'x' = id", double),
            ("insert into u select * from t where a = 'x'", double),
            ("update t set a = 1 where id = '1 ' or id = s or s = 1", "ok 0"),
            ("update ignore t set a = 1 where id = 'x'", "ok 0"),
            ("select * from t where id = 'x'", ""),
            (
                "update t set a = 1 where d = 'x'",
                "E1292 Incorrect datetime value: 'x' for column 'd' at row 1",
            ),
            (
                "delete from t where g < '2020-13-13'",
                "E1292 Incorrect date value: '2020-13-13' for column 'g' at row 1",
            ),
            ("select * from t where d = 'x'", "E1525 Incorrect DATETIME value: 'x'"),
            ("set sql_mode = ''", "ok 0"),
            ("update t set a = 1 where id = 'x'", "ok 0"),
        ])
        .await;
    });
}

#[test]
fn old_words_for_character_sets() {
    with_server(1, async |s| {
        let mut c = s.client();
        let (old, new) = (
            "is deprecated and will be removed in a future release. Please use",
            "CHARACTER SET charset_name instead",
        );
        let national = "Warning|3720|NATIONAL/NCHAR/NVARCHAR implies the character set UTF8MB3, which will be replaced by \
                        UTF8MB4 in a future release. Please consider using CHAR(x) CHARACTER SET UTF8MB4 in order to be unambiguous.";
        let words = format!(
            "Warning|1287|'ASCII' {old} {new}; Warning|1287|'UNICODE' {old} {new}; {national}"
        );
        c.check(&[
            ("create table t (a char(5) ascii, b varchar(5) unicode, c nchar(5), d int)", "ok 0"),
            ("show warnings", &words),
            (
                "select character_set_name from information_schema.columns where table_name = 't'",
                "latin1; ucs2; utf8mb3; NULL",
            ),
            ("select collation(cast('a' as nchar(3)))", "utf8mb3_general_ci"),
            ("show warnings", national),
        ])
        .await;
    });
}

/// A replacement is read as MySQL's library reads it, and braces are intervals or wrong.
#[test]
fn replacements_and_braces_of_regular_expressions() {
    with_server(1, async |s| {
        let mut c = s.client();
        let (name, interval) = ("E3887 A capture group has an invalid name.", "E3692");
        c.check(&[
            (r"select 'a((b' regexp 'a\\({2}b', '||' regexp '^\\|{2}$', '((' regexp '^[(]{2}$'", "1|1|1"),
            (r"select 'a' regexp '({2}'", "E3688 Syntax error in regular expression on line 1, character 2."),
            ("select regexp_replace('abc', '(b)', '$1x'), regexp_replace('abc', '(b)', '$12$0')", "abxc|ab2bc"),
            (r"select regexp_replace('abc', 'b', 'x\\y'), regexp_replace('abc', 'b', '\\$1')", "axyc|a$1c"),
            ("select regexp_replace('abc', '(?<n>b)|(z)', '[${n}$2]')", "a[b]c"),
            ("select regexp_replace('abc', 'b', '$1')", "E3686 Index out of bounds in regular expression search."),
            ("select regexp_replace('abc', 'z', '$1')", "abc"),
            ("select regexp_replace('abc', '(b)', '${1}')", name),
            ("select regexp_replace('abc', 'b', '$x')", name),
            ("select regexp_replace('abc', 'b', 'x$')", name),
            ("select regexp_instr('a', 'a', 1, 1, 2)", "E1210 Incorrect arguments to regexp_instr: return_option must be 1 or 0."),
            ("select regexp_like('a', 'a{2,1}')", "E3693"),
            ("select regexp_like('aa', 'a{,2}')", interval),
            ("select regexp_like('aa', 'a{1')", interval),
            ("select regexp_like('aa', 'a{x}')", interval),
            ("select regexp_like('aa', '{')", "E3688 Syntax error in regular expression on line 1, character 1."),
            ("select regexp_like('a}', 'a}')", "E3688 Syntax error in regular expression on line 1, character 2."),
            (r"select regexp_like('aa', 'a{1,2}'), regexp_like('a{', 'a\\{'), regexp_like('{', '[{]'), regexp_like('x', '\\x{78}')", "1|1|1|1"),
        ])
        .await;
    });
}

/// Texts of columns of character sets that have nothing in common are not joined.
#[test]
fn texts_without_a_common_character_set() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table t (a varchar(5) charset latin1, b varchar(5) charset latin2, c varchar(5), d varbinary(5))",
            "insert into t values ('a', 'b', 'c', 'd')",
        ])
        .await;
        let mixed = "E1267 Illegal mix of collations (latin1_swedish_ci,IMPLICIT) and (latin2_general_ci,IMPLICIT) for operation 'concat'";
        c.check(&[
            ("select concat(a, b) from t", mixed),
            ("select coalesce(a, b) from t", "E1267"),
            (
                "select concat(a, 'x', c), concat(b, 'x'), concat(a, d), concat(c, b, a) from t",
                "axc|bx|ad|cba",
            ),
            ("select n'a', collation(n'a')", "a|utf8mb3_general_ci"),
        ])
        .await;
    });
}

/// Whatever punctuation stands between the parts of a time of day.
#[test]
fn punctuation_in_times_of_day() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("select cast('2020-01-01 10-11-12' as datetime), cast('2020/01/01 10.11.12' as datetime), cast('2020-01-01 10^11@12.5' as datetime(1))", "2020-01-01 10:11:12|2020-01-01 10:11:12|2020-01-01 10:11:12.5"),
            ("select cast('2020-01-01 10:11:12.345' as datetime(3)), cast('2020-01-01 10:11.12' as datetime)", "2020-01-01 10:11:12.345|2020-01-01 10:11:12"),
            ("set time_zone = '+00:00'", "ok 0"),
            ("create table z (d datetime)", "ok 0"),
            ("insert into z values ('2020-01-01 10:11:12+02:00')", "ok 1"),
            ("select * from z", "2020-01-01 08:11:12"),
        ])
        .await;
    });
}

/// DO is a query whose row goes nowhere: it may have aggregates, window functions and aliases.
#[test]
fn do_takes_what_a_select_list_takes() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a int)", "insert into t values (1), (2)"]).await;
        c.check(&[
            ("do count(*), max(3)", "ok 0"),
            ("do sum(1) over () + 1, rank() over ()", "ok 0"),
            ("do (select max(a) from t) as m, 2 n, 3 'o'", "ok 0"),
            ("do @m := max(7)", "ok 0"),
            ("select @m", "7"),
            ("do max(exp(1000))", "E1690"),
            ("do max(nosuch)", "E1054"),
            ("prepare p from 'do group_concat(?)'", "ok 0"),
            ("execute p using @m", "ok 0"),
            ("create procedure r() do count(*) over ()", "ok 0"),
            ("call r()", "ok 0"),
        ])
        .await;
    });
}

/// Rows of a set operation are sorted by no aggregates (3028), nor is a query that has none (3029); an operand's own order without a LIMIT is
/// no order.
#[test]
fn what_rows_are_sorted_by() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (a int, b int)", "insert into t values (1, 5), (1, 6)"]).await;
        let of_none = "E3029 Expression #1 of ORDER BY contains aggregate function and applies to the result of a non-aggregated query";
        c.check(&[
            ("select 1 from t order by avg(a)", of_none),
            ("select b from t order by b, 1 + max(a)", "E3029"),
            ("select count(*) from t order by avg(a)", "2"),
            ("select 1 from t having count(*) > 1 order by avg(a)", "1"),
            ("select a from t group by a order by avg(b)", "1"),
            ("select b from t order by sum(a) over (), b", "5; 6"),
            (
                "select 1 union select 2 order by max(1)",
                "E3028 Expression #1 of ORDER BY contains aggregate function and applies to a UNION, EXCEPT or INTERSECT",
            ),
            ("(select 1) union (select 2) order by 1, rank() over ()", "E3028"),
            ("(select a from t group by a order by b) union (select 7) order by a", "1; 7"),
            ("(select a from t group by a order by b limit 1) union (select 7)", "E1055"),
            ("(select a from t order by nosuch) union (select 7)", "E1054"),
            ("set sql_mode = ''", "ok 0"),
            ("select 1 from t order by avg(a)", of_none),
        ])
        .await;
    });
}

/// The errors of texts that a set operation cannot bring together, by how many there are.
#[test]
fn collations_that_do_not_meet_in_a_union() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&["create table t (g varchar(3) charset greek, l varchar(3) charset latin1)"]).await;
        c.check(&[
            (
                "select g from t union select l from t",
                "E1267 Illegal mix of collations (greek_general_ci,IMPLICIT) and (latin1_swedish_ci,IMPLICIT) for operation 'UNION'",
            ),
            ("select g from t union select g from t union select l from t", "E1271"),
            ("select * from t straight_join t x using (g, l)", ""),
        ])
        .await;
    });
}
