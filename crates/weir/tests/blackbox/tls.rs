//! Encrypted connections: what they carry, who must have one, certificates, and clients that break off.

use crate::common::{
    Certified, Client, Failure, Login, Server, Trust, cap, run_to_end, tls_client, tls_config,
    until,
};
use rustls::pki_types::ServerName;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, StreamOwned};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn made(server: &Server, name: &str) -> PathBuf {
    server.root().join("data").join(name)
}

/// Trusts the authority of the first start, and shows nothing.
fn config(server: &Server) -> Arc<ClientConfig> {
    Arc::new(tls_config(&Trust {
        ca: &made(server, "ca.pem"),
        own: None,
        versions: &[&TLS13, &TLS12],
    }))
}

/// The same with the client's certificate of the first start.
fn with_certificate(server: &Server) -> Arc<ClientConfig> {
    let (cert, key) = (made(server, "client-cert.pem"), made(server, "client-key.pem"));
    let own = Some((&*cert, &*key));
    Arc::new(tls_config(&Trust { ca: &made(server, "ca.pem"), own, versions: &[&TLS13, &TLS12] }))
}

fn connect(server: &Server, config: &Arc<ClientConfig>) -> Result<Client, Failure> {
    tls_client(server.port, &Login::default(), config)
}

fn status(c: &mut Client, name: &str) -> String {
    c.rows(&format!("select variable_value from performance_schema.session_status where variable_name = '{name}'"))
}

#[test]
fn both_versions_and_what_is_told_of_them() {
    let server = Server::start(&[]);
    let ca = made(&server, "ca.pem");
    for (version, name, cipher) in [
        (&TLS13, "TLSv1.3", "TLS_AES_256_GCM_SHA384"),
        (&TLS12, "TLSv1.2", "ECDHE-ECDSA-AES256-GCM-SHA384"),
    ] {
        let config = tls_config(&Trust { ca: &ca, own: None, versions: &[version] });
        let mut c = connect(&server, &Arc::new(config)).unwrap();
        assert_eq!(status(&mut c, "Ssl_version"), name);
        assert_eq!(status(&mut c, "Ssl_cipher"), cipher);
        assert!(c.rows("show session status like 'Ssl_cipher_list'").contains(cipher));
        assert!(status(&mut c, "Ssl_server_not_after").ends_with(" GMT"));
    }
    let mut plain = server.root_client();
    assert_eq!(plain.rows("show status like 'Ssl_cipher'"), "Ssl_cipher,");
    assert_eq!(
        plain.rows("select @@have_ssl, @@have_openssl, @@tls_version"),
        "YES,YES,TLSv1.2,TLSv1.3"
    );
    assert_eq!(
        plain.rows("select @@ssl_ca, @@ssl_cert, @@ssl_key"),
        "ca.pem,server-cert.pem,server-key.pem"
    );
    assert_eq!(status(&mut plain, "Ssl_finished_accepts"), "2");
    // One version alone, and ciphers by name.
    let server = server
        .restart(&["--tls-version=TLSv1.3", "--tls-ciphersuites=TLS_AES_128_GCM_SHA256:NONE"]);
    let mut c = connect(&server, &config(&server)).unwrap();
    assert_eq!(status(&mut c, "Ssl_cipher"), "TLS_AES_128_GCM_SHA256");
    assert!(server.log().contains("the cipher 'NONE' is not offered"));
    let old = tls_config(&Trust { ca: &ca, own: None, versions: &[&TLS12] });
    assert!(connect(&server, &Arc::new(old)).is_err());
}

