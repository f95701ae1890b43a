//! What a session keeps of its own from one statement to the next: the texts of its variables, and its warnings.
//!
//! Both are small in most sessions, so small ones are not charged.

use super::Session;
use crate::memory::Held;
use crate::session_api::SqlError;
use crate::vars::SessionVars;

/// Texts of variables up to this many bytes, and lists of warnings of up to this many, are of no account.
const SMALL: usize = 4096;

/// So many warnings stay where the session's memory ends: MySQL's default of `max_error_count`.
const FEW: usize = 1024;

/// What is charged.
#[derive(Default)]
pub(super) struct Kept {
    variables: Held,
    warnings: Held,
}

fn charged(bytes: usize) -> usize {
    if bytes <= SMALL { 0 } else { bytes }
}

impl Session {
    /// The session's variables become these: 4082 and 4081, and they stay as they are, where their texts are too long.
    pub(super) fn replace_vars(&mut self, new: SessionVars) -> Result<(), SqlError> {
        let bytes = charged(new.text_bytes());
        self.kept.variables.set(Some(&self.info.memory), bytes)?;
        self.vars = new;
        Ok(())
    }

    /// A text for a variable is to be kept: 4082 and 4081 where it is too long.
    pub(super) fn reserve_variable(&mut self, text: &str) -> Result<(), SqlError> {
        if text.len() > SMALL {
            let bytes = self.vars.text_bytes() + text.len();
            self.kept.variables.set(Some(&self.info.memory), bytes)?;
        }
        Ok(())
    }

    /// The variables have been set: what is charged is what they hold.
    pub(super) fn settle_variables(&mut self) {
        if self.kept.variables.bytes() > 0 {
            let bytes = charged(self.vars.text_bytes());
            self.kept.variables.shrink(self.kept.variables.bytes().saturating_sub(bytes));
        }
    }

    /// The statement has ended: its warnings are kept for SHOW WARNINGS, in full where the session's memory allows it, else the first ones.
    pub(super) fn charge_warnings(&mut self) {
        let account = Some(&self.info.memory);
        let bytes = charged(self.warnings.bytes());
        if self.kept.warnings.set(account, bytes).is_err() {
            self.warnings.keep(FEW);
            let bytes = charged(self.warnings.bytes());
            if self.kept.warnings.set(account, bytes).is_err() {
                self.warnings.keep(0);
                self.kept.warnings = Held::default();
            }
        }
    }
}
