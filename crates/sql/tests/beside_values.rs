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

/// A column of FLOAT(m,d) or DOUBLE(m,d) is the number that it shows beside exact numbers; FLOAT alone is the double that it is.
#[test]
fn numbers_of_fixed_places_are_compared_as_they_are_shown() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("create table t (id int primary key, f float(7,2), d double(7,4), p float, key (f))", "ok 0"),
            ("insert into t values (1, 19.99, 1.2345, 19.99), (2, 0.1, 2, 0.1), (3, 5, 0.1, 5)", "ok 3"),
            ("select id from t where f = 19.99", "1"),
            ("select id from t ignore index (f) where f = 19.99 or 0.10 = f", "1; 2"),
            ("select id from t where f <= 19.99 and f >= 0.1 order by id", "1; 2; 3"),
            ("select id from t where f < 19.99 and f > 0.1", "3"),
            ("select id from t where f <> 19.99 order by id", "2; 3"),
            ("select id from t where f = 5 or d = 1.2345 order by id", "1; 3"),
            ("select id from t where f = 19.991 or f = 19.9949", ""),
            ("select id from t where p = 19.99", ""),
            ("select id from t where f = 1999e-2 or f = '0.1' order by id", "1; 2"),
            ("select id from t ignore index (f) where f = 1999e-2 or f < '5' order by id", "1; 2"),
            ("prepare s from 'select id from t where f = ?'", "ok 0"),
            ("set @f = 19.99", "ok 0"),
            ("execute s using @f", "1"),
            ("create table e (e decimal(9,4))", "ok 0"),
            ("insert into e values (19.99), (0.1), (5.003)", "ok 3"),
            ("select id from t, e where f = e order by id", "1; 2"),
            ("select id, nullif(f, 19.99) is null from t order by id", "1|1; 2|0; 3|0"),
            ("select id from t where f in (19.99, 1) or f between 19.99 and 20", ""),
            ("update t set d = 3 where f = 0.1", "ok 1"),
            ("delete from t where f = 19.99", "ok 1"),
        ])
        .await;
    });
}

/// Bytes that are no text are no member of an ENUM or SET, and no text that could not be stored.
#[test]
fn what_is_no_text_is_no_member() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.rows("create table t (e enum('a','b','?'), s set('x','y'))").await;
        c.check(&[
            ("insert into t (e) values (0x878A)", "E1265 Data truncated for column 'e' at row 1"),
            ("insert into t (s) values (0x878A)", "E1265 Data truncated for column 's' at row 1"),
            ("insert into t (e) values (_binary 'a')", "ok 1"),
            ("set sql_mode = ''", "ok 0"),
            ("insert into t (e, s) values (0x878A, 0x878A)", "ok 1"),
            ("show warnings", "Warning|1265|Data truncated for column 'e' at row 1; Warning|1265|Data truncated for column 's' at row 1"),
            ("select e + 0, s + 0 from t", "1|NULL; 0|0"),
        ])
        .await;
        c.0.close().await;
    });
}

/// A format that a row or a variable has reads a date and time, whatever stands in it; names may be cut where one alone begins so.
#[test]
fn dates_are_read_by_formats() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.all(&[
            "create table d (id int primary key, s varchar(50), f varchar(50))",
            "insert into d values (1, '10:20:10', '%H:%i:%s'), (2, '15 May 2001', '%d %b %Y'), (3, '15 05 2001 1', '%d %m %Y %H')",
        ])
        .await;
        let rows = "1|NULL; 2|2001-05-15 00:00:00.000000; 3|2001-05-15 01:00:00.000000";
        c.check(&[
            ("select id, str_to_date(s, f) from d", rows),
            ("select id, concat(str_to_date(s, f)) from d", rows),
            ("set @f = '%d %b %Y'", "ok 0"),
            ("select str_to_date('15 May 2001', @f)", "2001-05-15 00:00:00.000000"),
            ("select str_to_date('15 May 2001', concat('%d', ' %b %Y'))", "2001-05-15"),
            ("select str_to_date('15 SEPTEMB 2001', '%d %M %Y'), str_to_date('Sund 15 MAY 2001', '%W %d %b %Y')", "2001-09-15|2001-05-15"),
            ("select str_to_date('15 Ju 2001', '%d %M %Y'), str_to_date('15 MAYb 2001', '%d %M %Y'), str_to_date('1', '1')", "NULL|NULL|NULL"),
            ("set sql_mode = ''", "ok 0"),
            ("select id, str_to_date(s, f) from d where id = 1", "1|0000-00-00 10:20:10.000000"),
        ])
        .await;
    });
}

