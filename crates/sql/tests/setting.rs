//! SET of several variables: all of them or none, with the values of before.
use crate::common::*;

#[test]
fn values_are_those_of_before() {
    check(&[
        ("set @a = 1, @b = 5", "ok 0"),
        ("set @a = 2, @b = @a, @c = @b", "ok 0"),
        ("select @a, @b, @c", "2|1|5"),
        ("set @a = 1, @a = 2", "ok 0"),
        ("select @a", "2"),
        ("set sql_mode = '', @m = @@sql_mode = ''", "ok 0"),
        ("select @m, @@sql_mode", "0|"),
        ("set @a = @a + 1, @a = @a + 1", "ok 0"),
        ("select @a", "3"),
        ("create function f() returns int begin set @a = 10, @b = @a; return @b; end", "ok 0"),
        // In a program each assignment is a statement of its own, as in MySQL.
        ("select f(), @a", "10|10"),
        ("create procedure p() begin set @a = 20, @b = @a; end", "ok 0"),
        ("call p()", "ok 0"),
        ("select @a, @b", "20|20"),
    ]);
}

#[test]
fn all_or_nothing() {
    // Each fails in its last item, by another kind of error.
    let last = [
        ("@@nothing = 1", 1193),
        ("sql_mode = 'nothing'", 1231),
        ("sort_buffer_size = 'x'", 1232),
        ("autocommit = 2", 1231),
        ("global autocommit = 2", 1231),
        ("max_connections = 5", 1229),
        ("global insert_id = 5", 1228),
        ("datadir = 'x'", 1238),
        ("max_allowed_packet = 2048", 1621),
        ("@x = (select 1 union select 2)", 1242),
        ("@x = (select a from nothing)", 1146),
        ("@x = nothing", 1054),
        ("names klingon", 1115),
        ("names latin1 collate utf8mb4_bin", 1253),
        ("character set klingon", 1115),
        ("time_zone = 'nowhere'", 1298),
        ("default_storage_engine = 'nothing'", 1286),
        ("global super_read_only = 7", 1231),
        ("timestamp = 'x'", 1232),
    ];
    with_server(1, |server| async move {
        let mut c = server.client();
        let seen = "select @a, @@sql_safe_updates, @@global.max_connections, @@character_set_client, @@global.read_only, @@time_zone";
        c.rows("set @a = 1").await;
        let before = c.rows(seen).await;
        for (item, errno) in last {
            let first = [
                "@a = 2, sql_safe_updates = 1",
                "global max_connections = 77, @a = 3",
                "names ascii, time_zone = '+01:00'",
                "global read_only = 1",
            ];
            for some in first {
                // NAMES and CHARACTER SET stand at any place.
                let sql = format!("set {some}, {item}");
                assert_eq!(c.ask(&sql).await.errno(), errno, "{sql}");
                assert_eq!(c.rows(seen).await, before, "{sql}");
            }
        }
        c.check(&[
            ("begin", "ok 0"),
            ("set @a = 9, global read_only = 1", "E1192"),
            ("rollback", "ok 0"),
            ("select @a", "1"),
            ("set @a = 2, sql_safe_updates = 1, names ascii", "ok 0"),
            ("select @a, @@sql_safe_updates, @@character_set_client", "2|1|ascii"),
        ])
        .await;
        c.0.close().await;
    });
}

/// A file that may be full.
#[derive(Default)]
struct Memory {
    written: std::sync::Mutex<Vec<String>>,
    full: std::sync::atomic::AtomicBool,
}

impl weir_sql::vars::KeptSettings for Memory {
    fn write(
        &self,
        all: &std::collections::BTreeMap<&'static str, weir_sql::vars::PersistedValue>,
    ) -> Result<(), weir_sql::session_api::SqlError> {
        if self.full.load(std::sync::atomic::Ordering::Relaxed) {
            return Err(weir_sql::session_api::SqlError::new(1026, "full"));
        }
        *self.written.lock().unwrap() = all
            .iter()
            .map(|(name, v)| format!("{name}={} by {}@{}", v.value, v.user, v.host))
            .collect();
        Ok(())
    }
}

