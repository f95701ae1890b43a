//! What a MySQL beside it answered otherwise about values.
use crate::common::*;

/// STR_TO_DATE() passes over what `%.`, `%@` and `%#` name; the half of a day goes with an hour of it only.
#[test]
fn dates_are_read_past_what_does_not_matter() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("select str_to_date('03-01-02 8:11:2.123456', '%y-%m-%d %H:%i:%S.%#')", "2003-01-02 08:11:02"),
            (
                "select str_to_date('2003-....01ABCD-02 10:11:12.0012', '%Y-%.%m%@-%d %H:%i:%S.%f')",
                "2003-01-02 10:11:12.001200",
            ),
            ("select str_to_date('2003-01-02 10:11:12 PM', '%Y-%m-%d %H:%i:%S %p')", "NULL"),
            ("select str_to_date('10:11:12 PM', '%r'), str_to_date('10 PM', '%l %p')", "22:11:12|22:00:00"),
        ])
        .await;
    });
}

/// The year 0 has no leap day, so the days of its first two months are a day later than a calendar that goes on backwards has them.
#[test]
fn the_year_0_has_no_leap_day() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            (
                "select dayname('0000-01-01'), dayname('0000-02-28'), dayname('0000-03-01')",
                "Sunday|Tuesday|Wednesday",
            ),
            (
                "select to_days('0000-01-01'), to_days('0000-02-28'), to_days('0000-03-01')",
                "1|59|60",
            ),
            ("select last_day('0000-02-01'), datediff('0000-03-01', '0000-02-28')", "0000-02-28|1"),
            ("select dayname('0001-01-01'), to_days('0001-01-01')", "Monday|366"),
        ])
        .await;
    });
}

/// Blanks at the end of a SET's value are none of its last member's.
#[test]
fn blanks_end_a_set() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("create table t (a set('a', 'b') default 'a,b ')", "ok 0"),
            ("insert into t values ('b '), ('a,b  '), ('  '), (default)", "ok 4"),
            ("select a from t", "b; a,b; ; a,b"),
            ("insert into t values (' b')", "E1265"),
            ("insert into t values ('a ,b')", "E1265"),
        ])
        .await;
    });
}

/// A user variable's collation has as much of a claim as a column's, and what UNION makes a text of numbers and dates is in the connection's.
#[test]
fn collations_of_variables_and_unions() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "set names utf8mb4",
            "create table t (c varchar(9) collate utf8mb4_general_ci)",
            "insert into t values ('x')",
        ])
        .await;
        c.check(&[
            ("set @v = 'x', @w = _latin1'x'", "ok 0"),
            ("select coercibility(@v), coercibility(@n)", "2|2"),
            (
                "select * from t where c = @v",
                "E1267 Illegal mix of collations (utf8mb4_general_ci,IMPLICIT) and (utf8mb4_0900_ai_ci,IMPLICIT) for operation '='",
            ),
            ("select c like @v from t", "E1267"),
            ("select * from t where c = @w", "x"),
            ("select @v = 'X', @v = @w", "1|1"),
            ("create table u as select 1 as f union select now()", "ok 2"),
            (
                "select collation_name from information_schema.columns where table_name = 'u'",
                "utf8mb4_0900_ai_ci",
            ),
        ])
        .await;
    });
}
