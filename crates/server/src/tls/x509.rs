//! What accounts and status variables say about a certificate: its names, when it is valid, its key.
//!
//! A reader of DER that goes down a fixed path and copies: it knows no chains and decides nothing about trust, which is the TLS library's. Each
//! length is checked against the bytes there are, and nothing recurses.

use std::fmt::Write as _;

/// The fields of one certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// As OpenSSL writes names in one line: `/C=SE/O=Example/CN=client`.
    pub subject: String,
    pub issuer: String,
    pub not_before: Time,
    pub not_after: Time,
    /// SubjectPublicKeyInfo, encoded.
    pub key: Vec<u8>,
}

/// Year, month, day, hour, minute, second; UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time([u16; 6]);

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const OID: u8 = 0x06;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
/// `[0] EXPLICIT`: the version, which the first one leaves out.
const VERSION: u8 = 0xA0;

/// Elements one after the other.
#[derive(Clone, Copy)]
struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    /// The next element: its tag, its content, and all its bytes.
    fn next(&mut self) -> Option<(u8, &'a [u8], &'a [u8])> {
        let all = self.0;
        let (&tag, rest) = all.split_first()?;
        let (&first, rest) = rest.split_first()?;
        let (len, rest) = match first {
            0..=0x7F => (usize::from(first), rest),
            // Four bytes of length are more than any certificate has.
            0x81..=0x84 => {
                let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7F))?;
                (digits.iter().fold(0, |n, d| n << 8 | usize::from(*d)), rest)
            }
            _ => return None,
        };
        let (content, rest) = rest.split_at_checked(len)?;
        self.0 = rest;
        Some((tag, content, &all[..all.len() - rest.len()]))
    }

    fn expect(&mut self, tag: u8) -> Option<Der<'a>> {
        self.next().filter(|(t, ..)| *t == tag).map(|(_, content, _)| Der(content))
    }
}

impl Certificate {
    /// `None`: the bytes are no certificate.
    pub fn read(der: &[u8]) -> Option<Certificate> {
        let mut fields = Der(der).expect(SEQUENCE)?.expect(SEQUENCE)?;
        if fields.0.first() == Some(&VERSION) {
            fields.next()?;
        }
        // Serial number and algorithm.
        fields.next()?;
        fields.next()?;
        let issuer = one_line(fields.expect(SEQUENCE)?)?;
        let mut validity = fields.expect(SEQUENCE)?;
        let (not_before, not_after) = (Time::read(&mut validity)?, Time::read(&mut validity)?);
        let subject = one_line(fields.expect(SEQUENCE)?)?;
        let (_, _, key) = fields.next().filter(|(tag, ..)| *tag == SEQUENCE)?;
        Some(Certificate { subject, issuer, not_before, not_after, key: key.to_vec() })
    }

    /// It vouches for itself, or claims to.
    pub fn is_self_issued(&self) -> bool {
        self.subject == self.issuer
    }
}

fn one_line(mut name: Der<'_>) -> Option<String> {
    let mut line = String::new();
    while !name.0.is_empty() {
        let mut set = name.expect(SET)?;
        while !set.0.is_empty() {
            let mut pair = set.expect(SEQUENCE)?;
            let oid = pair.expect(OID)?.0;
            let (_, value, _) = pair.next()?;
            line.push('/');
            line.push_str(&attribute(oid)?);
            line.push('=');
            for byte in value {
                match byte {
                    b' '..=b'~' => line.push(char::from(*byte)),
                    // Writing to a string does not fail.
                    _ => drop(write!(line, "\\x{byte:02X}")),
                }
            }
        }
    }
    Some(line)
}

/// The short name of an attribute, or its number with dots.
fn attribute(oid: &[u8]) -> Option<String> {
    let short = match oid {
        [0x55, 4, last] => match last {
            3 => "CN",
            4 => "SN",
            5 => "serialNumber",
            6 => "C",
            7 => "L",
            8 => "ST",
            9 => "street",
            10 => "O",
            11 => "OU",
            12 => "title",
            13 => "description",
            17 => "postalCode",
            41 => "name",
            42 => "GN",
            43 => "initials",
            46 => "dnQualifier",
            65 => "pseudonym",
            97 => "organizationIdentifier",
            _ => "",
        },
        [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 9, 1] => "emailAddress",
        [9, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 1] => "UID",
        [9, 0x92, 0x26, 0x89, 0x93, 0xF2, 0x2C, 0x64, 1, 25] => "DC",
        _ => "",
    };
    if short.is_empty() { dotted(oid) } else { Some(short.to_owned()) }
}

fn dotted(oid: &[u8]) -> Option<String> {
    let mut text = String::new();
    let mut number = 0u64;
    for (i, byte) in oid.iter().enumerate() {
        number = number.checked_mul(128)? | u64::from(byte & 0x7F);
        if byte & 0x80 != 0 {
            continue;
        }
        let head = if text.is_empty() { Some((number / 40).min(2)) } else { None };
        match head {
            Some(arc) => drop(write!(text, "{arc}.{}", number - 40 * arc)),
            None => drop(write!(text, ".{number}")),
        }
        number = 0;
        if i + 1 == oid.len() {
            return Some(text);
        }
    }
    None
}