#[test]
fn statements_and_results_of_every_length() {
    let server = Server::start(&["--max-allowed-packet=80M"]);
    let mut in_pieces = (*config(&server)).clone();
    in_pieces.max_fragment_size = Some(64);
    for (flags, config) in [
        (0, config(&server)),
        (0, Arc::new(in_pieces)),
        (cap::COMPRESS, config(&server)),
        (cap::ZSTD, config(&server)),
    ] {
        let login = Login { flags: flags | cap::DEPRECATE_EOF, ..Login::default() };
        let mut c = tls_client(server.port, &login, &config).unwrap();
        for len in [1, 100, 16_000, 16_385, 70_000, 3 << 20] {
            assert_eq!(c.rows(&format!("select repeat('z', {len})")).len(), len);
            let sql = format!("select length('{}')", "x".repeat(len));
            assert_eq!(c.rows(&sql), len.to_string());
        }
        let rows = "with recursive n as (select 1 as i union all select i + 1 from n where i < 1000) select i, repeat('r', 200) from n";
        assert_eq!(c.run(rows).rows.len(), 1000);
        assert_eq!(c.run("select 1").warnings, 0);
    }
    let mut c = connect(&server, &config(&server)).unwrap();
    let len = 64 << 20;
    assert_eq!(c.rows(&format!("select length('{}')", "x".repeat(len))), len.to_string());
    assert_eq!(c.rows(&format!("select repeat('z', {len})")).len(), len);
}

/// What the server read ahead is not slept over, in a connection that has rested and in one that has not.
#[test]
fn commands_in_one_record_and_records_in_pieces() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    let mut c = connect(&server, &config(&server)).unwrap();
    let ping = [1, 0, 0, 0, 0x0E];
    for _ in 0..3 {
        c.send_bytes(&[ping, ping, ping].concat()).unwrap();
        for _ in 0..3 {
            c.set_seq(1);
            assert_eq!(c.read_packet().unwrap()[0], 0);
        }
        until("the connection rests", || {
            root.rows("show status like 'Threads_running'").ends_with(",1")
        });
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
    c.set_seq(0);
    assert_eq!(c.rows("select 1"), "1");
}

fn processes(root: &mut Client) -> String {
    root.rows("select count(*) from information_schema.processlist")
}

/// The socket, and the client's side of a layer over it, behind the request.
fn requested(server: &Server) -> (TcpStream, ClientConnection) {
    let socket = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    socket.set_read_timeout(Some(std::time::Duration::from_secs(60))).unwrap();
    let mut c = Client::over(Box::new(socket.try_clone().unwrap()));
    c.greeting().unwrap();
    let mut request = (cap::DEFAULT | cap::SSL).to_le_bytes().to_vec();
    request.resize(32, 0);
    c.write_packet(&request).unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    (socket, ClientConnection::new(config(server), name).unwrap())
}

#[test]
fn handshakes_that_stop_anywhere() {
    let server = Server::start(&["--connect-timeout=2"]);
    let mut root = server.root_client();
    let mut hello = Vec::new();
    requested(&server).1.write_tls(&mut hello).unwrap();
    for end in [0, 1, 4, 5, 6, 40, hello.len() - 1, hello.len()] {
        let (mut socket, _) = requested(&server);
        socket.write_all(&hello[..end]).unwrap();
    }
    until("they are gone", || processes(&mut root) == "1");
    // Those that stay are thrown out, and nobody waits for them meanwhile.
    let stay: Vec<_> = [0, 3, 100, hello.len()]
        .map(|end| {
            let (mut socket, _) = requested(&server);
            socket.write_all(&hello[..end]).unwrap();
            socket
        })
        .into();
    assert_eq!(connect(&server, &config(&server)).unwrap().rows("select 1"), "1");
    for mut socket in stay {
        // The end, whatever was said before.
        let _ = socket.read_to_end(&mut Vec::new());
    }
    until("they are thrown out", || processes(&mut root) == "1");
}

