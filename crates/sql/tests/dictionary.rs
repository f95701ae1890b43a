//! Tables of information_schema about views' tables, attributes, and what InnoDB's dictionary tells. The values are those that a MySQL 9.7
//! gave for the same definitions.
use crate::common::*;

const VIEWS: [&str; 12] = [
    "create table p (id int primary key, x int)",
    "create table sec (a int)",
    "create function f1(a int) returns int deterministic return a + 1",
    "create function f2() returns int deterministic return 2",
    "create database other",
    "create function other.f3() returns int deterministic return 3",
    "create view v1 as select id, F1(id) z, abs(x) y from p",
    "create view v2 as select v1.id, (select count(*) from sec where a = f2()) c, f1(3) d from v1 join p on v1.id = p.id",
    "create view v3 as with cte as (select * from p) select id from cte union select a from sec union select id from p",
    "create view v4 as select TABLE_NAME from INFORMATION_SCHEMA.tables",
    "create view v5 as select 1 x, other.f3() y",
    "create view v6 as select * from (select * from v2) x where exists (select 1 from sec)",
];

const TABLE_USAGE: &str =
    "select view_name, table_schema, table_name from information_schema.view_table_usage
    where view_schema = 'test' order by 1, 2, 3";
const ROUTINE_USAGE: &str =
    "select table_name, specific_schema, specific_name from information_schema.view_routine_usage
    where table_schema = 'test' order by 1, 2, 3";

#[test]
fn what_views_stand_on() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&VIEWS).await;
        c.check(&[
            (
                TABLE_USAGE,
                "v1|test|p; v2|test|p; v2|test|sec; v2|test|v1; v3|test|p; v3|test|sec; v4|information_schema|TABLES; \
                 v6|test|sec; v6|test|v2",
            ),
            (ROUTINE_USAGE, "v1|test|f1; v2|test|f1; v2|test|f2; v5|other|f3"),
            ("drop function f2", "ok 0"),
            (ROUTINE_USAGE, "v1|test|f1; v2|test|f1; v5|other|f3"),
            // Agreement with VIEWS, whatever is asked for by name.
            (
                "select distinct view_name in (select table_name from information_schema.views) from information_schema.view_table_usage",
                "1",
            ),
            ("select table_name from information_schema.view_table_usage where view_name = 'v1'", "p"),
        ])
        .await;
    });
}

/// The view's definition and what it names must both be seen.
#[test]
fn who_sees_what_views_stand_on() {
    with_server(2, |server| async move {
        let mut c = server.client();
        c.all(&VIEWS).await;
        c.all(&["create user u@localhost", "grant select on test.v2 to u@localhost"]).await;
        c.all(&[
            "grant select (id) on test.p to u@localhost",
            "grant select on test.v1 to u@localhost",
        ])
        .await;
        let mut u = server.client_of("u");
        u.check(&[(TABLE_USAGE, ""), (ROUTINE_USAGE, "")]).await;
        c.rows("grant show view on test.v2 to u@localhost").await;
        u.check(&[(TABLE_USAGE, "v2|test|p; v2|test|v1"), (ROUTINE_USAGE, "")]).await;
        c.rows("grant execute on function test.f1 to u@localhost").await;
        u.check(&[(ROUTINE_USAGE, "v2|test|f1")]).await;
    });
}

const ATTRIBUTES: [&str; 4] = [
    "create table t (a int primary key, b int, c text, unique key u (b), key k (b, a), fulltext key f (c))",
    "create table n (a int, key ((a + 1)))",
    "create view v as select a, b from t",
    "create database other collate utf8mb4_bin",
];

