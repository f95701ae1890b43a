//! Logs that MySQL 9.7.4 and MariaDB 10.11.19 wrote of `tests/logs/*.sql`, decoded; and the same logs, cut and damaged.

use std::collections::HashMap;
use weir_binlog::event::{File, packed};
use weir_binlog::value::{JsonOp, Value};
use weir_binlog::{Body, Checksum, Error, Event, Format, Kind};

const LIMIT: u64 = 1 << 20;
const MYSQL: &[u8] = include_bytes!("logs/mysql-9.7.000001");
const MYSQL_FULL: &[u8] = include_bytes!("logs/mysql-9.7.000002");
const MARIADB: &[u8] = include_bytes!("logs/mariadb-10.11.000001");

/// What a log says, a line for each event that changes something or names a transaction.
fn told(log: &[u8]) -> Result<Vec<String>, Error> {
    let mut t = Told::default();
    for event in File::new(log)? {
        t.event(event?)?;
    }
    Ok(t.lines)
}

#[derive(Default)]
struct Told {
    format: Format,
    tables: HashMap<u64, weir_binlog::table_map::TableMap>,
    lines: Vec<String>,
}

impl Told {
    fn event(&mut self, bytes: &[u8]) -> Result<(), Error> {
        let header = weir_binlog::Header::decode(bytes)?;
        if header.kind == Kind::FormatDescription {
            self.format = Format::decode(bytes)?;
            return Ok(());
        }
        let event = Event::decode(bytes, self.format.checksum)?;
        let plain = Format { checksum: Checksum::None, ..self.format.clone() };
        match Body::decode(&event, &self.format, LIMIT)? {
            Body::Query(q) => {
                let text = String::from_utf8_lossy(&q.text);
                self.lines.push(text.into_owned());
            }
            Body::Begin(b) => {
                let gtid = b.gtid.map(|g| g.to_string()).unwrap_or("anonymous".into());
                self.lines.push(format!("begin {gtid} {} {}", b.sequence_number, b.length));
            }
            Body::MariaBegin(b) => self.lines.push(format!("begin {}", b.gtid)),
            Body::PreviousGtids(set) => self.lines.push(format!("previous {set}")),
            Body::MariaGtidList(list) => self.lines.push(format!("list {}", list[0])),
            Body::TableMap(map) => _ = self.tables.insert(map.id, map),
            Body::Rows(rows) => {
                let map = &self.tables[&rows.table];
                for row in rows.rows(map)? {
                    let row = row?;
                    let line = format!(
                        "{:?} {}: {:?} -> {:?}",
                        rows.change, map.table, row.before, row.after
                    );
                    self.lines.push(line);
                }
            }
            Body::Payload(events) => {
                let outer = std::mem::replace(&mut self.format, plain);
                for event in packed(&events) {
                    self.event(event?)?;
                }
                self.format = outer;
            }
            Body::XaPrepare(x) => self.lines.push(format!("prepare {} {:?}", x.format, x.gtrid)),
            Body::Xid(_) => self.lines.push("commit".into()),
            _ => {}
        }
        Ok(())
    }
}

fn rows_of<'l>(lines: &'l [String], head: &str) -> Vec<&'l str> {
    lines.iter().filter(|l| l.starts_with(head)).map(String::as_str).collect()
}

