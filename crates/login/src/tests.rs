//! Dialogues as the protocol's documentation has them, packet by packet.

use super::*;
use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::rsa::{KeySize, OAEP_SHA1_MGF1SHA1, OaepPrivateDecryptingKey, PrivateDecryptingKey};
use weir_wire::Status;
use weir_wire::handshake::{ClientHello, Greeting, decode_hello};

const SALT: &[u8; 20] = b"abcdefghijklmnopqrst";
const OTHER: &[u8; 20] = b"ABCDEFGHIJKLMNOPQRST";
const ASKS: Protection = Protection::Sealed { key: None, asks: true };

fn greeting(auth_plugin: &str, capabilities: Capabilities) -> Vec<u8> {
    let greeting = Greeting {
        server_version: "8.0.36",
        connection_id: 7,
        salt: *SALT,
        capabilities,
        collation: 45,
        status: Status::AUTOCOMMIT,
        auth_plugin,
    };
    let mut out = Vec::new();
    greeting.encode(&mut out);
    out
}

fn account() -> Account<'static> {
    Account { user: "u", password: "secret", database: "" }
}

fn login(method: &str, protection: Protection) -> Login<'static> {
    let greeting = greeting(method, Capabilities::OFFERED);
    Login::new(&greeting, account(), BASIC, protection).expect("a greeting")
}

/// A server asks for another method with another salt.
fn switch(method: &str) -> Vec<u8> {
    let mut packet = Vec::new();
    weir_wire::auth::put_switch(&mut packet, method, OTHER);
    packet
}

fn pem(der: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::from("-----BEGIN PUBLIC KEY-----\n");
    for (i, three) in der.chunks(3).enumerate() {
        let n = three.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - three.len()));
        for i in 0..4 {
            let digit = DIGITS[(n >> (18 - 6 * i) & 63) as usize];
            text.push(if i <= three.len() { digit.into() } else { '=' });
        }
        if i % 16 == 15 {
            text.push('\n');
        }
    }
    text + "\n-----END PUBLIC KEY-----\n"
}

/// A server's key, and what a client sealed with it.
struct ServerKey(OaepPrivateDecryptingKey, String);

impl ServerKey {
    fn new() -> ServerKey {
        let private = PrivateDecryptingKey::generate(KeySize::Rsa2048).expect("a key");
        let public = private.public_key();
        let der: PublicKeyX509Der<'_> = public.as_der().expect("encodes");
        let text = pem(der.as_ref());
        ServerKey(OaepPrivateDecryptingKey::new(private).expect("a key for OAEP"), text)
    }

    fn opens(&self, step: Result<Step>, salt: &[u8]) -> Vec<u8> {
        let Ok(Step::Send(sealed)) = step else { panic!("no packet: {step:?}") };
        let mut out = vec![0; self.0.min_output_size()];
        let clear = self.0.decrypt(&OAEP_SHA1_MGF1SHA1, &sealed, &mut out, None).expect("sealed");
        clear.iter().zip(salt.iter().cycle()).map(|(a, b)| a ^ b).collect()
    }
}

#[test]
fn the_first_packet_has_account_database_and_proof() {
    let greeting = greeting(CACHING_SHA2, Capabilities::OFFERED);
    let account = Account { database: "shop", ..account() };
    let wanted = BASIC | Capabilities::DEPRECATE_EOF;
    let login = Login::new(&greeting, account, wanted, ASKS).expect("a greeting");
    assert!(login.capabilities().has(Capabilities::DEPRECATE_EOF));
    let packet = login.response().expect("a packet");
    let Ok(ClientHello::Login(read)) = decode_hello(&packet) else { panic!("no login") };
    assert_eq!((read.user, read.database), (&b"u"[..], Some(&b"shop"[..])));
    assert_eq!(read.auth_response, proof::caching_sha2(b"secret", SALT));
    assert_eq!(read.auth_plugin, Some(CACHING_SHA2.as_bytes()));
    // What the server does not offer is not used; a method that is unknown here begins as the native one.
    let old = Capabilities(BASIC.0);
    let login = Login::new(&self::greeting("x", old), self::account(), wanted, ASKS);
    let login = login.expect("a greeting");
    assert_eq!(login.capabilities(), BASIC);
    let packet = login.response().expect("a packet");
    let Ok(ClientHello::Login(read)) = decode_hello(&packet) else { panic!("no login") };
    assert_eq!((read.database, read.auth_plugin), (None, Some(NATIVE.as_bytes())));
}