#[test]
fn attributes() {
    with_server(3, |server| async move {
        let mut c = server.client();
        c.all(&ATTRIBUTES).await;
        c.check(&[
            (
                "select * from information_schema.tables_extensions where table_schema = 'test' order by table_name",
                "def|test|n|NULL|NULL; def|test|t|NULL|NULL; def|test|v|NULL|NULL",
            ),
            (
                "select table_name, column_name, engine_attribute from information_schema.columns_extensions
                 where table_schema = 'test' order by 1, 2",
                "n|a|NULL; t|a|NULL; t|b|NULL; t|c|NULL; v|a|NULL; v|b|NULL",
            ),
            (
                "select constraint_name, table_name, secondary_engine_attribute
                 from information_schema.table_constraints_extensions where constraint_schema = 'test' order by 2, 1",
                "functional_index|n|NULL; PRIMARY|n|NULL; f|t|NULL; k|t|NULL; PRIMARY|t|NULL; u|t|NULL",
            ),
            (
                "select * from information_schema.schemata_extensions where schema_name in ('other', 'test') order by 2",
                "def|other|; def|test|",
            ),
            ("create table x (a int) engine_attribute = '{}'", "E3981"),
        ])
        .await;
        for (table, key) in [
            ("schemata", "schema_name, ''"),
            ("tables", "table_schema, table_name"),
            ("columns", "concat(table_schema, table_name), column_name"),
        ] {
            let all =
                |name: &str| format!("select {key} from information_schema.{name} order by 1, 2");
            let (one, other) =
                (c.rows(&all(table)).await, c.rows(&all(&format!("{table}_extensions"))).await);
            assert_eq!(one, other, "{table}");
        }
        c.all(&["create user u@localhost", "grant select (b) on test.t to u@localhost"]).await;
        let mut u = server.client_of("u");
        u.check(&[
            (
                "select table_name, column_name from information_schema.columns_extensions where table_schema = 'test'",
                "t|b",
            ),
            ("select table_name from information_schema.tables_extensions where table_schema = 'test'", "t"),
            ("select count(*) from information_schema.schemata_extensions where schema_name = 'other'", "0"),
            (
                "select count(*) from information_schema.table_constraints_extensions where table_name = 'n'",
                "0",
            ),
        ])
        .await;
    });
}

const TYPES: &str = "create table ty (a tinyint, b smallint not null, d mediumint, e int, f bigint unsigned, g float, h double,
    i decimal(10,3), j char(5), k varchar(300) character set latin1, l varchar(20) collate utf8mb4_bin, m binary(4), n varbinary(9),
    o tinyblob, q text, r longtext character set latin1, s date, t time(3), u datetime, v timestamp(6) null, w year, x bit(9),
    y enum('a','b') not null, z set('a','b','c'), aa json, ab geometry, ac point not null srid 4326,
    ad char(9) character set latin1, ae varchar(100) not null)";

const COLUMNS: &str = "select c.name, pos, mtype, prtype, len, has_default, default_value from information_schema.innodb_columns c
    join information_schema.innodb_tables t using (table_id) where t.name = 'test/";

#[test]
fn columns_of_all_types() {
    with_server(4, |server| async move {
        let mut c = server.client();
        c.rows("set names utf8mb4").await;
        c.rows("alter database test character set utf8mb4 collate utf8mb4_0900_ai_ci").await;
        c.rows(TYPES).await;
        let want = "a|0|6|1025|1 b|1|6|1282|2 d|2|6|1033|3 e|3|6|1027|4 f|4|6|1544|8 g|5|9|1028|4 h|6|10|1029|8 i|7|3|525558|6 \
            j|8|13|16711934|20 k|9|1|528399|300 l|10|12|3014671|80 m|11|3|4130046|4 n|12|4|4129807|9 o|13|5|4130044|9 \
            q|14|5|16711932|10 r|15|5|524540|12 s|16|6|1034|3 t|17|3|525323|5 u|18|3|525324|5 v|19|3|525319|7 w|20|6|1549|1 \
            x|21|3|4130320|2 y|22|6|1022|1 z|23|6|766|1 aa|24|5|3015925|12 ab|25|14|1279|12 ac|26|14|1535|12 ad|27|2|524542|9 \
            ae|28|12|16716047|400";
        let want: Vec<String> =
            want.split(' ').filter(|w| !w.is_empty()).map(|w| format!("{w}|0|NULL")).collect();
        assert_eq!(c.ask(&format!("{COLUMNS}ty' order by pos")).await.rows, want);
        // Columns without the virtual ones, and three of InnoDB's own.
        c.check(&[(
            "select t.n_cols - 3 = count(*) from information_schema.innodb_tables t
             join information_schema.innodb_columns c using (table_id) where t.name = 'test/ty' group by t.n_cols",
            "1",
        )])
        .await;
    });
}