/// The values that both servers wrote of the same statements.
fn check_values(lines: &[String]) {
    let n = rows_of(lines, "Write n:");
    assert_eq!(n.len(), 3);
    for value in [
        "Some(Int { value: -1, bytes: 1 })",
        "Some(Int { value: -300, bytes: 2 })",
        "Some(Int { value: -70000, bytes: 3 })",
        "Some(Int { value: -9, bytes: 8 })",
        "Some(Float(1.5)), Some(Double(-2.25))",
        "Some(Decimal(\"-12345678901234.567891\")), Some(Decimal(\"99999\"))",
        "Some(Bit(5461)), Some(Year(2026))",
    ] {
        assert!(n[0].contains(value), "{value} in {}", n[0]);
    }
    assert!(n[1].contains("Some(Decimal(\"0.000001\")), Some(Decimal(\"-1\"))"), "{}", n[1]);
    assert_eq!(n[2].matches("Some(Null)").count(), 16);
    let t = rows_of(lines, "Write t:");
    for value in [
        "Date { year: 2026, month: 11, day: 28 }",
        "Time { negative: true, hours: 838, minutes: 59, seconds: 59, micros: 0 }",
        "Time { negative: false, hours: 12, minutes: 34, seconds: 56, micros: 789000 }",
        "Time { negative: true, hours: 0, minutes: 0, seconds: 0, micros: 1 }",
        "year: 9999, month: 12, day: 31 }, hour: 23, minute: 59, second: 59, micros: 0",
        "hour: 3, minute: 4, second: 5, micros: 60000 }",
        "hour: 3, minute: 4, second: 5, micros: 60708 }",
        "Timestamp { seconds: 1767323045, micros: 0 }",
        "Timestamp { seconds: 1767323045, micros: 60700 }",
        "Year(1901)",
    ] {
        assert!(t[0].contains(value), "{value} in {}", t[0]);
    }
    assert!(t[1].contains("Timestamp { seconds: 2147483647, micros: 999900 }"), "{}", t[1]);
    assert!(t[1].contains("hours: 838, minutes: 59, seconds: 58, micros: 999999"), "{}", t[1]);
    let s = rows_of(lines, "Write s:");
    let long = format!("Bytes({:?})", "ü".repeat(300).as_bytes());
    assert!(s[0].contains(&long) && s[0].contains("Some(Enum(2)), Some(Set(261))"), "{}", s[0]);
    let blank = format!("Bytes({:?})), Some(Bytes({:?}))", b"abc", b"d  ");
    assert!(s[0].contains(&blank), "{}", s[0]);
    assert!(s[1].contains(&format!("Bytes({:?})", "ä".repeat(200).as_bytes())), "{}", s[1]);
    assert_eq!(rows_of(lines, "Update nk").len(), 2);
    assert_eq!(rows_of(lines, "Delete nk").len(), 1);
    assert!(lines.iter().any(|l| l.starts_with("create table ddl1") && l.contains("über")));
    assert!(lines.iter().any(|l| l.starts_with("insert into nk values (11")));
}

#[test]
fn a_log_of_mysql() {
    let lines = told(MYSQL).unwrap();
    check_values(&lines);
    assert_eq!(rows_of(&lines, "prepare 7").len(), 1);
    let documents = rows_of(&lines, "Update j");
    assert!(documents[0].contains("JsonDiff") && documents[1].contains("Remove"), "{documents:?}");
    let minimal = rows_of(&lines, "Delete s");
    assert_eq!(minimal[1].matches("None").count(), 12, "{}", minimal[1]);
    assert_eq!(lines.iter().filter(|l| l.contains("122, 115, 116, 100")).count(), 3);
    let tagged: Vec<_> =
        rows_of(&lines, "begin").into_iter().filter(|l| l.contains("tag")).collect();
    let uuid = "94c5bdf5-eb18-11f1-931c-02fc00000001";
    assert_eq!(
        tagged,
        [format!("begin {uuid}:tagged:1 30 340"), format!("begin {uuid}:other_tag:1 31 343")]
    );
    let points = rows_of(&lines, "Write g");
    assert!(points[0].contains("Geometry([230, 16, 0, 0, 1, 1, 0, 0, 0"), "{points:?}");
}

