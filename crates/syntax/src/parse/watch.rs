//! A look at the world around while a long text is read: a statement that was killed, whose time is over, or whose memory ends is not
//! read to its end.

use super::{PResult, ParseError};

/// Tokens, and rules entered, between two looks.
pub(super) const EVERY: u32 = 4096;

/// Bytes that a token takes, and a node of the tree with what hangs on it. A list of two million numbers took 82 bytes for each of them,
/// its comma and its node.
pub(super) const TOKEN: usize = 20;
pub(super) const NODE: usize = 64;

/// Asked from time to time by a parser. The parser knows no sessions: its caller says what a look is.
pub trait Watch {
    /// So many bytes have been taken since the last look. An error ends the parse, and is its error.
    fn look(&self, bytes: usize) -> PResult<()>;
}

/// How a parser counts up to its next look.
#[derive(Clone, Copy, Default)]
pub(super) struct Ticks<'a> {
    pub watch: Option<&'a dyn Watch>,
    count: u32,
}

impl<'a> Ticks<'a> {
    pub fn new(watch: Option<&'a dyn Watch>) -> Ticks<'a> {
        Ticks { watch, count: 0 }
    }

    /// One more thing of so many bytes.
    #[inline]
    pub fn tick(&mut self, bytes: usize) -> Result<(), ParseError> {
        self.count += 1;
        match (self.count.is_multiple_of(EVERY), self.watch) {
            (true, Some(watch)) => watch.look(EVERY as usize * bytes),
            _ => Ok(()),
        }
    }
}