/// The classes of a regular expression are Unicode's.
#[test]
fn letters_are_no_matter_of_ascii() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("select 'här' regexp 'h[[:alpha:]]+r', 'É' regexp binary '[[:upper:]]'", "E3995"),
            ("select 'här' regexp 'h[[:alpha:]]+r', 'я' regexp '^[[:alnum:]]$', '٣' regexp '[[:digit:]]'", "1|1|1"),
            ("select regexp_like('É', '[[:lower:]]', 'c'), regexp_like('É', '[[:upper:]]', 'c'), 'é' regexp '[:alpha:]'", "0|1|1"),
            ("select 'é' regexp '[^[:alpha:]]', 'é' regexp '[[:^alpha:]]', '1' regexp '[[:^alpha:]]'", "0|0|1"),
            ("select '+' regexp '[[:punct:]]', '-' regexp '[[:punct:]]', '，' regexp '[[:punct:]]'", "0|1|1"),
            ("select ' ' regexp '[[:graph:]]', 'é' regexp '[[:graph:]]', ' ' regexp '[[:print:]]', '\\n' regexp '[[:blank:]]'", "0|1|1|0"),
            ("select 'é' regexp '[[:Lu:]]', regexp_like('é', '[[:Lu:]]', 'c'), 'x' regexp '\\\\[[:alpha:]'", "1|0|0"),
            ("select regexp_replace('Straße 12', '[^[:alnum:]]', ''), regexp_substr('12 größe', '[[:alpha:]]+')", "Straße12|größe"),
            ("select 'a' regexp '[[:nothing:]]'", "E3685 Illegal argument to a regular expression."),
            ("select 'a' regexp '[[:<:]]a[[:>:]]'", "E3685"),
        ])
        .await;
    });
}

/// CHAR of the set of bytes is BINARY; addresses may have zeros before their numbers, and are bytes where they are none of a text.
#[test]
fn bytes_are_padded_and_addresses_read() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("select hex(cast('a' as char(3) character set binary)), hex(cast('abc' as char(2) character set binary))", "610000|6162"),
            ("show warnings", "Warning|1292|Truncated incorrect BINARY(2) value: 'abc'"),
            ("select hex(inet6_aton('::01.2.3.4')), hex(inet6_aton('1.02.3.004')), inet6_aton('::1.2.3')", "00000000000000000000000001020304|01020304|NULL"),
            ("select is_ipv4_compat(inet6_aton('::01.2.3.4')), is_ipv6('::01.2.3.4'), is_ipv6('::0001.2.3.4')", "1|1|0"),
            ("create table a (c char(4), b binary(4))", "ok 0"),
            ("insert into a values (x'01020304', x'01020304')", "ok 1"),
            ("select inet6_ntoa(c), inet6_ntoa(b) from a", "NULL|1.2.3.4"),
            ("select power(1e300, 10)", "E1690 DOUBLE value is out of range in 'pow(1e300,10)'"),
        ])
        .await;
    });
}

/// Parts of a date between separators may have zeros before them, and CONVERT() to bytes is as long as the bytes.
#[test]
fn parts_of_dates_and_bytes_of_texts() {
    with_server(1, async |s| {
        let mut c = s.client();
        c.check(&[
            ("create table d (d date, t datetime)", "ok 0"),
            ("insert into d values ('2003-003-03', '2003-3-3 001:002:003'), (date'2003-0003-3', '03-03-003')", "ok 2"),
            ("select * from d", "2003-03-03|2003-03-03 01:02:03; 2003-03-03|2003-03-03 00:00:00"),
            ("select cast('2003-01-256' as date), cast('2003-1-1 1:2:300' as datetime), cast('2003-1-1 1:2:003.5' as datetime(1))", "NULL|NULL|2003-01-01 01:02:03.5"),
            ("create table x as select convert(_utf8mb4'äöü' using binary) as b", "ok 1"),
            ("select hex(b) from x", "C3A4C3B6C3BC"),
            ("select column_type from information_schema.columns where table_name = 'x'", "varbinary(12)"),
        ])
        .await;
    });
}