#[test]
fn set_persist_keeps_values() {
    with_server(3, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("set persist max_connections = 99", "E1235"),
            ("set persist_only max_connections = 99", "E1235"),
            ("select @@max_connections", "151"),
        ])
        .await;
        let file = std::sync::Arc::new(Memory::default());
        server.inst.persisted.open(Default::default(), file.clone());
        c.check(&[
            ("set persist max_connections = 99, @@persist.sql_mode = 'ansi_quotes', global wait_timeout = 7", "ok 0"),
            ("select @@max_connections, @@global.sql_mode, @@sql_mode = @@global.sql_mode", "99|ANSI_QUOTES|0"),
            ("set persist_only innodb_log_files_in_group = 3, @@persist_only.max_connections = 100", "ok 0"),
            ("select @@innodb_log_files_in_group, @@max_connections", "2|99"),
            (
                "select * from performance_schema.persisted_variables order by 1",
                "innodb_log_files_in_group|3; max_connections|100; sql_mode|ANSI_QUOTES",
            ),
            ("set persist max_connections = default", "ok 0"),
            ("select variable_value from performance_schema.persisted_variables where variable_name = 'max_connections'", "151"),
            ("set persist innodb_log_files_in_group = 4", "E1238 Variable 'innodb_log_files_in_group' is a read only variable"),
            ("set persist_only datadir = 'x'", "E1238 Variable 'datadir' is a non persistent read only variable"),
            ("set persist_only log_error = '/tmp/x'", "E1238 Variable 'log_error' is a non persistent read only variable"),
            ("set persist_only ft_stopword_file = '/tmp/x'", "E1238"),
            ("set persist_only pid_file = '/tmp/x'", "E1238"),
            ("set persist_only version = 'x'", "E1238 Variable 'version' is a non persistent read only variable"),
            ("set persist port = 1", "E1238"),
            ("begin", "ok 0"),
            ("set persist_only read_only = 1", "ok 0"),
            ("set persist read_only = 1", "E1192"),
            ("commit", "ok 0"),
            ("reset persist read_only", "ok 0"),
            ("set persist innodb_max_dirty_pages_pct = 12.123456789", "ok 0"),
            ("select variable_value from performance_schema.persisted_variables where variable_name = 'innodb_max_dirty_pages_pct'", "12.123456789"),
            ("set persist innodb_max_dirty_pages_pct = default", "ok 0"),
            ("reset persist innodb_max_dirty_pages_pct", "ok 0"),
            ("set persist nothing = 1", "E1193"),
            ("set persist_only nothing = 1", "E1193"),
            ("set persist insert_id = 1", "E1228"),
            ("set persist_only insert_id = 1", "E1228"),
            ("set persist_only max_connections = 'x'", "E1232"),
            ("set persist_only autocommit = 2", "E1231"),
            ("set persist wait_timeout = 8, sql_mode = 'nothing'", "E1231"),
            ("select @@global.wait_timeout", "7"),
            ("reset persist wait_timeout", "E3615 Variable wait_timeout does not exist in persisted config file"),
            ("reset persist if exists wait_timeout", "ok 0"),
            ("show warnings", "Warning|3615|Variable wait_timeout does not exist in persisted config file"),
            ("reset persist sql_mode", "ok 0"),
            ("select @@global.sql_mode", "ANSI_QUOTES"),
        ])
        .await;
        let kept = [
            "innodb_log_files_in_group=3 by root@localhost",
            "max_connections=151 by root@localhost",
        ];
        assert_eq!(*file.written.lock().unwrap(), kept);
        file.full.store(true, std::sync::atomic::Ordering::Relaxed);
        c.check(&[
            ("set persist_only max_connections = 5", "E1026"),
            ("reset persist", "E1026"),
            ("select count(*) from performance_schema.persisted_variables", "2"),
        ])
        .await;
        file.full.store(false, std::sync::atomic::Ordering::Relaxed);
        c.check(&[
            ("reset persist", "ok 0"),
            ("select * from performance_schema.persisted_variables", ""),
        ])
        .await;
        assert_eq!(*file.written.lock().unwrap(), [""; 0]);
        c.0.close().await;
    });
}

