//! The head of a request, with limits.

use super::response::Response;

/// Bytes of a request's first line and headers.
pub const HEAD: usize = 8 << 10;
/// Headers of a request.
const HEADERS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Head,
    Post,
}

/// Bytes of a POST's body.
pub const BODY: usize = 4 << 10;

/// A request that is well formed and of a kind that is served.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    pub method: Method,
    pub path: String,
    pub query: String,
    /// The client wants to send another one on the connection.
    pub keeps: bool,
    pub accept: String,
    pub host: Option<String>,
    pub origin: Option<String>,
    /// `Sec-Fetch-Site`: where a browser's request comes from.
    pub site: Option<String>,
    pub authorization: Option<String>,
    pub cookie: Option<String>,
    /// Of a POST.
    pub body: Vec<u8>,
}

/// What became of the bytes so far.
#[derive(Debug)]
pub enum Parsed {
    /// More are needed.
    Partial,
    /// A request, and the bytes that it has.
    Whole(Box<Request>, usize),
    /// The answer to what cannot be served; the connection ends with it.
    Bad(Response),
}

fn bad(text: &str) -> Parsed {
    Parsed::Bad(Response::error(400, text))
}

pub fn parse(bytes: &[u8]) -> Parsed {
    let mut headers = [httparse::EMPTY_HEADER; HEADERS];
    let mut head = httparse::Request::new(&mut headers);
    let len = match head.parse(bytes) {
        Ok(httparse::Status::Complete(len)) if len <= HEAD => len,
        Ok(httparse::Status::Partial) if bytes.len() < HEAD => return Parsed::Partial,
        Ok(_) | Err(httparse::Error::TooManyHeaders) => {
            return Parsed::Bad(Response::error(431, "the headers are too large"));
        }
        Err(_) => return bad("this is not HTTP/1"),
    };
    let mut found = Found::default();
    for h in head.headers.iter() {
        if let Err(bad) = found.take(h) {
            return bad;
        }
    }
    let method = match head.method {
        Some("GET") => Method::Get,
        Some("HEAD") => Method::Head,
        Some("POST") => Method::Post,
        _ => return Parsed::Bad(Response::error(405, "only GET and HEAD are served")),
    };
    let body = match (method, found.length) {
        (Method::Post, None) => {
            return Parsed::Bad(Response::error(411, "a POST needs its length"));
        }
        (Method::Post, Some(n)) if n > BODY => {
            return Parsed::Bad(Response::error(413, "the body is too large"));
        }
        (Method::Get | Method::Head, Some(n)) if n > 0 => {
            return Parsed::Bad(Response::error(413, "such requests have no body"));
        }
        (_, n) => n.unwrap_or(0),
    };
    let Some(body) = bytes.get(len..len + body) else { return Parsed::Partial };
    let is_new = head.version == Some(1);
    // RFC 9112, 3.2: a request of HTTP/1.1 has exactly one.
    if is_new && found.host.is_none() {
        return bad("there is no Host header");
    }
    let target = head.path.unwrap_or("/");
    if !target.starts_with('/') {
        return bad("the target is not a path");
    }
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let says =
        |word: &str| found.connection.split(',').any(|w| w.trim().eq_ignore_ascii_case(word));
    Parsed::Whole(
        Box::new(Request {
            method,
            path: path.into(),
            query: query.into(),
            keeps: if is_new { !says("close") } else { says("keep-alive") },
            accept: found.accept,
            host: found.host,
            origin: found.origin,
            site: found.site,
            authorization: found.authorization,
            cookie: found.cookie,
            body: body.to_vec(),
        }),
        len + body.len(),
    )
}

/// The headers that mean something here.
#[derive(Default)]
struct Found {
    connection: String,
    accept: String,
    host: Option<String>,
    origin: Option<String>,
    site: Option<String>,
    authorization: Option<String>,
    cookie: Option<String>,
    length: Option<usize>,
}

impl Found {
    fn take(&mut self, h: &httparse::Header<'_>) -> Result<(), Parsed> {
        let text =
            || std::str::from_utf8(h.value).map(str::trim).map_err(|_| bad("a header is not text"));
        let once = |to: &mut Option<String>| match to.replace(text()?.to_owned()) {
            None => Ok(()),
            Some(_) => Err(bad("a header stands twice")),
        };
        let add = |to: &mut String| {
            if !to.is_empty() {
                to.push(',');
            }
            to.push_str(text()?);
            Ok(())
        };
        match h.name.to_ascii_lowercase().as_str() {
            "connection" => add(&mut self.connection),
            "accept" => add(&mut self.accept),
            "host" => once(&mut self.host),
            "origin" => once(&mut self.origin),
            "sec-fetch-site" => once(&mut self.site),
            "authorization" => once(&mut self.authorization),
            "cookie" => once(&mut self.cookie),
            // What follows the head would be taken for the next request.
            "transfer-encoding" => {
                Err(Parsed::Bad(Response::error(413, "bodies come with their length")))
            }
            "content-length" => {
                let digits = text()?;
                // RFC 9110: digits alone; what `parse` takes beyond them could mean another length to a proxy.
                let length =
                    digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok());
                match (length.flatten(), self.length) {
                    (Some(n), None) => _ = self.length.insert(n),
                    _ => return Err(bad("the length of the body is no number")),
                }
                Ok(())
            }
            "expect" => Err(Parsed::Bad(Response::error(417, "requests have no body"))),
            _ => Ok(()),
        }
    }
}