/// Addresses of IPv6 as texts: `::` stands also for one zero, and what is behind six zeros alone is IPv4's. Negative decimals keep their bits.
#[test]
fn addresses_and_negative_decimals() {
    with_server(98, |server| async move {
        let mut c = server.client();
        let addresses = [
            ("::", "::"),
            ("::1", "::1"),
            ("::1:0", "::0.1.0.0"),
            ("::102:304", "::1.2.3.4"),
            ("::ffff:102:304", "::ffff:1.2.3.4"),
            ("::fffe:102:304", "::fffe:102:304"),
            ("0:2:3:4:5:6:7:8", "::2:3:4:5:6:7:8"),
            ("1:2:3:4:5:6:7:0", "1:2:3:4:5:6:7::"),
            ("1:0:0:2:0:0:3:4", "1::2:0:0:3:4"),
            ("1:0:0:2:0:0:0:3", "1:0:0:2::3"),
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ];
        for (address, text) in addresses {
            c.check(&[(&format!("select inet6_ntoa(inet6_aton('{address}'))"), text)]).await;
        }
        c.check(&[
            ("select cast(-1.5 as unsigned), cast(-0.2 as unsigned)", "18446744073709551614|0"),
            ("select cast(coalesce(null, -1.0) as unsigned)", "18446744073709551615"),
            ("select cast(-29223372036854775809 as unsigned)", "9223372036854775808"),
            (
                "show warnings",
                "Warning|1292|Truncated incorrect DECIMAL value: '-29223372036854775809'",
            ),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

/// REPLACE does not write over the row that has the number which was drawn for the new one; over others it does.
#[test]
fn replace_spares_the_row_of_a_drawn_number() {
    check(&[
        ("create table t (a tinyint auto_increment primary key, b int unique)", "ok 0"),
        ("insert into t values (126, 1), (127, 2)", "ok 2"),
        ("replace into t values (0, 3)", "E1062 Duplicate entry '127' for key 't.PRIMARY'"),
        ("replace into t values (null, 3)", "E1062"),
        ("replace into t (b) values (3)", "E1062"),
        ("select * from t order by a", "126|1; 127|2"),
        ("replace into t values (127, 4)", "ok 2"),
        ("insert into t values (0, 5) on duplicate key update b = 6", "ok 2"),
        ("select * from t order by a", "126|1; 127|6"),
        ("create table u (a int auto_increment primary key, b int unique)", "ok 0"),
        ("insert into u (b) values (1)", "ok 1"),
        ("replace into u (b) values (1)", "ok 2"),
        ("select * from u", "2|1"),
    ]);
}

/// DEFAULT in ON DUPLICATE KEY UPDATE, also of defaults that are expressions: those see what the row becomes.
#[test]
fn defaults_that_a_duplicate_is_set_to() {
    check(&[
        (
            "create table t (a int primary key, b int default (a * 2), c int default (7), \
             d datetime default current_timestamp, e int not null default (nullif(a, 5)))",
            "ok 0",
        ),
        ("insert into t (a, b, c, d) values (1, 0, 0, '2000-01-01')", "ok 1"),
        ("insert into t (a) values (1) on duplicate key update b = default, c = default", "ok 2"),
        ("select a, b, c from t", "1|2|7"),
        ("insert into t (a) values (1) on duplicate key update a = a + 3, b = default", "ok 2"),
        ("select a, b, c from t", "4|8|7"),
        ("insert into t (a) values (4) on duplicate key update d = default", "ok 2"),
        ("select d > '2000-01-01' from t", "1"),
        ("insert into t (a, e) values (4, 1) on duplicate key update a = 5, e = default", "E1048"),
        ("insert into t (a) values (4) on duplicate key update b = default(b)", "E3773"),
        ("select a, b, e from t", "4|8|1"),
    ]);
}

/// `*` shows a column that USING names, also where neither table shows it.
#[test]
fn invisible_columns_that_are_joined_by() {
    check(&[
        ("create table l (a int, b int invisible)", "ok 0"),
        ("create table r (b int invisible, c int)", "ok 0"),
        ("insert into l (a, b) values (1, 2), (3, 4)", "ok 2"),
        ("insert into r (b, c) values (2, 5), (6, 7)", "ok 2"),
        ("select * from l join r using (b)", "2|1|5"),
        ("select * from l left join r using (b) order by b", "2|1|5; 4|3|NULL"),
        ("select * from l right join r using (b) order by b", "2|5|1; 6|7|NULL"),
        ("select l.*, b from l join r using (b)", "1|2"),
        ("select * from l natural join r where l.b = 2 and r.b = 2", "1|5"),
    ]);
}