/// A byte now and then, behind the handshake and instead of one: the login's deadline is kept.
#[test]
fn a_drip_does_not_outlive_the_login() {
    let server = Server::start(&["--connect-timeout=2"]);
    let mut root = server.root_client();
    let (mut before, _) = requested(&server);
    let (mut behind, mut tls) = requested(&server);
    tls.complete_io(&mut behind).unwrap();
    let (mut one, mut other) = ([22, 3, 1, 1, 0].into_iter(), [23, 3, 3, 1, 0].into_iter());
    let pause = std::time::Duration::from_millis(100);
    until("both are gone", || {
        std::thread::sleep(pause);
        // It fails when the server has closed.
        let _ = before.write_all(&[one.next().unwrap_or(0)]);
        let _ = behind.write_all(&[other.next().unwrap_or(0)]);
        processes(&mut root) == "1"
    });
}

#[test]
fn what_is_no_handshake() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    let alert = [21, 3, 3, 0, 2, 2, 40];
    let endless = [&[22, 3, 1, 0x40, 0][..], &vec![7; 0x4000]].concat();
    // A plain login behind the request is no login.
    let plain = [&[60, 0, 0, 2][..], &[0x85, 0xA6, 0xFF, 0], &[b'x'; 56]].concat();
    for bytes in [&b"\x03\0\0\x02abc"[..], &alert, &endless, &plain, b"GET / HTTP/1.0\r\n\r\n"] {
        let (mut socket, _) = requested(&server);
        socket.write_all(bytes).unwrap();
        let mut said = Vec::new();
        let _ = socket.read_to_end(&mut said);
        // An alert or nothing: never a packet.
        assert!(said.is_empty() || said[0] == 21, "{said:?}");
    }
    until("they are gone", || processes(&mut root) == "1");
    let broken = root.rows("show status like 'Aborted_connects'");
    assert_eq!(broken, "Aborted_connects,5");
}

#[test]
fn clients_that_vanish_in_a_statement() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    let busy =
        "select count(*) from information_schema.processlist where info = 'select sleep(1000)'";
    for version in [&TLS12, &TLS13] {
        let config = Arc::new(tls_config(&Trust {
            ca: &made(&server, "ca.pem"),
            own: None,
            versions: &[version],
        }));
        // Without a word.
        let mut c = connect(&server, &config).unwrap();
        c.send_query("select sleep(1000)");
        until("it sleeps", || root.rows(busy) == "1");
        c.vanish();
        until("it is gone", || root.rows(busy) == "0");
        // With the layer's goodbye.
        let (socket, salt, mut c) = shaken(&server, &config);
        c.answer_greeting(&Login::default(), salt, true).unwrap();
        c.send_query("select sleep(1000)");
        until("it sleeps", || root.rows(busy) == "1");
        drop((c, socket));
        until("it is gone", || root.rows(busy) == "0");
        // Something that is no record, between commands and instead of one.
        let (mut socket, salt, mut c) = shaken(&server, &config);
        c.answer_greeting(&Login::default(), salt, true).unwrap();
        assert_eq!(c.rows("select 1"), "1");
        socket.write_all(b"\x03\0\0\0\x03do").unwrap();
        assert!(c.read_packet().is_err());
    }
    until("all are gone", || processes(&mut root) == "1");
}

/// A pipe that says goodbye in the layer before it closes.
struct Polite(StreamOwned<ClientConnection, TcpStream>);

impl Drop for Polite {
    fn drop(&mut self) {
        self.0.conn.send_close_notify();
        let _ = self.0.flush();
    }
}

impl Read for Polite {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(into)
    }
}

impl Write for Polite {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.0.flush()
    }
}

impl crate::common::Pipe for Polite {
    fn end(&self) {}
}

/// After the handshake: the socket itself, the salt, and the client over the layer.
fn shaken(server: &Server, config: &Arc<ClientConfig>) -> (TcpStream, Vec<u8>, Client) {
    let socket = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    let mut c = Client::over(Box::new(socket.try_clone().unwrap()));
    let (salt, _) = c.greeting().unwrap();
    let mut request = (cap::DEFAULT | cap::SSL).to_le_bytes().to_vec();
    request.resize(32, 0);
    c.write_packet(&request).unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let tls = ClientConnection::new(config.clone(), name).unwrap();
    c.goes_over(Box::new(Polite(StreamOwned::new(tls, socket.try_clone().unwrap()))));
    (socket, salt, c)
}

