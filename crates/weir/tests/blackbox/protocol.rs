//! Commands and packets, well formed and not.

use crate::common::{
    AUTOCOMMIT, Cell, Client, Fields, IN_TRANSACTION, Login, MORE_RESULTS, NO_INDEX_USED, Server,
    cap, execute_packet, param,
};

#[test]
fn wrong_sequence_ends_the_connection() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.set_seq(5);
    c.write_packet(b"\x03select 1").unwrap();
    let e = c.read_failure();
    assert_eq!((e.errno, &*e.state), (1156, "08S01"));
    assert!(c.is_closed());
    assert_eq!(server.root_client().rows("select 1"), "1");
}

#[test]
fn unknown_and_malformed_commands_are_errors() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    for unknown in [&[0x55u8][..], &[0xFF, 1, 2], &[0x0B]] {
        assert_eq!(c.simple(unknown).unwrap_err().errno, 1047, "{unknown:?}");
    }
    // Commands cut short: no statement number, no option, nothing at all.
    for short in
        [&[][..], &[0x17], &[0x17, 1, 0], &[0x1A], &[0x1B], &[0x0C], &[0x12], &[0x15], &[0x1E]]
    {
        let e = c.simple(short).unwrap_err();
        assert!([1047, 1835].contains(&e.errno), "{short:?} {e:?}");
    }
    // A query without text.
    assert_eq!(c.simple(b"\x03").unwrap_err().errno, 1065);
    assert_eq!(c.rows("select 1"), "1");
}

#[test]
fn half_a_packet_rolls_back() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    root.run("create database d");
    root.run("create table d.t (a int primary key)");
    let mut c = server.root_client();
    c.run("begin");
    c.run("insert into d.t values (1)");
    c.send_bytes(b"\x20\0\0\0\x03commit").unwrap();
    c.vanish();
    crate::common::until("it is gone", || {
        root.rows("show status like 'Threads_connected'") == "Threads_connected,1"
    });
    root.run("insert into d.t values (1)");
}

#[test]
fn packets_too_large_for_the_server() {
    let server = Server::start(&["--max-allowed-packet=1M"]);
    let mut c = server.root_client();
    c.run(&format!("select length('{}')", "x".repeat(1_000_000)));
    let mut c2 = server.root_client();
    // The header alone is enough to know.
    c2.send_bytes(&[0, 0, 0x20, 0]).unwrap();
    let e = c2.read_failure();
    assert_eq!((e.errno, &*e.state), (1153, "08S01"));
    assert!(c2.is_closed());
}

#[test]
fn packets_over_16_mib() {
    let server = Server::start(&["--max-allowed-packet=64M"]);
    let mut c = server.root_client();
    // 16 MiB - 1 is where a packet takes one more frame.
    for len in [0xFF_FFFF - 20, 0xFF_FFFF - 10, 0xFF_FFFF, 40_000_000] {
        let sql = format!("select length('{}')", "x".repeat(len));
        assert_eq!(c.rows(&sql), len.to_string());
        assert_eq!(c.rows(&format!("select repeat('y', {len})")).len(), len);
    }
    // The answer's packet is one of 16 MiB - 1 exactly: 4 bytes of it are the length.
    assert_eq!(c.rows("select repeat('z', 16777211)").len(), 16_777_211);
    assert_eq!(c.rows("select 1"), "1");
}

#[test]
fn results_end_by_eof_or_ok() {
    let server = Server::start(&[]);
    for flags in [0, cap::DEPRECATE_EOF] {
        let mut c = server.connect(&Login { flags, ..Login::default() }).unwrap();
        let a = c.run("select 1 union select null");
        assert_eq!(a.rows, [vec![Some("1".to_string())], vec![None]]);
        assert_eq!(a.status, AUTOCOMMIT);
        assert!(c.run("select 1 from dual where 1 = 0").rows.is_empty());
        let (id, params, columns) = c.prepare("select ?, ? + 1").unwrap();
        assert_eq!((params, columns), (2, 2));
        let a = c.execute(id, &[param::text("é"), param::int(41)]).unwrap();
        assert_eq!(a.cells.len(), 1);
        assert_eq!(a.cells[0][0], Cell::Text("é".into()));
        let (id, ..) = c.prepare("do 1").unwrap();
        assert!(c.execute(id, &[]).unwrap().columns.is_empty());
    }
}

