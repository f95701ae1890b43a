//! Types that are made from several: literals and parameters among the branches of IF, COALESCE, CASE and GREATEST; YEAR, BIT and
//! ENUM where one of them is a text.
use crate::common::*;

const TABLE: [&str; 2] = [
    "create table t (id int primary key, c varchar(9), y year, b bit(8), e enum('a','b'), n int, z int(5) zerofill)",
    "insert into t values (1, 'a', 0, 36, 'b', 0, 7), (2, 'b', 2024, 65, 'a', 5, 12)",
];

/// A literal of a condition is a parameter of the plan that all such statements share, and of its class all the same.
#[test]
fn literals_among_branches_have_their_types() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLE).await;
        c.check(&[
            ("select id from t where ifnull(n, '') = ''", ""),
            ("select id from t where ifnull(n, '') = '0'", "1"),
            ("select id from t where ifnull(n, 0) = ''", "1"),
            ("select id from t where coalesce('x', id) = 'y'", ""),
            ("select id from t where 'y' = if(id = 1, 'x', id)", ""),
            ("select id from t where case when id = 1 then 'x' else id end = 'x'", "1"),
            ("select id from t where case when id = 1 then '10' else id end < '2'", "1"),
            ("select id from t where case when id = 1 then '10' else id end < 3", "2"),
            ("select id from t where if(id = 1, '10', 9) < c order by id", "1; 2"),
            ("select id from t where if(id = 1, 10, 9) < c", ""),
            ("select id from t where if(id = 1, '10', 9) < '9'", "1"),
            ("select id from t where case id when 1 then 1.5 else 2 end = '1.5'", "1"),
            ("update t set n = case id when 1 then 0 when 2 then 5 end", "ok 0"),
            ("update t set c = case id when 1 then 'a' when 2 then null end where id = 1", "ok 0"),
            ("select id from t where greatest('z', id) = 'y'", ""),
            ("select id from t where not ifnull('x', id) = 'y' order by id", "1; 2"),
            ("select id from t where c = ifnull('x', id)", ""),
            ("select id from t where if(id = 1, 0.5, id) = 0.50", "1"),
            ("select id from t where if(id = 1, 0.25, id) = 0.25", "1"),
            ("select count(*) from t group by id having max(ifnull(n, '')) = '5'", "1"),
            ("update t set c = 'q' where ifnull(n, '') = ''", "ok 0"),
            ("delete from t where if(id = 1, 'abc', id) = 'abd'", "ok 0"),
        ])
        .await;
    });
}

/// A parameter that has no type yet does not make its branches what the others are.
#[test]
fn parameters_among_branches() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLE).await;
        c.check(&[
            ("prepare p from 'select id from t where ifnull(?, n) = ?'", "ok 0"),
            ("set @x = 'x', @y = 'y', @e = '', @n = 5", "ok 0"),
            ("execute p using @x, @y", ""),
            ("execute p using @x, @x", "1; 2"),
            ("execute p using @e, @e", "1; 2"),
            ("execute p using @n, @n", "1; 2"),
            ("execute p using @nothing, @n", "2"),
            ("prepare u from 'select ? union all select id from t'", "ok 0"),
            ("execute u using @x", "x; 1; 2"),
            ("execute u using @n", "5; 1; 2"),
            (
                "prepare d from 'delete from t where case when id = 1 then ? else id end = ?'",
                "ok 0",
            ),
            ("execute d using @x, @y", "ok 0"),
            ("execute d using @x, @x", "ok 1"),
        ])
        .await;
    });
}

/// What a column shows is what its number is as a text; a BIT is its bytes.
#[test]
fn years_and_bits_as_texts() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLE).await;
        c.check(&[
            ("select concat(1, y), lpad(y, 6, 'x'), cast(y as char), upper(z) from t where id = 1", "10000|xx0000|0000|00007"),
            ("select ifnull(y, 'b'), case when 1 then y else 'a' end, elt(1, y), y + 0 from t where id = 1", "0000|0000|0000|0"),
            ("select length(y), replace(y, '0', 'x'), convert(y using latin1) from t where id = 1", "4|xxxx|0000"),
            ("select y = 0, y = '0000', y = '0', y = '00' from t where id = 1", "1|1|0|0"),
            ("select hex(case 1 when 1 then b else c end), hex(elt(1, b)), hex(lpad(b, 3, 'x')) from t where id = 1", "24|24|787824"),
            ("select hex(replace(b, 'x', 'y')), hex(make_set(1, b)), hex(insert(b, 1, 0, '')), hex(greatest(b, c)) from t where id = 1", "24|24|24|61"),
            ("select coalesce(e, null) + 0, case when 1 then e end + 0, if(1, e, null) + 0 from t where id = 1", "0|2|2"),
            ("select id from t where coalesce(e, null)", ""),
            ("select bit_and(99999999999999999999), bit_or(-99999999999999999999)", "9223372036854775807|9223372036854775808"),
        ])
        .await;
    });
}

/// Seconds of an interval may have a fraction, and the result's type has its digits.
#[test]
fn fractions_of_seconds_in_intervals() {
    check(&[
        ("select timestamp'2020-01-01 00:00:00' + interval 1.5 second", "2020-01-01 00:00:01.5"),
        (
            "select timestamp'2020-01-01 00:00:00' + interval '1.5' second",
            "2020-01-01 00:00:01.500000",
        ),
        (
            "select timestamp'2020-01-01 00:00:00' + interval '1' second",
            "2020-01-01 00:00:01.000000",
        ),
        ("select timestamp'2020-01-01 00:00:00' + interval 1 second", "2020-01-01 00:00:01"),
        ("select time'00:00:00' - interval 0.25 second", "-00:00:00.25"),
        ("select date'2020-01-01' + interval 1.25 second", "2020-01-01 00:00:01.25"),
        ("select '2020-01-01 00:00:00' + interval '1' second", "2020-01-01 00:00:01"),
        (
            "select 1 from (select 1) d where timestamp'2020-01-01 00:00:00' + interval 0.5 second > '2020-01-01 00:00:00'",
            "1",
        ),
    ]);
}

/// What is no text of the set is nothing in a strict mode, and ends the text in others.
#[test]
fn characters_that_are_none() {
    check(&[
        ("select char(99999 using utf8mb4)", "NULL"),
        ("set sql_mode = ''", "ok 0"),
        ("select hex(char(99999 using utf8mb4)), hex(char(0x41ff42 using utf8mb4))", "01|41"),
        (
            "show warnings",
            "Warning|1300|Invalid utf8mb4 character string: '869F'; Warning|1300|Invalid utf8mb4 character string: 'FF42'",
        ),
    ]);
}