#[test]
fn garbage_inside_a_session_ends_it() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    let record = [&[23, 3, 3, 0, 32][..], &[9; 32]].concat();
    for garbage in [&record[..], b"\x03\0\0\0\x03do", &[22, 3, 3, 0, 4, 0, 0, 0, 0], &[0; 50]] {
        let (mut socket, salt, mut c) = shaken(&server, &config(&server));
        c.answer_greeting(&Login::default(), salt, true).unwrap();
        assert_eq!(c.rows("select 1"), "1");
        socket.write_all(garbage).unwrap();
        assert!(c.read_packet().is_err());
    }
    until("they are gone", || processes(&mut root) == "1");
}

#[test]
fn kill_reaches_an_encrypted_connection() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    let mut busy = connect(&server, &config(&server)).unwrap();
    busy.send_query("select sleep(1000)");
    let mut idle = connect(&server, &config(&server)).unwrap();
    assert_eq!(idle.rows("select 1"), "1");
    std::thread::sleep(std::time::Duration::from_millis(400));
    for c in [&mut busy, &mut idle] {
        root.run(&format!("kill {}", c.id));
    }
    // What the sleep gives may still come; nothing comes behind it.
    let _ = busy.read_answer(false);
    assert!(busy.try_query("select 1").is_err());
    assert!(idle.try_query("select 1").is_err());
    until("they are gone", || processes(&mut root) == "1");
    // One that takes nothing of a long answer.
    let mut deaf = connect(&server, &config(&server)).unwrap();
    deaf.send_query("with recursive n as (select 1 as i union all select i + 1 from n where i < 900) select repeat('x', 100000) from n");
    until("it writes", || {
        root.rows("select count(*) from information_schema.processlist where info like 'with%'")
            == "1"
    });
    root.run(&format!("kill {}", deaf.id));
    until("it is gone", || processes(&mut root) == "1");
}

#[test]
fn secure_transport_may_be_required() {
    let server = Server::start(&["--require-secure-transport"]);
    let refused = server.connect(&Login::default()).err().unwrap();
    assert_eq!(refused.errno, 3159);
    assert!(refused.message.contains("--require_secure_transport=ON"), "{refused:?}");
    assert_eq!(Client::unix(&server.socket(), &Login::default()).unwrap().rows("select 1"), "1");
    let mut c = connect(&server, &config(&server)).unwrap();
    // Anyone who does not know the password learns nothing of it.
    let wrong = Login { user: "root", password: "wrong", ..Login::default() };
    assert_eq!(server.connect(&wrong).err().unwrap().errno, 1045);
    c.run("set global require_secure_transport = off");
    let mut plain = server.root_client();
    assert_eq!(plain.rows("select 1"), "1");
    c.run("set global require_secure_transport = on");
    assert_eq!(plain.change_user(&Login::default()).unwrap_err().errno, 3159);
    c.change_user(&Login::default()).unwrap();
}

