//! Who may see what: nobody needs a password on a loopback address, where a browser must not be led by other sites' pages; elsewhere
//! requests carry the password of an account.

use super::Http;
use super::connection::Client;
use super::request::Request;
use super::response::Response;
use super::sessions::token_of;
use crate::auth;
use crate::crypto;
use crate::listener::Server;
use std::net::IpAddr;
use std::sync::Arc;
use weir_sql::account::{Account, Peer};
use weir_sql::session::may_monitor;

/// Refuses what a page of another site has asked for. The browser says so in headers that pages cannot set; and a name
/// that another site has made to mean this address (DNS rebinding) stands in Host.
pub fn is_of_this_site(http: &Http, request: &Request) -> Result<(), Response> {
    let other = || Err(Response::error(403, "other sites' pages are not answered"));
    if matches!(request.site.as_deref(), Some("cross-site" | "same-site")) && request.path != "/" {
        return other();
    }
    if let (Some(origin), Some(host)) = (&request.origin, &request.host) {
        let authority = origin.split_once("://").map_or("", |(_, authority)| authority);
        if !authority.eq_ignore_ascii_case(host) {
            return other();
        }
    }
    match &request.host {
        Some(host) if http.is_loopback && !is_local_name(host) => Err(Response::error(
            421,
            "on a loopback address the page is asked for by an address or as localhost",
        )),
        _ => Ok(()),
    }
}

/// An address or `localhost`, with or without a port.
fn is_local_name(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(name, _)| name),
        None => host.split_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok()
}

/// Whom a request comes from.
pub enum Who {
    Account(Arc<Account>),
    Nobody,
    /// It has a name and a password which are not right.
    Refused,
}

/// By its cookie, or by name and password.
pub fn who(http: &Http, server: &Server, request: &Request, client: &Client) -> Who {
    let from = client.from.ip();
    if let Some(token) = request.cookie.as_deref().and_then(token_of)
        && let Some(account) = http.sessions.account(server, token, from)
    {
        return Who::Account(account);
    }
    let Some((user, password)) = request.authorization.as_deref().and_then(credentials) else {
        return Who::Nobody;
    };
    let (inst, tls) = (&server.inst, client.tls.as_ref());
    auth::check_sent(&server.auth, inst, &user, &password, Peer::Ip(from), tls)
        .map_or(Who::Refused, Who::Account)
}

/// Whether the request carries what it needs to see more than `/health` and `/ready` tell everybody.
pub fn may_see(
    http: &Http,
    server: Option<&Server>,
    request: &Request,
    client: &Client,
) -> Result<(), Response> {
    if http.is_loopback {
        return Ok(());
    }
    // A script shows a form of its own; a browser would put its window before it.
    let asks = |text| {
        let asks = !request.accept.starts_with("application/json");
        Err(Response { asks, ..Response::error(401, text) })
    };
    // The accounts are known with the server.
    let Some(server) = server else { return Err(Response::error(503, "the server is not ready")) };
    let peer = Peer::Ip(client.from.ip());
    match who(http, server, request, client) {
        Who::Account(account) if may_monitor(&server.inst, &account, &peer.host()) => Ok(()),
        Who::Account(_) => Err(Response::error(403, "the account needs the PROCESS privilege")),
        Who::Nobody => asks("an account's name and password are needed"),
        Who::Refused => asks("access denied"),
    }
}

/// Name and password of HTTP's method Basic (RFC 7617).
fn credentials(header: &str) -> Option<(String, Vec<u8>)> {
    let (scheme, token) = header.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") {
        return None;
    }
    let plain = crypto::from_base64(token.trim())?;
    let colon = plain.iter().position(|b| *b == b':')?;
    let user = String::from_utf8(plain[..colon].to_vec()).ok()?;
    Some((user, plain[colon + 1..].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_machine() {
        for host in ["localhost", "LocalHost:8080", "127.0.0.1:1", "[::1]:1", "[::1]", "10.0.0.1"] {
            assert!(is_local_name(host), "{host}");
        }
        for host in
            ["evil.example", "localhost.evil.example:1", "127.0.0.1.example", "", "[", "::1"]
        {
            assert!(!is_local_name(host), "{host}");
        }
    }

    #[test]
    fn basic_credentials() {
        let got = credentials("basic cm9vdDphOmI=").unwrap();
        assert_eq!((got.0.as_str(), got.1.as_slice()), ("root", &b"a:b"[..]));
        for bad in ["Basic", "Bearer cm9vdDphOmI=", "Basic cm9vdA==", "Basic !", "Basic /zo="] {
            assert!(credentials(bad).is_none(), "{bad}");
        }
    }
}
