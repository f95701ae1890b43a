//! The greeting and what a client answers; COM_CHANGE_USER, which repeats it.

use crate::constants::{Capabilities, SALT_LEN, Status};
use crate::reader::{Malformed, Reader};

/// The first packet of a connection.
#[derive(Clone, Debug)]
pub struct Greeting<'a> {
    pub server_version: &'a str,
    pub connection_id: u32,
    /// The challenge: no zero byte in it.
    pub salt: [u8; SALT_LEN],
    pub capabilities: Capabilities,
    /// Low byte of the default collation's id.
    pub collation: u8,
    pub status: Status,
    pub auth_plugin: &'a str,
}

impl Greeting<'_> {
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.push(10);
        out.extend_from_slice(self.server_version.as_bytes());
        out.push(0);
        out.extend_from_slice(&self.connection_id.to_le_bytes());
        out.extend_from_slice(&self.salt[..8]);
        out.push(0);
        let capabilities = self.capabilities.0.to_le_bytes();
        out.extend_from_slice(&capabilities[..2]);
        out.push(self.collation);
        out.extend_from_slice(&self.status.0.to_le_bytes());
        out.extend_from_slice(&capabilities[2..]);
        out.push(SALT_LEN as u8 + 1);
        out.extend_from_slice(&[0; 10]);
        out.extend_from_slice(&self.salt[8..]);
        out.push(0);
        out.extend_from_slice(self.auth_plugin.as_bytes());
        out.push(0);
    }
}

/// What came after the greeting.
#[derive(Debug, PartialEq)]
pub enum ClientHello<'a> {
    /// The client wants TLS first; its login follows under it.
    SslRequest,
    /// A client from before protocol 4.1.
    TooOld,
    Login(Login<'a>),
}

/// A name, a proof and wishes.
#[derive(Debug, Default, PartialEq)]
pub struct Login<'a> {
    pub capabilities: Capabilities,
    pub max_packet: u32,
    pub collation: u16,
    pub user: &'a [u8],
    pub auth_response: &'a [u8],
    pub database: Option<&'a [u8]>,
    /// `None`: the client does not know authentication plugins.
    pub auth_plugin: Option<&'a [u8]>,
    pub attributes: Vec<(&'a [u8], &'a [u8])>,
    /// Of a client that can zstd: the level it asks for.
    pub zstd_level: Option<u8>,
}

/// Attributes beyond this are cut, as `performance_schema_session_connect_attrs_size` would.
const MAX_ATTRIBUTES: usize = 64;

/// Decodes the answer to the greeting.
pub fn decode_hello(packet: &[u8]) -> Result<ClientHello<'_>, Malformed> {
    let mut r = Reader::new(packet);
    if packet.len() >= 4 {
        let capabilities = Capabilities(Reader::new(packet).u32()?);
        if capabilities.has(Capabilities::SSL) && packet.len() == 32 {
            return Ok(ClientHello::SslRequest);
        }
    }
    let low = Capabilities(u32::from(Reader::new(packet).u16()?));
    if !low.has(Capabilities::PROTOCOL_41) {
        return Ok(ClientHello::TooOld);
    }
    let capabilities = Capabilities(r.u32()?);
    let max_packet = r.u32()?;
    let collation = u16::from(r.u8()?);
    r.bytes(23)?;
    let user = r.nul_str()?;
    let auth_response = if capabilities.has(Capabilities::PLUGIN_AUTH_LENENC_DATA) {
        r.lenenc_str()?
    } else if capabilities.has(Capabilities::SECURE_CONNECTION) {
        let len = usize::from(r.u8()?);
        r.bytes(len)?
    } else {
        r.nul_str()?
    };
    let mut login =
        Login { capabilities, max_packet, collation, user, auth_response, ..Login::default() };
    if capabilities.has(Capabilities::CONNECT_WITH_DB) && !r.is_empty() {
        login.database = Some(r.nul_str()?).filter(|name| !name.is_empty());
    }
    decode_tail(&mut r, capabilities, &mut login)?;
    if capabilities.has(Capabilities::ZSTD_COMPRESSION) && !r.is_empty() {
        login.zstd_level = Some(r.u8()?);
    }
    Ok(ClientHello::Login(login))
}

