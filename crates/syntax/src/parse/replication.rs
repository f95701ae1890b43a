//! CHANGE REPLICATION, START and STOP of replicas and of group replication, and the clauses that statements about replicas share.
//!
//! An option has a value of one of a few forms; which of them it may have is known where the statement is carried out.

use super::{PResult, Parser, utf8};
use crate::ast::{
    FilterKind, Replication, ReplicationFilter, RunReplica, SourceOption, SourceValue, Statement,
};
use crate::lex::{Kw, T};

/// Options of a source that begin with `SOURCE_`, or `MASTER_` in older statements.
const OF_SOURCE: &[(&str, &str)] = &[
    ("SOURCE_BIND", "MASTER_BIND"),
    ("SOURCE_HOST", "MASTER_HOST"),
    ("SOURCE_USER", "MASTER_USER"),
    ("SOURCE_PASSWORD", "MASTER_PASSWORD"),
    ("SOURCE_PORT", "MASTER_PORT"),
    ("SOURCE_LOG_FILE", "MASTER_LOG_FILE"),
    ("SOURCE_LOG_POS", "MASTER_LOG_POS"),
    ("SOURCE_AUTO_POSITION", "MASTER_AUTO_POSITION"),
    ("SOURCE_HEARTBEAT_PERIOD", "MASTER_HEARTBEAT_PERIOD"),
    ("SOURCE_CONNECT_RETRY", "MASTER_CONNECT_RETRY"),
    ("SOURCE_RETRY_COUNT", "MASTER_RETRY_COUNT"),
    ("SOURCE_CONNECTION_AUTO_FAILOVER", ""),
    ("SOURCE_DELAY", "MASTER_DELAY"),
    ("SOURCE_COMPRESSION_ALGORITHMS", "MASTER_COMPRESSION_ALGORITHMS"),
    ("SOURCE_ZSTD_COMPRESSION_LEVEL", "MASTER_ZSTD_COMPRESSION_LEVEL"),
    ("SOURCE_SSL", "MASTER_SSL"),
    ("SOURCE_SSL_CA", "MASTER_SSL_CA"),
    ("SOURCE_SSL_CAPATH", "MASTER_SSL_CAPATH"),
    ("SOURCE_SSL_CERT", "MASTER_SSL_CERT"),
    ("SOURCE_SSL_CRL", "MASTER_SSL_CRL"),
    ("SOURCE_SSL_CRLPATH", "MASTER_SSL_CRLPATH"),
    ("SOURCE_SSL_KEY", "MASTER_SSL_KEY"),
    ("SOURCE_SSL_CIPHER", "MASTER_SSL_CIPHER"),
    ("SOURCE_SSL_VERIFY_SERVER_CERT", "MASTER_SSL_VERIFY_SERVER_CERT"),
    ("SOURCE_TLS_VERSION", "MASTER_TLS_VERSION"),
    ("SOURCE_TLS_CIPHERSUITES", "MASTER_TLS_CIPHERSUITES"),
    ("SOURCE_PUBLIC_KEY_PATH", "MASTER_PUBLIC_KEY_PATH"),
    ("GET_SOURCE_PUBLIC_KEY", "GET_MASTER_PUBLIC_KEY"),
    ("NETWORK_NAMESPACE", ""),
    ("RELAY_LOG_FILE", ""),
    ("RELAY_LOG_POS", ""),
    ("IGNORE_SERVER_IDS", ""),
    ("GTID_ONLY", ""),
    ("PRIVILEGE_CHECKS_USER", ""),
    ("REQUIRE_ROW_FORMAT", ""),
    ("REQUIRE_TABLE_PRIMARY_KEY_CHECK", ""),
    ("ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS", ""),
    // MariaDB's way to say that its identifiers of transactions tell the position.
    ("SOURCE_USE_GTID", "MASTER_USE_GTID"),
];

