//! `mysql://user:password@host:port/schema?socket=/path`.

use crate::error::{Error, Result};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    pub user: String,
    pub password: String,
    pub host: String,
    pub port: u16,
    /// Empty: the workload's default.
    pub database: String,
    /// A unix socket instead of host and port.
    pub socket: Option<String>,
}

impl Url {
    pub fn parse(spec: &str) -> Result<Url> {
        let bad = |why: &str| {
            Error::other(format!(
                "target '{spec}': {why}; targets look like embedded, embedded:DIR or mysql://user:password@host:3306/schema"
            ))
        };
        let rest = spec.strip_prefix("mysql://").ok_or_else(|| bad("unknown kind"))?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (who, place) = rest.rsplit_once('@').unwrap_or(("root", rest));
        let (user, password) = who.split_once(':').unwrap_or((who, ""));
        let (address, database) = place.split_once('/').unwrap_or((place, ""));
        let (host, port) = match address.rsplit_once(':') {
            Some((h, p)) => (h, p.parse().map_err(|_| bad("the port is no number"))?),
            None => (address, 3306),
        };
        let mut socket = None;
        for pair in query.split('&').filter(|p| !p.is_empty()) {
            match pair.split_once('=') {
                Some(("socket", path)) => socket = Some(decode(path)),
                _ => return Err(bad(&format!("unknown part '{pair}'"))),
            }
        }
        if user.is_empty() {
            return Err(bad("it names no user"));
        }
        Ok(Url {
            user: decode(user),
            password: decode(password),
            host: if host.is_empty() { "127.0.0.1".into() } else { host.to_string() },
            port,
            database: decode(database),
            socket,
        })
    }

    pub fn describe(&self) -> String {
        match &self.socket {
            Some(s) => format!("mysql://{}@{s}", self.user),
            None => format!("mysql://{}@{}:{}", self.user, self.host, self.port),
        }
    }

    /// The process that listens on the port, found through /proc, when the host is this machine.
    pub fn local_process(&self) -> Option<u32> {
        if self.socket.is_some() || !matches!(self.host.as_str(), "127.0.0.1" | "localhost") {
            return None;
        }
        crate::measure::proc::listener(self.port)
    }
}

/// `%40` to `@`.
fn decode(t: &str) -> String {
    let mut out = Vec::with_capacity(t.len());
    let mut rest = t.as_bytes();
    while let Some((&b, tail)) = rest.split_first() {
        let code = (b == b'%').then(|| tail.get(..2)).flatten();
        let code = code.and_then(|c| std::str::from_utf8(c).ok());
        match code.and_then(|c| u8::from_str_radix(c, 16).ok()) {
            Some(n) => {
                out.push(n);
                rest = &tail[2..];
            }
            None => {
                out.push(b);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        let u = Url::parse("mysql://app:p%40ss@db.example:3307/shop").unwrap();
        assert_eq!((u.user.as_str(), u.password.as_str()), ("app", "p@ss"));
        assert_eq!((u.host.as_str(), u.port, u.database.as_str()), ("db.example", 3307, "shop"));
        let u = Url::parse("mysql://root@127.0.0.1").unwrap();
        assert_eq!((u.port, u.database.as_str(), u.password.as_str()), (3306, "", ""));
        let u = Url::parse("mysql://root@/x?socket=/tmp/m.sock").unwrap();
        assert_eq!(u.socket.as_deref(), Some("/tmp/m.sock"));
        assert!(!u.describe().contains("p@ss"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for bad in ["postgres://x", "mysql://a@b:x/c", "mysql://@b", "mysql://a@b/c?tls=1"] {
            let e = Url::parse(bad).unwrap_err().to_string();
            assert!(e.contains(bad) && e.contains("targets look like"), "{e}");
        }
    }
}
