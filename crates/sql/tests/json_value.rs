//! JSON_VALUE and its clauses, and what becomes of values of other types in documents, as a MySQL beside it has it.
use crate::common::*;

/// What is no document is for ON ERROR to decide; an array or object is a text where a text is wanted, and of several parts there is
/// no value.
#[test]
fn what_json_value_gives() {
    check(&[
        ("select json_value('{', '$.a'), json_value('{', '$.a' default 'e' on error)", "NULL|e"),
        (
            "show warnings",
            "Warning|3141|Invalid JSON text in argument 1 to function json_value: \"Missing a name for object member.\" at position 1.; Warning|3141|Invalid JSON text in argument 1 to function json_value: \"Missing a name for object member.\" at position 1.",
        ),
        ("select json_value('{', '$.a' error on error)", "E3141"),
        (
            "select json_value('{\"a\": [1, 2]}', '$.a'), json_value('{\"a\": {}}', '$.a' returning char(5))",
            "[1, 2]|{}",
        ),
        ("select json_value('{\"a\": [1, 2]}', '$.a' returning char(5) default 'e' on error)", "e"),
        ("select json_value('[1, 2]', '$' returning signed) is null", "1"),
        ("select json_value('[1, 2]', '$[*]' returning json) is null", "1"),
        ("select json_value('[1, 2]', '$[*]' returning json error on error)", "E3967"),
        (
            "select j from json_table('[1, 2]', '$' columns (j json path '$[*]', c char(9) path '$' default '\"e\"' on error)) t",
            "[1, 2]",
        ),
    ]);
}

/// ERROR ON ERROR names the type as RETURNING does.
#[test]
fn what_json_value_refuses() {
    let out_of = |what: &str| format!("E1690 {what} value is out of range in 'json_value'");
    for (returning, what) in [
        ("signed", "SIGNED"),
        ("unsigned", "UNSIGNED"),
        ("decimal", "DECIMAL"),
        ("date", "DATE"),
        ("datetime", "DATETIME"),
        ("char(1)", "STRING"),
        ("year", "YEAR"),
    ] {
        let sql = format!("select json_value('\"xy\"', '$' returning {returning} error on error)");
        check(&[(&sql, &out_of(what))]);
    }
}

/// A DEFAULT is a literal that is a value of the type exactly, whatever the document has.
#[test]
fn defaults_of_json_value() {
    let with = |returning: &str, default: &str| {
        format!("select json_value('{{}}', '$.a' returning {returning} default {default} on empty)")
    };
    for (returning, default, want) in [
        ("signed", "-12", "-12"),
        ("signed", "-9223372036854775808", "-9223372036854775808"),
        ("decimal(4,1)", "-1.5", "-1.5"),
        ("double", "-1.5e3", "-1500"),
        ("json", "'[1]'", "[1]"),
        (
            "signed",
            "9223372036854775808",
            "E1690 SIGNED DEFAULT value is out of range in 'json_value'",
        ),
        ("unsigned", "-1", "E1690 UNSIGNED DEFAULT value is out of range in 'json_value'"),
        ("signed", "1.7", "E1292 Truncated incorrect INTEGER SIGNED value: '1.7'"),
        ("unsigned", "'x'", "E1292 Truncated incorrect INTEGER UNSIGNED value: 'x'"),
        ("decimal(4,1)", "1.25", "E1690 DECIMAL DEFAULT value is out of range in 'json_value'"),
        ("decimal(4,1)", "'x'", "E1292 Truncated incorrect DECIMAL value: 'x'"),
        ("char(2)", "'xyz'", "E1690 CHAR DEFAULT value is out of range in 'json_value'"),
        ("time(1)", "'10:00:00.25'", "E1690 TIME DEFAULT value is out of range in 'json_value'"),
        ("date", "'x'", "E1292 Truncated incorrect date value: 'x'"),
        ("datetime", "'x'", "E1292 Incorrect datetime value: 'x'"),
        ("float", "'x'", "E1292 Truncated incorrect DOUBLE value: 'x'"),
        ("year", "3000", "E1690 YEAR value is out of range in 'json_value'"),
        ("json", "'x'", "E3141"),
        ("signed", "null", "E1064"),
        ("signed", "abs(1)", "E1064"),
    ] {
        check(&[(&with(returning, default), want)]);
    }
    check(&[
        ("select json_value('1', '$' null on error null on empty)", "E1064"),
        ("select json_value('1', '$' null on error null on error)", "E1064"),
        (
            "select i from json_table('{}', '$' columns (i int path '$.a' null on error default '1' on empty)) t",
            "1",
        ),
        (
            "select i from json_table('{}', '$' columns (i int path '$.a' default 1 on empty)) t",
            "E1235 This version of MySQL doesn't yet support 'non-string DEFAULT value for a column in a JSON_TABLE expression'",
        ),
    ]);
}

/// The names of ENUM and SET are strings and no JSON text, and EXISTS is true or false.
#[test]
fn values_of_other_types_in_documents() {
    check(&[
        ("create table t (e enum('x', '1'), s set('a', 'b'))", "ok 0"),
        ("insert into t values ('1', 'a,b')", "ok 1"),
        (
            "select cast(e as json), cast(s as json), json_type(cast(e as json)) from t",
            "\"1\"|\"a,b\"|STRING",
        ),
        (
            "select json_array(e, s, exists (select 1 from t), not exists (select 1)) from t",
            "[\"1\", \"a,b\", true, false]",
        ),
    ]);
}

/// A YEAR is read from the text of a JSON value.
#[test]
fn a_year_of_json() {
    check(&[
        ("create table t (y year)", "ok 0"),
        ("insert into t values (cast('2001' as json)), (cast('1.5' as json))", "ok 2"),
        (
            "insert into t values (cast('true' as json))",
            "E1366 Incorrect integer value: 'true' for column 'y' at row 1",
        ),
        (
            "insert into t values (cast('[1]' as json))",
            "E1366 Incorrect integer value: '[1]' for column 'y' at row 1",
        ),
        ("select y from t", "2001; 2002"),
    ]);
}

/// Where JSON values are compared as something else, a warning says so.
#[test]
fn comparisons_that_know_no_json() {
    let told = |place: &str| {
        format!(
            "Warning|1235|This version of MySQL doesn't yet support 'comparison of JSON {place}'"
        )
    };
    check(&[
        ("select cast('1' as json) between 0 and 2", "1"),
        ("show warnings", &told("in the BETWEEN operator")),
        ("select least(cast('1' as json), 2)", "1"),
        ("show warnings", &told("in the LEAST and GREATEST operators")),
        ("select (1, cast('1' as json)) in ((2, 1), (1, 1))", "1"),
        ("show warnings", &told("within a ROW in the IN operator")),
        ("select cast('1' as json) in (0, 1), (1, cast('1' as json)) in ((1, 1))", "1|1"),
        ("show warnings", ""),
    ]);
}

/// A path that does not begin with `$` is wrong behind what stands there.
#[test]
fn where_a_path_goes_wrong() {
    let at = |n: u32| {
        format!("E3143 Invalid JSON path expression. The error is around character position {n}.")
    };
    check(&[
        ("select json_extract('{}', '.a')", &at(1)),
        ("select json_extract('{}', '  a')", &at(3)),
        ("select json_extract('{}', '')", &at(0)),
        ("select json_extract('{}', '$a')", &at(1)),
        // In brackets, too.
        ("select json_extract('[1]', '$[last+1]')", &at(7)),
        ("select json_extract('[1]', '$[1 to]')", &at(5)),
        ("select json_extract('[1]', '$[1 to 2')", &at(8)),
    ]);
}
