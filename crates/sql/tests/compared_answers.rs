//! Answers and refusals that were compared with MySQL statement by statement: literals, unsigned numbers, times, frames.
use crate::common::*;

fn check(setup: &[&str], cases: &[(&str, &str)]) {
    let (setup, cases) = (setup.to_vec(), cases.to_vec());
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&setup).await;
        c.check(&cases).await;
        c.0.close().await;
        drop(server);
    });
}

/// Each expression with the type of the column that CREATE TABLE ... SELECT makes of it.
fn check_types(cases: &[(&str, &str)]) {
    let cases: Vec<(String, String)> =
        cases.iter().map(|(e, ty)| (e.to_string(), ty.to_string())).collect();
    with_server(1, |server| async move {
        let mut c = server.client();
        for (e, ty) in cases {
            c.all(&["drop table if exists made", &format!("create table made select {e} v")]).await;
            let found = c
                .rows(
                    "select column_type from information_schema.columns where table_name = 'made'",
                )
                .await;
            assert_eq!(found, ty, "{e}");
        }
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn decimals_are_as_long_as_they_are_written() {
    check_types(&[
        ("0.5", "decimal(2,1)"),
        ("-0.5", "decimal(2,1)"),
        (".5", "decimal(1,1)"),
        ("00.5", "decimal(2,1)"),
        ("1.50", "decimal(3,2)"),
        ("000.000", "decimal(4,3)"),
        ("1.", "decimal(1,0)"),
        ("1e0", "double"),
        ("12345678901234567890", "bigint unsigned"),
        ("123456789012345678901234567890", "decimal(30,0)"),
        ("0.1234567890123456789012345678901", "decimal(31,30)"),
        ("if(1, 0.5, 0.25)", "decimal(3,2)"),
        ("sum(0.5)", "decimal(24,1)"),
        ("0.5 mod 0.3", "decimal(2,1)"),
        ("0.5 * 0.5", "decimal(4,2)"),
        ("0.5 div 1", "int"),
        ("cast(1 as decimal(5,2)) mod cast(0.1 as decimal(4,4))", "decimal(5,4)"),
    ]);
}

#[test]
fn decimals_may_be_longer_than_a_column() {
    let nines = "9".repeat(65);
    let cases = [
        ("0.99999999999999999999999999999999999 + 1", "1.99999999999999999999999999999999999"),
        ("0.99999999999999999999999999999999999 = 1", "0"),
        ("0.99999999999999999999999999999999999 * 1", "1.000000000000000000000000000000"),
        ("0.99999999999999999999999999999999999 / 1", "1.000000000000000000000000000000"),
        ("round(0.99999999999999999999999999999999999, 2)", "1.00"),
        (&format!("1{nines}"), &format!("1{nines}")),
        (&format!("{nines} + 1"), &format!("1{}", "0".repeat(65))),
        (&format!("{nines} * 10"), &format!("{nines}0")),
        (&format!("1{nines}{nines}.5"), &nines.clone()),
        (&format!("-1{nines}{nines}"), &format!("-{nines}")),
    ]
    .map(|(e, answer)| (format!("select {e}"), answer.to_string()));
    let cases: Vec<(&str, &str)> = cases.iter().map(|(s, a)| (s.as_str(), a.as_str())).collect();
    check(&[], &cases);
    let long = format!("select 1{nines}{nines}");
    let said = format!("Warning 1292 Truncated incorrect DECIMAL value: '{}'", "9".repeat(81));
    check(
        &["create table t (a decimal(65,0), b decimal(65,30))"],
        &[
            (&long, &nines),
            (
                "show warnings",
                &said.replace(' ', "|").replacen(
                    "|incorrect|DECIMAL|value:|",
                    " incorrect DECIMAL value: ",
                    1,
                ),
            ),
            (
                &format!("insert into t (a) values (1{nines})"),
                "E1264 Out of range value for column 'a' at row 1",
            ),
            ("insert into t (b) values (0.12345678901234567890123456789012345)", "ok 1"),
            ("select b from t", "0.123456789012345678901234567890"),
            (
                "select sum(a) from (select 99999999999999999999999999999999999999999999999999999999999999999 a union all select 1) d",
                "100000000000000000000000000000000000000000000000000000000000000000",
            ),
        ],
    );
}

#[test]
fn the_greatest_of_times_and_numbers() {
    let setup = [
        "create table t (t time, t3 time(3), dt datetime, dt2 datetime(2), i int, de decimal(5,2), f double)",
        "insert into t values ('10:11:12','10:11:12.123','2020-01-02 03:04:05','2020-01-02 03:04:05.67',5,7.25,1.5)",
    ];
    check(
        &setup,
        &[
            (
                "select greatest(dt, 1.5), greatest(dt, 1e0), greatest(dt, i), greatest(dt, de) from t",
                "2020-01-02 03:04:05.0|2020-01-02 03:04:05.000000|2020-01-02 03:04:05|2020-01-02 03:04:05.00",
            ),
            (
                "select greatest(dt2, 1.5), greatest(dt2, f), greatest(t, 1.5), least(t3, 1.12345) from t",
                "2020-01-02 03:04:05.67|2020-01-02 03:04:05.670000|10:11:12|1.12345",
            ),
            (
                "create table made select greatest(t, 1.5) a, greatest(t3, f) b, greatest(t, 1.123456789) c, greatest(t, i) d from t",
                "ok 1",
            ),
            (
                "select group_concat(column_type order by ordinal_position) from information_schema.columns where table_name = 'made'",
                "varchar(12),varchar(22),varchar(17),varchar(11)",
            ),
        ],
    );
}

#[test]
fn unsigned_numbers_do_not_go_below_zero() {
    let setup = [
        "create table t (d decimal(5,2) unsigned, b bigint unsigned, a tinyint unsigned, sd decimal(5,2))",
        "insert into t values (1, 1, 1, 5.5)",
    ];
    check(
        &setup,
        &[
            ("select d - 2, d - sd, d + -2, d * -1, -d from t", "-1.00|-4.50|-1.00|-1.00|-1.00"),
            (
                "select d - b * 2 from t",
                "E1690 DECIMAL UNSIGNED value is out of range in '(`test`.`t`.`d` - (`test`.`t`.`b` * 2))'",
            ),
            (
                "select d - cast(3 as unsigned) from t",
                "E1690 DECIMAL UNSIGNED value is out of range in '(`test`.`t`.`d` - cast(3 as unsigned))'",
            ),
            (
                "select d - d - d from t",
                "E1690 DECIMAL UNSIGNED value is out of range in '((`test`.`t`.`d` - `test`.`t`.`d`) - `test`.`t`.`d`)'",
            ),
            (
                "select d div -1 from t",
                "E1690 BIGINT UNSIGNED value is out of range in '(`test`.`t`.`d` DIV -(1))'",
            ),
            (
                "select -5 div d from t",
                "E1690 BIGINT UNSIGNED value is out of range in '(-(5) DIV `test`.`t`.`d`)'",
            ),
            ("select d mod -2, -sd mod d from t", "1.00|-0.50"),
            (
                "select inet_aton('0.0.0.1') - 5",
                "E1690 BIGINT UNSIGNED value is out of range in '(inet_aton('0.0.0.1') - 5)'",
            ),
            ("set sql_mode = 'NO_UNSIGNED_SUBTRACTION'", "ok 0"),
            ("select d - b * 2, d - d - d, a - 2 from t", "-1.00|-1.00|-1"),
            ("create table made select a - 2 x, d - b * 2 y, d + b z from t", "ok 1"),
            (
                "select group_concat(column_type order by ordinal_position) from information_schema.columns where table_name = 'made'",
                "int,decimal(24,2),decimal(23,2) unsigned",
            ),
        ],
    );
}

#[test]
fn odbc_literals_that_are_no_dates_are_texts() {
    check(
        &[],
        &[
            ("select {d'bad'}, {t'10:60:00'}, {ts'2020-01-01'}, {d''}", "bad|10:60:00|2020-01-01|"),
            (
                "select {d'2020-02-30'}, {d'0000-00-00'}, {ts'2020-01-01 25:00:00'}",
                "2020-02-30|0000-00-00|2020-01-01 25:00:00",
            ),
            (
                "select {d'2020-1-1'} + interval 1 day, {t'1:2:3'} + interval 1 second",
                "2020-01-02|01:02:04",
            ),
            ("select date'bad'", "E1525 Incorrect DATE value: 'bad'"),
            ("create view v as select {d'bad'} a, {d'2020-01-01'} b, {t'x'} c", "ok 0"),
            ("select * from v", "bad|2020-01-01|x"),
            (
                "select view_definition from information_schema.views where table_name = 'v'",
                "select 'bad' AS `a`,DATE'2020-01-01' AS `b`,'x' AS `c`",
            ),
            ("set sql_mode = 'ALLOW_INVALID_DATES'", "ok 0"),
            ("select {d'2020-02-30'} + interval 0 day, {d'2020-02-32'}", "NULL|2020-02-32"),
        ],
    );
}

#[test]
fn frames_are_no_negative_intervals() {
    const BAD: &str = "E3586 Window '<unnamed window>': frame start or end is negative, NULL or of non-integral type";
    let over = |frame: &str| format!("select count(*) over (order by d range {frame}) from t");
    let cases = [
        ("interval -1 day preceding", BAD),
        ("between interval 1 day preceding and interval -1 day following", BAD),
        ("between interval null day preceding and current row", BAD),
        ("between interval '-1 1' day_hour preceding and current row", BAD),
        ("between interval '-1' month preceding and current row", BAD),
        ("between interval -0.4 second preceding and current row", BAD),
        ("interval 0 day preceding", "1; 1"),
        ("interval 1 day preceding", "1; 2"),
        (
            "interval id day preceding",
            "E3590 Window '<unnamed window>' has a non-constant frame bound.",
        ),
    ]
    .map(|(frame, answer)| (over(frame), answer));
    let mut cases: Vec<(&str, &str)> = cases.iter().map(|(s, a)| (s.as_str(), *a)).collect();
    cases.extend([
        ("delete from t", "ok 2"),
        ("select count(*) over (order by d range interval -1 day preceding) from t", BAD),
        ("prepare s from 'select count(*) over (order by d range interval ? day preceding) from t'", "ok 0"),
        ("set @n = -1, @z = 0", "ok 0"),
        ("execute s using @n", BAD),
        ("execute s using @z", ""),
    ]);
    let setup = [
        "create table t (id int, d date)",
        "insert into t values (1, '2020-01-01'), (2, '2020-01-02')",
    ];
    check(&setup, &cases);
}

#[test]
fn a_mode_cuts_the_seventh_digit() {
    let setup = [
        "create table t (a time, b time(6), d date, e datetime, f datetime(6), g timestamp(6) null)",
        "set time_zone = '+00:00', sql_mode = 'TIME_TRUNCATE_FRACTIONAL'",
    ];
    check(
        &setup,
        &[
            (
                "insert into t values ('10:11:12.9999999', '10:11:12.9999999', '2020-01-01 23:59:59.9999999', '2020-01-01 23:59:59.9999999', '2020-01-01 23:59:59.9999999', '2020-01-01 23:59:59.9999999+00:00')",
                "ok 1",
            ),
            (
                "insert into t values (101112.9999999, 101112.9999999, 20200101235959.9999999, 20200101235959.9999999, 20200101235959.9999999, 20200101235959.9999999)",
                "ok 1",
            ),
            (
                "select * from t",
                "10:11:12|10:11:12.999999|2020-01-01|2020-01-01 23:59:59|2020-01-01 23:59:59.999999|2020-01-01 23:59:59.999999; 10:11:12|10:11:12.999999|2020-01-01|2020-01-01 23:59:59|2020-01-01 23:59:59.999999|2020-01-01 23:59:59.999999",
            ),
            (
                "select count(*) from t where f = '2020-01-01 23:59:59.9999999' and b = 101112.9999999",
                "2",
            ),
            (
                "select time'10:11:12.9999999', timestamp'2020-01-01 23:59:59.9999999'",
                "10:11:13.000000|2020-01-01 23:59:59.999999",
            ),
            (
                "select cast('10:11:12.9999999' as time(3)), cast(101112.9999999e0 as time(6)), cast('2020-01-01 23:59:59.9999999' as date)",
                "10:11:12.999|10:11:12.999999|2020-01-01",
            ),
            (
                "select maketime(1, 1, 1.9999999), sec_to_time(1.9999999), from_unixtime(1.9999999), microsecond('10:11:12.9999999')",
                "01:01:01.999999|00:00:01.999999|1970-01-01 00:00:01.999999|999999",
            ),
            (
                "select date_add('2020-01-01', interval 1.9999999 second), addtime('10:11:12.9999999', '0:0:0'), extract(microsecond from '10:11:12.9999999')",
                "2020-01-01 00:00:01.999999|10:11:13|0",
            ),
            ("create table made (a time default '10:11:12.9999999')", "ok 0"),
            (
                "select column_default from information_schema.columns where table_name = 'made'",
                "10:11:12",
            ),
            ("set sql_mode = ''", "ok 0"),
            (
                "select cast('10:11:12.9999999' as time(6)), timestamp'2020-01-01 23:59:59.9999999'",
                "10:11:13.000000|2020-01-02 00:00:00.000000",
            ),
        ],
    );
}

const GENERATED: &str = "`my_row_id` bigint unsigned NOT NULL AUTO_INCREMENT /*!80023 INVISIBLE */";

#[test]
fn primary_keys_are_generated() {
    let made = |name: &str, rest: &str, key: &str| {
        format!(
            "{name}|CREATE TABLE `{name}` (\n  {GENERATED},\n  {rest},\n  PRIMARY KEY (`my_row_id`){key}\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci"
        )
    };
    let t = made("t", "`a` int DEFAULT NULL", "");
    let u = made("u", "`a` int NOT NULL", ",\n  UNIQUE KEY `a` (`a`)");
    let m = made("m", "`x` int DEFAULT NULL", "");
    check(
        &[
            "set sql_generate_invisible_primary_key = 1",
            "create table t (a int)",
            "insert into t values (7), (8)",
        ],
        &[
            (
                "show create table t",
                t.replace("ENGINE=InnoDB", "ENGINE=InnoDB AUTO_INCREMENT=3").as_str(),
            ),
            ("select * from t", "7; 8"),
            ("select my_row_id, a from t", "1|7; 2|8"),
            ("create table u (a int not null unique)", "ok 0"),
            ("show create table u", &u),
            ("create table m as select a x from t where a = 0", "ok 0"),
            ("show create table m", &m),
            ("create table l like m", "ok 0"),
            ("show create table l", &m.replace("`m`", "`l`").replacen("m|", "l|", 1)),
            ("create table p (a int primary key)", "ok 0"),
            (
                "show create table p",
                "p|CREATE TABLE `p` (\n  `a` int NOT NULL,\n  PRIMARY KEY (`a`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
            ),
            ("create temporary table tt (a int)", "ok 0"),
            (
                "select count(*) from information_schema.columns where column_name = 'my_row_id'",
                "4",
            ),
            (
                "create table e (MY_ROW_ID int)",
                "E4108 Failed to generate invisible primary key. Column 'my_row_id' already exists.",
            ),
            (
                "create table e (a int auto_increment unique)",
                "E4109 Failed to generate invisible primary key. Auto-increment column already exists.",
            ),
            (
                "create table e (a int) partition by hash(a)",
                "E1235 This version of MySQL doesn't yet support 'generating invisible primary key for the partitioned tables'",
            ),
            (
                "create table e select my_row_id from t",
                "E4108 Failed to generate invisible primary key. Column 'my_row_id' already exists.",
            ),
        ],
    );
}

#[test]
fn generated_primary_keys_are_altered_as_a_whole() {
    const CLOSED: &str =
        "E4110 Altering generated invisible primary key column 'my_row_id' is not allowed.";
    const KEPT: &str = "E1235 This version of MySQL doesn't yet support 'existing primary key drop without adding a new primary key. In @@sql_generate_invisible_primary_key=ON mode table should have a primary key. Please add a new primary key to be able to drop existing primary key.'";
    let columns = "select group_concat(column_name order by ordinal_position) from information_schema.columns where table_name = 't'";
    check(
        &[
            "set sql_generate_invisible_primary_key = 1",
            "create table t (a int, b int)",
            "insert into t values (7, 1)",
        ],
        &[
            ("alter table t modify my_row_id int", CLOSED),
            ("alter table t change my_row_id x bigint unsigned", CLOSED),
            ("alter table t rename column my_row_id to x", CLOSED),
            ("alter table t alter my_row_id set default 5", CLOSED),
            ("alter table t drop primary key", KEPT),
            ("alter table t drop column my_row_id", KEPT),
            ("alter table t drop primary key, drop column my_row_id", KEPT),
            (
                "alter table t partition by hash(a)",
                "E1235 This version of MySQL doesn't yet support 'partitioning table with generated invisible primary key'",
            ),
            ("alter table t add c int first", "ok 0"),
            (columns, "my_row_id,c,a,b"),
            ("set sql_generate_invisible_primary_key = 0", "ok 0"),
            (
                "alter table t drop primary key",
                "E4111 Please drop primary key column to be able to drop generated invisible primary key.",
            ),
            ("alter table t alter my_row_id set visible", "ok 0"),
            ("select * from t", "1|NULL|7|1"),
            ("alter table t alter my_row_id set invisible", "ok 0"),
            ("alter table t drop column my_row_id, drop primary key, add primary key (a)", "ok 0"),
            ("select * from t", "NULL|7|1"),
            (columns, "c,a,b"),
        ],
    );
}

#[test]
fn generated_primary_keys_are_hidden_where_nobody_wants_them() {
    check(
        &[
            "set sql_generate_invisible_primary_key = 1",
            "create table t (a int, key (a))",
            "set show_gipk_in_create_table_and_information_schema = 0",
        ],
        &[
            (
                "show create table t",
                "t|CREATE TABLE `t` (\n  `a` int DEFAULT NULL,\n  KEY `a` (`a`)\n) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_0900_ai_ci",
            ),
            ("describe t", "a|int|YES|MUL|NULL|"),
            ("select count(*) from information_schema.statistics where table_name = 't'", "1"),
            ("select count(*) from information_schema.columns where table_name = 't'", "1"),
            (
                "select count(*) from information_schema.columns_extensions where table_name = 't'",
                "1",
            ),
            (
                "select count(*) from information_schema.table_constraints where table_name = 't'",
                "0",
            ),
            (
                "select count(*) from information_schema.key_column_usage where table_name = 't'",
                "0",
            ),
            ("insert into t values (3)", "ok 1"),
            ("select my_row_id from t", "1"),
            ("select auto_increment from information_schema.tables where table_name = 't'", "NULL"),
            ("set show_gipk_in_create_table_and_information_schema = 1", "ok 0"),
            (
                "select count(*) from information_schema.key_column_usage where table_name = 't'",
                "1",
            ),
        ],
    );
}

#[test]
fn values_names_the_target_and_rows_have_subqueries() {
    check(
        &[
            "create table t (a int primary key, b int)",
            "create table s (a int, b int, d int)",
            "insert into s values (1, 100, 7), (3, 300, 9)",
            "insert into t values (1, 1)",
        ],
        &[
            (
                "insert into t select a, b from s on duplicate key update b = values(s.b)",
                "E1054 Unknown column 's.b' in 'field list'",
            ),
            (
                "insert into t select x.a, x.b from s x on duplicate key update b = values(x.b)",
                "E1054 Unknown column 'x.b' in 'field list'",
            ),
            (
                "insert into t values (1, 5) as n on duplicate key update b = values(n.b)",
                "E1054 Unknown column 'n.b' in 'field list'",
            ),
            (
                "insert into t values (1, 5) on duplicate key update b = values(test.t.b) + values(t.b) + values(b)",
                "ok 2",
            ),
            ("select b from t", "15"),
            ("values row((select 1), 2), row(3, (select max(d) from s))", "1|2; 3|9"),
            ("select a from s where a in (values row(1), row((select 3)))", "1; 3"),
            (
                "select s.a, v.x from s, lateral (values row(s.a), row((select max(d) from s))) v(x)",
                "1|1; 1|9; 3|3; 3|9",
            ),
            ("values row((select a from s))", "E1242 Subquery returns more than 1 row"),
            (
                "values row(1, (select 1)), row((select 2))",
                "E1136 Column count doesn't match value count at row 2",
            ),
            ("create view v as values row((select 1), 2)", "ok 0"),
            ("select * from v", "1|2"),
            ("prepare p from 'values row((select ?), ?)'", "ok 0"),
            ("set @a = 1, @b = 2", "ok 0"),
            ("execute p using @a, @b", "1|2"),
            (
                "values row(default)",
                "E3943 A VALUES clause cannot use DEFAULT values, unless used as a source in an INSERT statement.",
            ),
        ],
    );
}

#[test]
fn rows_go_through_a_view_with_insert_alone() {
    const INVALID: &str = "E1356 View 'test.v' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them";
    with_server(1, |server| async move {
        let mut root = server.client();
        root.all(&[
            "create table t (a int primary key, b int)",
            "create sql security invoker view v as select a, b from t",
            "create sql security invoker view w as select a, b from t where a > 0",
            "create sql security invoker view o as select * from v",
            "create definer = nobody@nowhere view n as select a from t",
            "create user u@localhost",
            "grant insert on t to u@localhost",
            "grant select, insert, update, delete on v to u@localhost",
            "grant select, insert on w to u@localhost",
            "grant select, insert on o to u@localhost",
            "grant select, insert on n to u@localhost",
        ])
        .await;
        let mut c = server.client_in("u", "test");
        c.check(&[
            ("insert into v values (1, 1)", "ok 1"),
            ("insert into o (a) values (2)", "ok 1"),
            ("insert into v (a) select 3", "ok 1"),
            ("insert into v values (4, a)", INVALID),
            ("insert into v values (1, 1) on duplicate key update b = 2", INVALID),
            ("replace into v values (1, 1)", INVALID),
            ("select * from v", INVALID),
            ("select * from o", &INVALID.replace("'test.v'", "'test.o'")),
            ("insert into w values (5, 5)", &INVALID.replace("'test.v'", "'test.w'")),
            (
                "select * from n",
                "E1045 Access denied for user 'u'@'localhost' (using password: YES)",
            ),
        ])
        .await;
        root.check(&[
            ("select * from t", "1|1; 2|NULL; 3|NULL"),
            (
                "select * from n",
                "E1449 The user specified as a definer ('nobody'@'nowhere') does not exist",
            ),
        ])
        .await;
        c.0.close().await;
        root.0.close().await;
        drop(server);
    });
}
