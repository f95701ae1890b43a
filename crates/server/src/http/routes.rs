//! Which path is answered by what.

use super::connection::Client;
use super::request::{Method, Request};
use super::response::{Response, TEXT};
use super::{Http, access, actions, metrics, page};

pub fn answer(http: &Http, request: &Request, client: &Client) -> Response {
    let server = http.stage.server();
    if let Err(refused) = access::is_of_this_site(http, request) {
        return refused;
    }
    match (request.method, actions::is_action(&request.path), &server) {
        (Method::Post, true, Some(server)) => return actions::act(http, server, request, client),
        (Method::Post, true, None) => return Response::error(503, "the server is not ready"),
        (Method::Post, false, _) | (_, true, _) => {
            return Response::error(
                405,
                "only GET and HEAD are served there, and POST at the page's actions",
            );
        }
        _ => {}
    }
    let may = || access::may_see(http, server.as_deref(), request, client);
    match request.path.as_str() {
        "/health" => Response::text(200, "ok"),
        "/ready" => match http.stage.not_ready() {
            None => Response::text(200, "ready"),
            // The reason has names of files, so it is not for everybody.
            Some(why) if may().is_ok() => Response::text(503, &why),
            Some(_) => Response::text(503, "not ready"),
        },
        // The page has no number in it: what it shows it asks for, and it has the form to log in.
        "/" => page::page(),
        "/metrics" | "/api/now" => match may() {
            Ok(()) => shown(http, request),
            Err(refused) => refused,
        },
        _ => Response::error(404, "there are /, /api/now, /metrics, /health and /ready"),
    }
}

fn shown(http: &Http, request: &Request) -> Response {
    let Some(server) = http.stage.server() else {
        let why = http.stage.not_ready().unwrap_or_default();
        return Response::error(503, &why);
    };
    match request.path.as_str() {
        "/metrics" => {
            let form = metrics::Form::accepted(&request.accept);
            Response::ok(form.kind(), metrics::written(&server.inst, form).into_bytes())
        }
        _ => match request.param("after").map_or(Ok(0), str::parse) {
            Ok(after) => {
                let json = http.now.json(&http.stage, after);
                Response::ok("application/json", json.into_bytes())
            }
            Err(_) => Response { kind: TEXT, ..Response::error(400, "after is a number") },
        },
    }
}
