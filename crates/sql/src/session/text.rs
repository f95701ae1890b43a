//! Statements' texts: what a client sends becomes UTF-8 before it is lexed, see `value::sent`.

use super::info::Info;
use super::{Session, parse_error};
use crate::ddl::refused::value_error;
use crate::memory::{self, Held};
use crate::session_api::{QueryEnd, ResultSink, SqlError};
use crate::value::sent::Reading;
use crate::value::{Charset, Collation, SessionInfo, sent};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::sync::PoisonError;
use weir_syntax::lex::Client;
use weir_syntax::parse::{ParseError, ParseOptions, Parsed, Watch, parse_one, parse_watched};

/// The statements behind the one that ran last, which came with it.
pub struct Ahead {
    set: Charset,
    how: Reading,
    /// In UTF-8, from `at` on.
    text: Vec<u8>,
    at: usize,
    /// How many bytes it is as the client sent it.
    sent: usize,
}

/// What a parser of a long text looks at. What it charges stays charged until the statement ends, as long as the tree may live.
struct Watching<'s> {
    info: &'s Info,
    held: RefCell<Held>,
    ended: Cell<Option<SqlError>>,
}

impl Watch for Watching<'_> {
    fn look(&self, bytes: usize) -> Result<(), ParseError> {
        let account = self.info.memory();
        let charged = || self.held.borrow_mut().grow(account, bytes).map_err(SqlError::from);
        let stopped = self.info.stopped().map_or(Ok(()), |e| Err(value_error(e)));
        stopped.and_then(|()| charged()).map_err(|e| {
            let (errno, message) = (e.errno, e.message.as_str().into());
            self.ended.set(Some(e));
            ParseError { errno, message }
        })
    }
}

impl Session {
    /// As [`Session::query`].
    pub(super) async fn query_front(&mut self, sql: &[u8], sink: &mut dyn ResultSink) -> QueryEnd {
        self.ahead = None;
        self.query_front_rest(sql, sink).await
    }

    /// As [`Session::query_rest`].
    pub(super) async fn query_front_rest(
        &mut self,
        sql: &[u8],
        sink: &mut dyn ResultSink,
    ) -> QueryEnd {
        self.start_statement();
        let ahead = self.lexed_once(sql);
        let text = ahead.as_ref().map_or(sql, |a| &a.text[a.at..]);
        let mut held = Held::default();
        // The packet, and values and texts made of it.
        let charged = match sql.len() {
            short if short < memory::LARGE => Ok(()),
            long => held.grow(Some(&self.info.memory), 3 * long).map_err(SqlError::from),
        };
        let counted = match self.access.is_limited() {
            false => charged,
            true => charged.and_then(|()| self.count_query()),
        };
        let counted = match self.has_old_snapshot() {
            true => Box::pin(self.refuse_old_snapshot(text)).await.and(counted),
            false => counted,
        };
        let (result, consumed) = match counted {
            Ok(()) => self.run_text(text, sink).await,
            Err(refused) => (Err(refused), text.len()),
        };
        drop(held);
        let last = consumed >= text.len();
        let client = ahead.as_ref().map(|a| a.set);
        let result = self.end_statement(result.map_err(|e| for_client(client, e)));
        let consumed = match ahead {
            _ if last => sql.len(),
            None => consumed,
            Some(a) => {
                let taken = sent::sent_bytes(a.set, sql, consumed, a.how);
                self.ahead = Some(Ahead { at: a.at + consumed, sent: sql.len() - taken, ..a });
                taken
            }
        };
        QueryEnd { result, consumed }
    }

    /// A client's text in UTF-8; none where it is that as it comes.
    fn lexed_once(&mut self, sql: &[u8]) -> Option<Ahead> {
        let set = self.settings.client?;
        let how = self.reading();
        let same = |a: &Ahead| a.set == set && a.how == how && a.sent == sql.len();
        let known = self.ahead.take().filter(same);
        let fresh =
            || Ahead { set, how, text: sent::to_lexed(set, sql, how), at: 0, sent: sql.len() };
        Some(known.unwrap_or_else(fresh))
    }

    /// Parses a text that was lexed from one in the set of `client`.
    pub(super) fn parse(
        &self,
        sql: &[u8],
        params: bool,
        client: Option<Charset>,
    ) -> Result<Parsed, SqlError> {
        let (sql_mode, client) = (self.settings.lex_mode, client.and_then(sent::client));
        let options = ParseOptions { sql_mode, allow_params: params, client, ..Default::default() };
        if sql.len() < memory::LARGE {
            return parse_one(sql, &options).map_err(parse_error);
        }
        self.watched(|watch| parse_watched(sql, &options, watch))
    }