#[test]
fn several_statements_in_a_packet() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    assert_eq!(c.fail("create database e; create database f"), 1064);
    assert_eq!(c.rows("show databases like 'e'"), "");
    assert_eq!(c.rows("select 5;"), "5");
    // SET_OPTION turns it on and off.
    assert_eq!(c.simple(&[0x1B, 0, 0]).unwrap()[0], 0xFE);
    c.send_query("create table d.t (a int primary key); insert into d.t values (1),(2);select a from d.t; insert into d.t values (1); drop table d.t");
    let first = c.read_answer(false).unwrap();
    assert_ne!(first.status & MORE_RESULTS, 0);
    let second = c.read_answer(false).unwrap();
    assert_eq!(second.affected, 2);
    assert_ne!(second.status & MORE_RESULTS, 0);
    let third = c.read_answer(false).unwrap();
    assert_eq!(third.rows.len(), 2);
    assert_ne!(third.status & MORE_RESULTS, 0);
    // An error ends it: what follows is not executed.
    assert_eq!(c.read_answer(false).unwrap_err().errno, 1062);
    assert_eq!(c.rows("select count(*) from d.t"), "2");
    c.send_query("select 1; select 2 ; ");
    assert_ne!(c.read_answer(false).unwrap().status & MORE_RESULTS, 0);
    assert_eq!(c.read_answer(false).unwrap().status & MORE_RESULTS, 0);
    assert_eq!(c.simple(&[0x1B, 1, 0]).unwrap()[0], 0xFE);
    assert_eq!(c.fail("select 1; select 2"), 1064);
    let flags = cap::MULTI_STATEMENTS | cap::DEPRECATE_EOF;
    let mut multi = server.connect(&Login { flags, ..Login::default() }).unwrap();
    multi.send_query("select 'a;b'; select 2");
    assert_eq!(multi.read_answer(false).unwrap().rows[0][0].as_deref(), Some("a;b"));
    assert_eq!(multi.read_answer(false).unwrap().rows[0][0].as_deref(), Some("2"));
}

/// A cursor's rows come when they are asked for, and other statements run in between. An empty one has columns and an end too: drivers
/// wait for both.
#[test]
fn cursors() {
    const EXISTS: u16 = 1 << 6;
    const LAST_ROW: u16 = 1 << 7;
    let server = Server::start(&[]);
    for flags in [cap::DEPRECATE_EOF, 0] {
        let mut c = server.connect(&Login { flags, ..Login::default() }).unwrap();
        let text = "select 1 as a where ? union all select 2 union all select 3";
        let (id, ..) = c.prepare(&format!("select a from ({text}) t where a > ?")).unwrap();
        let open = |c: &mut Client, above: i64| {
            let mut packet = execute_packet(id, &[param::int(1), param::int(above)]);
            packet[5] = 1;
            c.command(&packet).unwrap();
            c.read_columns().unwrap()
        };
        let fetch = |c: &mut Client, rows: u8| {
            let mut packet = vec![0x1C];
            packet.extend_from_slice(&id.to_le_bytes());
            packet.extend_from_slice(&[rows, 0, 0, 0]);
            c.command(&packet).unwrap();
            c.read_rows()
        };
        assert_eq!(open(&mut c, 0) & EXISTS, EXISTS);
        assert_eq!(fetch(&mut c, 2).unwrap(), (2, AUTOCOMMIT | EXISTS));
        assert_eq!(c.rows("select 7"), "7");
        assert_eq!(fetch(&mut c, 2).unwrap(), (1, AUTOCOMMIT | LAST_ROW));
        assert_eq!(fetch(&mut c, 2).unwrap_err().errno, 1421);
        assert_eq!(open(&mut c, 9) & EXISTS, EXISTS);
        assert_eq!(fetch(&mut c, 5).unwrap(), (0, AUTOCOMMIT | LAST_ROW));
        // Executed again or reset, it is gone.
        open(&mut c, 0);
        assert_eq!(c.execute(id, &[param::int(1), param::int(2)]).unwrap().cells.len(), 1);
        assert_eq!(fetch(&mut c, 1).unwrap_err().errno, 1421);
        open(&mut c, 0);
        let mut reset = vec![0x1A];
        reset.extend_from_slice(&id.to_le_bytes());
        c.simple(&reset).unwrap();
        assert_eq!(fetch(&mut c, 1).unwrap_err().errno, 1421);
        // What has no rows has no cursor.
        let (id, ..) = c.prepare("do 1").unwrap();
        let mut packet = execute_packet(id, &[]);
        packet[5] = 1;
        assert_eq!(c.simple(&packet).unwrap()[0], 0);
    }
    // The rows are the session's memory.
    let mut c = server.root_client();
    c.run("set global connection_memory_limit = 8000000");
    let mut c2 = server.root_client();
    let sql = "with recursive n as (select 1 as i union all select i + 1 from n where i < 900) select repeat('x', 60000) from n";
    let (id, ..) = c2.prepare(sql).unwrap();
    let mut packet = execute_packet(id, &[]);
    packet[5] = 1;
    let refused = c2.simple(&packet).unwrap_err().errno;
    assert!(refused == 4082 || refused == 4081, "{refused}");
    assert_eq!(c2.rows("select 1"), "1");
}