/// What START REPLICA runs until.
const UNTIL: &[(&str, &str)] = &[
    ("SOURCE_LOG_FILE", "MASTER_LOG_FILE"),
    ("SOURCE_LOG_POS", "MASTER_LOG_POS"),
    ("RELAY_LOG_FILE", ""),
    ("RELAY_LOG_POS", ""),
    ("SQL_BEFORE_GTIDS", ""),
    ("SQL_AFTER_GTIDS", ""),
    ("SQL_AFTER_MTS_GAPS", ""),
];

const LOGIN: &[(&str, &str)] =
    &[("USER", ""), ("PASSWORD", ""), ("DEFAULT_AUTH", ""), ("PLUGIN_DIR", "")];

const RECEIVERS: [&str; 2] = ["IO_THREAD", "RELAY_THREAD"];
const APPLIER: [&str; 1] = ["SQL_THREAD"];

const FILTERS: &[(&str, FilterKind)] = &[
    ("REPLICATE_DO_DB", FilterKind::DoDb),
    ("REPLICATE_IGNORE_DB", FilterKind::IgnoreDb),
    ("REPLICATE_DO_TABLE", FilterKind::DoTable),
    ("REPLICATE_IGNORE_TABLE", FilterKind::IgnoreTable),
    ("REPLICATE_WILD_DO_TABLE", FilterKind::WildDoTable),
    ("REPLICATE_WILD_IGNORE_TABLE", FilterKind::WildIgnoreTable),
    ("REPLICATE_REWRITE_DB", FilterKind::RewriteDb),
];

type Pair = (Box<str>, Option<Box<str>>);