#[test]
fn virtual_columns_and_partitions() {
    check(&[
        (
            "create table vi (a int, b int as (a + 1), c int as (a + b) stored, d varchar(10) character set utf8mb4
             collate utf8mb4_0900_ai_ci as (concat(a, b)) virtual, e int not null, f int as (b + e + a), primary key (e))",
            "ok 0",
        ),
        ("create table pt (a int primary key, v int as (a + 1), w int) partition by hash (a) partitions 2", "ok 0"),
        (
            &format!("{COLUMNS}vi' order by pos"),
            "a|0|6|1027|4|0|NULL; c|1|6|1027|4|0|NULL; e|2|6|1283|4|0|NULL; b|65537|6|9219|4|0|NULL; \
             d|131075|12|16719887|40|0|NULL; f|196613|6|9219|4|0|NULL",
        ),
        (
            "select pos, base_pos from information_schema.innodb_virtual v join information_schema.innodb_tables t using (table_id)
             where t.name = 'test/vi' order by 1, 2",
            "65537|0; 131075|0; 196613|0; 196613|2",
        ),
        (
            "select t.name, t.n_cols, c.name, c.pos, v.base_pos from information_schema.innodb_tables t
             join information_schema.innodb_columns c using (table_id)
             left join information_schema.innodb_virtual v on v.table_id = t.table_id and v.pos = c.pos
             where t.name like 'test/pt%' order by 1, 4",
            "test/pt#p#p0|5|a|0|NULL; test/pt#p#p0|5|w|1|NULL; test/pt#p#p0|5|v|65537|0; \
             test/pt#p#p1|5|a|0|NULL; test/pt#p#p1|5|w|1|NULL; test/pt#p#p1|5|v|65537|0",
        ),
        ("select name, n_cols from information_schema.innodb_tables where name = 'test/vi'", "test/vi|6"),
    ]);
}

/// What rows have that are older than a column.
#[test]
fn defaults_of_added_columns() {
    let added = "alter table i add b bigint default -1, add c datetime default '2020-01-02 03:04:05',
        add d char(5) default 'x', add e decimal(6,2) default 1.5, add f double default 1.5, add g date default '2020-01-02',
        add h enum('a','b') default 'b', add k tinyint default -3, add l varbinary(5) default 'ab', add r year default 2020,
        add s bit(3) default b'101', add t time(2) default '01:02:03.45', add w float default -1.5,
        add ts timestamp default '2020-01-02 03:04:05', add uu int unsigned default 7, algorithm = instant";
    let edges = "alter table j add a1 time(2) default '-01:02:03.45', add a2 decimal(14,4) default -1234567890.1234,
        add a3 time(6) default '-838:59:58.000001', add a4 time default '-00:00:01',
        add a5 datetime(5) default '2020-01-02 03:04:05.67891', add a6 timestamp(3) default '2020-01-02 03:04:05.678',
        add a7 decimal(20,10) default 1.5, add a8 binary(4) default 'ab',
        add a9 set('a','b','c','d','e','f','g','h','i') default 'a,i', add b1 bit(9) default b'101010101',
        add b2 char(3) character set utf8mb4 default 'äö', add b4 mediumint unsigned default 70000, add b5 smallint default -2,
        add b6 decimal(5,0) default 12, add b7 decimal(3,3) default 0.125, add b8 time(1) default '-00:00:00.5', algorithm = instant";
    let shown = "select name, default_value from information_schema.innodb_columns where has_default = 1 order by pos";
    check(&[
        ("set time_zone = '+00:00'", "ok 0"),
        ("create table i (a int primary key, z int not null default 5)", "ok 0"),
        ("insert into i (a) values (1)", "ok 1"),
        (added, "ok 0"),
        (
            shown,
            "b|7fffffffffffffff; c|99a5443105; d|7820202020; e|800132; f|000000000000f83f; g|8fc822; h|02; k|7d; l|6162; r|78; \
             s|05; t|8010832d; w|0000c0bf; ts|5e0d5da5; uu|00000007",
        ),
        ("create table j (a int primary key)", "ok 0"),
        ("insert into j values (1)", "ok 1"),
        (edges, "ok 0"),
        (
            "select c.name, default_value from information_schema.innodb_columns c
             join information_schema.innodb_tables t using (table_id) where t.name = 'test/j' and has_default = 1 order by pos",
            "a1|7fef7cd3; a2|7ef204c72dfb2d; a3|4b9105ffffff; a4|7fffff; a5|99a54431050a5bfe; a6|5e0d5da51a7c; \
             a7|80000000011dcd650000; a8|61620000; a9|0101; b1|0155; b2|c3a4c3b6; b4|011170; b5|7ffe; b6|80000c; b7|807d; \
             b8|7fffffce",
        ),
        ("drop table j", "ok 0"),
        // A copy writes them into the rows.
        ("alter table i engine = innodb, algorithm = copy", "ok 1"),
        (shown, ""),
    ]);
}