/// Plugin name and attributes, the common end of both packets.
fn decode_tail<'a>(
    r: &mut Reader<'a>,
    capabilities: Capabilities,
    login: &mut Login<'a>,
) -> Result<(), Malformed> {
    if capabilities.has(Capabilities::PLUGIN_AUTH) && !r.is_empty() {
        // Some clients leave the final zero out when nothing follows.
        login.auth_plugin = Some(match r.clone().nul_str() {
            Ok(_) => r.nul_str()?,
            Err(Malformed) => r.rest(),
        });
    }
    if capabilities.has(Capabilities::CONNECT_ATTRS) && !r.is_empty() {
        let mut pairs = Reader::new(r.lenenc_str()?);
        while !pairs.is_empty() {
            let pair = (pairs.lenenc_str()?, pairs.lenenc_str()?);
            if login.attributes.len() < MAX_ATTRIBUTES {
                login.attributes.push(pair);
            }
        }
    }
    Ok(())
}

/// Decodes COM_CHANGE_USER after its command byte; `capabilities` are those of the login.
pub fn decode_change_user(body: &[u8], capabilities: Capabilities) -> Result<Login<'_>, Malformed> {
    let mut r = Reader::new(body);
    let user = r.nul_str()?;
    let auth_response = if capabilities.has(Capabilities::SECURE_CONNECTION) {
        let len = usize::from(r.u8()?);
        r.bytes(len)?
    } else {
        r.nul_str()?
    };
    let database = Some(r.nul_str()?).filter(|name| !name.is_empty());
    let collation = if r.is_empty() { 0 } else { r.u16()? };
    let mut login =
        Login { capabilities, collation, user, auth_response, database, ..Login::default() };
    decode_tail(&mut r, capabilities, &mut login)?;
    Ok(login)
}

/// Encodes a login: for test clients and proxies.
pub fn encode_login(login: &Login<'_>, out: &mut Vec<u8>) {
    out.extend_from_slice(&login.capabilities.0.to_le_bytes());
    out.extend_from_slice(&login.max_packet.to_le_bytes());
    out.push(login.collation as u8);
    out.extend_from_slice(&[0; 23]);
    out.extend_from_slice(login.user);
    out.push(0);
    if login.capabilities.has(Capabilities::PLUGIN_AUTH_LENENC_DATA) {
        crate::put_lenenc_str(out, login.auth_response);
    } else {
        out.push(login.auth_response.len() as u8);
        out.extend_from_slice(login.auth_response);
    }
    if login.capabilities.has(Capabilities::CONNECT_WITH_DB) {
        out.extend_from_slice(login.database.unwrap_or_default());
        out.push(0);
    }
    if login.capabilities.has(Capabilities::PLUGIN_AUTH) {
        out.extend_from_slice(login.auth_plugin.unwrap_or_default());
        out.push(0);
    }
    if login.capabilities.has(Capabilities::CONNECT_ATTRS) {
        let mut pairs = Vec::new();
        for (key, value) in &login.attributes {
            crate::put_lenenc_str(&mut pairs, key);
            crate::put_lenenc_str(&mut pairs, value);
        }
        crate::put_lenenc_str(out, &pairs);
    }
    if login.capabilities.has(Capabilities::ZSTD_COMPRESSION) {
        out.extend(login.zstd_level);
    }
}