#[test]
fn accounts_that_require_more() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    let bare = config(&server);
    let shown = with_certificate(&server);
    let subject = "/CN=MySQL_Server_8.0.36-weir-0.1.0_Auto_Generated_Client_Certificate";
    let issuer = "/CN=MySQL_Server_8.0.36-weir-0.1.0_Auto_Generated_CA_Certificate";
    let cases = [
        ("none".to_string(), [true, true, true]),
        ("ssl".to_string(), [false, true, true]),
        ("x509".to_string(), [false, false, true]),
        (format!("subject '{subject}' and issuer '{issuer}'"), [false, false, true]),
        (format!("issuer '{subject}'"), [false, false, false]),
        ("cipher 'TLS_AES_256_GCM_SHA384'".to_string(), [false, false, true]),
        ("cipher 'AES128-SHA'".to_string(), [false, false, false]),
    ];
    root.run("create user a@localhost identified by 'p' require ssl");
    let check = |server: &Server, what: &str, expected: [bool; 3]| {
        let login = Login { user: "a", password: "p", ..Login::default() };
        let ways = [
            server.connect(&login),
            tls_client(server.port, &login, &bare),
            tls_client(server.port, &login, &shown),
        ];
        for (way, (got, may)) in ways.into_iter().zip(expected).enumerate() {
            match got {
                Ok(mut c) => {
                    assert_eq!((c.rows("select 1"), may), ("1".into(), true), "{what} {way}")
                }
                Err(e) => assert_eq!((e.errno, may), (1045, false), "{what} {way}: {e:?}"),
            }
        }
    };
    for (require, expected) in &cases {
        root.run(&format!("alter user a@localhost require {require}"));
        check(&server, require, *expected);
    }
    // A change of the user asks the same.
    root.run("alter user a@localhost identified with mysql_native_password by 'p' require x509");
    let login = Login { user: "a", password: "p", ..Login::default() };
    let mut c = connect(&server, &bare).unwrap();
    assert_eq!(c.change_user(&login).unwrap_err().errno, 1045);
    let mut c = connect(&server, &shown).unwrap();
    c.change_user(&login).unwrap();
    assert_eq!(c.rows("select current_user()"), "a@localhost");
    // It is kept, shown, and made again from what is shown.
    root.run(&format!("alter user a@localhost require subject '{subject}' cipher 'it''s'"));
    let server = server.restart(&[]);
    let mut root = server.root_client();
    let text = root.rows("show create user a@localhost");
    assert!(
        text.contains(&format!("REQUIRE SUBJECT '{subject}' CIPHER 'it\\'s' PASSWORD EXPIRE")),
        "{text}"
    );
    root.run("drop user a@localhost");
    root.run(&text);
    assert_eq!(root.rows("show create user a@localhost"), text);
    let row = root.rows(
        "select ssl_type, ssl_cipher, x509_issuer, x509_subject from mysql.user where user = 'a'",
    );
    assert_eq!(row, format!("SPECIFIED,it's,,{subject}"));
    assert_eq!(root.fail("alter user a@localhost require subject 'a' subject 'b'"), 1225);
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

fn option(name: &str, folder: &Path, file: &str) -> String {
    format!("--{name}={}", folder.join(file).display())
}