#[test]
fn statements_about_key_caches_and_help() {
    check(&[
        (
            "create table t (a int primary key, b int, key k (b)) partition by hash (a) partitions 2",
            "ok 0",
        ),
        (
            "cache index t in default",
            "test.t|assign_to_keycache|note|The storage engine for the table doesn't support assign_to_keycache",
        ),
        (
            "cache index t partition (all) key (primary) in `default`",
            "test.t|assign_to_keycache|note|The storage engine for the table doesn't support assign_to_keycache",
        ),
        (
            "cache index t index (k), t key (primary) in default",
            "E1066 Not unique table/alias: 't'",
        ),
        ("cache index t in hot", "E1284 Unknown key cache 'hot'"),
        (
            "cache index nothing in default",
            "test.nothing|assign_to_keycache|Error|Table 'test.nothing' doesn't exist; test.nothing|assign_to_keycache|status|Operation failed",
        ),
        (
            "load index into cache t partition (p0) index (k)",
            "test.t|preload_keys|note|The storage engine for the table doesn't support preload_keys",
        ),
        ("load index into cache t ignore leaves, t index (k)", "E1066 Not unique table/alias: 't'"),
        ("cache index t", "E1064"),
        ("load index into t", "E1064"),
        ("alter table t check partition all for upgrade", "test.t|check|status|OK"),
        ("alter table t check partition p0 quick extended for upgrade", "test.t|check|status|OK"),
        (
            "alter table t repair partition p0 use_frm",
            "test.t|repair|note|The storage engine for the table doesn't support repair",
        ),
        ("alter table t optimize partition p0 for upgrade", "E1064"),
        ("help 'no such topic'", ""),
        (
            "help 'xa%'",
            "XA|Syntax:\nXA {START | BEGIN} xid [JOIN | RESUME]\nXA END xid [SUSPEND [FOR MIGRATE]]\nXA PREPARE xid\nXA COMMIT xid [ONE PHASE]\nXA ROLLBACK xid\nXA RECOVER [CONVERT XID]\n\nThe branch of a transaction of several servers. A prepared branch outlives its session and the server.\n\n|XA START 'transfer', 'branch1'",
        ),
        ("help 'rollback%'", "ROLLBACK|N; ROLLBACK TO SAVEPOINT|N"),
        ("select name from mysql.help_topic where name = 'select'", "SELECT"),
        (
            "select t.name from mysql.help_topic t join mysql.help_relation r using (help_topic_id) \
             join mysql.help_keyword k using (help_keyword_id) where k.name = 'UNBOUNDED' or k.name = 'NOWAIT'",
            "SELECT",
        ),
        (
            "select c.name from mysql.help_category c join mysql.help_category p on p.help_category_id = c.parent_category_id where p.name = 'Functions' and c.name like 'x%'",
            "XML",
        ),
        ("flush tables t for export", "E1235"),
    ]);
}

