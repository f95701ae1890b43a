//! The compressed protocol: what it carries, who gets it, and what is wrong with its packets.

use crate::common::{
    AUTOCOMMIT, Client, Login, MORE_RESULTS, Method, Server, cap, pack, param, until,
};
use crate::files::send_file;

const METHODS: [(u32, &str, u8); 2] = [(cap::COMPRESS, "zlib", 6), (cap::ZSTD, "zstd", 19)];

fn login(flag: u32) -> Login<'static> {
    let flags = flag | cap::DEPRECATE_EOF | cap::LOCAL_FILES | cap::MULTI_STATEMENTS;
    Login { flags, zstd_level: Some(19), ..Login::default() }
}

fn told(c: &mut Client) -> String {
    c.rows("show session status like 'compression%'")
}

#[test]
fn statements_and_results_of_every_length() {
    let server = Server::start(&["--max-allowed-packet=64M"]);
    for (flag, name, level) in METHODS {
        let mut c = server.connect(&login(flag)).unwrap();
        let on = format!("Compression,ON;Compression_algorithm,{name};Compression_level,{level}");
        assert_eq!(told(&mut c), on);
        for cut in [1, 7, 60, 5000, 0xFF_FFFF] {
            c.cut_at(cut);
            assert_eq!(c.rows("select 1"), "1");
            let long = "x".repeat(3000);
            assert_eq!(c.rows(&format!("select '{long}'")), long);
            let (id, ..) = c.prepare("select ?, repeat('y', ?)").unwrap();
            let a = c.execute(id, &[param::text("é"), param::int(100_000)]).unwrap();
            assert_eq!(a.cells.len(), 1);
            assert!(c.prepare("select ? from nosuch.t").is_err());
        }
        c.traffic();
        for len in [16_777_211, 20 << 20] {
            assert_eq!(c.rows(&format!("select repeat('z', {len})")).len(), len);
            let sql = format!("select length('{}')", "x".repeat(len));
            assert_eq!(c.rows(&sql), len.to_string());
        }
        let traffic = c.traffic();
        assert!(traffic < 1 << 20, "{traffic}");
        // Rows that come in many pieces.
        let rows = "with recursive n as (select 1 as i union all select i + 1 from n where i < 1000) select i, repeat('r', 200) from n";
        assert_eq!(c.run(rows).rows.len(), 1000);
    }
    let mut plain = server.root_client();
    assert_eq!(told(&mut plain), "Compression,OFF;Compression_algorithm,;Compression_level,0");
    // A client that can both has zlib.
    let mut c = server.connect(&login(cap::COMPRESS | cap::ZSTD)).unwrap();
    assert!(told(&mut c).contains("zlib"));
}

#[test]
fn dialogues_in_the_middle() {
    let server = Server::start(&["--local-infile=1"]);
    let mut root = server.root_client();
    root.run("create database d");
    root.run("create user s@localhost identified with caching_sha2_password by 'sha'");
    root.run("create user n@localhost identified with mysql_native_password by 'nat'");
    root.run("grant all on d.* to s@localhost");
    for (flag, name, _) in METHODS {
        let mut c = server.connect(&Login { database: "d", ..login(flag) }).unwrap();
        c.run("create or replace view v as select 1");
        c.run("drop table if exists t");
        c.run("create table t (a int primary key, b varchar(100))");
        for (n, cut) in [3, 900, 0xFF_FFFF].into_iter().enumerate() {
            c.cut_at(cut);
            let line = |i: usize| format!("{}\tthe same text again and again\n", n * 10_000 + i);
            let content: String = (0..3000).map(line).collect();
            c.send_query("load data local infile 'theirs' into table t");
            let a = send_file(&mut c, content.as_bytes(), 1000).unwrap();
            assert_eq!(a.affected, 3000);
            // Behind the answer of another statement, which is in the same packet as the request.
            c.send_query("select 5; load data local infile 'theirs' ignore into table t; select 6");
            assert_eq!(c.read_answer(false).unwrap().rows.len(), 1);
            let a = send_file(&mut c, content.as_bytes(), 500).unwrap();
            assert_eq!((a.affected, a.status & MORE_RESULTS), (0, MORE_RESULTS));
            assert_eq!(c.read_answer(false).unwrap().status, AUTOCOMMIT);
        }
        assert_eq!(c.rows("select count(*) from t"), "9000");
        // It stays when the user changes, whatever the dialogue.
        for (user, password, plugin) in
            [("n", "nat", "mysql_native_password"), ("s", "sha", "caching_sha2_password")]
        {
            c.change_user(&Login { user, password, plugin, ..login(flag) }).unwrap();
            assert_eq!(c.rows("select current_user()"), format!("{user}@localhost"));
            assert!(told(&mut c).contains(name));
        }
        c.simple(&[0x1F]).unwrap();
        assert!(told(&mut c).contains(name));
        // Long data has no answer.
        let (id, ..) = c.prepare("select length(?)").unwrap();
        for _ in 0..3 {
            let mut long = vec![0x18];
            long.extend_from_slice(&id.to_le_bytes());
            long.extend_from_slice(&[0, 0]);
            long.extend_from_slice(&[b'x'; 5000]);
            c.command(&long).unwrap();
        }
        let a = c.execute(id, &[param::text("")]).unwrap();
        assert_eq!(format!("{:?}", a.cells[0][0]), "Int(15000)");
    }
}

