//! What the lexer hands out.

use super::keyword::Kw;

/// Kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum T {
    /// End of the statement: end of text, or a semicolon outside of anything.
    End,
    /// A semicolon inside of a stored program's body.
    Semicolon,
    /// Bytes that start no token, or an unterminated string or comment.
    Bad,
    /// Unquoted identifier or keyword; [`Token::kw`] tells.
    Word,
    /// Identifier in backticks (or double quotes under ANSI_QUOTES).
    Quoted,
    Int,
    Decimal,
    Float,
    Str,
    /// `N'..'`.
    NStr,
    /// `x'..'` or `0x..`.
    Hex,
    /// `b'..'` or `0b..`.
    Bit,
    /// `?`.
    Param,
    /// A literal that normalisation replaced by a parameter.
    Slot,
    /// Optimizer hint comment with its delimiters.
    Hint,
    At,
    AtAt,
    LParen,
    RParen,
    LBrace,
    RBrace,
    Comma,
    Dot,
    Colon,
    Assign,
    Eq,
    NullEq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Shl,
    Shr,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Amp,
    AmpAmp,
    Pipe,
    PipePipe,
    Caret,
    Tilde,
    Bang,
    Arrow,
    ArrowText,
}

/// One token: kind, keyword if it is one, and its bytes in the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: T,
    /// [`Kw::NOKW`] unless an unquoted word that is a keyword here.
    pub kw: Kw,
    pub start: u32,
    pub end: u32,
}

impl Token {
    /// The token's bytes.
    pub fn text<'a>(&self, sql: &'a [u8]) -> &'a [u8] {
        &sql[self.start as usize..self.end as usize]
    }
}