/// What clients read from the flags: how literals are to be written, and that more results come, already behind the columns.
#[test]
fn flags_for_clients() {
    const NO_BACKSLASH: u16 = 1 << 9;
    let server = Server::start(&[]);
    let mut c = server.connect(&Login { flags: 0, ..Login::default() }).unwrap();
    assert_eq!(c.run("set sql_mode = 'no_backslash_escapes'").status, AUTOCOMMIT | NO_BACKSLASH);
    assert_eq!(c.run("select '\\\\'").status, AUTOCOMMIT | NO_BACKSLASH);
    assert_eq!(c.run("set sql_mode = ''").status, AUTOCOMMIT);
    // The end of a text is cut off; a comment alone is answered.
    assert_eq!(c.rows("select 5;; ; "), "5");
    assert_eq!(c.rows("select 6; -- x"), "6");
    assert_eq!(c.run("-- nothing").columns.len(), 0);
    assert_eq!(c.fail(";"), 1065);
    assert_eq!(c.fail("FOO;"), 1064);
    // A program has a mode of its own; the client goes on by the session's.
    c.run("create database m");
    c.run("create procedure m.p() begin select 1; signal sqlstate '45000'; end");
    c.run("set sql_mode = 'no_backslash_escapes'");
    c.send_query("call m.p()");
    c.read_columns().unwrap();
    assert_ne!(c.read_rows().unwrap().1 & NO_BACKSLASH, 0);
    assert_eq!(c.read_answer(false).unwrap_err().errno, 1644);
    assert_eq!(c.run("select 1").status, AUTOCOMMIT | NO_BACKSLASH);
    c.run("set sql_mode = ''");
    // COM_REFRESH
    // 0x80 is RESET MASTER, which finds nothing to reset.
    for flags in [0, 1, 4, 0x1F, 0x20, 0x3F, 0x40, 0x80, 0xFF] {
        assert_eq!(c.simple(&[0x07, flags]).unwrap()[0], 0, "{flags:#x}");
    }
    c.run("create user plain@localhost");
    let mut plain = server.connect(&Login { user: "plain", ..Login::default() }).unwrap();
    for flags in [0, 1, 4, 0x1F, 0x20] {
        assert_eq!(plain.simple(&[0x07, flags]).unwrap_err().errno, 1227, "{flags:#x}");
    }
    c.run("create database d");
    c.run("create procedure d.p() select 1");
    c.simple(&[0x1B, 0, 0]).unwrap();
    for (sql, more) in [("select 1; select 2", true), ("call d.p()", true), ("select 3", false)] {
        c.send_query(sql);
        assert_eq!(c.read_columns().unwrap() & MORE_RESULTS != 0, more, "{sql}");
        c.read_rows().unwrap();
        if more {
            c.read_answer(false).unwrap();
        }
    }
}