#[test]
fn foreign_keys_as_innodb_tells_them() {
    check(&[
        ("create table p (id int unsigned primary key, code char(3), x decimal(10,2), unique key uc (code, x))", "ok 0"),
        (
            "create table c (id bigint primary key auto_increment, pid int unsigned, q char(3), qx decimal(10,2), key (pid),
             foreign key (pid) references p (id) on delete cascade on update set null,
             constraint named foreign key (q, qx) references p (code, x) on delete no action,
             constraint n2 foreign key (pid) references p (id) on delete restrict on update restrict,
             constraint n3 foreign key (pid) references p (id) on delete set null on update cascade)",
            "ok 0",
        ),
        ("set foreign_key_checks = 0", "ok 0"),
        ("create table orph (a int, key (a), constraint oo foreign key (a) references missing (b))", "ok 0"),
        (
            "select * from information_schema.innodb_foreign order by id",
            "test/c_ibfk_1|test/c|test/p|1|9; test/n2|test/c|test/p|1|0; test/n3|test/c|test/p|1|6; test/named|test/c|test/p|2|48; \
             test/oo|test/orph|test/missing|1|48",
        ),
        (
            "select * from information_schema.innodb_foreign_cols where id in ('test/named', 'test/oo') order by id, pos",
            "test/named|q|code|1; test/named|qx|x|2; test/oo|a|b|1",
        ),
        (
            "select f.id from information_schema.innodb_foreign f join information_schema.innodb_foreign_cols c using (id)
             group by f.id, f.n_cols having f.n_cols <> count(*)",
            "",
        ),
        (
            "select count(*) = (select count(*) from information_schema.referential_constraints) from information_schema.innodb_foreign",
            "1",
        ),
    ]);
}

