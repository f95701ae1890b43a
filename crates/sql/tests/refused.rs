//! Statements and functions of MySQL 8.0 that are refused, each with its error: the list of docs/compatibility.md, and the proof
//! that it is true. `WEIR_WRITE_DOCS=1` writes the section again.
use crate::common::*;
use std::fmt::Write;

/// What, a statement that shows it, the error number.
const REFUSED: &[(&str, &str, u16)] = &[
    ("General tablespaces", "CREATE TABLESPACE s ADD DATAFILE 'x.ibd'", 1235),
    ("Stopword tables", "SET GLOBAL innodb_ft_server_stopword_table = 'd/t'", 1235),
    ("Plugins", "INSTALL PLUGIN p SONAME 'p.so'", 1235),
    ("Components", "INSTALL COMPONENT 'file://c'", 3529),
    ("Loadable functions", "CREATE FUNCTION f RETURNS STRING SONAME 'f.so'", 1235),
    ("Group replication", "START GROUP_REPLICATION", 3092),
    ("Binary logs", "SHOW BINARY LOGS", 1381),
    ("GTIDs", "SET gtid_next = '3e11fa47-71ca-11e1-9e33-c80aa9429562:1'", 1781),
    ("CLONE", "CLONE LOCAL DATA DIRECTORY '/x'", 1235),
    ("Federated servers", "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST 'h')", 1235),
    ("Resource groups", "CREATE RESOURCE GROUP g TYPE = USER", 1235),
    ("Transportable tablespaces", "ALTER TABLE t DISCARD TABLESPACE", 1235),
    ("IMPORT TABLE", "IMPORT TABLE FROM 'x'", 1235),
    ("ALTER INSTANCE", "ALTER INSTANCE ROTATE INNODB MASTER KEY", 1235),
    ("EXPLAIN ANALYZE of changes", "EXPLAIN ANALYZE DELETE FROM t", 1235),
    ("Profiles of statements", "SHOW PROFILES", 1235),
    ("Transportable tablespaces", "FLUSH TABLES t FOR EXPORT", 1235),
    ("ALTER TABLE ... ORDER BY without a primary key", "ALTER TABLE n ORDER BY v", 1235),
    ("GROUP_CONCAT() over a window", "SELECT GROUP_CONCAT(v) OVER () FROM t", 1235),
    ("MERGE tables", "CREATE TABLE m (id INT) ENGINE=MERGE UNION=(t)", 1235),
    ("ROLES_GRAPHML()", "SELECT ROLES_GRAPHML()", 1235),
    ("Functions of MySQL's own dictionary", "SELECT CAN_ACCESS_TABLE('d', 't')", 3566),
];

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compatibility.md");
const BEGIN: &str = "<!-- refused: begin -->\n";
const END: &str = "<!-- refused: end -->";

#[test]
fn the_refused_are_refused() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.rows("create table t (id int primary key, v varchar(10))").await;
        c.rows("create table n (v int)").await;
        for (_, sql, errno) in REFUSED {
            let answer = c.ask(sql).await;
            assert_eq!(answer.errno(), *errno, "{sql}\n  {}", answer.line());
        }
    });
}

#[test]
fn the_document_lists_them() {
    let mut want = String::from("| what | for example | error |\n|---|---|---|\n");
    for (what, sql, errno) in REFUSED {
        let _ = writeln!(want, "| {what} | `{sql}` | {errno} |");
    }
    let text = std::fs::read_to_string(DOCUMENT).unwrap();
    let (head, rest) = text.split_once(BEGIN).expect("the section begins");
    let (found, tail) = rest.split_once(END).expect("the section ends");
    if std::env::var_os("WEIR_WRITE_DOCS").is_some() {
        std::fs::write(DOCUMENT, format!("{head}{BEGIN}{want}{END}{tail}")).unwrap();
        return;
    }
    assert_eq!(found, want, "WEIR_WRITE_DOCS=1 writes it anew");
}