impl Parser<'_> {
    /// Behind CHANGE.
    pub(crate) fn change_replication(&mut self) -> PResult<Statement> {
        let source = self.eat(Kw::MASTER) || {
            self.expect(Kw::REPLICATION)?;
            self.eat(Kw::SOURCE)
        };
        if source {
            self.expect(Kw::TO)?;
            let options = self.comma_list(|p| p.source_option(OF_SOURCE))?;
            let channel = self.for_channel()?;
            return Ok(Statement::Replication(Replication::ChangeSource { options, channel }));
        }
        self.expect_word("FILTER")?;
        let filters = self.comma_list(Self::replication_filter)?;
        let channel = self.for_channel()?;
        Ok(Statement::Replication(Replication::ChangeFilter { filters, channel }))
    }

    /// Behind START (`starts`) or STOP.
    pub(crate) fn run_replica(&mut self, starts: bool) -> PResult<Statement> {
        if self.eat(Kw::GROUP_REPLICATION) {
            // START may give an account.
            while starts && !self.at_end() {
                self.advance();
            }
            return Ok(Statement::Replication(Replication::Group { starts }));
        }
        if self.eat_any(&[Kw::REPLICA, Kw::SLAVE]).is_none() {
            return Err(self.error());
        }
        let mut run = RunReplica {
            starts,
            receiver: false,
            applier: false,
            until: Vec::new(),
            login: Vec::new(),
            channel: None,
        };
        if self.at_word(&RECEIVERS) || self.at_word(&APPLIER) {
            loop {
                match (self.eat_word(&RECEIVERS), self.eat_word(&APPLIER)) {
                    (true, _) => run.receiver = true,
                    (_, true) => run.applier = true,
                    _ => return Err(self.error()),
                }
                if !self.eat_t(T::Comma) {
                    break;
                }
            }
        }
        if !run.receiver && !run.applier {
            (run.receiver, run.applier) = (true, true);
        }
        if starts && self.eat_word(&["UNTIL"]) {
            run.until = self.comma_list(Self::until)?;
        }
        while starts && LOGIN.iter().any(|(name, _)| self.at_word(&[name])) {
            run.login.push(self.source_option(LOGIN)?);
        }
        run.channel = self.for_channel()?;
        Ok(Statement::Replication(Replication::Run(run)))
    }

    fn until(&mut self) -> PResult<SourceOption> {
        if self.eat_word(&["SQL_AFTER_MTS_GAPS"]) {
            let value = SourceValue::Word("".into());
            return Ok(SourceOption { name: "SQL_AFTER_MTS_GAPS", value });
        }
        self.source_option(UNTIL)
    }

    /// `name = value`, the name one of the table's, as it is now or was before.
    fn source_option(&mut self, table: &[(&'static str, &'static str)]) -> PResult<SourceOption> {
        if self.kind() != T::Word {
            return Err(self.error());
        }
        let text = self.raw(self.token());
        let is = |name: &str| text.eq_ignore_ascii_case(name.as_bytes());
        let Some((name, _)) = table.iter().find(|(new, old)| is(new) || is(old)) else {
            return Err(self.error());
        };
        self.advance();
        self.expect_t(T::Eq)?;
        Ok(SourceOption { name, value: self.source_value(name)? })
    }

    fn source_value(&mut self, name: &str) -> PResult<SourceValue> {
        if name == "PRIVILEGE_CHECKS_USER" && self.kw() != Kw::NULL {
            return Ok(SourceValue::Account(self.user_spec()?));
        }
        match self.kind() {
            T::Str => Ok(SourceValue::Text(self.string()?)),
            T::Int => Ok(SourceValue::Number(self.number()?)),
            T::Decimal | T::Float => {
                let text = utf8(self.raw(self.token()))?.into();
                self.advance();
                Ok(SourceValue::Decimal(text))
            }
            T::LParen => {
                self.advance();
                let mut list = Vec::new();
                while !self.eat_t(T::RParen) {
                    if !list.is_empty() {
                        self.expect_t(T::Comma)?;
                    }
                    list.push(self.number()?);
                }
                Ok(SourceValue::List(list))
            }
            T::Word => {
                let text = utf8(self.raw(self.token()))?.to_ascii_uppercase();
                self.advance();
                Ok(SourceValue::Word(text.into()))
            }
            _ => Err(self.error()),
        }
    }

    fn replication_filter(&mut self) -> PResult<ReplicationFilter> {
        let at = FILTERS.iter().find(|(name, _)| self.at_word(&[name]));
        let Some((_, kind)) = at else { return Err(self.error()) };
        self.advance();
        self.expect_t(T::Eq)?;
        self.expect_t(T::LParen)?;
        let mut values = Vec::new();
        while !self.eat_t(T::RParen) {
            if !values.is_empty() {
                self.expect_t(T::Comma)?;
            }
            values.push(self.filter_value(*kind)?);
        }
        Ok(ReplicationFilter { kind: *kind, values })
    }

    fn filter_value(&mut self, kind: FilterKind) -> PResult<Pair> {
        match kind {
            FilterKind::DoDb | FilterKind::IgnoreDb => Ok((self.ident()?.as_str().into(), None)),
            FilterKind::DoTable | FilterKind::IgnoreTable => {
                let schema = self.ident()?;
                self.expect_t(T::Dot)?;
                Ok((schema.as_str().into(), Some(self.ident()?.as_str().into())))
            }
            FilterKind::WildDoTable | FilterKind::WildIgnoreTable => Ok((self.text()?, None)),
            FilterKind::RewriteDb => {
                self.expect_t(T::LParen)?;
                let from = self.ident()?;
                self.expect_t(T::Comma)?;
                let to = self.ident()?;
                self.expect_t(T::RParen)?;
                Ok((from.as_str().into(), Some(to.as_str().into())))
            }
        }
    }

    /// `[FOR CHANNEL 'name']`.
    pub(crate) fn for_channel(&mut self) -> PResult<Option<Box<[u8]>>> {
        match self.eat_all(&[Kw::FOR, Kw::CHANNEL]) {
            true => Ok(Some(self.string()?)),
            false => Ok(None),
        }
    }

    /// A word that is no keyword elsewhere.
    pub(crate) fn expect_word(&mut self, word: &str) -> PResult<()> {
        if self.eat_word(&[word]) { Ok(()) } else { Err(self.error()) }
    }

    pub(crate) fn eat_word(&mut self, words: &[&str]) -> bool {
        let hit = self.at_word(words);
        if hit {
            self.advance();
        }
        hit
    }

    fn at_word(&self, words: &[&str]) -> bool {
        let text = self.raw(self.token());
        self.kind() == T::Word && words.iter().any(|w| text.eq_ignore_ascii_case(w.as_bytes()))
    }
}
