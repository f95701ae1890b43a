//! The login: its packets by the connection.

use super::{Client, Stream};
use crate::error::{Error, Result};
use crate::target::Url;
use weir_login::{Account, BASIC, Login, Protection, Step};
use weir_wire::Capabilities;

fn failed(e: weir_login::Error) -> Error {
    Error::other(e.to_string())
}

impl Client {
    pub(super) fn log_in(&mut self, url: &Url, database: &str) -> Result<()> {
        let account = Account { user: &url.user, password: &url.password, database };
        let protection = match self.stream {
            Stream::Unix(_) => Protection::Private,
            Stream::Tcp(_) => Protection::Sealed { key: None, asks: true },
        };
        let wanted = BASIC | Capabilities::DEPRECATE_EOF;
        let mut login = Login::new(self.packet()?, account, wanted, protection).map_err(failed)?;
        self.caps = login.capabilities();
        self.reply(&login.response().map_err(failed)?)?;
        loop {
            match login.receive(self.packet()?).map_err(failed)? {
                Step::Send(payload) => self.reply(&payload)?,
                Step::Receive => {}
                Step::Done => return Ok(()),
            }
        }
    }

    /// Sends the next packet of the dialogue.
    fn reply(&mut self, payload: &[u8]) -> Result<()> {
        self.writer.set_sequence(self.framer.sequence());
        self.writer.begin().extend_from_slice(payload);
        self.writer.end();
        self.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::rsa::OAEP_SHA1_MGF1SHA1;
    use weir_login::proof;
    use weir_wire::auth::{CACHING_SHA2, NATIVE};

    const SALT: &[u8; 20] =
        &[10, 47, 74, 111, 75, 73, 34, 48, 88, 76, 114, 74, 37, 13, 3, 80, 82, 23, 2, 21];

    /// A server as the protocol's documentation has it, byte by byte: greets, and then says what the script says. `Key` sends
    /// the RSA key and checks what comes back under it.
    enum Say {
        Bytes(Vec<u8>),
        Hear(Vec<u8>),
        Key,
    }

    fn read_packet(s: &mut std::net::TcpStream, sequence: &mut u8) -> Vec<u8> {
        use std::io::Read;
        let mut head = [0; 4];
        s.read_exact(&mut head).unwrap();
        assert_eq!(head[3], *sequence);
        *sequence += 1;
        let mut body = vec![0; u32::from_le_bytes([head[0], head[1], head[2], 0]) as usize];
        s.read_exact(&mut body).unwrap();
        body
    }

    fn send_packet(s: &mut std::net::TcpStream, sequence: &mut u8, body: &[u8]) {
        use std::io::Write;
        let mut out = (body.len() as u32).to_le_bytes().to_vec();
        out[3] = *sequence;
        *sequence += 1;
        out.extend_from_slice(body);
        s.write_all(&out).unwrap();
    }

    fn greeting(plugin: &str) -> Vec<u8> {
        let mut g = b"\x0A8.0.36\0\x07\0\0\0".to_vec();
        g.extend_from_slice(&SALT[..8]);
        g.extend_from_slice(&[0, 0xFF, 0xF7, 0xFF, 2, 0, 0xFF, 0xDF, 21]);
        g.extend_from_slice(&[0; 10]);
        g.extend_from_slice(&SALT[8..]);
        g.push(0);
        g.extend_from_slice(plugin.as_bytes());
        g.push(0);
        g
    }

    /// Logs in with the password "secret"; what the client makes of the script's end.
    fn log_in_to(plugin: &'static str, script: Vec<Say>) -> Result<()> {
        use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
        use aws_lc_rs::rsa::{KeySize, OaepPrivateDecryptingKey, PrivateDecryptingKey};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let server = std::thread::spawn(move || {
            let (mut s, _) = listener.accept().unwrap();
            let mut seq = 0;
            send_packet(&mut s, &mut seq, &greeting(plugin));
            let login = read_packet(&mut s, &mut seq);
            let proof = proof::of(plugin, "secret", SALT).unwrap_or_default();
            assert!(login.windows(proof.len().max(1)).any(|w| w == proof) || proof.is_empty());
            for say in script {
                match say {
                    Say::Bytes(b) => send_packet(&mut s, &mut seq, &b),
                    Say::Hear(b) => assert_eq!(read_packet(&mut s, &mut seq), b),
                    Say::Key => {
                        let key = PrivateDecryptingKey::generate(KeySize::Rsa2048).unwrap();
                        let public = key.public_key();
                        let der: PublicKeyX509Der<'_> = public.as_der().unwrap();
                        let mut answer = b"\x01".to_vec();
                        answer.extend_from_slice(encode_pem(der.as_ref()).as_bytes());
                        send_packet(&mut s, &mut seq, &answer);
                        let sealed = read_packet(&mut s, &mut seq);
                        let key = OaepPrivateDecryptingKey::new(key).unwrap();
                        let mut out = vec![0; key.min_output_size()];
                        let clear = key.decrypt(&OAEP_SHA1_MGF1SHA1, &sealed, &mut out, None);
                        let clear: Vec<u8> = clear
                            .unwrap()
                            .iter()
                            .zip(SALT.iter().cycle())
                            .map(|(a, b)| a ^ b)
                            .collect();
                        assert_eq!(clear, b"secret\0");
                    }
                }
            }
        });
        let url = Url::parse(&format!("mysql://u:secret@127.0.0.1:{port}")).unwrap();
        let done = Client::connect(&url, "", std::time::Duration::from_secs(10)).map(drop);
        server.join().unwrap();
        done
    }

    fn encode_pem(der: &[u8]) -> String {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut text = String::new();
        for c in der.chunks(3) {
            let n = c.iter().fold(0u32, |n, b| n << 8 | u32::from(*b)) << (8 * (3 - c.len()));
            for i in 0..4 {
                let digit = DIGITS[(n >> (18 - 6 * i) & 63) as usize];
                text.push(if i <= c.len() { digit.into() } else { '=' });
            }
        }
        let lines: Vec<&str> =
            text.as_bytes().chunks(64).map(|l| std::str::from_utf8(l).unwrap()).collect();
        format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", lines.join("\n"))
    }

    fn ok() -> Say {
        Say::Bytes(b"\0\0\0\x02\0\0\0".to_vec())
    }

    #[test]
    fn the_dialogues_of_caching_sha2_password() {
        let fast = || Say::Bytes(vec![1, 3]);
        let full = || [Say::Bytes(vec![1, 4]), Say::Hear(vec![2]), Say::Key];
        log_in_to(CACHING_SHA2, vec![fast(), ok()]).unwrap();
        log_in_to(CACHING_SHA2, full().into_iter().chain([ok()]).collect()).unwrap();
        // A server whose default is another method asks for this one.
        let mut switch = b"\xFEcaching_sha2_password\0".to_vec();
        switch.extend_from_slice(SALT);
        switch.push(0);
        let again = || Say::Hear(proof::of(CACHING_SHA2, "secret", SALT).unwrap());
        log_in_to(NATIVE, vec![Say::Bytes(switch.clone()), again(), fast(), ok()]).unwrap();
        let list = [Say::Bytes(switch), again()].into_iter().chain(full()).chain([ok()]);
        log_in_to(NATIVE, list.collect()).unwrap();
        let denied = Say::Bytes(b"\xFF\x15\x04#28000Access denied".to_vec());
        let list = full().into_iter().chain([denied]);
        assert_eq!(log_in_to(CACHING_SHA2, list.collect()).unwrap_err().errno(), 1045);
        let list = [Say::Bytes(vec![1, 4]), Say::Hear(vec![2]), ok()];
        let e = log_in_to(CACHING_SHA2, list.into()).unwrap_err().to_string();
        assert!(e.contains("RSA key"), "{e}");
    }
}