#[test]
fn status_flags_and_warning_counts() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("use d");
    c.run("create table t (a tinyint primary key) engine=innodb");
    assert_eq!(c.run("begin").status, AUTOCOMMIT | IN_TRANSACTION);
    assert_eq!(c.run("insert into t values (1)").status, AUTOCOMMIT | IN_TRANSACTION);
    assert_eq!(c.run("commit").status, AUTOCOMMIT);
    assert_eq!(c.run("set autocommit = 0").status, 0);
    // A transaction that has come to no table is not one yet.
    for sql in ["select 1", "do 1", "set @a = 1", "select 1 into @z"] {
        assert_eq!(c.run(sql).status, 0, "{sql}");
    }
    assert_eq!(c.run("lock tables t write").status & IN_TRANSACTION, 0);
    assert_eq!(c.run("insert into t values (9)").status, IN_TRANSACTION);
    assert_eq!(c.run("delete from t where a = 9").status, IN_TRANSACTION);
    assert_eq!(c.run("commit").status, 0);
    assert_eq!(c.run("unlock tables").status, 0);
    assert_eq!(c.run("select * from t").status, IN_TRANSACTION | NO_INDEX_USED);
    assert_eq!(c.run("select * from t where a = 1").status, IN_TRANSACTION);
    assert_eq!(c.run("rollback").status, 0);
    assert_eq!(c.run("set autocommit = 1").status, AUTOCOMMIT);
    let a = c.run("insert ignore into t values (1), (1000)");
    assert_eq!((a.warnings, a.affected), (2, 1));
    assert_eq!(c.run("show warnings").rows.len(), 2);
    assert_eq!(c.rows("select @@warning_count"), "2");
    assert_eq!(c.run("drop table if exists nope").warnings, 1);
    assert_eq!(c.run("select 1").warnings, 0);
    assert_eq!(c.fail("insert into t values (1)"), 1062);
    assert_eq!(c.rows("show warnings"), "Error,1062,Duplicate entry '1' for key 't.PRIMARY'");
    let a = c.run("update t set a = a");
    assert_eq!(a.info, "Rows matched: 2  Changed: 0  Warnings: 0");
    assert_eq!(a.affected, 0);
    let flags = cap::FOUND_ROWS | cap::DEPRECATE_EOF;
    let mut found = server.connect(&Login { flags, database: "d", ..Login::default() }).unwrap();
    assert_eq!(found.run("update t set a = a").affected, 2);
    // mysqlslap counts the end of the C string.
    assert_eq!(found.rows("select 7\0"), "7");
}

#[test]
fn small_commands() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    assert_eq!(c.simple(b"\x02d").unwrap()[0], 0);
    assert_eq!(c.rows("select database()"), "d");
    assert_eq!(c.simple(b"\x02nope").unwrap_err().errno, 1049);
    assert_eq!(c.rows("select database()"), "d");
    assert_eq!(c.simple(b"\x0e").unwrap()[0], 0);
    let text = String::from_utf8(c.simple(b"\x09").unwrap()).unwrap();
    assert!(text.starts_with("Uptime: ") && text.contains("Threads: 1"), "{text}");
    // The list of fields: one packet each, then the end.
    c.run("create table t (id bigint unsigned primary key, name varchar(10))");
    c.command(b"\x04t\0").unwrap();
    let first = c.read_packet().unwrap();
    let mut f = Fields(&first);
    assert_eq!([f.text(), f.text(), f.text()], ["def", "d", "t"]);
    c.read_packet().unwrap();
    assert_eq!(c.read_packet().unwrap()[0], 0xFE);
    assert_eq!(c.simple(b"\x04nope\0").unwrap_err().errno, 1146);
    // Reset: variables, prepared statements and the transaction are gone.
    let (id, ..) = c.prepare("select 1").unwrap();
    c.run("set @a = 1, session sql_mode = ''");
    c.run("begin");
    c.run("insert into t values (1, 'x')");
    assert_eq!(c.simple(b"\x1f").unwrap()[0], 0);
    assert_eq!(c.rows("select @a, @@sql_mode = @@global.sql_mode, count(*) from t"), "NULL,1,0");
    assert_eq!(c.execute(id, &[]).unwrap_err().errno, 1243);
    c.run("create table n (id int auto_increment primary key, a int)");
    assert_eq!(c.run("insert into n (a) values (7), (8)").insert_id, 1);
    assert_eq!(c.run("insert into n (a) values (9)").insert_id, 3);
    assert_eq!(c.rows("select last_insert_id()"), "3");
    assert_eq!(c.rows("show global status like 'Prepared_stmt_count'"), "Prepared_stmt_count,0");
    c.command(b"\x01").unwrap();
    assert!(c.is_closed());
}