/// The escape character of a LIKE is that of anyone who wrote it, not of anyone who reads what was kept.
#[test]
fn kept_patterns_keep_their_escape_character() {
    let without = "set sql_mode = 'NO_BACKSLASH_ESCAPES'";
    check(&[
        (
            "create table t (s varchar(9), g int as (s like 'a\\\\_'), check (s not like 'z\\\\_'))",
            "ok 0",
        ),
        ("create view v as select s from t where s like 'a\\\\_'", "ok 0"),
        ("create table k (s varchar(9), key ((s like 'a\\\\_')))", "ok 0"),
        ("insert into t (s) values ('a_'), ('ab'), ('a\\\\_'), ('a\\\\b')", "ok 4"),
        (without, "ok 0"),
        ("insert into t (s) values ('a_')", "ok 1"),
        ("insert into t (s) values ('z_')", "E3819"),
        (r"insert into t (s) values ('z\b')", "ok 1"),
        ("select s, g from t", r"a_|1; ab|0; a\_|0; a\b|0; a_|1; z\b|0"),
        ("select * from v", "a_; a_"),
        (r"select s from t where s like 'a\_'", r"a\_; a\b"),
        (
            r"create table n (s varchar(9), g int as (s like 'a\_'), check (s not like 'z\_'))",
            "ok 0",
        ),
        (r"create view w as select s from t where s like 'a\_'", "ok 0"),
        (r"select 1 from t where s like 'a' escape ''", "E1210"),
        (r"insert into n (s) values ('z_'), ('a\b'), ('a_')", "ok 3"),
        (r"insert into n (s) values ('z\b')", "E3819"),
        ("select s, g from n", r"z_|0; a\b|1; a_|0"),
        ("select * from w", r"a\_; a\b"),
        ("set sql_mode = ''", "ok 0"),
        ("insert into n (s) values ('a\\\\c'), ('a_')", "ok 2"),
        ("select s, g from n where s like 'a%'", r"a\b|1; a_|0; a\c|1; a_|0"),
        ("insert into n (s) values ('z\\\\b')", "E3819"),
        ("select * from w", r"a\_; a\b"),
        ("select * from v", "a_; a_"),
        ("alter table n add column x int", "ok 0"),
        ("select count(*) from n where g", "2"),
    ]);
}

/// As the manual has it: for the statement alone, and what cannot be set is a warning.
#[test]
fn hints_set_variables_for_a_statement() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table p (id int primary key)",
            "create table k (p int, foreign key (p) references p (id))",
            "create table t (a int)",
            "insert into t values (1), (2), (3)",
        ])
        .await;
        c.check(&[
            (
                "select /*+ SET_VAR(group_concat_max_len = 4) */ group_concat(a) from t",
                "1,2,",
            ),
            ("select /*+ SET_VAR(div_precision_increment=2) */ 1 / 3", "0.33"),
            ("select 1 / 3", "0.3333"),
            ("select /*+ SET_VAR(sql_mode = 'ANSI_QUOTES,PIPES_AS_CONCAT') */ @@sql_mode", "PIPES_AS_CONCAT,ANSI_QUOTES"),
            ("select @@sql_mode like '%STRICT_TRANS_TABLES%'", "1"),
            ("insert into k values (9)", "E1452"),
            ("insert /*+ SET_VAR(foreign_key_checks=OFF) */ into k values (9)", "ok 1"),
            ("insert into k values (9)", "E1452"),
            ("update /*+ SET_VAR(sql_safe_updates=1) */ t set a = 5", "E1175"),
            ("delete /*+ SET_VAR(sql_safe_updates=1) */ from t", "E1175"),
            ("select /*+ SET_VAR(sql_select_limit = 2) SET_VAR(sql_select_limit = 1) */ a from t", "1; 2"),
            ("show warnings", "Warning|3126|Hint SET_VAR(sql_select_limit=1) is ignored as conflicting/duplicated"),
            ("select a from t", "1; 2; 3"),
            ("select /*+ SET_VAR(sort_buffer_size = 1M) */ @@sort_buffer_size", "1048576"),
            ("select /*+ SET_VAR(max_size = 1G) */ 1", "1"),
            ("show warnings", "Warning|3128|Unresolved name 'max_size' for SET_VAR hint"),
            ("select /*+ SET_VAR(autocommit = 0) */ @@autocommit", "1"),
            ("show warnings", "Warning|3637|Variable 'autocommit' cannot be set using SET_VAR hint."),
            ("select /*+ SET_VAR(sql_mode = 'NOPE') */ 1", "1"),
            ("show warnings", "Warning|1231|Variable 'sql_mode' can't be set to the value of 'NOPE'"),
            // Plans that are kept obey, too.
            ("prepare s from 'select /*+ SET_VAR(div_precision_increment=1) */ 1 / 3'", "ok 0"),
            ("execute s", "0.3"),
            ("execute s", "0.3"),
            ("select /*+ SET_VAR(div_precision_increment=2) */ 1 / 3", "0.33"),
            ("select /*+ SET_VAR(div_precision_increment=2) */ 1 / 3", "0.33"),
            ("select 1 / 3", "0.3333"),
        ])
        .await;
        // What fails leaves nothing set.
        c.check(&[
            ("select /*+ SET_VAR(div_precision_increment=2) */ x from t", "E1054"),
            ("select @@div_precision_increment", "4"),
        ])
        .await;
    });
}

