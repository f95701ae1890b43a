//! Host patterns of accounts and where a client comes from.

use std::cmp::Ordering;
use std::net::IpAddr;

/// Where a client connects from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Peer {
    /// The unix socket.
    Local,
    Ip(IpAddr),
}

impl Peer {
    /// The socket, or an address of this machine's loopback interface. Names are never looked up,
    /// but loopback counts as `localhost`, so that the accounts of a fresh server work over TCP.
    pub fn is_loopback(self) -> bool {
        match self {
            Peer::Local => true,
            Peer::Ip(IpAddr::V4(ip)) => ip.is_loopback(),
            Peer::Ip(IpAddr::V6(ip)) => {
                ip.is_loopback() || ip.to_ipv4_mapped().is_some_and(|v4| v4.is_loopback())
            }
        }
    }

    /// The host part of USER().
    pub fn host(self) -> String {
        match self {
            _ if self.is_loopback() => "localhost".to_owned(),
            Peer::Ip(ip) => ip.to_canonical().to_string(),
            Peer::Local => "localhost".to_owned(),
        }
    }
}

/// Does the host pattern of an account let this client in?
pub fn matches(pattern: &str, peer: Peer) -> bool {
    if peer.is_loopback() && like(pattern, "localhost") {
        return true;
    }
    let Peer::Ip(ip) = peer else { return false };
    let ip = ip.to_canonical();
    if let Some(in_net) = in_network(pattern, ip) {
        return in_net;
    }
    like(pattern, &ip.to_string())
}

/// `addr/mask` and `addr/bits`; `None` when the pattern is neither.
fn in_network(pattern: &str, ip: IpAddr) -> Option<bool> {
    let (net, mask) = pattern.split_once('/')?;
    let net: IpAddr = net.parse().ok()?;
    match (net, ip) {
        (IpAddr::V4(net), IpAddr::V4(ip)) => {
            let mask = match mask.parse::<std::net::Ipv4Addr>() {
                Ok(mask) => mask.to_bits(),
                Err(_) => prefix(mask.parse().ok()?, 32)? as u32,
            };
            Some(ip.to_bits() & mask == net.to_bits() & mask)
        }
        (IpAddr::V6(net), IpAddr::V6(ip)) => {
            let mask = prefix(mask.parse().ok()?, 128)?;
            Some(ip.to_bits() & mask == net.to_bits() & mask)
        }
        _ => Some(false),
    }
}

fn prefix(bits: u32, width: u32) -> Option<u128> {
    match bits {
        0 => Some(0),
        _ if bits > width => None,
        _ => Some((u128::MAX << (width - bits)) & (u128::MAX >> (128 - width))),
    }
}

/// `%` and `_` patterns, ASCII case ignored; `\` takes the next character as it is.
pub fn like(pattern: &str, text: &str) -> bool {
    like_bytes(pattern.as_bytes(), text.as_bytes(), |a, b| a.eq_ignore_ascii_case(&b))
}

/// The same for names of databases, which differ by letter case.
pub fn like_exactly(pattern: &str, text: &str) -> bool {
    like_bytes(pattern.as_bytes(), text.as_bytes(), |a, b| a == b)
}

/// The classic loop with one place to come back to, so that no pattern takes exponential time.
fn like_bytes(pattern: &[u8], text: &[u8], same: fn(u8, u8) -> bool) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while t < text.len() {
        let (literal, width) = match pattern.get(p) {
            Some(b'%') => {
                back = Some((p + 1, t));
                p += 1;
                continue;
            }
            Some(b'_') => (None, 1),
            Some(b'\\') if p + 1 < pattern.len() => (Some(pattern[p + 1]), 2),
            Some(b) => (Some(*b), 1),
            None => (Some(0), 0),
        };
        let fits = width > 0 && literal.is_none_or(|b| same(b, text[t]));
        if fits {
            p += width;
            t += 1;
        } else if let Some((after, at)) = back {
            p = after;
            t = at + 1;
            back = Some((after, at + 1));
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|b| *b == b'%')
}

/// A character of a pattern.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    /// `%`
    Any,
    /// `_`
    One,
    Byte(u8),
}

fn signs(pattern: &str) -> Vec<Sign> {
    let (mut out, mut bytes) = (Vec::new(), pattern.bytes());
    while let Some(b) = bytes.next() {
        out.push(match b {
            b'%' => Sign::Any,
            b'_' => Sign::One,
            b'\\' => Sign::Byte(bytes.next().unwrap_or(b)),
            b => Sign::Byte(b),
        });
    }
    out
}