const COLUMNS: &[&str] = &[
    "ti tinyint",
    "tu tinyint unsigned",
    "si smallint",
    "su smallint unsigned",
    "mi mediumint",
    "mu mediumint unsigned",
    "i int",
    "iu int unsigned",
    "bi bigint",
    "bu bigint unsigned",
    "de decimal(30,10)",
    "f float",
    "do double",
    "c char(10)",
    "vc varchar(50)",
    "l1 varchar(20) character set latin1",
    "bin binary(4)",
    "vb varbinary(50)",
    "tx text",
    "bl blob",
    "da date",
    "t3 time(3)",
    "dt datetime(6)",
    "ts timestamp null",
    "y year",
    "bo boolean",
];

#[test]
fn every_type_in_binary_form() {
    let server = Server::start(&["--default-time-zone=+00:00"]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("use d");
    c.run(&format!("create table t (id int primary key, {})", COLUMNS.join(", ")));
    let marks = vec!["?"; COLUMNS.len() + 1].join(", ");
    let (insert, n, _) = c.prepare(&format!("insert into t values ({marks})")).unwrap();
    assert_eq!(n, COLUMNS.len() + 1);
    let date = |ty, d| param::date(ty, d);
    let high = vec![
        param::int(1),
        param::int(127),
        param::uint(255),
        param::int(32767),
        param::uint(65535),
        param::int(8_388_607),
        param::uint(16_777_215),
        param::int(2_147_483_647),
        param::uint(4_294_967_295),
        param::int(i64::MAX),
        param::uint(u64::MAX),
        param::bytes(246, b"12345678901234567890.0123456789"),
        param::float(1.5),
        param::double(1e300),
        param::text("zehn"),
        param::text("日本語 ü"),
        param::text("Müßig"),
        param::bytes(252, b"\0\xFF\x01\x02"),
        param::bytes(252, b"\xFF\0x"),
        param::text("long"),
        param::bytes(252, b"\xC3\x28\0"),
        date(10, [2024, 2, 29, 0, 0, 0, 0]),
        param::time(true, [34, 22, 59, 59, 123_000]),
        date(12, [9999, 12, 31, 23, 59, 59, 999_999]),
        date(7, [2038, 1, 19, 3, 14, 7, 0]),
        param::int(2155),
        param::int(1),
    ];
    let low = vec![
        param::int(2),
        param::int(-128),
        param::int(0),
        param::int(-32768),
        param::int(0),
        param::int(-8_388_608),
        param::int(0),
        param::int(-2_147_483_648),
        param::int(0),
        param::int(i64::MIN),
        param::int(0),
        param::bytes(246, b"-0.5"),
        param::double(-2.25),
        param::double(-0.1),
        param::text(""),
        param::text(""),
        param::text(""),
        param::text("ab"),
        param::text(""),
        param::text(""),
        param::text(""),
        date(10, [1000, 1, 1, 0, 0, 0, 0]),
        param::time(false, [0, 0, 0, 0, 0]),
        date(12, [1000, 1, 1, 0, 0, 0, 0]),
        date(12, [1970, 1, 1, 0, 0, 1, 0]),
        param::text("1901"),
        param::int(0),
    ];
    let mut nulls = vec![param::null(); COLUMNS.len() + 1];
    nulls[0] = param::int(3);
    for row in [&high, &low, &nulls] {
        assert_eq!(c.execute(insert, row).unwrap().affected, 1);
    }
    let (select, ..) = c.prepare("select * from t where id = ?").unwrap();
    let mut read = |id: i64| c.execute(select, &[param::int(id)]).unwrap().cells.remove(0);
    use Cell::{Bytes, Date, Double, Float, Int, Text, Time, UInt};
    let text = |s: &str| Text(s.into());
    let want = [
        Int(1),
        Int(127),
        UInt(255),
        Int(32767),
        UInt(65535),
        Int(8_388_607),
        UInt(16_777_215),
        Int(2_147_483_647),
        UInt(4_294_967_295),
        Int(i64::MAX),
        UInt(u64::MAX),
        text("12345678901234567890.0123456789"),
        Float(1.5),
        Double(1e300),
        text("zehn"),
        text("日本語 ü"),
        text("Müßig"),
        Bytes(vec![0, 0xFF, 1, 2]),
        Bytes(vec![0xFF, 0, b'x']),
        text("long"),
        Bytes(vec![0xC3, 0x28, 0]),
        Date([2024, 2, 29, 0, 0, 0, 0]),
        Time(true, [34, 22, 59, 59, 123_000]),
        Date([9999, 12, 31, 23, 59, 59, 999_999]),
        Date([2038, 1, 19, 3, 14, 7, 0]),
        UInt(2155),
        Int(1),
    ];
    for (i, (got, want)) in read(1).into_iter().zip(want).enumerate() {
        assert_eq!(got, want, "column {i}");
    }
    let want = [
        Int(2),
        Int(-128),
        UInt(0),
        Int(-32768),
        UInt(0),
        Int(-8_388_608),
        UInt(0),
        Int(-2_147_483_648),
        UInt(0),
        Int(i64::MIN),
        UInt(0),
        text("-0.5000000000"),
        Float(-2.25),
        Double(-0.1),
        text(""),
        text(""),
        text(""),
        Bytes(b"ab\0\0".to_vec()),
        Bytes(vec![]),
        text(""),
        Bytes(vec![]),
        Date([1000, 1, 1, 0, 0, 0, 0]),
        Time(false, [0; 5]),
        Date([1000, 1, 1, 0, 0, 0, 0]),
        Date([1970, 1, 1, 0, 0, 1, 0]),
        UInt(1901),
        Int(0),
    ];
    for (i, (got, want)) in read(2).into_iter().zip(want).enumerate() {
        assert_eq!(got, want, "column {i}");
    }
    let row = read(3);
    assert!(row[1..].iter().all(|v| *v == Cell::Null), "{row:?}");
    // The same rows as text.
    assert_eq!(
        c.rows("select ti, bu, de, f, do, c, da, t3, dt, ts, y, bo from t where id = 1"),
        "127,18446744073709551615,12345678901234567890.0123456789,1.5,1e300,zehn,2024-02-29,\
         -838:59:59.123,9999-12-31 23:59:59.999999,2038-01-19 03:14:07,2155,1"
    );
    assert_eq!(
        c.rows("select ti, bi, de, f, do, hex(bin), t3 from t where id = 2"),
        "-128,-9223372036854775808,-0.5000000000,-2.25,-0.1,61620000,00:00:00.000"
    );
}

#[test]
fn values_out_of_range_are_refused() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("create table d.t (a tinyint, b varchar(3), c date)");
    let (id, ..) = c.prepare("insert into d.t values (?, ?, ?)").unwrap();
    let null = param::null;
    let mut fail = |p: [param::Param; 3]| c.execute(id, &p).unwrap_err().errno;
    assert_eq!(fail([param::int(128), null(), null()]), 1264);
    assert_eq!(fail([null(), param::text("four"), null()]), 1406);
    assert_eq!(fail([null(), null(), param::text("2023-02-30")]), 1292);
    assert_eq!(fail([param::text("x"), null(), null()]), 1366);
    assert_eq!(c.rows("select count(*) from d.t"), "0");
}

