//! Answers, and how they are written.

use std::borrow::Cow;
use std::fmt::Write as _;

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    pub kind: &'static str,
    pub body: Cow<'static, [u8]>,
    /// What scripts, styles and requests a page may have; empty for what is no page.
    pub policy: Cow<'static, str>,
    /// Asks for a password.
    pub asks: bool,
    /// A Set-Cookie header.
    pub cookie: Option<String>,
}

pub const TEXT: &str = "text/plain; charset=utf-8";

impl Response {
    pub fn ok(kind: &'static str, body: impl Into<Cow<'static, [u8]>>) -> Response {
        let (policy, body) = (Cow::Borrowed(""), body.into());
        Response { status: 200, kind, body, policy, asks: false, cookie: None }
    }

    pub fn json(value: &serde_json::Value) -> Response {
        Response::ok("application/json", value.to_string().into_bytes())
    }

    pub fn text(status: u16, text: &str) -> Response {
        Response { status, ..Response::ok(TEXT, format!("{text}\n").into_bytes()) }
    }

    pub fn error(status: u16, text: &str) -> Response {
        Response::text(status, text)
    }

    /// Head and, unless it was HEAD that asked, body.
    pub fn bytes(&self, with_body: bool, keeps: bool) -> Vec<u8> {
        let mut head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\
             Cross-Origin-Resource-Policy: same-origin\r\nReferrer-Policy: no-referrer\r\n",
            self.status,
            reason(self.status),
            self.kind,
            self.body.len(),
        );
        let policy = if self.policy.is_empty() { "default-src 'none'" } else { &self.policy };
        let _ = write!(head, "Content-Security-Policy: {policy}\r\n");
        if self.asks {
            head.push_str("WWW-Authenticate: Basic realm=\"Weir\", charset=\"UTF-8\"\r\n");
        }
        if let Some(cookie) = &self.cookie {
            let _ = write!(head, "Set-Cookie: {cookie}\r\n");
        }
        if self.status == 405 {
            head.push_str("Allow: GET, HEAD\r\n");
        }
        let _ = write!(head, "Connection: {}\r\n\r\n", if keeps { "keep-alive" } else { "close" });
        let mut bytes = head.into_bytes();
        if with_body {
            bytes.extend_from_slice(&self.body);
        }
        bytes
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        408 => "Request Timeout",
        413 => "Content Too Large",
        417 => "Expectation Failed",
        421 => "Misdirected Request",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_written() {
        let text = |r: &Response, body| String::from_utf8(r.bytes(body, true)).unwrap();
        let ok = Response::text(200, "fine");
        assert!(text(&ok, true).starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain"));
        assert!(text(&ok, true).ends_with("Connection: keep-alive\r\n\r\nfine\n"));
        assert!(text(&ok, false).contains("Content-Length: 5\r\n"));
        assert!(text(&ok, false).ends_with("\r\n\r\n"));
        assert!(text(&Response::error(405, "no"), true).contains("\r\nAllow: GET, HEAD\r\n"));
    }
}