#[test]
fn files_and_the_pool() {
    check(&[
        ("create table t (a int primary key, b int, key (b))", "ok 0"),
        ("create table h (a int) partition by hash (a) partitions 2", "ok 0"),
        ("insert into t values (1, 1), (2, 2)", "ok 2"),
        (
            "select count(*), min(b.space = d.space), min(b.path like './%.weir' or b.space_type = 'System')
             from information_schema.innodb_tablespaces_brief b join information_schema.innodb_datafiles d using (path)",
            "5|1|1",
        ),
        (
            "select b.name, b.flag = s.flag, b.space_type from information_schema.innodb_tablespaces_brief b
             join information_schema.innodb_tablespaces s on s.space = b.space where b.name like 'test/%' order by 1",
            "test/h#p#p0|1|Single; test/h#p#p1|1|Single; test/t|1|Single",
        ),
        (
            "select name, path, space_type from information_schema.innodb_tablespaces_brief where space < 16 order by space",
            "innodb_system|system.weir|System; innodb_undo_001|./undo.weir|Single",
        ),
        (
            "select i.name, n_cached_pages from information_schema.innodb_cached_indexes c
             join information_schema.innodb_indexes i on i.index_id = c.index_id and i.space = c.space_id
             join information_schema.innodb_tables t using (table_id) where t.name = 'test/t' order by 1",
            "b|1; PRIMARY|1",
        ),
        (
            "select pool_id, pool_size > 0, pool_size = free_buffers + database_pages, old_database_pages <= database_pages,
             number_pages_get > 0, number_pages_created > 0, hit_rate between 1 and 1000
             from information_schema.innodb_buffer_pool_stats",
            "0|1|1|1|1|1|1",
        ),
        (
            "select (select variable_value from performance_schema.global_status where variable_name = 'Innodb_buffer_pool_pages_total')
             = pool_size from information_schema.innodb_buffer_pool_stats",
            "1",
        ),
        ("select count(*) from information_schema.innodb_temp_table_info", "0"),
        ("create temporary table tt (a int, b int as (a + 1), c int)", "ok 0"),
        ("create temporary table t2 (a int primary key)", "ok 0"),
        (
            "select n_cols, space > 0, table_id > 0, name like '%tt' from information_schema.innodb_temp_table_info order by table_id",
            "5|1|1|1; 4|1|1|0",
        ),
        ("drop temporary table tt", "ok 0"),
        ("select count(*) from information_schema.innodb_temp_table_info", "1"),
        ("select count(*) from information_schema.innodb_session_temp_tablespaces", "0"),
        ("select count(*) from information_schema.innodb_cmp_per_index", "0"),
        ("select count(*) from information_schema.innodb_cmp_per_index_reset", "0"),
    ]);
}

#[test]
fn innodb_tables_need_process() {
    with_server(5, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (a int primary key)",
            "create user u@localhost",
            "grant all on test.* to u@localhost",
        ])
        .await;
        let mut u = server.client_of("u");
        let tables = [
            "columns",
            "virtual",
            "foreign",
            "foreign_cols",
            "datafiles",
            "tablespaces_brief",
            "buffer_pool_stats",
            "cached_indexes",
            "temp_table_info",
            "session_temp_tablespaces",
            "cmp_per_index",
            "cmp_per_index_reset",
        ];
        for table in tables {
            let all = format!("select * from information_schema.innodb_{table}");
            assert_eq!(u.ask(&all).await.errno(), 1227, "{table}");
        }
        c.rows("grant process on *.* to u@localhost").await;
        for table in tables {
            u.rows(&format!("select * from information_schema.innodb_{table}")).await;
        }
    });
}

#[test]
fn units_of_length() {
    check(&[
        (
            "select count(*), count(distinct unit_name), min(conversion_factor) from information_schema.st_units_of_measure",
            "47|47|0.001",
        ),
        (
            "select * from information_schema.st_units_of_measure where unit_name in ('metre', 'foot', 'nautical mile') order by 3",
            "foot|LINEAR|0.3048|; metre|LINEAR|1|; nautical mile|LINEAR|1852|",
        ),
    ]);
}

#[test]
fn types_of_the_columns() {
    check(&[
        (
            "select column_name, column_type, is_nullable from information_schema.columns
             where table_name = 'INNODB_TABLESPACES_BRIEF' order by ordinal_position",
            "SPACE|varbinary(256)|YES; NAME|varchar(268)|NO; PATH|varchar(512)|NO; FLAG|varbinary(256)|YES; SPACE_TYPE|varchar(7)|NO",
        ),
        (
            "select column_name, column_type from information_schema.columns where (table_name = 'INNODB_BUFFER_POOL_STATS'
             and column_name = 'PAGES_READ_RATE') or (table_name = 'INNODB_COLUMNS' and column_name = 'DEFAULT_VALUE')
             or (table_name = 'TABLES_EXTENSIONS' and column_name = 'ENGINE_ATTRIBUTE') order by 1",
            "DEFAULT_VALUE|text; ENGINE_ATTRIBUTE|json; PAGES_READ_RATE|float(12,0)",
        ),
    ]);
}
