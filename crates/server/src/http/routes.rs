//! Which path is answered by what.

use super::connection::Client;
use super::request::Request;
use super::response::{Response, TEXT};
use super::{Http, access, metrics, page};

pub fn answer(http: &Http, request: &Request, client: &Client) -> Response {
    let server = http.stage.server();
    if let Err(refused) = access::is_of_this_site(http, request) {
        return refused;
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
        "/" | "/metrics" | "/api/now" => match may() {
            Ok(()) => shown(http, request),
            Err(refused) => refused,
        },
        _ => Response::error(404, "there are /, /api/now, /metrics, /health and /ready"),
    }
}

fn shown(http: &Http, request: &Request) -> Response {
    if request.path == "/" {
        return page::page();
    }
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
