//! CHANGE REPLICATION, START and STOP of replicas and of group replication, and the clauses that statements about replicas share.
//!
//! No server of this dialect becomes a replica, so the options of a source are passed over: the executor refuses the statement by its kind.

use super::{PResult, Parser};
use crate::ast::{Replication, Statement};
use crate::lex::{Kw, T};

/// What START REPLICA may be told besides its threads and the channel.
const START_OPTIONS: [&str; 5] = ["UNTIL", "USER", "PASSWORD", "DEFAULT_AUTH", "PLUGIN_DIR"];

const THREADS: [&str; 3] = ["IO_THREAD", "RELAY_THREAD", "SQL_THREAD"];

impl Parser<'_> {
    /// Behind CHANGE.
    pub(crate) fn change_replication(&mut self) -> PResult<Statement> {
        let source = self.eat(Kw::MASTER) || {
            self.expect(Kw::REPLICATION)?;
            self.eat(Kw::SOURCE)
        };
        if source {
            self.expect(Kw::TO)?;
        } else {
            self.expect_word("FILTER")?;
        }
        let channel = self.skip_to_channel()?;
        Ok(Statement::Replication(match source {
            true => Replication::ChangeSource { channel },
            false => Replication::ChangeFilter { channel },
        }))
    }

    /// Behind START (`starts`) or STOP.
    pub(crate) fn run_replica(&mut self, starts: bool) -> PResult<Statement> {
        if self.eat(Kw::GROUP_REPLICATION) {
            // START may give an account.
            while starts && !self.at_end() {
                self.advance();
            }
            return Ok(Statement::Replication(Replication::Group));
        }
        if self.eat_any(&[Kw::REPLICA, Kw::SLAVE]).is_none() {
            return Err(self.error());
        }
        if self.eat_word(&THREADS) {
            while self.eat_t(T::Comma) {
                if !self.eat_word(&THREADS) {
                    return Err(self.error());
                }
            }
        }
        let channel = match starts && self.at_word(&START_OPTIONS) {
            true => self.skip_to_channel()?,
            false => self.for_channel()?,
        };
        Ok(Statement::Replication(Replication::Run { starts, channel }))
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

    /// Passes over options, of which there is at least one, up to the channel or the end.
    fn skip_to_channel(&mut self) -> PResult<Option<Box<[u8]>>> {
        if self.at_end() {
            return Err(self.error());
        }
        while !self.at_end() && !self.at_all(&[Kw::FOR, Kw::CHANNEL]) {
            self.advance();
        }
        self.for_channel()
    }
}
