//! What CHANGE REPLICATION SOURCE TO says of a channel, checked as MySQL checks it, and kept as text.

use crate::errno;
use crate::session_api::SqlError;
use weir_syntax::ast::{SourceOption, SourceValue};

/// Where a source's log is read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// By file and offset.
    #[default]
    Position,
    /// MySQL's identifiers say what is missing.
    Gtids,
    /// So do MariaDB's.
    MariaGtids,
}

/// ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS: what transactions without an identifier of MySQL's get in this server's log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Assign {
    #[default]
    Off,
    /// The next number of this server.
    Local,
    /// The next number of this name of a server.
    Uuid(String),
}

impl Assign {
    /// As `performance_schema` shows it, and as it is kept.
    pub fn word(&self) -> &'static str {
        match self {
            Assign::Off => "OFF",
            Assign::Local => "LOCAL",
            Assign::Uuid(_) => "UUID",
        }
    }

    fn to_text(&self) -> String {
        match self {
            Assign::Uuid(text) => text.clone(),
            other => other.word().to_owned(),
        }
    }

    fn of_text(text: &str) -> Assign {
        match text {
            "OFF" => Assign::Off,
            "LOCAL" => Assign::Local,
            uuid => Assign::Uuid(uuid.to_owned()),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct SourceSettings {
    pub host: String,
    pub port: u16,
    pub user: String,
    pub password: String,
    /// The address that the connection comes from.
    pub bind: String,
    pub reading: Reading,
    /// Seconds between attempts to connect, and how many there are.
    pub connect_retry: u64,
    pub retry_count: u64,
    /// Milliseconds; `None` is half of `replica_net_timeout`.
    pub heartbeat: Option<u64>,
    /// Seconds that an event is held back.
    pub delay: u64,
    pub ignore_server_ids: Vec<u32>,
    pub assign: Assign,
    pub tls: bool,
    pub tls_ca: String,
    pub tls_capath: String,
    pub tls_cert: String,
    pub tls_key: String,
    pub tls_verify: bool,
    pub tls_version: String,
    pub public_key_path: String,
    pub get_public_key: bool,
}

impl Default for SourceSettings {
    fn default() -> SourceSettings {
        SourceSettings {
            host: String::new(),
            port: 3306,
            user: String::new(),
            password: String::new(),
            bind: String::new(),
            reading: Reading::Position,
            connect_retry: 60,
            retry_count: 86_400,
            heartbeat: None,
            delay: 0,
            ignore_server_ids: Vec::new(),
            assign: Assign::Off,
            tls: false,
            tls_ca: String::new(),
            tls_capath: String::new(),
            tls_cert: String::new(),
            tls_key: String::new(),
            tls_verify: false,
            tls_version: String::new(),
            public_key_path: String::new(),
            get_public_key: false,
        }
    }
}

/// Longest delay in seconds, and longest period of heartbeats, as in MySQL.
const DELAY_MAX: u64 = (1 << 31) - 1;
const HEARTBEAT_MAX: u64 = 4_294_967;

/// What a statement asks for besides the settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moved {
    /// Another server, so that the position in the log of the old one means nothing.
    pub server: bool,
    pub file: Option<String>,
    pub offset: Option<u64>,
}

impl SourceSettings {
    /// Takes over the options of a statement. Nothing is changed where one of them is refused.
    pub fn change(&mut self, options: &[SourceOption]) -> Result<Moved, SqlError> {
        let mut new = self.clone();
        let mut moved = Moved::default();
        for option in options {
            new.take(option, &mut moved)?;
        }
        if new.reading != Reading::Position && (moved.file.is_some() || moved.offset.is_some()) {
            return Err(SqlError::of(errno::ER_BAD_REPLICA_AUTO_POSITION, &[]));
        }
        if new.reading == Reading::Gtids && new.assign != Assign::Off {
            let number = errno::ER_CANT_COMBINE_ANONYMOUS_TO_GTID_AND_AUTOPOSITION;
            return Err(SqlError::of(number, &[]));
        }
        moved.server = (&new.host, new.port) != (&self.host, self.port);
        *self = new;
        Ok(moved)
    }

    fn take(&mut self, option: &SourceOption, moved: &mut Moved) -> Result<(), SqlError> {
        let o = Given(option);
        match option.name {
            "SOURCE_HOST" => {
                let host = o.text(255)?;
                if host.is_empty() {
                    return Err(SqlError::of(errno::ER_WRONG_ARGUMENTS, &[&"SOURCE_HOST"]));
                }
                self.host = host;
            }
            "SOURCE_PORT" => self.port = u16::try_from(o.number()?).map_err(|_| o.wrong())?,
            "SOURCE_USER" => self.user = o.text(96)?,
            "SOURCE_PASSWORD" => {
                self.password = o.text(usize::MAX)?;
                if self.password.chars().count() > 32 {
                    let text = "The password is too long for SOURCE_PASSWORD: it has at most 32 characters";
                    return Err(SqlError::new(errno::ER_WRONG_ARGUMENTS, text));
                }
            }
            "SOURCE_BIND" => self.bind = o.text(255)?,
            "SOURCE_LOG_FILE" => moved.file = Some(o.text(512)?),
            "SOURCE_LOG_POS" => moved.offset = Some(o.number()?.max(4)),
            "SOURCE_AUTO_POSITION" => {
                self.reading = if o.flag()? { Reading::Gtids } else { Reading::Position };
            }
            "SOURCE_USE_GTID" => self.reading = o.maria()?,
            "SOURCE_HEARTBEAT_PERIOD" => self.heartbeat = Some(o.period()?),
            "SOURCE_CONNECT_RETRY" => self.connect_retry = o.number()?,
            "SOURCE_RETRY_COUNT" => self.retry_count = o.number()?,
            "SOURCE_DELAY" => {
                let n = o.number()?;
                if n > DELAY_MAX {
                    return Err(SqlError::of(
                        errno::ER_SOURCE_DELAY_VALUE_OUT_OF_RANGE,
                        &[&n, &DELAY_MAX],
                    ));
                }
                self.delay = n;
            }
            "IGNORE_SERVER_IDS" => {
                let id = |n: &u64| u32::try_from(*n).map_err(|_| o.wrong());
                self.ignore_server_ids = o.list()?.iter().map(id).collect::<Result<_, _>>()?;
                self.ignore_server_ids.sort_unstable();
                self.ignore_server_ids.dedup();
            }
            "SOURCE_SSL" => self.tls = o.flag()?,
            "SOURCE_SSL_CA" => self.tls_ca = o.text(511)?,
            "SOURCE_SSL_CAPATH" => self.tls_capath = o.text(511)?,
            "SOURCE_SSL_CERT" => self.tls_cert = o.text(511)?,
            "SOURCE_SSL_KEY" => self.tls_key = o.text(511)?,
            "SOURCE_SSL_VERIFY_SERVER_CERT" => self.tls_verify = o.flag()?,
            "SOURCE_TLS_VERSION" => self.tls_version = o.text(511)?,
            "SOURCE_PUBLIC_KEY_PATH" => self.public_key_path = o.text(511)?,
            "GET_SOURCE_PUBLIC_KEY" => self.get_public_key = o.flag()?,
            "ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS" => self.assign = o.assign()?,
            _ => o.as_always()?,
        }
        Ok(())
    }

    /// Names and values, for the durable form.
    fn fields(&self) -> Vec<(&'static str, String)> {
        let flag = |b: bool| u8::from(b).to_string();
        let ids: Vec<String> = self.ignore_server_ids.iter().map(u32::to_string).collect();
        vec![
            ("host", self.host.clone()),
            ("port", self.port.to_string()),
            ("user", self.user.clone()),
            ("password", self.password.clone()),
            ("bind", self.bind.clone()),
            ("reading", (self.reading as u8).to_string()),
            ("connect_retry", self.connect_retry.to_string()),
            ("retry_count", self.retry_count.to_string()),
            ("heartbeat", self.heartbeat.map_or(String::new(), |n| n.to_string())),
            ("delay", self.delay.to_string()),
            ("ignore_server_ids", ids.join(",")),
            ("assign", self.assign.to_text()),
            ("tls", flag(self.tls)),
            ("tls_ca", self.tls_ca.clone()),
            ("tls_capath", self.tls_capath.clone()),
            ("tls_cert", self.tls_cert.clone()),
            ("tls_key", self.tls_key.clone()),
            ("tls_verify", flag(self.tls_verify)),
            ("tls_version", self.tls_version.clone()),
            ("public_key_path", self.public_key_path.clone()),
            ("get_public_key", flag(self.get_public_key)),
        ]
    }

    /// A line for each setting, so that versions with more of them read what older ones wrote.
    pub fn to_text(&self) -> String {
        let escaped = |v: &str| v.replace('\\', "\\\\").replace('\n', "\\n");
        self.fields().iter().map(|(k, v)| format!("{k}={}\n", escaped(v))).collect()
    }

    pub fn of_text(text: &str) -> SourceSettings {
        let mut s = SourceSettings::default();
        for line in text.lines() {
            let Some((name, value)) = line.split_once('=') else { continue };
            let value = unescaped(value);
            let number = || value.parse::<u64>().unwrap_or(0);
            match name {
                "host" => s.host = value,
                "port" => s.port = number() as u16,
                "user" => s.user = value,
                "password" => s.password = value,
                "bind" => s.bind = value,
                "reading" => {
                    s.reading = match number() {
                        1 => Reading::Gtids,
                        2 => Reading::MariaGtids,
                        _ => Reading::Position,
                    };
                }
                "connect_retry" => s.connect_retry = number(),
                "retry_count" => s.retry_count = number(),
                "heartbeat" => s.heartbeat = value.parse().ok(),
                "delay" => s.delay = number(),
                "ignore_server_ids" => {
                    s.ignore_server_ids = value.split(',').filter_map(|n| n.parse().ok()).collect();
                }
                "assign" => s.assign = Assign::of_text(&value),
                "tls" => s.tls = number() == 1,
                "tls_ca" => s.tls_ca = value,
                "tls_capath" => s.tls_capath = value,
                "tls_cert" => s.tls_cert = value,
                "tls_key" => s.tls_key = value,
                "tls_verify" => s.tls_verify = number() == 1,
                "tls_version" => s.tls_version = value,
                "public_key_path" => s.public_key_path = value,
                "get_public_key" => s.get_public_key = number() == 1,
                _ => {}
            }
        }
        s
    }
}

fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some(other) => out.push(other),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

/// An option and what it may be.
struct Given<'o>(&'o SourceOption);

