//! Named time zones, in sessions and in CONVERT_TZ.
use crate::common::*;

#[test]
fn named_zones() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("set time_zone = 'Europe/Berlin'", "ok 0"),
            ("select @@time_zone", "Europe/Berlin"),
            ("select from_unixtime(1111885199), from_unixtime(1111885200)", "2005-03-27 01:59:59|2005-03-27 03:00:00"),
            ("create table t (id int primary key, at timestamp null, key (at))", "ok 0"),
            ("insert into t values (1, '2005-03-27 02:30:00')", "E1292"),
            ("insert ignore into t values (1, '2005-03-27 02:30:00')", "ok 1"),
            ("show warnings", "Warning|1299|Invalid TIMESTAMP value in column 'at' at row 1"),
            ("insert into t values (2, '2005-10-30 02:30:00'), (3, '2020-07-01 12:00:00')", "ok 2"),
            ("select id, at from t order by id", "1|2005-03-27 03:00:00; 2|2005-10-30 02:30:00; 3|2020-07-01 12:00:00"),
            ("select id from t where at >= '2020-07-01 12:00:00'", "3"),
            ("set time_zone = '+00:00'", "ok 0"),
            ("select id, at from t order by id", "1|2005-03-27 01:00:00; 2|2005-10-30 00:30:00; 3|2020-07-01 10:00:00"),
            (
                "select convert_tz('2004-01-01 12:00:00', 'GMT', 'MET'), convert_tz('2020-07-01 12:00:00', 'utc', 'america/new_york')",
                "2004-01-01 13:00:00|2020-07-01 08:00:00",
            ),
            ("select convert_tz('2020-07-01 12:00:00', 'UTC', 'Mars/Base'), convert_tz(null, 'UTC', 'MET')", "NULL|NULL"),
            // The second of two equal hours stays what it is, from column to column and by an index.
            ("create table two (id int primary key, at timestamp null, b timestamp null, key (at))", "ok 0"),
            ("insert into two values (1, '2026-10-25 00:30:00', null), (2, '2026-10-25 01:30:00', null)", "ok 2"),
            ("set time_zone = 'Europe/Berlin'", "ok 0"),
            ("select at, unix_timestamp(at) from two order by id", "2026-10-25 02:30:00|1792888200; 2026-10-25 02:30:00|1792891800"),
            ("update two set b = at", "ok 2"),
            ("update two set at = at", "ok 0"),
            ("insert into two select id + 2, at, b from two", "ok 2"),
            ("set time_zone = '+00:00'", "ok 0"),
            (
                "select id, at, b from two order by id",
                "1|2026-10-25 00:30:00|2026-10-25 00:30:00; 2|2026-10-25 01:30:00|2026-10-25 01:30:00; \
                 3|2026-10-25 00:30:00|2026-10-25 00:30:00; 4|2026-10-25 01:30:00|2026-10-25 01:30:00",
            ),
            ("set time_zone = 'Mars/Base'", "E1298 Unknown or incorrect time zone: 'Mars/Base'"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}

#[test]
fn a_document_in_case_and_an_empty_member() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.check(&[
            ("create table j (id int, d json, s set('a', 'b', ''))", "ok 0"),
            (r#"insert into j values (1, '{"k": null}', 0), (2, '{"k": 5}', 4), (3, '{"k": "x"}', 5), (4, '{}', 'b')"#, "ok 4"),
            (
                "select case json_extract(d, '$.k') when 'null' then 'none' else cast(json_extract(d, '$.k') as char) end from j order by id",
                "none; 5; \"x\"; NULL",
            ),
            (
                "select id from j where case json_extract(d, '$.k') when 'null' then null when 5 then 5 else 1 end is null",
                "1",
            ),
            ("select id from j where case json_extract(d, '$.k') when 5 then 1 end", "2"),
            ("select id from j where json_extract(d, '$.k') = 'x'", "3"),
            ("select id, s + 0 from j order by id", "1|0; 2|4; 3|5; 4|2"),
            ("select id from j where s = 4", "2"),
            ("select char(65 using utf16), hex(char(0x1f600 using utf32)), char(0x263a using utf16)", "A|0001F600|☺"),
            ("select char(0xd83dde00 using utf16), char(0xd83d using utf16)", "😀|NULL"),
            ("create table f (a float)", "ok 0"),
            ("insert into f values (1.1), (16777217), (null)", "ok 3"),
            ("select cast(a as char), concat(a, 'x'), concat_ws(',', a, a), a + 0 > 1 from f", "1.1|1.1x|1.1,1.1|1; 16777200|16777200x|16777200,16777200|1; NULL|NULL||NULL"),
            ("select /*+ max_execution_time(5) */ id, sleep(1) from j", "E3024"),
            ("select /*+ max_execution_time(5000) */ count(*) from j", "4"),
        ])
        .await;
        c.0.close().await;
        drop(server);
    });
}