#[test]
fn prepared_statements_misused() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    assert_eq!(c.prepare("select (").unwrap_err().errno, 1064);
    assert_eq!(c.prepare("select nope").unwrap_err().errno, 1054);
    assert_eq!(c.prepare("select 1; select 2").unwrap_err().errno, 1064);
    assert_eq!(c.execute(99, &[]).unwrap_err().errno, 1243);
    let (id, ..) = c.prepare("select ?").unwrap();
    // An unknown type of parameter, and values that are cut off.
    assert_eq!(c.execute(id, &[(99, false, Some(vec![1]))]).unwrap_err().errno, 1835);
    assert_eq!(c.execute(id, &[(8, false, Some(vec![1, 2]))]).unwrap_err().errno, 1835);
    assert_eq!(c.execute(id, &[(253, false, Some(vec![200, 2]))]).unwrap_err().errno, 1835);
    assert_eq!(c.execute(id, &[]).unwrap_err().errno, 1835);
    assert_eq!(c.execute(id, &[param::int(7)]).unwrap().cells[0][0], Cell::Int(7));
    // Types are remembered from the execution before.
    let mut p = execute_packet(id, &[param::int(8)]);
    let at = 10 + 1;
    p[at] = 0;
    p.drain(at + 1..at + 3);
    c.command(&p).unwrap();
    assert_eq!(c.read_answer(true).unwrap().cells[0][0], Cell::Int(8));
    // Closing has no answer; closing what is not there neither.
    for n in [id, id, 12345] {
        let mut p = vec![0x19];
        p.extend_from_slice(&n.to_le_bytes());
        c.command(&p).unwrap();
    }
    assert_eq!(c.execute(id, &[param::int(7)]).unwrap_err().errno, 1243);
    let mut reset = vec![0x1A];
    reset.extend_from_slice(&id.to_le_bytes());
    assert_eq!(c.simple(&reset).unwrap_err().errno, 1243);
    assert_eq!(c.rows("select 1"), "1");
}