impl Request {
    /// The value of a parameter of the query, as it was sent: numbers are all that is asked for.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Request {
        match parse(text.as_bytes()) {
            Parsed::Whole(r, len) if len == text.len() => *r,
            other => panic!("{text:?}: {other:?}"),
        }
    }

    fn status(text: &[u8]) -> u16 {
        match parse(text) {
            Parsed::Bad(r) => r.status,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn requests_are_read() {
        let r = whole(
            "GET /api/now?after=17&x HTTP/1.1\r\nHost: a:1\r\nACCEPT: a\r\nAccept: b\r\n\r\n",
        );
        assert_eq!(
            (r.method, r.path.as_str(), r.param("after")),
            (Method::Get, "/api/now", Some("17"))
        );
        assert_eq!((r.accept.as_str(), r.host.as_deref(), r.keeps), ("a,b", Some("a:1"), true));
        assert_eq!((r.param("x"), r.param("y")), (None, None));
        assert!(!whole("HEAD / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n").keeps);
        assert!(!whole("GET / HTTP/1.0\r\n\r\n").keeps);
        assert!(whole("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").keeps);
        let text = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
        for n in 0..text.len() {
            assert!(matches!(parse(&text[..n]), Parsed::Partial), "{n}");
        }
    }

    #[test]
    fn a_post_has_its_body_and_no_more() {
        let text =
            "POST /api/kill HTTP/1.1\r\nHost: a\r\nCookie: weir=x\r\nContent-Length: 2\r\n\r\n{}";
        let r = whole(text);
        assert_eq!(
            (r.method, r.body.as_slice(), r.cookie.as_deref()),
            (Method::Post, &b"{}"[..], Some("weir=x"))
        );
        for n in 0..text.len() {
            assert!(matches!(parse(&text.as_bytes()[..n]), Parsed::Partial), "{n}");
        }
        let more = format!("{text}GET");
        assert!(matches!(parse(more.as_bytes()), Parsed::Whole(_, len) if len == text.len()));
    }

    #[test]
    fn what_is_not_served_is_refused() {
        assert_eq!(status(b"PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"), 405);
        assert_eq!(status(b"POST / HTTP/1.1\r\nHost: a\r\n\r\n"), 411);
        assert_eq!(status(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n"), 413);
        assert_eq!(status(b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +5\r\n\r\n12345"), 400);
        assert_eq!(
            status(
                b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n1"
            ),
            400
        );
        assert_eq!(status(b"GET / HTTP/1.1\r\n\r\n"), 400);
        assert_eq!(status(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"), 400);
        assert_eq!(status(b"GET http://x/ HTTP/1.1\r\nHost: a\r\n\r\n"), 400);
        assert_eq!(status(b"GET / HTTP/1.1\r\nHost: \xff\r\n\r\n"), 400);
        assert_eq!(status(b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n"), 413);
        assert_eq!(status(b"GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"), 413);
        assert_eq!(status(b"GET / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n"), 417);
        assert_eq!(status(b"\x16\x03\x01\x02\x00\x01\x00"), 400, "a TLS client");
        assert_eq!(status(b"GET / HTTP/2.0\r\n\r\n"), 400);
        let long = format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(HEAD));
        assert_eq!(status(long.as_bytes()), 431);
        assert_eq!(status(&long.as_bytes()[..HEAD]), 431);
        let many = format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", "X: y\r\n".repeat(HEADERS));
        assert_eq!(status(many.as_bytes()), 431);
    }

    #[test]
    fn any_bytes_get_some_answer() {
        let seed = b"GET /metrics?a=b HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nConnection: close\r\n\r\n";
        let mut rng = 7u64;
        for _ in 0..20_000 {
            let mut bytes = seed.to_vec();
            for _ in 0..4 {
                // Knuth's MMIX generator.
                rng = rng
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                let at = (rng >> 33) as usize % bytes.len();
                bytes[at] = (rng >> 25) as u8;
            }
            parse(&bytes);
        }
    }
}
