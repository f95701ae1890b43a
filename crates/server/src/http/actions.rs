//! What the page may do: log an account in and out, and end a connection with the rights of that account.
//!
//! Each is a POST whose Origin is this site's own. That and the cookie's SameSite keep other sites' pages out.

use super::Http;
use super::access::{self, Who};
use super::connection::Client;
use super::request::Request;
use super::response::Response;
use super::sessions::{clear_cookie, set_cookie, token_of};
use crate::auth;
use crate::listener::Server;
use crate::log;
use serde_json::{Value, json};
use weir_sql::account::Peer;
use weir_sql::session::kill_by_account;
use weir_sql::session_api::KillKind;

pub const LOGIN: &str = "/api/login";
pub const LOGOUT: &str = "/api/logout";
pub const KILL: &str = "/api/kill";

pub fn is_action(path: &str) -> bool {
    [LOGIN, LOGOUT, KILL].contains(&path)
}

pub fn act(http: &Http, server: &Server, request: &Request, client: &Client) -> Response {
    // A browser always names the origin of a POST; a program that does not is asked to.
    let own = request.origin.as_deref().and_then(|o| o.split_once("://")).map(|(_, host)| host);
    if own.is_none() || own != request.host.as_deref() {
        return Response::error(403, "a POST needs the Origin of this site");
    }
    let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
        return Response::error(400, "the body is a JSON object");
    };
    match request.path.as_str() {
        LOGIN => log_in(http, server, &body, client),
        LOGOUT => {
            request
                .cookie
                .as_deref()
                .and_then(token_of)
                .into_iter()
                .for_each(|t| http.sessions.end(t));
            Response { cookie: Some(clear_cookie()), ..Response::json(&json!({})) }
        }
        _ => kill(http, server, request, &body, client),
    }
}

fn log_in(http: &Http, server: &Server, body: &Value, client: &Client) -> Response {
    let text = |name: &str| body.get(name).and_then(Value::as_str);
    let (Some(user), Some(password)) = (text("user"), text("password")) else {
        return Response::error(400, "user and password are needed");
    };
    let from = client.from.ip();
    let tls = client.tls.as_ref();
    let proved = auth::check_sent(
        &server.auth,
        &server.inst,
        user,
        password.as_bytes(),
        Peer::Ip(from),
        tls,
    );
    // The same for an unknown name, a wrong password and an account without one.
    let Some(account) = proved else { return Response::error(403, "access denied") };
    match http.sessions.begin(server, &account, from) {
        Some(token) => {
            let name = json!({ "user": format!("{}@{}", account.user, account.host) });
            Response { cookie: Some(set_cookie(&token, tls.is_some())), ..Response::json(&name) }
        }
        None => Response::error(503, "the system has no random numbers"),
    }
}

fn kill(
    http: &Http,
    server: &Server,
    request: &Request,
    body: &Value,
    client: &Client,
) -> Response {
    let Who::Account(account) = access::who(http, server, request, client) else {
        return Response::error(401, "log in first");
    };
    let Some(id) = body.get("id").and_then(Value::as_u64) else {
        return Response::error(400, "id is the number of a connection");
    };
    let (kind, what) = match body.get("query").and_then(Value::as_bool) {
        Some(true) => (KillKind::Query, "the statement of connection"),
        _ => (KillKind::Connection, "connection"),
    };
    let host = Peer::Ip(client.from.ip()).host();
    match kill_by_account(&server.inst, &account, &host, id, kind) {
        Ok(()) => {
            log::system(&format!(
                "HTTP: {}@{} ends {what} {id} from {host}",
                account.user, account.host
            ));
            Response::json(&json!({}))
        }
        Err(e) => Response::error(403, &e.message),
    }
}