#[test]
fn long_data_in_pieces() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    let (id, ..) = c.prepare("select length(?), ?").unwrap();
    let piece = |data: &[u8], at: u16| {
        let mut p = vec![0x18];
        p.extend_from_slice(&id.to_le_bytes());
        p.extend_from_slice(&at.to_le_bytes());
        p.extend_from_slice(data);
        p
    };
    for part in [&b"abc"[..], b"", b"defg"] {
        c.command(&piece(part, 0)).unwrap();
    }
    let long = (252, false, None);
    let mut p = execute_packet(id, &[long.clone(), param::int(5)]);
    // NULL bits do not count for what was sent in pieces.
    p[10] = 0;
    c.command(&p).unwrap();
    let row = &c.read_answer(true).unwrap().cells[0];
    assert_eq!(row[0], Cell::Int(7));
    // It was used up; reset drops what is gathered.
    c.command(&piece(b"xyz", 0)).unwrap();
    let mut reset = vec![0x1A];
    reset.extend_from_slice(&id.to_le_bytes());
    assert_eq!(c.simple(&reset).unwrap()[0], 0);
    let a = c.execute(id, &[param::text("ab"), param::int(5)]).unwrap();
    assert_eq!(a.cells[0][0], Cell::Int(2));
    // A parameter that does not exist is an error at the execution.
    c.command(&piece(b"xyz", 9)).unwrap();
    assert_eq!(c.execute(id, &[param::text("ab"), param::int(5)]).unwrap_err().errno, 1210);
    assert!(c.execute(id, &[param::text("ab"), param::int(5)]).is_ok());
}

#[test]
fn plans_follow_the_definition_of_their_table() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create database d");
    c.run("use d");
    c.run("create table t (a int primary key, b int)");
    c.run("insert into t values (1, 2)");
    let (id, ..) = c.prepare("select * from t where a = ?").unwrap();
    let (change, ..) = c.prepare("update t set b = ? where a = ?").unwrap();
    let mut other = server.root_client();
    assert_eq!(c.execute(id, &[param::int(1)]).unwrap().cells[0].len(), 2);
    other.run("alter table d.t add column c varchar(5) default 'x'");
    assert_eq!(c.execute(id, &[param::int(1)]).unwrap().cells[0].len(), 3);
    assert_eq!(c.rows("select * from t where a = 1"), "1,2,x");
    other.run("alter table d.t drop column b");
    assert_eq!(c.rows("select * from t where a = 1"), "1,x");
    assert_eq!(c.execute(change, &[param::int(5), param::int(1)]).unwrap_err().errno, 1054);
    other.run("drop table d.t");
    assert_eq!(c.execute(id, &[param::int(1)]).unwrap_err().errno, 1146);
    // The schema of a prepared statement is that of its preparation.
    other.run("create table d.t (a int primary key)");
    other.run("insert into d.t values (1)");
    c.run("use information_schema");
    assert_eq!(c.execute(id, &[param::int(1)]).unwrap().cells[0], [Cell::Int(1)]);
}