/// `max_error_count` says how many conditions of a statement can be looked at; all of them are counted.
#[test]
fn conditions_that_are_kept() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("create table t (a tinyint)", "ok 0"),
            ("set max_error_count = 2", "ok 0"),
            ("select @@warning_count", "0"),
            ("insert ignore into t values (200), (300), (400)", "ok 3"),
            (
                "show warnings",
                "Warning|1264|Out of range value for column 'a' at row 1; \
                 Warning|1264|Out of range value for column 'a' at row 2",
            ),
            ("show count(*) warnings", "3"),
            ("set max_error_count = 0", "ok 0"),
            ("drop table nothing", "E1051"),
            ("show errors", ""),
            ("show count(*) errors", "1"),
            ("drop table nothing", "E1051"),
            ("get diagnostics @n = number", "ok 0"),
            ("select @n", "0"),
            (
                "create procedure p() begin declare exit handler for 1051 select 'caught' as h; drop table nothing; end",
                "ok 0",
            ),
            ("call p()", "caught"),
            ("set max_error_count = 5000, cte_max_recursion_depth = 5000", "ok 0"),
            (
                "insert ignore into t with recursive r as (select 1 as n union all select n + 1 from r where n < 2000) select 1000 from r",
                "ok 2000",
            ),
            ("get diagnostics @n = number", "ok 0"),
            ("select @n", "2000"),
        ])
        .await;
    });
}

/// A strict mode without the three that go with it, or those without it, are warned of.
#[test]
fn modes_that_belong_together() {
    const TOGETHER: &str = "Warning|3135|'NO_ZERO_DATE', 'NO_ZERO_IN_DATE' and 'ERROR_FOR_DIVISION_BY_ZERO' sql modes should be used with strict mode. They will be merged with strict mode in a future release.";
    with_server(1, async |s| {
        let mut c = s.client();
        for (mode, told) in [
            ("strict_trans_tables", TOGETHER),
            ("no_zero_date,no_zero_in_date,error_for_division_by_zero", TOGETHER),
            ("strict_all_tables,no_zero_date,no_zero_in_date", TOGETHER),
            ("strict_all_tables,no_zero_date,no_zero_in_date,error_for_division_by_zero", ""),
            ("traditional", ""),
            ("no_zero_date,allow_invalid_dates", TOGETHER),
            ("ansi,no_auto_value_on_zero", ""),
            (
                "pad_char_to_full_length",
                "Warning|3090|Changing sql mode 'PAD_CHAR_TO_FULL_LENGTH' is deprecated. It will be removed in a future release.",
            ),
            ("", ""),
        ] {
            let set = format!("set sql_mode = '{mode}'");
            c.check(&[(&set, "ok 0"), ("show warnings", told)]).await;
        }
        c.check(&[("set sql_mode = default", "ok 0"), ("show warnings", "")]).await;
    });
}

