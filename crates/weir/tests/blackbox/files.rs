//! LOAD DATA and SELECT ... INTO OUTFILE: files of the server's machine, files that the client sends, and what is wrong with them.

use crate::common::{Client, Failure, Login, Server, cap, until};
use std::path::PathBuf;

/// A server with a directory for files, and a client that hands out files.
struct Desk {
    server: Server,
    dir: PathBuf,
    c: Client,
}

const LOGIN: Login<'static> = Login {
    user: "root",
    password: "",
    database: "d",
    flags: cap::LOCAL_FILES | cap::DEPRECATE_EOF,
    without: 0,
    plugin: "mysql_native_password",
    withhold: false,
    zstd_level: None,
    collation: 45,
};

impl Desk {
    fn new(name: &str) -> Desk {
        let dir = std::env::temp_dir().join(format!("weir-desk-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(&dir).unwrap();
        let secure = format!("--secure-file-priv={}", dir.display());
        let server = Server::start(&[&secure, "--local-infile=1", "--max-allowed-packet=8M"]);
        server.root_client().run("create database d");
        let c = server.connect(&LOGIN).unwrap();
        Desk { server, dir, c }
    }

    fn path(&self, file: &str) -> String {
        self.dir.join(file).display().to_string()
    }

    /// LOAD DATA of a file with this content.
    fn load(&mut self, content: &[u8], rest: &str) -> Result<String, u16> {
        std::fs::write(self.dir.join("in"), content).unwrap();
        let sql = format!("load data infile '{}' {rest}", self.path("in"));
        self.c.query(&sql).map(|a| a.info).map_err(|e| e.errno)
    }

    fn local(&mut self, content: &[u8], rest: &str) -> Result<String, u16> {
        self.c.send_query(&format!("load data local infile 'theirs' {rest}"));
        send_file(&mut self.c, content, 5).map(|a| a.info).map_err(|e| e.errno)
    }
}

impl Drop for Desk {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

/// Answers the request for a file by pieces of its content.
pub fn send_file(
    c: &mut Client,
    content: &[u8],
    piece: usize,
) -> Result<crate::common::Answer, Failure> {
    let request = c.read_packet()?;
    if request[0] == 0xFF {
        return Err(crate::common::failure(&request));
    }
    assert_eq!((request[0], &request[1..]), (0xFB, &b"theirs"[..]));
    for piece in content.chunks(piece) {
        c.write_packet(piece)?;
    }
    c.write_packet(b"")?;
    c.read_answer(false)
}

#[test]
fn what_is_written_is_read_again() {
    let mut d = Desk::new("round");
    d.c.run(
        "create table t (id int primary key auto_increment, i bigint unsigned, m decimal(20,5), f float, x double, \
         s varchar(100), l longtext, b varbinary(60), o blob, dt date, ti time(3), dd datetime(6), ts timestamp null, \
         y year, e enum('a','b,c'), st set('x','y'), bi bit(12), g int generated always as (length(s)) virtual) \
         character set utf8mb4",
    );
    d.c.run(
        "insert into t (i, m, f, x, s, l, b, o, dt, ti, dd, ts, y, e, st, bi) values \
         (18446744073709551615, -12345.67891, 1.5, 1e-300, 'a\\tb\\nc\\\\d', 'ä€😀', x'00ff0a5c27', x'0d0a', \
          '2024-02-29', '-838:59:58.999', '2024-12-31 23:59:59.999999', '2024-01-01 00:00:00', 1999, 'b,c', 'x,y', b'101000000001'), \
         (null, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null), \
         (0, 0, 0, 0, '', 'NULL', '', 'N', '1000-01-01', '0', '1000-01-01', null, 2155, 'a', '', b'0'), \
         (1, 1, 1, 1, '\\\\N', '\"quoted, \"', 'x\\0y', ',', '9999-12-31', '1', '9999-12-31 00:00:00', null, 1901, 'a', 'x', b'111')",
    );
    let before = d.c.rows("select *, hex(b), hex(o), bi + 0 from t order by id");
    let formats = [
        "",
        "fields terminated by ','",
        "fields terminated by ',' enclosed by '\"'",
        "fields terminated by ',' optionally enclosed by '\"' lines terminated by '\\r\\n'",
        "fields terminated by '<>' enclosed by '\\'' lines starting by '>>' terminated by '%%\\n'",
        "fields terminated by ',' optionally enclosed by '\"' escaped by '|'",
    ];
    for (n, f) in formats.iter().enumerate() {
        let path = d.path(&format!("out{n}"));
        let a = d.c.run(&format!("select * from t into outfile '{path}' {f}"));
        assert_eq!(a.affected, 4, "{f}");
        d.c.run("create table u like t");
        let a =
            d.c.run(&format!("load data infile '{path}' into table u character set binary {f}"));
        assert_eq!(a.info, "Records: 4  Deleted: 0  Skipped: 0  Warnings: 0", "{f}");
        let after = d.c.rows("select *, hex(b), hex(o), bi + 0 from u order by id");
        assert_eq!(after, before, "{f}");
        d.c.run("drop table u");
        // A file is never overwritten.
        assert_eq!(d.c.fail(&format!("select 1 into outfile '{path}'")), 1086);
    }
}

#[test]
fn columns_variables_and_set() {
    let mut d = Desk::new("set");
    d.c.run(
        "create table t (a int primary key, b varchar(20) default 'dflt', c int, n int default 7)",
    );
    d.c.run("create table names (id int, name varchar(20))");
    d.c.run("insert into names values (1, 'one'), (2, 'two')");
    let info = d.load(
        b"h\n1,x,9\n2,y,8\n",
        "into table t fields terminated by ',' ignore 1 lines (a, @v, @w) \
         set b = concat((select name from names where id = a), '-', @v), c = @w * a",
    );
    assert_eq!(info.as_deref(), Ok("Records: 2  Deleted: 0  Skipped: 0  Warnings: 0"));
    assert_eq!(d.c.rows("select * from t order by a"), "1,one-x,9,7;2,two-y,16,7");
    assert_eq!(d.c.rows("select @v, @w"), "y,8");
    // Duplicates: an error undoes all, IGNORE leaves out, REPLACE replaces.
    let file = b"3,c\n1,again\n";
    let rest = "into table t fields terminated by ',' (a, b)";
    assert_eq!(d.load(file, rest), Err(1062));
    assert_eq!(d.c.rows("select count(*) from t"), "2");
    let replaced = d.load(file, &format!("replace {rest}"));
    assert_eq!(replaced.as_deref(), Ok("Records: 2  Deleted: 1  Skipped: 0  Warnings: 0"));
    let skipped = d.load(b"3,d\n4,e\n", &format!("ignore {rest}"));
    assert_eq!(skipped.as_deref(), Ok("Records: 2  Deleted: 0  Skipped: 1  Warnings: 1"));
    assert_eq!(d.c.rows("select a, b from t order by a"), "1,again;2,two-y;3,c;4,e");
    for (rest, errno) in [
        ("into table t (a, nosuch)", 1054),
        ("into table t (a) set nosuch = 1", 1054),
        ("into table t (a, a)", 1110),
        ("into table nosuch", 1146),
        ("into table t character set nosuch", 1115),
        ("into table t fields enclosed by 'ab'", 1083),
        ("into table t fields terminated by '' (a, @v)", 1409),
    ] {
        assert_eq!(d.load(b"", rest), Err(errno), "{rest}");
    }
    assert_eq!(d.c.prepare("load data infile 'x' into table t").unwrap_err().errno, 1295);
    assert_eq!(d.c.fail("create procedure p() load data infile 'x' into table t"), 1314);
}

/// What LOAD XML takes of a file, and what it does with what is not there.
#[test]
fn elements_of_an_xml_file() {
    let mut d = Desk::new("xml");
    d.c.run("create table t (n int auto_increment primary key, a int, b varchar(20) default 'd', c int not null)");
    let mut load = |content: &str, rest: &str| -> Result<String, u16> {
        std::fs::write(d.dir.join("x"), content).unwrap();
        d.c.run("truncate t");
        let sql = format!("load xml infile '{}' {rest}", d.path("x"));
        let info = d.c.query(&sql).map(|a| a.info).map_err(|e| e.errno)?;
        let rows = d.c.rows("select a, b, c from t order by n");
        Ok(format!("{rows} => {info}"))
    };
    let file = "<?xml version='1.0'?><l k='9'>\n<!-- <row a='7' c='7'/> -->\n<row a='1' b='x &amp; y' c='2'/>\n\
                <row><field name='a'>3</field><field name='b'>ü</field><c>4</c></row></l>";
    assert_eq!(
        load(file, "into table t").unwrap(),
        "1,x & y,2;3,ü,4 => Records: 2  Deleted: 0  Skipped: 0  Warnings: 0"
    );
    for (content, rest, want) in [
        (file, "into table t ignore 1 rows (a, c)", "3,d,4 => "),
        (file, "into table t (@x, c) set a = @x + c, b = default", "NULL,d,2;NULL,d,4 => "),
        (file, "into table t (a, k, c)", "1054"),
        (file, "into table t character set latin1 ignore 1 lines (B, c)", "NULL,NULL,4 => "),
        (file, "into table t rows identified by '<l>'", "3,ü,4 => "),
        (file, "into table t rows identified by '<none>'", " => "),
        (file, "into table t rows identified by '<none>' fields enclosed by 'xx'", "1083"),
        (file, "into table t fields terminated by ',' rows identified by '<l>'", "1064"),
        // A column that takes no NULL has none in the file: refused in strict mode, its type's zero with IGNORE.
        ("<row a='1'/>", "into table t", "1263"),
        ("<row a='1'/>", "ignore into table t", "1,NULL,0 => "),
        ("<row a='1' c='x'/>", "into table t", "1366"),
        ("<row n='5' c='1'/><row n='5' c='2'/>", "into table t", "1062"),
        ("<row n='5' c='1'/><row n='5' c='2'/>", "replace into table t", "NULL,NULL,2 => "),
        ("<row a='1' c='2", "into table t", " => "),
    ] {
        let got = match load(content, rest) {
            Ok(rows) => rows,
            Err(errno) => errno.to_string(),
        };
        assert!(got.starts_with(want), "{rest}: {got}");
    }
    d.c.run("create view v as select c as x, a as y from t");
    let file = "<l><row x='1' y='2' a='3' c='4'/></l>";
    std::fs::write(d.dir.join("x"), file).unwrap();
    d.c.run("truncate t");
    d.c.run(&format!("load xml infile '{}' into table v", d.path("x")));
    assert_eq!(d.c.rows("select a, c from t"), "2,1");
    d.c.send_query("load xml local infile 'theirs' into table t");
    send_file(&mut d.c, b"<l><row a='5' c='6'/><row a='5'/></l>", 3).expect("loads");
    assert_eq!(d.c.rows("select a, c from t order by n"), "2,1;5,6;5,0");
    assert_eq!(d.c.fail("prepare p from \"load xml infile 'x' into table t\""), 1295);
    assert_eq!(d.c.fail("load xml infile '/etc/passwd' into table t"), 1290);
}

#[test]
fn everything_a_table_asks_for_holds() {
    let mut d = Desk::new("rules");
    d.c.run("create table parent (id int primary key)");
    d.c.run("insert into parent values (1), (2)");
    d.c.run(
        "create table t (id int primary key auto_increment, p int, v int check (v < 100), w int as (v * 2) stored, \
         foreign key (p) references parent (id))",
    );
    d.c.run("create table log (what varchar(40))");
    d.c.run("create trigger g after insert on t for each row insert into log values (concat(new.id, ':', new.w))");
    let rest = "into table t fields terminated by ',' (p, v)";
    assert_eq!(
        d.load(b"1,10\n2,20\n", rest).as_deref(),
        Ok("Records: 2  Deleted: 0  Skipped: 0  Warnings: 0")
    );
    assert_eq!(d.c.rows("select * from log"), "1:20;2:40");
    assert_eq!(d.load(b"1,11\n1,100\n", rest), Err(3819));
    assert_eq!(d.load(b"1,11\n3,12\n", rest), Err(1452));
    assert_eq!(
        d.load(b"1,11\n3,12\n", &rest.replace("into", "ignore into")).as_deref(),
        Ok("Records: 2  Deleted: 0  Skipped: 1  Warnings: 1")
    );
    assert_eq!(d.c.rows("select p, v from t order by id"), "1,10;2,20;1,11");
    // Through a view, into a temporary table, within a transaction.
    d.c.run("create view small as select p, v from t where v < 50 with check option");
    assert_eq!(d.load(b"1,60\n", "into table small fields terminated by ','"), Err(1369));
    d.c.run("create temporary table tmp (a int)");
    d.c.run("begin");
    assert!(d.load(b"5\n6\n", "into table tmp").is_ok());
    assert!(d.load(b"2,49\n", "into table small fields terminated by ','").is_ok());
    assert_eq!(d.c.rows("select sum(a) from tmp"), "11");
    d.c.run("rollback");
    assert_eq!(d.c.rows("select count(*) from t where v = 49"), "0");
}

#[test]
fn lines_that_are_too_short_too_long_or_of_another_set() {
    let mut d = Desk::new("bad");
    d.c.run("create table t (a int not null, b varchar(5), c int default 3) character set utf8mb4");
    let rest = "into table t fields terminated by ',' enclosed by '\"'";
    for (content, errno) in [
        (&b"1\n"[..], 1261),
        (b"1,b,3,4\n", 1262),
        (b"\\N,b,3\n", 1263),
        (b"x,b,3\n", 1366),
        (b"1,toolong,3\n", 1406),
        (b"1,\xFF,3\n", 1300),
        (b"1,\xE2\x82,3\n", 1300),
        (b"1,\xE2,3\n", 1366),
        (b"1,\"open,3\n2,b,3\n", 1406),
        (b"1,\"o,3\n", 1261),
        (b"1,b,99999999999\n", 1264),
    ] {
        assert_eq!(d.load(content, rest), Err(errno), "{content:?}");
        assert_eq!(d.c.rows("select count(*) from t"), "0");
    }
    // Without the strict mode they are warnings, as under IGNORE and from a client.
    let bad = b"1\n2,b,3,4\n\\N,b,3\nx,toolong,3\n5,a\0b,5";
    let told = "Records: 5  Deleted: 0  Skipped: 0  Warnings: 6";
    let rows = "1,NULL,0;2,b,3;0,b,3;0,toolo,3;5,a\0b,5";
    assert_eq!(d.load(bad, &format!("ignore {rest}")).as_deref(), Ok(told));
    assert_eq!(d.c.rows("select * from t"), rows);
    d.c.run("truncate t");
    assert_eq!(d.local(bad, rest).as_deref(), Ok(told));
    assert_eq!(
        d.c.rows("show warnings").replace("Warning,", ""),
        "1261,Row 1 doesn't contain data for all columns;\
         1261,Row 1 doesn't contain data for all columns;\
         1262,Row 2 was truncated; it contained more data than there were input columns;\
         1263,Column set to default value; NULL supplied to NOT NULL column 'a' at row 3;\
         1366,Incorrect integer value: 'x' for column 'a' at row 4;\
         1265,Data truncated for column 'b' at row 4"
    );
    d.c.run("truncate t");
    d.c.run("set sql_mode = ''");
    assert_eq!(d.load(bad, rest).as_deref(), Ok(told));
    assert_eq!(d.c.rows("select * from t"), rows);
}

#[test]
fn files_that_must_not_be_touched() {
    let mut d = Desk::new("bounds");
    d.c.run("create table t (a int)");
    let open = |p: &str| format!("load data infile '{p}' into table t");
    assert_eq!(d.c.fail(&open("/etc/passwd")), 1290);
    assert_eq!(d.c.fail(&open("/dev/zero")), 1290);
    let (none, dir) = (d.path("none"), d.path("."));
    assert_eq!(d.c.fail(&open(&none)), 13);
    assert_eq!(d.c.fail(&open(&dir)), 1085);
    assert_eq!(d.c.fail(&format!("select 1 into outfile '{dir}/../x'")), 1290);
    assert_eq!(d.c.fail("select 1 into dumpfile '/tmp/weir-none'"), 1290);
    // A statement that fails leaves no file.
    let path = d.path("gone");
    assert_eq!(d.c.fail(&format!("select 1 union select 2 into dumpfile '{path}'")), 1172);
    assert_eq!(d.c.fail(&format!("select (select 1 union select 2) into outfile '{path}'")), 1242);
    assert!(!d.dir.join("gone").exists());
    d.c.run(&format!("select x'00ff', null, 'ab' into dumpfile '{path}'"));
    assert_eq!(std::fs::read(d.dir.join("gone")).unwrap(), b"\x00\xFFab");
    // FILE is asked for, LOCAL needs none.
    d.c.run("create user u identified by ''");
    d.c.run("grant insert, select on d.* to u");
    let mut u = d.server.connect(&Login { user: "u", ..LOGIN }).unwrap();
    assert_eq!(u.fail(&open(&path)), 1045);
    assert_eq!(u.fail(&format!("select 1 into outfile '{none}'")), 1045);
    u.send_query("load data local infile 'theirs' into table t");
    send_file(&mut u, b"1\n2\n", 3).unwrap();
    assert_eq!(u.rows("select sum(a) from t"), "3");
    let server = Server::start(&[]);
    let mut c = server.root_client();
    assert_eq!(c.rows("select @@secure_file_priv"), "NULL");
    assert_eq!(c.fail("select 1 into outfile '/tmp/weir-none'"), 1290);
}

#[test]
fn a_file_of_the_client() {
    let mut d = Desk::new("local");
    d.c.run("create table t (a int primary key, b longblob)");
    // Duplicates are left out: the client cannot be stopped.
    let told = "Records: 3  Deleted: 0  Skipped: 1  Warnings: 1";
    assert_eq!(d.local(b"1\ta\n1\tb\n2\tc\n", "into table t").as_deref(), Ok(told));
    assert_eq!(
        d.local(b"", "into table t").as_deref(),
        Ok("Records: 0  Deleted: 0  Skipped: 0  Warnings: 0")
    );
    // An error in the statement is reported before the file is requested.
    d.c.send_query("load data local infile 'theirs' into table nosuch");
    assert_eq!(d.c.read_failure().errno, 1146);
    // An error comes when the client has sent everything, and nothing is kept.
    let rest = "into table t fields terminated by ',' (a, b) set b = (select 1 union select 2)";
    assert_eq!(d.local(&b"7,x\n".repeat(1000), rest), Err(1242));
    assert_eq!(d.c.rows("select count(*) from t"), "2");
    // A field longer than max_allowed_packet, and one that fits.
    let long = [b"8\t".to_vec(), vec![b'x'; 7 << 20], b"\n".to_vec()].concat();
    d.c.send_query("load data local infile 'theirs' into table t");
    assert_eq!(send_file(&mut d.c, &long, 1 << 20).unwrap().affected, 1);
    assert_eq!(d.c.rows("select length(b) from t where a = 8"), (7 << 20).to_string());
    let endless = vec![b'x'; 64 << 20];
    d.c.send_query("load data local infile 'theirs' into table t");
    assert_eq!(send_file(&mut d.c, &endless, 1 << 20).unwrap_err().errno, 1153);
    assert!(d.server.resident_kib() < 400 << 10, "{} KiB", d.server.resident_kib());
    // Where one of the two does not want it.
    let mut plain = d.server.connect(&Login { flags: 0, ..LOGIN }).unwrap();
    let sql = "load data local infile 'theirs' into table d.t";
    assert_eq!(plain.fail(sql), 3948);
    d.c.run("set global local_infile = 0");
    assert_eq!(d.c.fail(sql), 3948);
}

#[test]
fn a_client_that_is_killed_or_vanishes_in_the_middle() {
    let mut d = Desk::new("killed");
    d.c.run("create table t (a int)");
    let mut other = d.server.root_client();
    let sql = "load data local infile 'theirs' into table t";
    // KILL QUERY: told when the file has ended.
    d.c.send_query(sql);
    d.c.read_packet().unwrap();
    for _ in 0..1000 {
        d.c.write_packet(b"1\n2\n").unwrap();
    }
    other.run(&format!("kill query {}", d.c.id));
    d.c.write_packet(b"3\n").unwrap();
    d.c.write_packet(b"").unwrap();
    assert_eq!(d.c.read_failure().errno, 1317);
    assert_eq!(d.c.rows("select count(*) from t"), "0");
    // KILL while the client is silent.
    let mut c = d.server.connect(&LOGIN).unwrap();
    c.send_query(sql);
    c.read_packet().unwrap();
    c.write_packet(b"1\n2\n").unwrap();
    other.run(&format!("kill {}", c.id));
    until("it is gone", || c.is_closed());
    // One that breaks off in the middle. The rows that it has sent are read first, and undone.
    let mut c = d.server.connect(&LOGIN).unwrap();
    c.send_query(sql);
    c.read_packet().unwrap();
    for _ in 0..20 {
        c.write_packet(&b"7\n".repeat(10_000)).unwrap();
    }
    c.vanish();
    let alone = "Threads_connected,2";
    until("both are gone", || other.rows("show status like 'Threads_connected'") == alone);
    assert_eq!(other.rows("select count(*) from d.t"), "0");
}

#[test]
fn load_file_reads_what_may_be_read() {
    let mut d = Desk::new("load-file");
    std::fs::write(d.dir.join("f"), b"a\0b\xff").unwrap();
    std::fs::write(d.dir.join("empty"), b"").unwrap();
    std::fs::write(d.dir.join("large"), vec![b'x'; (8 << 20) + 1]).unwrap();
    let root = d.dir.display().to_string();
    let ask = |c: &mut Client, path: &str| c.rows(&format!("select hex(load_file('{path}'))"));
    assert_eq!(ask(&mut d.c, &format!("{root}/f")), "610062FF");
    assert_eq!(ask(&mut d.c, &format!("{root}/empty")), "");
    for path in [
        "/etc/passwd",
        "f",
        &format!("{root}/../../etc/passwd"),
        &format!("{root}/none"),
        &root,
        "/dev/zero",
    ] {
        assert_eq!(ask(&mut d.c, path), "NULL", "{path}");
    }
    let large = d.c.run(&format!("select load_file('{root}/large') is null"));
    assert_eq!((large.warnings, d.c.rows("show warnings")), (1, "Warning,1301,Result of load_file() was larger than max_allowed_packet (8388608) - truncated".to_owned()));
    d.c.run("create table t (p varchar(255))");
    d.c.run(&format!("insert into t values ('{root}/f'), (null), ('{root}/none')"));
    assert_eq!(d.c.rows("select length(load_file(p)) from t order by 1 desc limit 1"), "4");
    d.c.run("create user u@localhost");
    d.c.run("grant select on d.* to u@localhost");
    let mut u = d.server.connect(&Login { user: "u", ..LOGIN }).unwrap();
    assert_eq!(ask(&mut u, &format!("{root}/f")), "NULL");
}