#[test]
fn bad_statements_leave_the_server_alive() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    let deep = |open: &str, close: &str, n: usize| {
        format!("select {}1{}", open.repeat(n), close.repeat(n))
    };
    for n in [10, 50, 100, 1000, 100_000] {
        for (open, close) in [
            ("(", ")"),
            ("(select ", ")"),
            ("-", ""),
            ("not ", ""),
            ("1 + ", ""),
            ("1 or ", ""),
            ("abs(", ")"),
            ("case when 1 then ", " end"),
            ("1 in (", ")"),
            ("exists(select ", ")"),
        ] {
            let sql = deep(open, close, n);
            // It runs, or it is too deep: never the end of the server.
            if let Err(e) = c.query(&sql) {
                assert!(e.errno >= 1000, "{open} {n}: {e:?}");
            }
        }
        let joins = format!("select 1 from {}dual", "(select 1) x, ".repeat(n.min(200)));
        let _ = c.query(&joins);
        let unions = format!("select 1{}", " union select 1".repeat(n.min(2000)));
        if let Err(e) = c.query(&unions) {
            assert!(e.errno >= 1000, "{n} unions: {e:?}");
        }
        let list = format!("select 1 in ({}1)", "2,".repeat(n));
        assert_eq!(c.rows(&list), "1");
    }
    c.send_query("sel\u{0}ect");
    assert_eq!(c.read_answer(false).unwrap_err().errno, 1064);
    c.command(b"\x03select '\xFF\xFE', \xFF").unwrap();
    let _ = c.read_answer(false);
    assert_eq!(c.fail("selec 1"), 1064);
    assert_eq!(c.fail("select nope"), 1054);
    assert_eq!(c.fail("select * from nope"), 1046);
    assert_eq!(c.fail("select * from nope.nope"), 1049);
    c.run("create database d");
    c.run("create table d.t (a int primary key, v tinyint unsigned not null)");
    assert_eq!(c.fail("insert into d.t values (1, 300)"), 1264);
    assert_eq!(c.fail("insert into d.t values (1, null)"), 1048);
    assert_eq!(c.fail("insert into d.t values (1, 1), (1, 1)"), 1062);
    assert_eq!(c.rows("select count(*) from d.t"), "0");
    assert_eq!(c.fail("install component 'file://x'"), 3529);
    assert_eq!(c.fail("create trigger x before insert on t for each row set @a = 1"), 1046);
    assert_eq!(c.rows("select 1"), "1");
}

/// Anyone who reads one result does not wait for the next one.
#[test]
fn each_of_several_results_is_sent_when_it_is_there() {
    let server = Server::start(&[]);
    let mut holder = server.root_client();
    holder.run("create database d");
    holder.run("create procedure d.p() begin select 1; do get_lock('held', 3600); select 2; end");
    let flags = cap::MULTI_STATEMENTS | cap::MULTI_RESULTS;
    let mut c = server.connect(&Login { flags, ..Login::default() }).unwrap();
    for sql in ["select 1; do get_lock('held', 3600); select 2", "call d.p()"] {
        assert_eq!(holder.rows("select get_lock('held', 0)"), "1");
        c.send_query(sql);
        assert_eq!(c.read_answer(false).unwrap().rows[0][0].as_deref(), Some("1"));
        let runs =
            "select count(*) from information_schema.processlist where command = 'Query' and id = ";
        let running = holder.rows(&format!("{runs}{}", c.id));
        assert_eq!(running, "1", "{sql}: its first result came with the last one");
        holder.run("do release_lock('held')");
        while c.read_answer(false).unwrap().status & MORE_RESULTS != 0 {}
        c.run("do release_all_locks()");
    }
}
