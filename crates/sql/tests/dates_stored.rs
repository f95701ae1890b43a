//! Values stored in columns of dates and times: what is kept, and the warnings where it is not all of the value.
use crate::common::*;

/// Type, value, what a lax mode keeps and tells, what a strict mode keeps and tells (or the number of its error): asked of MySQL.
const CASES: &[(&str, &str, &str, &str)] = &[
    ("date", "'2001-13-01'", "0000-00-00 Warning 1265", "E1292"),
    ("date", "'abc'", "0000-00-00 Warning 1265", "E1292"),
    ("date", "''", "0000-00-00 Warning 1265", "E1292"),
    ("date", "'2001-01-01x'", "2001-01-01 Warning 1265", "E1292"),
    ("date", "'2001-01-01 10:11:12x'", "2001-01-01 Warning 1265", "E1292"),
    ("date", "'2001-00-01'", "2001-00-01", "E1292"),
    ("date", "'2001-02-30'", "0000-00-00 Warning 1264", "E1292"),
    ("date", "'1000-01-01'", "1000-01-01", "1000-01-01"),
    ("date", "20011301", "0000-00-00 Warning 1265", "E1292"),
    ("date", "99999999999999", "0000-00-00 Warning 1265", "E1292"),
    ("date", "1.5", "0000-00-00 Warning 1265", "E1292"),
    ("date", "-1", "0000-00-00 Warning 1264", "E1292"),
    ("date", "'10:61:00'", "0000-00-00 Warning 1265", "E1292"),
    ("date", "106112", "0000-00-00 Warning 1265", "E1292"),
    ("date", "20010101101112", "2001-01-01 Note 1265", "2001-01-01 Note 1292"),
    ("date", "timestamp'2001-02-03 04:05:06'", "2001-02-03 Note 1265", "2001-02-03 Note 1292"),
    ("date", "time'10:11:12'", "2017-07-14 Note 1265", "2017-07-14 Note 1292"),
    ("date", "'2001-02-03 04:05:06'", "2001-02-03 Note 1265", "2001-02-03 Note 1292"),
    ("date", "x'41'", "0000-00-00 Warning 1265", "E1292"),
    ("date", "'2001-02-03 25:00:00'", "0000-00-00 Warning 1265", "E1292"),
    ("date", "'2039-01-01'", "2039-01-01", "2039-01-01"),
    ("datetime", "'2001-13-01'", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("datetime", "'abc'", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("datetime", "''", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("datetime", "'2001-01-01x'", "2001-01-01 00:00:00 Warning 1265", "E1292"),
    ("datetime", "'2001-01-01 10:11:12x'", "2001-01-01 10:11:12 Warning 1265", "E1292"),
    ("datetime", "'2001-00-01'", "2001-00-01 00:00:00", "E1292"),
    ("datetime", "'2001-02-30'", "0000-00-00 00:00:00 Warning 1264", "E1292"),
    ("datetime", "'1000-01-01'", "1000-01-01 00:00:00", "1000-01-01 00:00:00"),
    ("datetime", "20011301", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("datetime", "99999999999999", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("datetime", "1.5", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("datetime", "-1", "0000-00-00 00:00:00 Warning 1264", "E1292"),
    ("datetime", "'10:61:00'", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("datetime", "106112", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("datetime", "20010101101112", "2001-01-01 10:11:12", "2001-01-01 10:11:12"),
    ("datetime", "timestamp'2001-02-03 04:05:06'", "2001-02-03 04:05:06", "2001-02-03 04:05:06"),
    ("datetime", "time'10:11:12'", "2017-07-14 10:11:12", "2017-07-14 10:11:12"),
    ("datetime", "'2001-02-03 04:05:06'", "2001-02-03 04:05:06", "2001-02-03 04:05:06"),
    ("datetime", "x'41'", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("datetime", "'2001-02-03 25:00:00'", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("datetime", "'2039-01-01'", "2039-01-01 00:00:00", "2039-01-01 00:00:00"),
    ("timestamp", "'2001-13-01'", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("timestamp", "'abc'", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("timestamp", "''", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("timestamp", "'2001-01-01x'", "2001-01-01 00:00:00 Warning 1265", "E1292"),
    ("timestamp", "'2001-01-01 10:11:12x'", "2001-01-01 10:11:12 Warning 1265", "E1292"),
    ("timestamp", "'2001-00-01'", "0000-00-00 00:00:00 Warning 1264", "E1292"),
    ("timestamp", "'2001-02-30'", "0000-00-00 00:00:00 Warning 1264", "E1292"),
    ("timestamp", "'1000-01-01'", "0000-00-00 00:00:00 Warning 1264", "E1292"),
    ("timestamp", "20011301", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("timestamp", "99999999999999", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("timestamp", "1.5", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("timestamp", "-1", "0000-00-00 00:00:00 Warning 1264", "E1292"),
    ("timestamp", "'900:00:00'", "0000-00-00 00:00:00 Warning 1264", "E1292"),
    ("timestamp", "'10:61:00'", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("timestamp", "106112", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("timestamp", "20010101101112", "2001-01-01 10:11:12", "2001-01-01 10:11:12"),
    ("timestamp", "timestamp'2001-02-03 04:05:06'", "2001-02-03 04:05:06", "2001-02-03 04:05:06"),
    ("timestamp", "time'10:11:12'", "2017-07-14 10:11:12", "2017-07-14 10:11:12"),
    ("timestamp", "'2001-02-03 04:05:06'", "2001-02-03 04:05:06", "2001-02-03 04:05:06"),
    ("timestamp", "x'41'", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("timestamp", "'2001-02-03 25:00:00'", "0000-00-00 00:00:00 Warning 1265", "E1292"),
    ("timestamp", "'2039-01-01'", "0000-00-00 00:00:00 Warning 1264", "E1292"),
    ("time", "'2001-13-01'", "00:20:01 Warning 1265", "E1292"),
    ("time", "'abc'", "00:00:00 Warning 1265", "E1292"),
    ("time", "''", "00:00:00", "00:00:00"),
    ("time", "'2001-01-01x'", "00:20:01 Warning 1265", "E1292"),
    ("time", "'2001-01-01 10:11:12x'", "10:11:12 Warning 1265", "E1292"),
    ("time", "'2001-00-01'", "00:20:01 Warning 1265", "E1292"),
    ("time", "'2001-02-30'", "00:20:01 Warning 1265", "E1292"),
    ("time", "'1000-01-01'", "00:10:00 Warning 1265", "E1292"),
    ("time", "20011301", "838:59:59 Warning 1264", "E1292"),
    ("time", "1.5", "00:00:02", "00:00:02"),
    ("time", "-1", "-00:00:01", "-00:00:01"),
    ("time", "'900:00:00'", "838:59:59 Warning 1264", "E1292"),
    ("time", "'10:61:00'", "00:00:00 Warning 1264", "E1292"),
    ("time", "106112", "00:00:00 Warning 1264", "E1292"),
    ("time", "20010101101112", "10:11:12 Note 1265", "10:11:12 Note 1292"),
    ("time", "timestamp'2001-02-03 04:05:06'", "04:05:06", "04:05:06"),
    ("time", "time'10:11:12'", "10:11:12", "10:11:12"),
    ("time", "'2001-02-03 04:05:06'", "04:05:06 Note 1265", "04:05:06 Note 1292"),
    ("time", "x'41'", "00:00:00 Warning 1265", "E1292"),
    ("time", "'2039-01-01'", "00:20:39 Warning 1265", "E1292"),
];

const STRICT: &str = "set sql_mode = 'STRICT_ALL_TABLES,NO_ZERO_IN_DATE,NO_ZERO_DATE'";

#[test]
fn what_does_not_fit_is_told_as_the_mode_wants() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.ask("create table d (date date, datetime datetime, timestamp timestamp null, time time)")
            .await;
        c.ask("set timestamp = 1500000000").await;
        for (ty, value, lax, strict) in CASES {
            for (mode, want) in [("set sql_mode = ''", lax), (STRICT, strict)] {
                c.ask(mode).await;
                c.ask("delete from d").await;
                let stored = c.ask(&format!("insert into d ({ty}) values ({value})")).await.line();
                let got = match stored.as_str() {
                    "ok 1" => {
                        let warnings = c.ask("show warnings").await.line();
                        let kept = c.ask(&format!("select cast({ty} as char) from d")).await.line();
                        told(&kept, &warnings)
                    }
                    refused => refused.split(' ').next().unwrap_or_default().to_owned(),
                };
                assert_eq!(&got, want, "{mode}; {ty}: {value}");
            }
        }
        c.0.close().await;
        drop(server);
    });
}

/// The value, and level and number of each warning.
fn told(kept: &str, warnings: &str) -> String {
    let one = |w: &str| w.split('|').take(2).collect::<Vec<_>>().join(" ");
    let list: Vec<String> = warnings.split("; ").filter(|w| !w.is_empty()).map(one).collect();
    format!("{kept} {}", list.join(";")).trim().to_owned()
}