impl Time {
    fn read(validity: &mut Der<'_>) -> Option<Time> {
        let (tag, text, _) = validity.next()?;
        let digits = text.strip_suffix(b"Z")?;
        if !digits.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let number = |part: &[u8]| part.iter().fold(0, |n, d| 10 * n + u16::from(d - b'0'));
        let (year, rest) = match (tag, digits.len()) {
            (UTC_TIME, 12) => match number(&digits[..2]) {
                // RFC 5280: two digits are a year between 1950 and 2049.
                n @ 0..50 => (2000 + n, &digits[2..]),
                n => (1900 + n, &digits[2..]),
            },
            (GENERALIZED_TIME, 14) => (number(&digits[..4]), &digits[4..]),
            _ => return None,
        };
        let part = |i: usize| number(&rest[2 * i..2 * i + 2]);
        let time = Time([year, part(0), part(1), part(2), part(3), part(4)]);
        (1..=12).contains(&time.0[1]).then_some(time)
    }

    /// Year, month, day.
    pub fn date(self) -> (u16, u8, u8) {
        (self.0[0], self.0[1] as u8, self.0[2] as u8)
    }

    /// Of a point in time in seconds since 1970.
    pub fn of_unix(seconds: u64) -> Time {
        let (days, second) = (seconds / 86_400, seconds % 86_400);
        let is_leap =
            |y: u64| y.is_multiple_of(4) && !y.is_multiple_of(100) || y.is_multiple_of(400);
        let (mut year, mut day) = (1970, days);
        while day >= 365 + u64::from(is_leap(year)) {
            day -= 365 + u64::from(is_leap(year));
            year += 1;
        }
        let february = 28 + u64::from(is_leap(year));
        let mut month = 1;
        for len in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
            if day < len {
                break;
            }
            day -= len;
            month += 1;
        }
        let parts = [year, month, day + 1, second / 3600, second / 60 % 60, second % 60];
        Time(parts.map(|n| n as u16))
    }
}

/// As OpenSSL prints it: `Apr  8 14:16:39 2027 GMT`.
impl std::fmt::Display for Time {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const MONTHS: [&str; 12] =
            ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let [year, month, day, hour, minute, second] = self.0;
        let month = MONTHS[usize::from(month) - 1];
        write!(f, "{month} {day:>2} {hour:02}:{minute:02}:{second:02} {year} GMT")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, CustomExtension, DnType, KeyPair, date_time_ymd};

    fn made() -> (Vec<u8>, KeyPair) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        params.not_before = date_time_ymd(1970, 1, 1);
        params.not_after = date_time_ymd(2068, 2, 29);
        for (kind, value) in [
            (DnType::CountryName, "SE"),
            (DnType::OrganizationName, "a/b=c"),
            (DnType::CommonName, "Zoë"),
            (DnType::CustomDnType(vec![1, 2, 840, 113_549, 1, 9, 1]), "a@b"),
            (DnType::CustomDnType(vec![1, 3, 6, 1, 4, 1, 99_999, 7]), "odd"),
        ] {
            params.distinguished_name.push(kind, value);
        }
        let long = CustomExtension::from_oid_content(&[1, 2, 3, 4], vec![0; 70_000]);
        params.custom_extensions.push(long);
        (params.self_signed(&key).unwrap().der().to_vec(), key)
    }

    #[test]
    fn names_times_and_key_of_a_certificate() {
        let (der, key) = made();
        let c = Certificate::read(&der).unwrap();
        let name = "/C=SE/O=a/b=c/CN=Zo\\xC3\\xAB/emailAddress=a@b/1.3.6.1.4.1.99999.7=odd";
        for part in name[1..].split('/').filter(|p| !p.starts_with("b=")) {
            assert!(c.subject.contains(&format!("/{part}")), "{part} in {}", c.subject);
        }
        assert!(c.is_self_issued());
        assert_eq!(c.not_before.to_string(), "Jan  1 00:00:00 1970 GMT");
        assert_eq!(c.not_after.to_string(), "Feb 29 00:00:00 2068 GMT");
        assert!(c.not_before < c.not_after);
        let point = key.public_key_raw();
        assert!(c.key.ends_with(point));
    }

    #[test]
    fn whatever_is_cut_or_bent_is_no_panic() {
        let (der, _) = made();
        for end in 0..600 {
            assert_eq!(Certificate::read(&der[..end]), None);
        }
        for at in 0..600 {
            for bit in 0..8 {
                let mut bent = der.clone();
                bent[at] ^= 1 << bit;
                let _ = Certificate::read(&bent);
            }
        }
    }

    #[test]
    fn the_calendar() {
        let told = |s| Time::of_unix(s).to_string();
        assert_eq!(told(0), "Jan  1 00:00:00 1970 GMT");
        assert_eq!(told(951_782_399), "Feb 28 23:59:59 2000 GMT");
        assert_eq!(told(951_782_400), "Feb 29 00:00:00 2000 GMT");
        assert_eq!(told(4_107_542_400), "Mar  1 00:00:00 2100 GMT");
        assert_eq!(told(1_767_225_599), "Dec 31 23:59:59 2025 GMT");
    }
}