#[test]
fn tls_is_asked_for_or_refused() {
    let wanted = BASIC | Capabilities::SSL;
    let with = greeting(CACHING_SHA2, Capabilities::OFFERED | Capabilities::SSL);
    let login = Login::new(&with, account(), wanted, Protection::Private).expect("TLS");
    assert_eq!(decode_hello(&login.tls_request()), Ok(ClientHello::SslRequest));
    let without = greeting(CACHING_SHA2, BASIC);
    let refused = Login::new(&without, account(), wanted, Protection::Private).map(drop);
    assert_eq!(refused, Err(Error::NoTls));
    assert_eq!(Login::new(b"\x09", account(), BASIC, ASKS).map(drop), Err(Error::Malformed));
}

#[test]
fn a_known_password_needs_its_proof_alone() {
    let mut login = login(CACHING_SHA2, ASKS);
    assert_eq!(login.receive(&[1, 3]), Ok(Step::Receive));
    assert_eq!(login.receive(b"\0\0\0\x02\0\0\0"), Ok(Step::Done));
}

#[test]
fn an_unknown_password_is_sealed_in_clear_and_sent_as_it_is_in_private() {
    let key = ServerKey::new();
    let answer = [b"\x01", key.1.as_bytes()].concat();
    let mut asks = login(CACHING_SHA2, ASKS);
    assert_eq!(asks.receive(&[1, 4]), Ok(Step::Send(vec![2])));
    assert_eq!(key.opens(asks.receive(&answer), SALT), b"secret\0");
    assert_eq!(asks.receive(&[0]), Ok(Step::Done));
    let known = Protection::Sealed { key: Some(key.1.clone().into_bytes()), asks: false };
    assert_eq!(key.opens(login(CACHING_SHA2, known).receive(&[1, 4]), SALT), b"secret\0");
    let private = login(CACHING_SHA2, Protection::Private).receive(&[1, 4]);
    assert_eq!(private, Ok(Step::Send(b"secret\0".to_vec())));
    // With neither a key nor the will to take one nothing is sent.
    let closed = Protection::Sealed { key: None, asks: false };
    let refused = login(CACHING_SHA2, closed).receive(&[1, 4]);
    assert_eq!(refused, Err(Error::Unprotected));
}

#[test]
fn another_method_is_switched_to_with_its_own_salt() {
    let key = ServerKey::new();
    let mut login = login(NATIVE, ASKS);
    let proof = proof::caching_sha2(b"secret", OTHER);
    assert_eq!(login.receive(&switch(CACHING_SHA2)), Ok(Step::Send(proof)));
    assert_eq!(login.receive(&[1, 4]), Ok(Step::Send(vec![2])));
    let answer = [b"\x01", key.1.as_bytes()].concat();
    assert_eq!(key.opens(login.receive(&answer), OTHER), b"secret\0");
    let proof = proof::native(b"secret", OTHER);
    assert_eq!(login.receive(&switch(NATIVE)), Ok(Step::Send(proof)));
    let unknown = login.receive(&switch("client_ed25519"));
    assert_eq!(unknown, Err(Error::UnknownMethod("client_ed25519".into())));
}

#[test]
fn what_belongs_to_no_dialogue_is_refused() {
    for packet in [&b""[..], &[1], &[1, 5], &[2, 0], &[1, 4, 4], &[0xFF, 1]] {
        let refused = login(CACHING_SHA2, ASKS).receive(packet);
        assert_eq!(refused, Err(Error::UnknownDialogue), "{packet:?}");
    }
    assert_eq!(login(CACHING_SHA2, ASKS).receive(b"\xFEno end"), Err(Error::Malformed));
    for (packet, want) in
        [(&b"\0"[..], Error::NoKey), (b"", Error::NoKey), (b"\x01x", Error::BadKey)]
    {
        let mut asked = login(CACHING_SHA2, ASKS);
        assert_eq!(asked.receive(&[1, 4]), Ok(Step::Send(vec![2])));
        assert_eq!(asked.receive(packet), Err(want), "{packet:?}");
    }
    let long = "x".repeat(214);
    let account = Account { password: &long, ..account() };
    let greeting = greeting(CACHING_SHA2, Capabilities::OFFERED);
    let mut login = Login::new(&greeting, account, BASIC, ASKS).expect("a greeting");
    assert_eq!(login.receive(&[1, 4]), Ok(Step::Send(vec![2])));
    let key = ServerKey::new();
    let answer = [b"\x01", key.1.as_bytes()].concat();
    assert_eq!(login.receive(&answer), Err(Error::TooLong));
}