    /// Parses a long text, which ends with the statement's error where the statement has to end meanwhile.
    pub(super) fn watched<T>(
        &self,
        parse: impl FnOnce(&dyn Watch) -> Result<T, ParseError>,
    ) -> Result<T, SqlError> {
        let watch = Watching { info: &self.info, held: RefCell::default(), ended: Cell::default() };
        let parsed = parse(&watch);
        self.trees.lock().unwrap_or_else(PoisonError::into_inner).merge(watch.held.into_inner());
        parsed.map_err(|e| watch.ended.take().unwrap_or_else(|| parse_error(e)))
    }

    /// What quotes and backslashes mean in the client's texts.
    pub(super) fn reading(&self) -> Reading {
        let mode = self.settings.lex_mode;
        let (no_backslash_escapes, ansi_quotes) = (mode.no_backslash_escapes, mode.ansi_quotes);
        Reading { no_backslash_escapes, ansi_quotes }
    }

    /// A name that comes by itself, in the client's set.
    pub fn text_of_client(&self, sent: &[u8]) -> String {
        sent::text_in(self.settings.client.unwrap_or(Charset::Utf8mb4), sent)
    }

    /// The client's set as the parser wants it.
    pub(super) fn client(&self) -> Option<Client> {
        self.settings.client.and_then(sent::client)
    }
}

/// A client's text in UTF-8.
pub(super) fn lexed(client: Option<Charset>, sql: &[u8], how: Reading) -> Cow<'_, [u8]> {
    match client {
        None => Cow::Borrowed(sql),
        Some(set) => Cow::Owned(sent::to_lexed(set, sql, how)),
    }
}

/// An error with a piece of the client's text, without placeholders.
pub(super) fn for_client(client: Option<Charset>, mut e: SqlError) -> SqlError {
    if let Some(client) = client.and_then(sent::client) {
        e.message = sent::shown(client, &e.message).into_owned();
    }
    e
}

/// Longest text of an error packet, in bytes.
const LONGEST_MESSAGE: usize = 511;

/// An error's text in `character_set_results`. A character that the set lacks is written as its number, as in MySQL: `\0416`, `\+01F600`.
pub(super) fn message(results: Option<Collation>, e: &SqlError) -> Cow<'_, [u8]> {
    let Some(to) = results.filter(|c| !c.is_binary()).map(Collation::charset) else {
        return Cow::Borrowed(e.message.as_bytes());
    };
    let mut out = Vec::with_capacity(e.message.len());
    for c in e.message.chars().map(u32::from) {
        let end = out.len();
        if !to.encode(c, &mut out) {
            let number = if c > 0xFFFF { format!("\\+{c:06X}") } else { format!("\\{c:04X}") };
            for b in number.bytes() {
                to.encode(u32::from(b), &mut out);
            }
        }
        if to.octets(&out) > LONGEST_MESSAGE {
            out.truncate(end);
            break;
        }
    }
    Cow::Owned(to.own_bytes(&out).into_owned())
}

impl super::Session {
    /// Text plans depend on the schema, the modes, the client's set, the language of dates, the collations and what results' lengths
    /// are made of too.
    pub(super) fn make_key(&mut self) {
        self.key.clear();
        self.key.extend_from_slice(&self.settings.mode.0.to_le_bytes());
        self.key.extend_from_slice(&self.settings.collation.id().to_le_bytes());
        self.key.push(self.settings.locale);
        self.key.push(self.settings.div_increment);
        self.key.extend_from_slice(&self.settings.group_concat_max_len.to_le_bytes());
        self.key.extend_from_slice(&self.settings.utf8mb4.id().to_le_bytes());
        if let Some(client) = self.settings.client {
            self.key.extend_from_slice(client.name().as_bytes());
        }
        if !self.settings.switches.are_all_on() {
            self.key.push(b'=');
            self.key.extend_from_slice(&self.settings.switches.bits().to_le_bytes());
        }
        self.key.push(0);
        if let Some(d) = &self.info.database {
            self.key.extend_from_slice(d.as_bytes());
        }
        self.key.push(0);
        self.key.extend_from_slice(&self.normalized.key);
        self.tally.keyed = true;
    }

    pub(super) fn literal_values(
        &self,
        sql: &[u8],
    ) -> Result<Vec<crate::value::Value<'static>>, SqlError> {
        let client = self.client();
        self.normalized
            .literals
            .iter()
            .map(|l| {
                let value =
                    l.value(sql, &self.settings.lex_mode, client).map_err(super::parse_error)?;
                Ok(crate::query::literal_value(&value, l.negative, self.settings.collation))
            })
            .collect()
    }
}