/// What a client reads in a greeting: connection id, salt, capabilities, plugin.
pub fn decode_greeting(
    packet: &[u8],
) -> Result<(u32, [u8; SALT_LEN], Capabilities, Vec<u8>), Malformed> {
    let mut r = Reader::new(packet);
    if r.u8()? != 10 {
        return Err(Malformed);
    }
    r.nul_str()?;
    let id = r.u32()?;
    let first: [u8; 8] = r.array()?;
    r.u8()?;
    let low = u32::from(r.u16()?);
    r.bytes(3)?;
    let high = u32::from(r.u16()?);
    r.bytes(11)?;
    let second: [u8; 12] = r.array()?;
    r.u8()?;
    let mut salt = [0; SALT_LEN];
    salt[..8].copy_from_slice(&first);
    salt[8..].copy_from_slice(&second);
    Ok((id, salt, Capabilities(low | high << 16), r.nul_str()?.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn login() -> Login<'static> {
        Login {
            capabilities: Capabilities(
                Capabilities::OFFERED.0 & !Capabilities::PLUGIN_AUTH_LENENC_DATA.0,
            ),
            max_packet: 1 << 24,
            collation: 45,
            user: b"root",
            auth_response: b"12345678901234567890",
            database: Some(b"shop"),
            auth_plugin: Some(b"mysql_native_password"),
            attributes: vec![(b"_client_name", b"test")],
            zstd_level: None,
        }
    }

    #[test]
    fn login_round_trips() {
        let mut lenenc = login();
        lenenc.capabilities = Capabilities::OFFERED;
        let mut zstd = login();
        zstd.capabilities = zstd.capabilities | Capabilities::ZSTD_COMPRESSION;
        zstd.zstd_level = Some(22);
        for login in [login(), lenenc, zstd] {
            let mut out = Vec::new();
            encode_login(&login, &mut out);
            assert_eq!(decode_hello(&out), Ok(ClientHello::Login(login)));
        }
    }

    #[test]
    fn greeting_round_trips() {
        let greeting = Greeting {
            server_version: "8.0.36-weir-0.1.0",
            connection_id: 77,
            salt: *b"abcdefghijklmnopqrst",
            capabilities: Capabilities::OFFERED,
            collation: 45,
            status: Status::AUTOCOMMIT,
            auth_plugin: "caching_sha2_password",
        };
        let mut out = Vec::new();
        greeting.encode(&mut out);
        let (id, salt, capabilities, plugin) = decode_greeting(&out).unwrap();
        assert_eq!((id, salt), (77, greeting.salt));
        assert_eq!(capabilities, Capabilities::OFFERED);
        assert_eq!(plugin, b"caching_sha2_password");
    }

    #[test]
    fn tls_and_old_clients_are_told_apart() {
        let flags = Capabilities::SSL | Capabilities::PROTOCOL_41;
        let mut packet = flags.0.to_le_bytes().to_vec();
        packet.resize(32, 0);
        assert_eq!(decode_hello(&packet), Ok(ClientHello::SslRequest));
        assert_eq!(decode_hello(&[5, 0, 0, 0, 0]), Ok(ClientHello::TooOld));
        assert_eq!(decode_hello(&[]), Err(Malformed));
    }

    #[test]
    fn change_user() {
        let mut body = b"app\0\x03abcdb\0".to_vec();
        body.extend_from_slice(&45u16.to_le_bytes());
        body.extend_from_slice(b"mysql_native_password\0");
        let login = decode_change_user(&body, Capabilities::OFFERED).unwrap();
        assert_eq!((login.user, login.auth_response), (&b"app"[..], &b"abc"[..]));
        assert_eq!(login.database, Some(&b"db"[..]));
        assert_eq!((login.collation, login.auth_plugin), (45, Some(&b"mysql_native_password"[..])));
        let short = decode_change_user(b"app\0\0\0", Capabilities::OFFERED).unwrap();
        assert_eq!((short.database, short.collation), (None, 0));
    }

    proptest! {
        #[test]
        fn garbage_never_panics(bytes: Vec<u8>, flags: u32) {
            let _ = decode_hello(&bytes);
            let _ = decode_greeting(&bytes);
            let _ = decode_change_user(&bytes, Capabilities(flags));
            let mut framed = (flags | Capabilities::PROTOCOL_41.0).to_le_bytes().to_vec();
            framed.extend(bytes);
            let _ = decode_hello(&framed);
        }
    }
}
