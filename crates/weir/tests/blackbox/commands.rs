//! What commands and the flags of answers tell, and who may come in: as clients of the C library see it.
use crate::common::*;

/// SERVER_QUERY_WAS_SLOW and SERVER_STATUS_IN_TRANS_READONLY.
#[test]
fn flags_tell_of_slow_statements_and_of_transactions_that_only_read() {
    const SLOW: u16 = 0x800;
    const READS_ONLY: u16 = 0x2000;
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("set long_query_time = 0.02");
    assert_eq!(c.run("do sleep(0.05)").status & SLOW, SLOW);
    assert_eq!(c.run("select sleep(0.05)").status & SLOW, SLOW);
    let (id, ..) = c.prepare("select sleep(?)").unwrap();
    assert_eq!(c.execute(id, &[param::double(0.05)]).unwrap().status & SLOW, SLOW);
    c.run("set long_query_time = 10");
    assert_eq!(c.run("select sleep(0.05)").status & SLOW, 0);
    assert_eq!(c.run("start transaction read only").status & READS_ONLY, READS_ONLY);
    assert_eq!(c.run("select 1").status & READS_ONLY, READS_ONLY);
    assert_eq!(c.run("commit").status & READS_ONLY, 0);
    assert_eq!(c.run("begin").status & READS_ONLY, 0);
}

/// COM_DEBUG, as `mysqladmin debug` sends it.
#[test]
fn what_the_server_does_is_written_to_its_log() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create user u");
    assert_eq!(c.simple(&[0x0D]).unwrap()[0], 0xFE);
    assert!(server.log().contains("asked by connection"), "{}", server.log());
    let mut u = Client::tcp(server.port, &Login { user: "u", ..Login::default() }).unwrap();
    assert_eq!(u.simple(&[0x0D]).unwrap_err().errno, 1227);
    assert_eq!(u.rows("select 1"), "1");
}

/// A cursor gives rows: not of SELECT ... INTO. Only texts and blobs come in pieces.
#[test]
fn what_has_no_cursor_and_what_is_no_long_data() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    let (id, ..) = c.prepare("select 1 into @a").unwrap();
    let mut p = execute_packet(id, &[]);
    p[5] = 1;
    assert_eq!(c.simple(&p).unwrap_err().errno, 1323);
    assert_eq!(c.rows("select @a"), "NULL");
    let (id, ..) = c.prepare("select ?").unwrap();
    let piece = |id: u32| [&[0x18][..], &id.to_le_bytes(), &[0, 0], b"17"].concat();
    for (ty, fits) in [(3u8, false), (12, false), (246, false), (253, true), (252, true)] {
        c.command(&piece(id)).unwrap();
        let got = c.execute(id, &[(ty, false, Some(Vec::new()))]);
        assert_eq!(
            got.map_err(|e| e.errno).map(|a| a.cells.len()),
            if fits { Ok(1) } else { Err(1835) },
            "{ty}"
        );
    }
}

/// What a client escapes byte by byte, as mysql_real_escape_string() does with what is no character.
#[test]
fn an_escaped_byte_is_no_half_of_a_character() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("set names gbk");
    let mut sent = b"\x03select hex('\xef\xbb\\\xbf\\''), 'and', 'no', 'more'".to_vec();
    c.command(&sent).unwrap();
    let got = c.read_answer(false).unwrap();
    assert_eq!(got.rows[0][0].as_deref(), Some("EFBBBF27"));
    assert_eq!(got.rows[0].len(), 4);
    // Without escapes a backslash may be the second half of a character.
    c.run("set sql_mode = 'NO_BACKSLASH_ESCAPES'");
    sent = b"\x03select hex('\xbf\\'), 1".to_vec();
    c.command(&sent).unwrap();
    assert_eq!(c.read_answer(false).unwrap().rows[0][0].as_deref(), Some("BF5C"));
}

/// Characters of ASCII have two or four bytes in these: no statement could be read.
#[test]
fn sets_that_no_statement_can_be_written_in() {
    let server = Server::start(&[]);
    let sets = ["ucs2", "utf16", "utf16le", "utf32"];
    let mut c = server.root_client();
    for name in sets {
        let id: u16 = c
            .rows(&format!("select id from information_schema.collations where collation_name = '{name}_general_ci'"))
            .parse()
            .unwrap();
        let login = Login { collation: id as u8, ..Login::default() };
        let Err(refused) = Client::tcp(server.port, &login) else { panic!("{name} came in") };
        assert_eq!(refused.errno, 1231, "{name}");
        assert_eq!(c.fail(&format!("set names {name}")), 1231);
    }
}

/// A change of the user begins without an answer, so that an account without a password asks for one too.
#[test]
fn an_account_without_a_password_takes_none() {
    let server = Server::start(&[]);
    let mut c = server.root_client();
    c.run("create user n identified with mysql_native_password by '', s");
    for (user, plugin) in [("n", "mysql_native_password"), ("s", "caching_sha2_password")] {
        let login = |password| Login { user, plugin, password, ..Login::default() };
        let mut one = server.root_client();
        one.change_user(&login("")).unwrap();
        assert_eq!(one.rows("select current_user()"), format!("{user}@%"));
        assert_eq!(one.change_user(&login("x")).unwrap_err().errno, 1045, "{user}");
    }
}