impl Given<'_> {
    /// 1064: in MySQL's grammar each option has a value of its own form.
    fn wrong(&self) -> SqlError {
        SqlError::parse(self.0.name, 1)
    }

    fn text(&self, longest: usize) -> Result<String, SqlError> {
        let SourceValue::Text(bytes) = &self.0.value else { return Err(self.wrong()) };
        let text = String::from_utf8_lossy(bytes).into_owned();
        if text.contains('\n') || text.contains('\0') {
            let e = format!("The value of {} has a line feed in it", self.0.name);
            return Err(SqlError::new(errno::ER_WRONG_ARGUMENTS, e));
        }
        match text.len() > longest {
            true => {
                let name = self.0.name;
                Err(SqlError::of(errno::ER_WRONG_STRING_LENGTH, &[&text, &name, &longest]))
            }
            false => Ok(text),
        }
    }

    fn number(&self) -> Result<u64, SqlError> {
        match self.0.value {
            SourceValue::Number(n) => Ok(n),
            _ => Err(self.wrong()),
        }
    }

    fn flag(&self) -> Result<bool, SqlError> {
        self.number().map(|n| n != 0)
    }

    fn list(&self) -> Result<&[u64], SqlError> {
        match &self.0.value {
            SourceValue::List(list) => Ok(list),
            _ => Err(self.wrong()),
        }
    }

    /// Seconds with a fraction, as milliseconds.
    fn period(&self) -> Result<u64, SqlError> {
        let seconds = match &self.0.value {
            SourceValue::Number(n) => *n as f64,
            SourceValue::Decimal(text) => text.parse().map_err(|_| self.wrong())?,
            _ => return Err(self.wrong()),
        };
        if seconds > HEARTBEAT_MAX as f64 {
            let text = format!(
                "The requested value for the heartbeat period is either negative or exceeds the maximum allowed ({HEARTBEAT_MAX} seconds)."
            );
            return Err(SqlError::new(errno::ER_REPLICA_HEARTBEAT_VALUE_OUT_OF_RANGE_MIN, text));
        }
        Ok((seconds * 1000.0).round() as u64)
    }

    fn maria(&self) -> Result<Reading, SqlError> {
        let SourceValue::Word(word) = &self.0.value else { return Err(self.wrong()) };
        match &**word {
            "SLAVE_POS" | "REPLICA_POS" | "CURRENT_POS" => Ok(Reading::MariaGtids),
            "NO" => Ok(Reading::Position),
            _ => Err(self.wrong()),
        }
    }

    fn assign(&self) -> Result<Assign, SqlError> {
        match &self.0.value {
            SourceValue::Word(word) if **word == *"OFF" => Ok(Assign::Off),
            SourceValue::Word(word) if **word == *"LOCAL" => Ok(Assign::Local),
            SourceValue::Text(bytes) => {
                let text = String::from_utf8_lossy(bytes);
                let uuid = weir_binlog::Source::parse_uuid(&text);
                let wrong = || SqlError::of(errno::ER_WRONG_VALUE, &[&"UUID", &text]);
                let uuid = weir_binlog::Source::new(uuid.ok_or_else(wrong)?);
                Ok(Assign::Uuid(uuid.uuid_text()))
            }
            _ => Err(self.wrong()),
        }
    }

    /// Options that have one value here: another one is refused.
    fn as_always(&self) -> Result<(), SqlError> {
        let text = |t: &str| matches!(&self.0.value, SourceValue::Text(b) if **b == *t.as_bytes());
        let word = |w: &str| matches!(&self.0.value, SourceValue::Word(v) if **v == *w);
        let zero = self.0.value == SourceValue::Number(0);
        let (as_always, why) = match self.0.name {
            "SOURCE_CONNECTION_AUTO_FAILOVER" => (zero, "a channel has one source"),
            "SOURCE_COMPRESSION_ALGORITHMS" => {
                (text("uncompressed"), "the stream of a source is not compressed")
            }
            "SOURCE_ZSTD_COMPRESSION_LEVEL" => (self.number().is_ok(), "it is a number"),
            "SOURCE_SSL_CRL" | "SOURCE_SSL_CRLPATH" => {
                (text(""), "lists of revoked certificates are not read")
            }
            "SOURCE_SSL_CIPHER" | "SOURCE_TLS_CIPHERSUITES" => {
                (text("") || word("NULL"), "the ciphers are those of the server's TLS library")
            }
            "NETWORK_NAMESPACE" => (text(""), "namespaces of networks are not entered"),
            "RELAY_LOG_FILE" | "RELAY_LOG_POS" => (false, "there are no files of a relay log"),
            "GTID_ONLY" => (zero, "the position is kept with each transaction"),
            "PRIVILEGE_CHECKS_USER" => (word("NULL"), "the applier has all rights"),
            "REQUIRE_ROW_FORMAT" => (zero, "statements are applied, too"),
            "REQUIRE_TABLE_PRIMARY_KEY_CHECK" => {
                (word("STREAM"), "tables have the keys that the source gives them")
            }
            _ => (false, "it is unknown"),
        };
        match as_always {
            true => Ok(()),
            false => Err(SqlError::new(
                errno::ER_NOT_SUPPORTED_YET,
                format!("{} of this value: {why}", self.0.name),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(name: &'static str, value: SourceValue) -> SourceOption {
        SourceOption { name, value }
    }

    fn text(t: &str) -> SourceValue {
        SourceValue::Text(t.as_bytes().into())
    }

    #[test]
    fn settings_come_back_from_their_text() {
        let mut s = SourceSettings::default();
        let moved = s.change(&[
            option("SOURCE_HOST", text("db\\1")),
            option("SOURCE_PASSWORD", text("p=\\n")),
            option("SOURCE_HEARTBEAT_PERIOD", SourceValue::Decimal("1.5".into())),
            option("IGNORE_SERVER_IDS", SourceValue::List(vec![3, 1, 3])),
            option("SOURCE_LOG_POS", SourceValue::Number(1)),
        ]);
        assert_eq!(moved, Ok(Moved { server: true, file: None, offset: Some(4) }));
        assert_eq!((s.heartbeat, &s.ignore_server_ids[..]), (Some(1500), &[1, 3][..]));
        assert_eq!(SourceSettings::of_text(&s.to_text()), s);
        assert_eq!(
            SourceSettings::of_text("nonsense\nport=7\nnew=1"),
            SourceSettings { port: 7, ..Default::default() }
        );
    }

    #[test]
    fn what_is_refused_changes_nothing() {
        let mut s = SourceSettings::default();
        for (errno, last) in [
            (1064, option("SOURCE_PORT", text("x"))),
            (1064, option("SOURCE_PORT", SourceValue::Number(70_000))),
            (1210, option("SOURCE_HOST", text(""))),
            (1470, option("SOURCE_HOST", text(&"h".repeat(256)))),
            (1235, option("RELAY_LOG_POS", SourceValue::Number(4))),
            (1235, option("GTID_ONLY", SourceValue::Number(1))),
            (1235, option("SOURCE_COMPRESSION_ALGORITHMS", text("zstd"))),
            (1703, option("SOURCE_HEARTBEAT_PERIOD", SourceValue::Number(5_000_000))),
            (1729, option("SOURCE_DELAY", SourceValue::Number(1 << 31))),
        ] {
            let e = s.change(&[option("SOURCE_USER", text("u")), last.clone()]);
            assert_eq!(e.map_err(|e| e.errno), Err(errno), "{last:?}");
            assert_eq!(s, SourceSettings::default());
        }
        let both = [
            option("SOURCE_AUTO_POSITION", SourceValue::Number(1)),
            option("SOURCE_LOG_FILE", text("f")),
        ];
        assert_eq!(s.change(&both).map_err(|e| e.errno), Err(1776));
        for (name, value) in [
            ("GTID_ONLY", SourceValue::Number(0)),
            ("SOURCE_SSL_CIPHER", text("")),
            ("PRIVILEGE_CHECKS_USER", SourceValue::Word("NULL".into())),
            ("REQUIRE_TABLE_PRIMARY_KEY_CHECK", SourceValue::Word("STREAM".into())),
        ] {
            assert!(s.change(&[option(name, value)]).is_ok(), "{name}");
        }
    }
}
