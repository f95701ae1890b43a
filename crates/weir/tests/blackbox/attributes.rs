//! What clients send with a statement beside its text and its parameters.

use crate::common::{Cell, Login, Server, cap};

#[test]
fn attributes_of_statements() {
    let server = Server::start(&[]);
    let login = Login { flags: cap::QUERY_ATTRIBUTES, ..Login::default() };
    let mut c = server.connect(&login).unwrap();
    let value = "select mysql_query_attribute_string('who'), mysql_query_attribute_string('none')";
    let query = |attributes: &[u8], text: &str| [b"\x03", attributes, text.as_bytes()].concat();
    let who: &[u8] = b"\x01\x01\0\x01\xFE\0\x03who\x02me";
    c.command(&query(who, value)).unwrap();
    let me = [Some("me".to_string()), None];
    assert_eq!(c.read_answer(false).unwrap().rows, [me]);
    // Times have all their digits, whether they came or not.
    let time: &[u8] = b"\x01\x01\0\x01\x0B\0\x03who\x08\x01\x02\0\0\0\0\0\x05";
    c.command(&query(time, value)).unwrap();
    assert_eq!(c.read_answer(false).unwrap().rows, [[Some("-48:00:05.000000".to_string()), None]]);
    let moment: &[u8] = b"\x01\x01\0\x01\x0C\0\x03who\x07\xE5\x07\x03\x0B\x13\x1B\x1E";
    c.command(&query(moment, value)).unwrap();
    let told = Some("2021-03-11 19:27:30.000000".to_string());
    assert_eq!(c.read_answer(false).unwrap().rows, [[told, None]]);
    // They are those of the one statement.
    c.command(&query(b"\0\x01", value)).unwrap();
    assert_eq!(c.read_answer(false).unwrap().rows, [[None, None]]);
    // An execution has them behind its parameters, and says how many there are of both.
    let mut root = server.root_client();
    root.run("create database d");
    root.run("create table d.t (who varchar(9), n varchar(9))");
    let insert = "insert into d.t values (mysql_query_attribute_string('who'), ?)";
    let (id, ..) = c.prepare(insert).unwrap();
    let head = [b"\x17", &id.to_le_bytes()[..], b"\x08\x01\0\0\0"].concat();
    let both: &[u8] = b"\x02\0\x01\xFE\0\0\xFE\0\x03who\x01p\x03you";
    c.command(&[&head[..], both].concat()).unwrap();
    assert_eq!(c.read_answer(true).unwrap().affected, 1);
    assert_eq!(root.rows("select * from d.t"), "you,p");
    // Fewer than the statement has, none where some are said to be, a second set.
    for bad in [
        &[&head[..], b"\0"].concat()[..],
        &query(b"\x05\x01", "select 1"),
        &query(b"\0\x02", "select 1"),
    ] {
        c.command(bad).unwrap();
        assert_eq!(c.read_answer(false).unwrap_err().errno, 1835, "{bad:?}");
    }
    // They count as the session's memory while they are there.
    root.run("set global connection_memory_limit = 2097152");
    let mut c = server.connect(&login).unwrap();
    root.run("set global connection_memory_limit = default");
    let long = vec![b'x'; 3 << 20];
    let who = [b"\x01\x01\0\x01\xFE\0\x03who\xFD\0\0\x30", &long[..]].concat();
    c.command(&query(&who, "select 1")).unwrap();
    let refused = c.read_answer(false).unwrap_err();
    assert!([4081, 4082].contains(&refused.errno), "{refused:?}");
    c.command(&query(b"\0\x01", value)).unwrap();
    assert_eq!(c.read_answer(false).unwrap().rows, [[None, None]]);
    // So do the names that an execution leaves for the next one.
    let (id, ..) = c.prepare("select mysql_query_attribute_string('who')").unwrap();
    let head = [b"\x17", &id.to_le_bytes()[..], b"\x08\x01\0\0\0"].concat();
    let name = vec![b'n'; 3 << 20];
    let named = [&head[..], b"\x01\0\x01\xFE\0\xFD\0\0\x30", &name, b"\x02me"].concat();
    c.command(&named).unwrap();
    let refused = c.read_answer(true).unwrap_err();
    assert!([4081, 4082].contains(&refused.errno), "{refused:?}");
    let named = [&head[..], b"\x01\0\x01\xFE\0\x03who\x02me"].concat();
    for _ in 0..2 {
        c.command(&named).unwrap();
        assert_eq!(c.read_answer(true).unwrap().cells, [[Cell::Text("me".into())]]);
    }
    // Anyone who does not speak of them sends text alone.
    assert_eq!(server.root_client().rows("select mysql_query_attribute_string('who')"), "NULL");
}
