//! Definitions of generated columns: what MySQL refuses in them, and what it says of it.
use crate::common::*;

/// Calls are named as MySQL's own functions are, and those of stored functions as they are quoted.
#[test]
fn what_may_not_generate_a_column() {
    let named = |f: &str| {
        format!("E3763 Expression of generated column 'b' contains a disallowed function: {f}.")
    };
    for (expr, want) in [
        ("schema()", named("database")),
        ("session_user()", named("user")),
        ("version()", named("version()")),
        ("updatexml(a, '/a', 'b')", named("updatexml")),
        ("json_merge(a, a)", named("json_merge_preserve")),
        ("match (a) against ('x')", named("match")),
        ("f(a)", named("`f`")),
        ("s.f(a)", named("`s`.`f`")),
        (
            "name_const('a', 1)",
            "E3102 Expression of generated column 'b' contains a disallowed function.".into(),
        ),
    ] {
        check(&[(&format!("create table t (a varchar(10), b varchar(10) as ({expr}))"), &want)]);
    }
    check(&[
        (
            "create table t (a int default (f()))",
            "E3770 Default value expression of column 'a' contains a disallowed function: `f`.",
        ),
        (
            "create table t (a varchar(40) default (session_user()), b varchar(40) default (schema()))",
            "ok 0",
        ),
        (
            "select column_default from information_schema.columns where table_name = 't'",
            "user(); database()",
        ),
    ]);
}

/// What stands beside an expression that cannot.
#[test]
fn clauses_beside_an_expression() {
    let wrong = |what: &str| format!("E1221 Incorrect usage of {what} and generated column");
    check(&[
        ("create table t (a int, b int as (a) on update now())", &wrong("ON UPDATE")),
        (
            "create table t (a int, b int as (a) serial default value)",
            &wrong("SERIAL DEFAULT VALUE"),
        ),
        ("create table t (a int, b int as (a))", "ok 0"),
        (
            "alter table t add index (a), without validation",
            "E1221 Incorrect usage of ALTER and WITH VALIDATION",
        ),
        ("alter table t comment 'x', with validation", "E1221"),
        ("alter table t rename column b to c, with validation", "ok 0"),
        ("alter table t add d int, with validation", "ok 0"),
    ]);
}

/// A unique key of a virtual column is no primary key to anybody.
#[test]
fn no_primary_key_is_virtual() {
    check(&[
        (
            "create table t (a int not null, v int as (a) virtual not null, unique (v), unique (a))",
            "ok 0",
        ),
        (
            "select column_name, column_key from information_schema.columns where table_name = 't' order by 1",
            "a|PRI; v|UNI",
        ),
        ("create table u (a int not null, v int as (a) stored not null, unique (v))", "ok 0"),
        (
            "select column_name, column_key from information_schema.columns where table_name = 'u' order by 1",
            "a|; v|PRI",
        ),
    ]);
}