/// @@identity and @@last_insert_id are what LAST_INSERT_ID() is, no matter who has set it.
#[test]
fn the_last_number_is_a_variable() {
    check(&[
        ("create table t (id int auto_increment primary key, n int)", "ok 0"),
        ("insert into t (n) values (1)", "ok 1"),
        (
            "select @@identity, @@last_insert_id, @@session.last_insert_id, last_insert_id()",
            "1|1|1|1",
        ),
        ("insert into t (n) values (2), (3)", "ok 2"),
        ("select @@identity, n from t", "2|1; 2|2; 2|3"),
        (
            "select variable_value from performance_schema.session_variables where variable_name = 'last_insert_id'",
            "2",
        ),
        ("set last_insert_id = 7", "ok 0"),
        ("select @@identity, last_insert_id()", "7|7"),
        ("select last_insert_id(12)", "12"),
        ("select @@identity", "12"),
        ("create procedure p() begin insert into t (n) values (4); select @@identity; end", "ok 0"),
        ("call p()", "4"),
        ("prepare s from 'select @@identity'", "ok 0"),
        ("insert into t (n) values (5)", "ok 1"),
        ("execute s", "5"),
    ]);
}

/// What is no number is of the wrong type for one, NULL too; a switch takes ON and OFF and no other words.
#[test]
fn values_of_the_wrong_kind() {
    check(&[
        (
            "set sort_buffer_size = null",
            "E1232 Incorrect argument type to variable 'sort_buffer_size'",
        ),
        ("set long_query_time = null", "E1232"),
        ("set autocommit = null", "E1231"),
        (
            "set autocommit = 'true'",
            "E1231 Variable 'autocommit' can't be set to the value of 'true'",
        ),
        ("set autocommit = '1'", "E1231"),
        ("set autocommit = 'off'", "ok 0"),
        ("set autocommit = true", "ok 0"),
        ("set autocommit = on", "ok 0"),
    ]);
}

/// Names of sets that are to go are warned of wherever they are set, and so are variables that are to be read only.
#[test]
fn old_sets_in_variables() {
    let going = |set: &str| {
        format!(
            "Warning|1287|'{set}' is deprecated and will be removed in a future release. Please use utf8mb4 instead"
        )
    };
    let updating = |name: &str| {
        format!(
            "Warning|1681|Updating '{name}' is deprecated. It will be made read-only in a future release."
        )
    };
    let of_set = "Warning|4079|'ucs2_bin' is a collation of the deprecated character set ucs2. Please consider using utf8mb4 with an appropriate collation instead.";
    check(&[
        ("set character_set_client = utf8mb3", "ok 0"),
        ("show warnings", &going("utf8mb3")),
        ("set character_set_results = ucs2", "ok 0"),
        ("set names utf8mb4", "ok 0"),
        ("set collation_connection = ucs2_bin", "ok 0"),
        ("show warnings", of_set),
        ("set names utf8mb4", "ok 0"),
        ("set character_set_database = latin1", "ok 0"),
        ("show warnings", &updating("character_set_database")),
        ("set collation_database = ucs2_bin", "ok 0"),
        ("show warnings", &format!("{of_set}; {}", updating("collation_database"))),
        ("create table t (a char(3) character set hp8, b char(3) collate ucs2_bin)", "ok 0"),
        ("show warnings", &format!("{}; {of_set}", going("hp8"))),
    ]);
}

/// EXPLAIN without FORMAT goes by `explain_format`.
#[test]
fn the_format_of_explain() {
    check(&[
        ("select @@explain_format", "TRADITIONAL"),
        ("set explain_format = tree", "ok 0"),
        ("explain select 1", "-> Rows fetched before execution\n"),
        (
            "explain format = traditional select 1",
            "1|SIMPLE|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|No tables used",
        ),
        ("set explain_format = default", "ok 0"),
        (
            "explain select 1",
            "1|SIMPLE|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|NULL|No tables used",
        ),
        ("set explain_format = 'x'", "E1231"),
    ]);
}

/// A column of a table where there are none is of an unknown table.
#[test]
fn names_of_no_table() {
    check(&[
        ("select local.sort_buffer_size", "E1109 Unknown table 'local' in field list"),
        ("select a.b.c from dual", "E1109 Unknown table 'b' in field list"),
        ("create table t (a int)", "ok 0"),
        ("select x.a from t", "E1054 Unknown column 'x.a' in 'field list'"),
        ("select (select x.a) from t", "E1054"),
        ("select * from lateral (select x.a) l, t x", "E1054"),
    ]);
}
