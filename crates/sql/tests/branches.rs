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

/// IF() and CASE of a date or time and something else are texts, and a function that wants a date or time takes the branch itself.
#[test]
fn a_branch_that_is_a_date_or_time_stays_one() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table m (id int primary key, d date, dt datetime, t time)",
            "insert into m values (1, '2024-02-29', '2024-02-29 01:02:03', '10:11:12')",
        ])
        .await;
        c.check(&[
            ("select second(case when null then 1 else d end), second(if(0, 1, d)) from m", "0|0"),
            ("select second(case when null then 'a' else d end), second(if(0, 'a', dt)) from m", "0|3"),
            ("select hour(case when 0 then 1 when 1 then dt end), time(if(1, t, d)) from m", "1|10:11:12"),
            ("select minute(if(0, 1, case 1 when 2 then 'a' when 1 then t end)) from m", "11"),
            ("select date(case when 0 then 1 else t end) = date(t), date(if(0, 1, t)) = date(t) from m", "1|1"),
            ("select extract(second from if(0, 1, d)), timestampdiff(second, d, if(0, 1, dt)) from m", "0|3723"),
            ("select date_add(if(0, 1, t), interval 1 hour) from m where date(if(0, 1, t)) = curdate()", "11:11:12"),
            ("select cast(if(0, 'a', d) as time), second(if(1, '1:2:3', d)) from m", "00:00:00|3"),
            ("select second(case when id = 2 then d end) from m", "NULL"),
            // The text is what is compared, shown and stored.
            ("select if(0, 1, d), concat(if(0, 1, d)), if(0, 1, d) = '2024-02-29' from m", "2024-02-29|2024-02-29|1"),
            ("select second(coalesce(d, 1)) from m", "24"),
        ])
        .await;
    });
}

/// FIELD() compares numbers where the type of one argument says so, also where its value is NULL, and integers to the last digit.
#[test]
fn field_compares_by_types() {
    with_server(1, async |s| {
        s.client()
            .check(&[
                ("select field('a', cast(null as signed), 'b'), field('a', null, 'b')", "2|0"),
                ("select field(inet_ntoa(1), to_days(null), concat('[', 1, ']'))", "2"),
                ("select field(9007199254740993, 9007199254740992, 9007199254740993)", "2"),
                ("select field(9007199254740993.0, 9007199254740992, 9007199254740993)", "2"),
                ("select field(1.10, 1.1, 2), field('1.0', 1, 2), field(1, '1.0', '1')", "1|1|1"),
                ("select field(18446744073709551615, 5, 18446744073709551615)", "2"),
                ("select field(1, null, 1), field(null, null), field(null, 1)", "2|0|0"),
                ("select field('a', 'A'), field('a' collate utf8mb4_bin, 'A')", "1|0"),
                ("select field(b'1000001', 65), field('b', 'a', 'b', 'b')", "1|2"),
            ])
            .await;
    });
}

/// ELT() and MAKE_SET() evaluate what they take and nothing else.
#[test]
fn what_is_not_chosen_is_not_evaluated() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLE).await;
        let beyond = "9223372036854775807 + id";
        for (sql, answer) in [
            ("select elt(2, BEYOND, 'a') from t where id = 1", "a"),
            ("select elt(null, BEYOND) from t where id = 1", "NULL"),
            ("select elt(3, BEYOND, 'a') from t where id = 1", "NULL"),
            ("select make_set(6, BEYOND, 'a', 'b') from t where id = 1", "a,b"),
            ("select elt(id, 'x', (select 1 union select 2)) from t where id = 1", "x"),
            ("select elt('1x', 'x', BEYOND) from t where id = 1", "x"),
        ] {
            c.check(&[(sql.replace("BEYOND", beyond).as_str(), answer)]).await;
        }
        for call in ["elt(1, BEYOND, 'a')", "make_set(1, BEYOND)"] {
            let sql = format!("select {} from t where id = 1", call.replace("BEYOND", beyond));
            assert_eq!(c.ask(&sql).await.errno(), 1690, "{sql}");
        }
    });
}

/// A text that is no number is refused in the conditions of a change, and where it is compared elsewhere only if a row gets there.
#[test]
fn what_no_row_compares_refuses_nothing() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLE).await;
        for value in ["'x' = n", "'x' <=> n", "n > 'x'", "if('x' = n, 1, 2)", "nullif(n, 'x')"] {
            let none = format!("update t set c = ({value}) where id = 77");
            c.check(&[(&none, "ok 0")]).await;
            let one = format!("update t set c = ({value}) where id = 1");
            assert_eq!(c.ask(&one).await.errno(), 1292, "{one}");
            let copied = format!("insert into t (id, c) select 9, ({value}) from t where id = 77");
            c.check(&[(&copied, "ok 0")]).await;
        }
        assert_eq!(c.ask("delete from t where id = 77 and n = 'x'").await.errno(), 1292);
    });
}

/// CONVERT() of a BIT has its bytes, as CAST() has, and a regular expression searches in them.
#[test]
fn a_bit_is_the_text_of_its_bytes() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&TABLE).await;
        c.check(&[
            ("select convert(b using utf8mb4), hex(convert(b using latin1)), hex(convert(b using binary)) from t where id = 2", "A|41|41"),
            ("select cast(b as char), concat(b), convert(b + 0 using utf8mb4) from t where id = 2", "A|A|65"),
            ("select b regexp 'A', regexp_like('A', b), regexp_substr(b, 'A'), regexp_instr(b, 'A') from t where id = 2", "1|1|A|1"),
            ("select regexp_replace('A', 'A', b) from t where id = 2", "A"),
        ])
        .await;
        let refused = "select regexp_replace(b, 'A', 'x') from t";
        assert_eq!(c.ask(refused).await.errno(), 3995);
    });
}
