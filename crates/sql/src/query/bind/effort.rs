//! What binding a statement may cost. Definitions name definitions, so a short text can stand for very much work: each step is
//! counted, looks now and then whether the statement must end, and is charged to the session's memory.
//!
//! Invariant: a statement expands at most [`MAX_EXPANSIONS`] references to common tables and views, however they are nested. With
//! the limits on what a text itself may hold, this bounds the size of what is bound, and so of what the optimizer looks at.

use super::{Bind, Binder};
use crate::context::Reads;
use crate::ddl::refused::value_error;
use crate::errno;
use crate::memory::Held;
use crate::session_api::SqlError;

/// References to common tables and views in a statement, with those in their definitions. MySQL 9.7 gives up between 1,024 and
/// 2,047 references to common tables.
const MAX_EXPANSIONS: u32 = 1024;

/// Blocks within each other, as in MySQL.
const MAX_BLOCKS: usize = 64;

/// Steps between two looks whether the statement must end.
const EVERY: u32 = 256;

/// Bytes of a bound expression, and of a bound block without its expressions. A list of two million numbers took 396 bytes for each of
/// them until it was run, half of them for what it is looked up in.
const EXPRESSION: usize = 192;
const BLOCK: usize = 4096;
/// Bytes of a column of a result: its place in the plan and its metadata.
const COLUMN: usize = 384;

/// What is expanded when a name in FROM is looked up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Expanded {
    CommonTable,
    View,
}

/// The work done so far for one statement.
#[derive(Default)]
pub struct Effort {
    steps: u32,
    /// What was bound so far, in bytes, and what of it is charged.
    bytes: usize,
    charged: usize,
    expansions: u32,
    /// A limit was reached, or the statement must end: nothing is to be bound in another way after that.
    over: bool,
    held: Held,
}

impl Effort {
    /// How many references have been expanded. A query that is bound once more starts again from here.
    pub fn expansions(&self) -> u32 {
        self.expansions
    }

    /// About what was bound takes in memory.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn is_over(&self) -> bool {
        self.over
    }

    pub fn forget_expansions(&mut self, known: u32) {
        self.expansions = known;
    }
}

impl Binder<'_> {
    /// One more expression. 1317 and 3024 where the statement must end, 4082 and 4083 where the memory does.
    #[inline]
    pub fn note_step(&mut self) -> Bind<()> {
        self.effort.steps += 1;
        self.effort.bytes += EXPRESSION;
        match self.effort.steps.is_multiple_of(EVERY) {
            true => self.look(),
            false => Ok(()),
        }
    }

    /// One more column of a result.
    pub fn column_step(&mut self) -> Bind<()> {
        self.effort.bytes += COLUMN;
        self.note_step()
    }

    /// One more block.
    pub fn block_step(&mut self) -> Bind<()> {
        self.effort.bytes += BLOCK;
        self.note_step()
    }

    #[cold]
    fn look(&mut self) -> Bind<()> {
        let bytes = self.effort.bytes - self.effort.charged;
        self.effort.charged = self.effort.bytes;
        let session = self.env.reads.session;
        let charge = |held: &mut Held| Ok(held.grow(session.memory(), bytes)?);
        let gone_on = must_go_on(&self.env.reads).and_then(|()| charge(&mut self.effort.held));
        self.effort.over |= gone_on.is_err();
        gone_on
    }

    /// One more query within others: 1473 where there are too many, 1436 where the stack ends first.
    pub fn deeper(&mut self) -> Bind<()> {
        self.depth += 1;
        let fits = match self.depth > MAX_BLOCKS {
            true => Err(SqlError::of(errno::ER_TOO_HIGH_LEVEL_OF_NESTING_FOR_SELECT, &[])),
            false => self.has_stack(),
        };
        self.effort.over |= fits.is_err();
        fits
    }

    /// One more reference to a definition. 4169 where common tables stand for too many others, 1116 where views do.
    pub fn expand(&mut self, what: Expanded) -> Bind<()> {
        self.effort.expansions += 1;
        if self.effort.expansions <= MAX_EXPANSIONS {
            return self.block_step();
        }
        self.effort.over = true;
        Err(match what {
            Expanded::CommonTable => SqlError::of(errno::ER_CTE_EXPANSION_LIMIT, &[]),
            Expanded::View => SqlError::new(
                super::from::TOO_MANY_TABLES,
                format!(
                    "Too many tables; the views of a statement can stand for {MAX_EXPANSIONS} tables and views at most"
                ),
            ),
        })
    }
}

/// 1317 or 3024 for a statement that must end: for loops that wait for nothing, over as many things as a statement can name.
pub fn must_go_on(reads: &Reads<'_>) -> Bind<()> {
    reads.session.stopped().map_or(Ok(()), |e| Err(value_error(e)))
}