#[test]
fn a_log_of_mysql_with_all_metadata() {
    let lines = told(MYSQL_FULL).unwrap();
    let uuid = "94c5bdf5-eb18-11f1-931c-02fc00000001";
    assert_eq!(lines[0], format!("previous {uuid}:1-56:other_tag:1:tagged:1"));
    assert!(lines.iter().any(|l| l.starts_with("CREATE USER 'ru'@'%'")), "{lines:?}");
    let mut t = Told::default();
    File::new(MYSQL_FULL).unwrap().for_each(|e| t.event(e.unwrap()).unwrap());
    let s = t.tables.values().find(|m| m.table == "s").expect("the table's map");
    let names: Vec<_> = s.columns.iter().filter_map(|c| c.name.as_deref()).collect();
    assert_eq!(names, ["id", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"]);
    assert_eq!(s.primary_key, [0]);
    assert_eq!(s.columns[10].members, [b"x", b"y", b"z"]);
    assert_eq!(s.columns[11].members.len(), 9);
    assert_eq!((s.columns[0].unsigned, s.columns[1].unsigned), (Some(false), None));
    assert_eq!((s.columns[4].collation, s.columns[2].collation), (Some(63), Some(255)));
}

#[test]
fn a_log_of_mariadb() {
    let lines = told(MARIADB).unwrap();
    check_values(&lines);
    assert!(lines[0].starts_with("list "));
    assert!(lines.contains(&"begin 0-2-75".to_owned()));
    assert!(lines.iter().any(|l| l.starts_with("begin 5-2-")));
    assert_eq!(lines.iter().filter(|l| l.contains("99, 111, 109, 112, 114")).count(), 4);
    assert!(lines.iter().any(|l| l.starts_with("create table b.long_comment")), "{lines:?}");
}

#[test]
fn operations_of_documents() {
    let mut format = Format::default();
    let mut maps = HashMap::new();
    let mut all = Vec::new();
    for bytes in File::new(MYSQL).unwrap() {
        let bytes = bytes.unwrap();
        if weir_binlog::Header::decode(bytes).unwrap().kind == Kind::FormatDescription {
            format = Format::decode(bytes).unwrap();
            continue;
        }
        let event = Event::decode(bytes, format.checksum).unwrap();
        match Body::decode(&event, &format, LIMIT).unwrap() {
            Body::TableMap(m) => _ = maps.insert(m.id, m),
            Body::Rows(rows) => {
                for row in rows.rows(&maps[&rows.table]).unwrap() {
                    if let Some(Some(Value::JsonDiff(diffs))) = row.unwrap().after.get(1) {
                        all.extend(
                            diffs
                                .iter()
                                .map(|d| (d.op, String::from_utf8_lossy(d.path).into_owned())),
                        );
                    }
                }
            }
            _ => {}
        }
    }
    let path = |p: &str| p.to_owned();
    assert_eq!(
        all,
        [
            (JsonOp::Replace, path("$.a")),
            (JsonOp::Insert, path("$.d")),
            (JsonOp::Remove, path("$.b[1]")),
        ]
    );
}

/// No event reads beyond its end, whatever its bytes are. Each event is cut at each length, with a header that says so, and each of
/// its bytes is changed; a checksum would hide all that, so there is none.
#[test]
fn cut_and_changed_events() {
    for log in [MYSQL, MYSQL_FULL, MARIADB] {
        let mut format = Format::default();
        let mut t = Told::default();
        for bytes in File::new(log).unwrap() {
            let bytes = bytes.unwrap();
            if weir_binlog::Header::decode(bytes).unwrap().kind == Kind::FormatDescription {
                format = Format { checksum: Checksum::None, ..Format::decode(bytes).unwrap() };
                t.format = format.clone();
                for end in 0..bytes.len() {
                    assert!(Format::decode(&bytes[..end]).is_err());
                }
                continue;
            }
            let plain = with_len(&bytes[..bytes.len() - 4]);
            for end in 19..plain.len() {
                _ = decode(&with_len(&plain[..end]), &format, &t);
            }
            for at in 4..plain.len().min(400) {
                for flip in [0x01, 0x80, 0xFF] {
                    let mut changed = plain.clone();
                    changed[at] ^= flip;
                    _ = decode(&with_len(&changed), &format, &t);
                }
            }
            t.event(&plain).unwrap();
        }
    }
}

fn with_len(bytes: &[u8]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    let len = out.len() as u32;
    out[9..13].copy_from_slice(&len.to_le_bytes());
    out
}

fn decode(bytes: &[u8], format: &Format, t: &Told) -> Result<(), Error> {
    let event = Event::decode(bytes, Checksum::None)?;
    match Body::decode(&event, format, LIMIT)? {
        Body::Rows(rows) => {
            for map in t.tables.values() {
                let Ok(images) = rows.rows(map) else { continue };
                for row in images {
                    row?;
                }
            }
        }
        Body::Payload(events) => {
            for event in packed(&events) {
                decode(event?, format, t)?;
            }
        }
        _ => {}
    }
    Ok(())
}

#[test]
fn a_flipped_bit_is_found() {
    let mut log = MYSQL.to_vec();
    for at in (130..log.len()).step_by(97) {
        log[at] ^= 4;
        let e = told(&log).expect_err("a damaged log");
        assert!(matches!(e, Error::Checksum | Error::Malformed(_)), "{e:?}");
        log[at] ^= 4;
    }
    assert!(told(&log[..log.len() - 1]).is_err());
    assert!(told(b"\xFEbix").is_err());
}