#[test]
fn certificates_of_clients() {
    let folder = std::env::temp_dir().join(format!("weir-tls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (ours, theirs) = (Certified::authority("ours"), Certified::authority("theirs"));
    let (server_cert, server_key) = ours.sign("server", 1);
    write(
        &folder,
        &[
            ("ca", &ours.pem),
            ("cert", &server_cert),
            ("key", &server_key),
            ("crl", &ours.revoke(3)),
        ],
    );
    for (name, by, serial) in [("good", &ours, 2), ("revoked", &ours, 3), ("foreign", &theirs, 2)] {
        let (cert, key) = by.sign(name, serial);
        write(&folder, &[(name, &cert), (&format!("{name}-key"), &key)]);
    }
    let options = [
        option("ssl-ca", &folder, "ca"),
        option("ssl-cert", &folder, "cert"),
        option("ssl-key", &folder, "key"),
        option("ssl-crl", &folder, "crl"),
    ];
    let server = Server::start(&options.each_ref().map(|o| o.as_str()));
    let login = |name: &str| {
        let (cert, key) = (folder.join(name), folder.join(format!("{name}-key")));
        let own = Some((&*cert, &*key));
        let trust = Trust { ca: &folder.join("ca"), own, versions: &[&TLS13] };
        tls_client(
            server.port,
            &Login { user: "x", ..Login::default() },
            &Arc::new(tls_config(&trust)),
        )
    };
    server
        .root_client()
        .run("create user x@localhost require subject '/O=Weir/CN=good' issuer '/O=Weir/CN=ours'");
    assert_eq!(login("good").unwrap().rows("select 1"), "1");
    // No login at all, not even a refused one.
    for name in ["revoked", "foreign"] {
        assert_eq!(login(name).err().unwrap().errno, 0, "{name}");
    }
    assert!(!made(&server, "ca.pem").exists(), "none are made where some are named");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn certificates_are_read_anew() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    let mut old = connect(&server, &config(&server)).unwrap();
    let folder = server.root().join("certificates");
    std::fs::create_dir_all(&folder).unwrap();
    let ours = Certified::authority("ours");
    let (cert, key) = ours.sign("server", 1);
    let (_, other_key) = ours.sign("server", 2);
    write(
        &folder,
        &[
            ("ca", &ours.pem),
            ("cert", &cert),
            ("key", &key),
            ("other", &other_key),
            ("bad", "no PEM"),
        ],
    );
    let set = |root: &mut Client, name: &str, file: &str| {
        root.run(&format!("set global {name} = '{}'", folder.join(file).display()));
    };
    for (name, file) in [("ssl_ca", "ca"), ("ssl_cert", "cert"), ("ssl_key", "key")] {
        set(&mut root, name, file);
    }
    // Nothing of it is in force yet.
    assert_eq!(root.rows("show status like 'Current_tls_ca'"), "Current_tls_ca,ca.pem");
    assert!(connect(&server, &config(&server)).is_ok());
    root.run("alter instance reload tls");
    let new =
        Arc::new(tls_config(&Trust { ca: &folder.join("ca"), own: None, versions: &[&TLS13] }));
    assert_eq!(connect(&server, &new).unwrap().rows("select 1"), "1");
    assert!(connect(&server, &config(&server)).is_err(), "it trusts the former ones alone");
    assert_eq!(old.rows("select 1"), "1");
    // A file that cannot be used changes nothing, and the error names it.
    for (name, file, says) in [
        ("ssl_key", "other", "is not the key of the certificate"),
        ("ssl_key", "missing", "cannot be read"),
        ("ssl_cert", "bad", "has no certificate in PEM"),
        ("ssl_crl", "cert", "has no list of revoked certificates"),
    ] {
        set(&mut root, name, file);
        let e = root.query("alter instance reload tls").unwrap_err();
        assert_eq!(e.errno, 3888);
        assert!(e.message.contains(says) && e.message.contains(name), "{e:?}");
        assert_eq!(connect(&server, &new).unwrap().rows("select 1"), "1");
        match name {
            "ssl_crl" => drop(root.run("set global ssl_crl = ''")),
            _ => set(&mut root, name, &name[4..]),
        }
    }
    assert_eq!(root.fail("set global tls_version = 'TLSv1.1'"), 1231);
    root.run("create user u@localhost");
    let mut u = server.connect(&Login { user: "u", ..Login::default() }).unwrap();
    assert_eq!(u.fail("alter instance reload tls"), 1227);
    assert_eq!(root.fail("alter instance reload tls for channel nosuch"), 1210);
    root.run("alter instance reload tls for channel mysql_main");
    // Off, on purpose and by an error.
    set(&mut root, "ssl_key", "other");
    assert_eq!(root.run("alter instance reload tls no rollback on error").warnings, 1);
    assert!(root.rows("show warnings").starts_with("Warning,3888,"));
    assert_eq!(root.rows("select @@have_ssl"), "DISABLED");
    assert_eq!(server.root_client().offered & cap::SSL, 0);
    assert_eq!(old.rows("select 1"), "1");
}

#[test]
fn starts_with_certificates_that_cannot_be_used() {
    let folder = std::env::temp_dir().join(format!("weir-tls-start-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let ours = Certified::authority("ours");
    let ((cert, _), (_, key)) = (ours.sign("server", 1), ours.sign("server", 2));
    write(&folder, &[("cert", &cert), ("key", &key)]);
    let options = [option("ssl-cert", &folder, "cert"), option("ssl-key", &folder, "key")];
    let options = options.each_ref().map(|o| o.as_str());
    let server = Server::start(&options);
    assert!(server.log().contains("is not the key of the certificate"), "{}", server.log());
    let c = server.root_client();
    assert_eq!(c.offered & cap::SSL, 0);
    for insists in ["--require-secure-transport", "--tls-certificates-enforced-validation"] {
        let (status, said) = run_to_end(None, &[options[0], options[1], insists]);
        assert!(!status.success() && said.contains("is not the key of the certificate"), "{said}");
    }
    let (status, said) = run_to_end(None, &["--tls-version=TLSv1.1"]);
    assert!(!status.success() && said.contains("no longer secure"), "{said}");
    for off in ["--ssl=0", "--tls-version=", "--auto-generate-certs=0"] {
        let server = Server::start(&[off]);
        let mut c = server.root_client();
        assert_eq!(c.offered & cap::SSL, 0, "{off}");
        assert_eq!(c.rows("select @@have_ssl"), "DISABLED");
        assert!(!made(&server, "ca.pem").exists(), "{off}");
        c.run("alter instance reload tls");
    }
    // Some but not all: somebody's own, that are not overwritten.
    let server = Server::start(&[]);
    let (key, kept) = (made(&server, "server-key.pem"), made(&server, "ca.pem"));
    let before = std::fs::read(&kept).unwrap();
    let server = server.stop_and(&[], || std::fs::remove_file(&key).unwrap());
    assert!(server.log().contains("remove it and the server makes new ones"), "{}", server.log());
    assert!(!key.exists() && std::fs::read(&kept).unwrap() == before);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn passwords_under_encryption_and_without() {
    let server = Server::start(&[]);
    let mut root = server.root_client();
    root.run("create user c@localhost identified by 'geheim'");
    assert_eq!(
        root.run("create user s@localhost identified with sha256_password by 'geheim'").warnings,
        1
    );
    assert!(root.rows("show warnings").starts_with("Warning,1287,'sha256_password' is deprecated"));
    root.run("create user e@localhost identified with sha256_password");
    assert_eq!(
        root.fail("create user m@localhost identified with mysql_clear_password by 'x'"),
        1524
    );
    let login = |user, password| Login { user, password, ..Login::default() };
    let config = config(&server);
    let c = tls_client(server.port, &login("c", "geheim"), &config).unwrap();
    assert_eq!(c.dialogue, ["switch", "clear"]);
    for (user, password, may) in [
        ("s", "geheim", true),
        ("s", "falsch", false),
        ("s", "", false),
        ("e", "", true),
        ("e", "x", false),
    ] {
        let ways = [
            tls_client(server.port, &login(user, password), &config),
            server.connect(&login(user, password)),
        ];
        for way in ways {
            assert_eq!(
                way.as_ref().err().map(|e| e.errno),
                (!may).then_some(1045),
                "{user} {password}"
            );
        }
    }
    let server = server.restart(&[]);
    let c = server.connect(&login("s", "geheim")).unwrap();
    assert_eq!(c.dialogue, ["switch", "key"]);
}

#[test]
fn many_connections_and_those_that_come_again() {
    let server = Server::start(&["--max-connections=300"]);
    let shared = config(&server);
    let mut all: Vec<_> = (0..200).map(|_| connect(&server, &shared).unwrap()).collect();
    for c in &mut all {
        assert_eq!(c.rows("select 1"), "1");
    }
    let mut again = connect(&server, &shared).unwrap();
    assert_ne!(status(&mut again, "Ssl_sessions_reused"), "0");
    for (i, c) in all.iter_mut().enumerate() {
        assert_eq!(c.rows(&format!("select {i}")), i.to_string());
    }
    drop(all);
    let mut root = server.root_client();
    until("they are gone", || processes(&mut root) == "2");
}