#[test]
fn who_may_and_who_must() {
    let server = Server::start(&["--protocol-compression-algorithms=ZSTD"]);
    // The flag is not offered, so that this one asks for nothing.
    let zlib = server.connect(&login(cap::COMPRESS)).err().unwrap();
    let plain = server.connect(&Login::default()).err().unwrap();
    assert_eq!((zlib.errno, plain.errno, &*plain.state), (3922, 3922, "HY000"));
    for level in [Some(0), Some(23), Some(255), None] {
        let e = server.connect(&Login { zstd_level: level, ..login(cap::ZSTD) }).err().unwrap();
        assert_eq!(e.errno, 3923, "{level:?} {e:?}");
    }
    for level in [1, 22] {
        let login = Login { zstd_level: Some(level), ..login(cap::ZSTD) };
        let mut c = server.connect(&login).unwrap();
        assert!(told(&mut c).ends_with(&level.to_string()));
        assert_eq!(c.offered & (cap::COMPRESS | cap::ZSTD), cap::ZSTD);
    }
    let mut c = server.connect(&login(cap::ZSTD)).unwrap();
    assert_eq!(c.rows("select @@protocol_compression_algorithms"), "ZSTD");
    for bad in ["", "lz4", "zlib,", "zlib, zstd", "zlib,none"] {
        assert_eq!(c.fail(&format!("set global protocol_compression_algorithms = '{bad}'")), 1231);
    }
    assert_eq!(c.fail("set protocol_compression_algorithms = 'zlib'"), 1229);
    assert_eq!(c.fail("set global protocol_compression_algorithms = 7"), 1232);
    c.run("set global protocol_compression_algorithms = 'uncompressed'");
    // Who has it keeps it; the next one goes without.
    let mut next = server.connect(&login(cap::COMPRESS | cap::ZSTD)).unwrap();
    assert_eq!(next.offered & (cap::COMPRESS | cap::ZSTD), 0);
    assert!(told(&mut next).contains("OFF"));
    assert!(told(&mut c).contains("zstd"));
    c.run("set global protocol_compression_algorithms = default");
    assert_eq!(c.rows("select @@protocol_compression_algorithms"), "zlib,zstd,uncompressed");
}

/// Header of a compressed packet.
fn header(len: usize, seq: u8, plain: usize) -> Vec<u8> {
    let mut h = (len as u32).to_le_bytes()[..3].to_vec();
    h.push(seq);
    h.extend_from_slice(&(plain as u32).to_le_bytes()[..3]);
    h
}

fn packet(seq: u8, plain: usize, bytes: &[u8]) -> Vec<u8> {
    [header(bytes.len(), seq, plain), bytes.to_vec()].concat()
}

