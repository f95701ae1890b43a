//! SHOW CREATE under other modes, and what is kept of the texts of programs.
use crate::common::*;

/// ANSI is for other databases: what they would not understand is left out. The texts are MySQL 9.7's.
#[test]
fn definitions_under_ansi() {
    let collation = "utf8mb4|utf8mb4_general_ci";
    check(&[
        (
            "create table t (a int auto_increment, c varchar(5) comment 'x', primary key (a) using btree, \
             key k (c) comment 'kc' invisible) auto_increment=5 comment='c'",
            "ok 0",
        ),
        ("create view v as select a as `x y` from t", "ok 0"),
        ("set sql_mode = 'ansi'", "ok 0"),
        (
            "show create table t",
            "t|CREATE TABLE \"t\" (\n  \"a\" int NOT NULL AUTO_INCREMENT,\n  \"c\" varchar(5) DEFAULT NULL COMMENT 'x',\n  \
             PRIMARY KEY (\"a\"),\n  KEY \"k\" (\"c\")\n)",
        ),
        (
            "show create view v",
            &format!("v|CREATE VIEW \"v\" AS select \"t\".\"a\" AS \"x y\" from \"t\"|{collation}"),
        ),
    ]);
}

/// What MySQL keeps of the text behind a body depends on whether its grammar has had to read on.
#[test]
fn comments_behind_bodies() {
    for (body, kept) in [
        ("begin end /* behind */ -- more", "begin end"),
        ("lab: begin end lab /* x */", "lab: begin end lab"),
        ("lab: begin end /* x */", "lab: begin end /* x */"),
        ("if 1 then select 1; end if /* x */", "if 1 then select 1; end if"),
        ("select 1 /* x */   /* y */ ", "select 1 /* x */   /* y */"),
        ("select 1\n-- trail\n", "select 1\n-- trail"),
        ("select 1 ; ", "select 1"),
        ("select 1 /*! +1 */ /*!99999 +2 */ # end", "select 1  +1   # end"),
        ("set @a = '/*! x */' /* y */", "set @a = '/*! x */' /* y */"),
    ] {
        check(&[
            (&format!("create procedure p () {body}"), "ok 0"),
            ("select routine_definition from information_schema.routines", kept),
        ]);
    }
}