/// Whether every name that `narrow` means is one that `wide` means, each a pattern of database names. Answers "no" for some patterns
/// with several `%` of which it is so.
pub fn covers(wide: &str, narrow: &str) -> bool {
    let (wide, narrow) = (signs(wide), signs(narrow));
    let (mut w, mut n) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while n < narrow.len() {
        let fits = match (wide.get(w), narrow[n]) {
            (Some(Sign::Any), _) => {
                back = Some((w + 1, n));
                w += 1;
                continue;
            }
            (Some(Sign::One), s) => s != Sign::Any,
            (Some(s), t) => *s == t,
            (None, _) => false,
        };
        if fits {
            (w, n) = (w + 1, n + 1);
        } else if let Some((after, at)) = back {
            (w, n, back) = (after, at + 1, Some((after, at + 1)));
        } else {
            return false;
        }
    }
    wide[w..].iter().all(|s| *s == Sign::Any)
}

/// Order of patterns from the most specific to the least: no wildcard first, then networks, then
/// the one whose first wildcard comes later.
pub fn by_specificity(a: &str, b: &str) -> Ordering {
    rank(a).cmp(&rank(b)).then_with(|| b.len().cmp(&a.len())).then_with(|| a.cmp(b))
}

fn rank(pattern: &str) -> (u8, usize) {
    if pattern.is_empty() || pattern == "%" {
        return (3, 0);
    }
    match pattern.find(['%', '_']) {
        Some(at) => (2, usize::MAX - at),
        None if pattern.contains('/') => (1, 0),
        None => (0, 0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> Peer {
        Peer::Ip(text.parse().unwrap())
    }

    #[test]
    fn patterns() {
        for (pattern, peer, want) in [
            ("localhost", Peer::Local, true),
            ("localhost", ip("127.0.0.1"), true),
            ("localhost", ip("::1"), true),
            ("localhost", ip("10.0.0.1"), false),
            ("127.0.0.1", ip("127.0.0.1"), true),
            ("127.0.0.1", Peer::Local, false),
            ("%", ip("10.0.0.1"), true),
            ("%", Peer::Local, true),
            ("10.0.%", ip("10.0.7.9"), true),
            ("10.0._.9", ip("10.0.7.9"), true),
            ("10.0._.9", ip("10.0.77.9"), false),
            ("192.168.0.0/255.255.0.0", ip("192.168.4.4"), true),
            ("192.168.0.0/16", ip("192.169.4.4"), false),
            ("2001:db8::/32", ip("2001:db8::5"), true),
            ("10.0.0.0/8", ip("::ffff:10.1.1.1"), true),
            ("10.0.0.0/99", ip("10.0.0.1"), false),
        ] {
            assert_eq!(matches(pattern, peer), want, "{pattern} {peer:?}");
        }
    }

    #[test]
    fn specific_patterns_come_first() {
        let mut patterns = vec!["%", "10.%", "10.0.%", "10.0.0.1", "10.0.0.0/8"];
        patterns.sort_by(|a, b| by_specificity(a, b));
        assert_eq!(patterns, ["10.0.0.1", "10.0.0.0/8", "10.0.%", "10.%", "%"]);
    }

    #[test]
    fn patterns_that_cover_patterns() {
        for (wide, narrow, want) in [
            ("%", "a%", true),
            ("my_db", "my_db", true),
            ("my_db", "my\\_db", true),
            ("my_db", "mydb", false),
            ("my_db", "my%db", false),
            ("my\\_db", "my_db", false),
            ("shop_", "shop%", false),
            ("shop%", "shop_", true),
            ("shop%", "shop%a", true),
            ("shop%a", "shop%", false),
            ("%a%b", "xaxb", true),
            ("a", "a%", false),
        ] {
            assert_eq!(covers(wide, narrow), want, "{wide} {narrow}");
        }
    }

    #[test]
    fn like_backtracks_and_escapes() {
        assert!(like("%a%b%", "xxaxxbxx"));
        assert!(!like("%a%b", "xxaxxbxx"));
        assert!(like("my\\_db", "my_db"));
        assert!(!like("my\\_db", "myxdb"));
        assert!(like("", ""));
        assert!(!like("", "x"));
    }
}