#[test]
fn broken_packets_end_the_connection() {
    let server = Server::start(&["--max-allowed-packet=1M"]);
    let sql = format!("\x03create database {} -- {}", "broken", "x".repeat(200));
    let mut command = (sql.len() as u32).to_le_bytes().to_vec();
    command.extend_from_slice(sql.as_bytes());
    for ((flag, ..), method) in METHODS.into_iter().zip([Method::Zlib, Method::Zstd]) {
        let whole = pack(&command, method, 3);
        let mut flipped = whole.clone();
        *flipped.last_mut().unwrap() ^= 0x55;
        let mut longer = whole.clone();
        longer.extend_from_slice(b"more");
        let len = command.len();
        let zeros = pack(&vec![0; 0xFF_FFFF], method, 3);
        let under_limit = pack(&[&[0, 0, 0x20, 0][..], &[0; 900_000]].concat(), method, 3);
        for (what, errno, bytes) in [
            ("number", 1156, packet(1, len, &whole)),
            ("not compressed", 1157, packet(0, len, &command)),
            ("cut", 1157, packet(0, len, &whole[..whole.len() - 2])),
            ("longer", 1157, packet(0, len, &longer)),
            ("says less", 1157, packet(0, len - 1, &whole)),
            ("says more", 1157, packet(0, len + 1, &whole)),
            ("nothing", 1157, packet(0, len, b"")),
            ("too long", 1153, header(10, 0, 0xFF_FFFF)),
            ("too long as it is", 1153, header(0xFF_FFFF, 0, 0)),
            ("a bomb", 1153, packet(0, 0xFF_FFFF, &zeros)),
            ("a bomb that is allowed", 1153, packet(0, 900_004, &under_limit)),
        ] {
            let mut c = server.connect(&login(flag)).unwrap();
            c.send_packed(&bytes);
            let e = c.read_failure();
            assert_eq!((e.errno, &*e.state), (errno, "08S01"), "{method:?} {what} {e:?}");
            assert!(c.is_closed(), "{what}");
        }
        if flag == cap::COMPRESS {
            // Its bytes have a sum.
            let mut c = server.connect(&login(flag)).unwrap();
            c.send_packed(&packet(0, len, &flipped));
            assert_eq!(c.read_failure().errno, 1157);
        }
        // Half of a packet, and gone.
        let mut c = server.connect(&login(flag)).unwrap();
        c.send_packed(&packet(0, len, &whole)[..whole.len()]);
        c.vanish();
    }
    let mut root = server.root_client();
    until("they are gone", || {
        root.rows("show status like 'Threads_connected'") == "Threads_connected,1"
    });
    assert_eq!(root.rows("show databases like 'broken'"), "", "nothing broken was executed");
}

#[test]
fn killed_idle_and_gone() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    for (flag, ..) in METHODS {
        let mut c = server.connect(&login(flag)).unwrap();
        let id = c.id;
        c.send_query("select sleep(100)");
        let running = format!(
            "select count(*) from information_schema.processlist where id = {id} and state <> '' and info is not null"
        );
        until("it sleeps", || root.rows(&running) == "1");
        root.run(&format!("kill query {id}"));
        let _ = c.read_answer(false);
        assert_eq!(c.rows("select 7"), "7");
        root.run(&format!("kill {id}"));
        until("it is gone", || c.query("select 1").is_err());
        // Parked and woken, with the buffers given back; then idle for too long.
        let mut c = server.connect(&login(flag)).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(400));
        assert_eq!(c.rows(&format!("select '{}'", "w".repeat(500))).len(), 500);
        c.run("set wait_timeout = 1");
        assert_eq!(c.read_failure().errno, 4031);
        assert!(c.is_closed());
        // Two commands at once, each in a packet of its own.
        let mut c = server.connect(&login(flag)).unwrap();
        let ping = packet(0, 0, &[1, 0, 0, 0, 0x0E]);
        c.send_packed(&[ping.clone(), ping.clone()].concat());
        for _ in 0..2 {
            c.set_seq(1);
            assert_eq!(c.read_packet().unwrap()[0], 0);
        }
        // And in one.
        c.send_packed(&packet(0, 0, &[1, 0, 0, 0, 0x0E, 1, 0, 0, 0, 0x0E]));
        for _ in 0..2 {
            c.set_seq(1);
            assert_eq!(c.read_packet().unwrap()[0], 0);
        }
        c.vanish();
    }
}

/// A packet is on the server's account while it comes: what is claimed by few compressed bytes does not pass the limit.
#[test]
fn half_a_packet_is_charged() {
    let server =
        Server::start(&["--max-allowed-packet=64M", "--global-connection-memory-limit=16777216"]);
    let mut part = vec![0; 15 << 20];
    part[..4].copy_from_slice(&[0, 0, 0xF8, 0]);
    let mut root = server.root_client();
    let mut charged = || -> usize {
        let row = root.rows("show global status like 'Global_connection_memory'");
        row.split(',').nth(1).and_then(|n| n.parse().ok()).unwrap()
    };
    for (flag, ..) in METHODS {
        let (mut first, mut c) =
            (server.connect(&login(flag)).unwrap(), server.connect(&login(flag)).unwrap());
        until("the one before is gone", || charged() < 1 << 20);
        first.send_bytes(&part).unwrap();
        // The limit ends the session that passes it, so the first packet has to have come as far as it does.
        until("the first part is charged", || charged() >= 15 << 20);
        c.send_bytes(&part).unwrap();
        assert_eq!(c.read_failure().errno, 4081);
        assert!(c.is_closed());
        assert_eq!(server.root_client().rows("select 1"), "1");
    }
}
