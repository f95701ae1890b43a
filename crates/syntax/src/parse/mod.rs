//! From statement bytes to a syntax tree: recursive descent over the lexer's tokens.
//!
//! May use `lex` and `ast`, nothing else. Grammar and precedence are MySQL 8.0's; where the
//! yacc rules and the manual's precedence table differ, the rules win.
//!
//! Invariants: no input overflows the stack (nesting is limited by count and by bytes of stack,
//! chains of operators by count, so that the tree can also be walked and dropped); every failure
//! carries MySQL's number and text.

mod account;
mod admin;
mod alter;
mod arity;
mod cast;
mod column;
mod ddl;
pub mod digest;
mod dml;
mod ends;
mod errors;
mod expr;
mod func;
mod grant;
mod keys;
mod naming;
pub mod normalize;
mod object;
mod operand;
mod options;
mod program;
mod query;
mod replication;
mod select;
mod set;
mod show;
mod spatial;
mod transaction;
mod watch;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};

use smallvec::SmallVec;

use crate::ast::{Ident, SelectInto, Statement};
use crate::lex::client::has_placeholders;
use crate::lex::{Client, Kw, Lexer, SqlMode, T, Token, literal};

pub(crate) use errors::utf8;
pub use watch::Watch;

pub use normalize::{LiteralClass, NormalizedBuf, NormalizedLiteral, normalize, parse_normalized};

/// How to read a statement.
#[derive(Clone, Copy, Debug, Default)]
pub struct ParseOptions {
    pub sql_mode: SqlMode,
    /// `?` is a parameter (when preparing) instead of an error.
    pub allow_params: bool,
    /// The client's set, where the text was converted from it; see [`crate::lex::client`].
    pub client: Option<Client>,
    /// The text is a definition, which means the same in every connection: its literals are utf8mb4's where no introducer says
    /// otherwise.
    pub kept: bool,
    /// The text is a program's that was taken when it was defined: what older versions took beyond MySQL's grammar is taken still.
    pub stored: bool,
}

/// A parsed statement.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    pub stmt: Statement,
    /// Number of `?`.
    pub params: u32,
    /// Bytes used, with the semicolon that ended the statement.
    pub consumed: usize,
    /// Nothing but white space follows: this was the last statement of the text.
    pub last: bool,
    /// Nothing but white space and comments follows, which does for a client that may send one statement only.
    pub alone: bool,
}

/// Why a statement could not be parsed: MySQL's error number and message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    pub errno: u16,
    pub message: Box<str>,
}

impl std::fmt::Display for ParseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.message, self.errno)
    }
}

impl std::error::Error for ParseError {}

impl ParseError {
    /// What MySQL's grammar knows and its server does not do.
    pub(crate) fn not_yet(what: &str) -> ParseError {
        let message = format!("This version of MySQL doesn't yet support '{what}'");
        ParseError { errno: 1235, message: message.into() }
    }

    /// A number beyond what a double can hold.
    pub(crate) fn illegal_double(text: &str) -> ParseError {
        let message = format!("Illegal double '{text}' value found during parsing");
        ParseError { errno: 1367, message: message.into() }
    }
}

/// Result of a parser rule.
pub(crate) type PResult<V> = Result<V, ParseError>;

/// Nested constructs (parentheses, subqueries, CASE, function arguments), for each 256 KiB of stack that anyone who parses has.
const MAX_DEPTH: u32 = 200;
/// Bytes of stack the parser may use of each 256 KiB.
const MAX_STACK: usize = 160 * 1024;
/// Height of an expression's tree for each 256 KiB. Operators of one level in a row make a left-deep tree, which
/// is walked and dropped by recursion.
const MAX_HEIGHT: u32 = 250;
/// Joins, and set operations that are not a plain series of UNIONs, in a whole statement.
const MAX_LINKS: u32 = 500;

/// Parses the first statement of `sql`.
pub fn parse_one(sql: &[u8], opts: &ParseOptions) -> Result<Parsed, ParseError> {
    let mut parser = Parser::new(sql, *opts);
    parser.tokenize()?;
    parser.run()
}

/// The same for a text that may be long, which is given up where the watch says so.
pub fn parse_watched(
    sql: &[u8],
    opts: &ParseOptions,
    watch: &dyn Watch,
) -> Result<Parsed, ParseError> {
    let mut parser = Parser::new(sql, *opts);
    parser.ticks = watch::Ticks::new(Some(watch));
    parser.tokenize()?;
    parser.run()
}

/// Parses an expression alone (a stored DEFAULT, CHECK or generated column).
pub fn parse_expr(sql: &[u8], opts: &ParseOptions) -> Result<crate::ast::Expr, ParseError> {
    let mut parser = Parser::new(sql, *opts);
    parser.tokenize()?;
    parser.stack_base = stack_position();
    let expr = parser.expr()?;
    parser.expect_end()?;
    Ok(expr)
}

type Tokens = SmallVec<[Token; 36]>;

/// State of one parse.
pub(crate) struct Parser<'a> {
    pub(crate) sql: &'a [u8],
    pub(crate) opts: ParseOptions,
    pub(crate) tokens: Tokens,
    pub(crate) pos: usize,
    /// Token indexes of `?` and of replaced literals, in order of the text.
    pub(crate) params: SmallVec<[u32; 8]>,
    pub(crate) consumed: usize,
    /// INTO of the query block just parsed, on its way to the query around it.
    pub(crate) pending_into: Option<SelectInto>,
    /// The query that comes next may have INTO at its end.
    pub(crate) may_go_into: bool,
    /// The query block that comes next is the statement's first and lies in no other one.
    pub(crate) outermost: bool,
    /// The statement has no subqueries in its expressions (HANDLER).
    pub(crate) no_subqueries: bool,
    /// What is known of the stored program whose body is being read.
    pub(crate) scope: Option<Box<program::Scope>>,
    /// Where the words start that were taken for names, where somebody asks.
    pub(crate) names: Option<RefCell<Vec<u32>>>,
    depth: u32,
    /// [`stack_room`].
    room: u32,
    /// Height of the expression read last; see [`Parser::grow`].
    height: u32,
    links: u32,
    stack_base: usize,
    ticks: watch::Ticks<'a>,
}

/// How many times 256 KiB of stack anyone who parses in this process has, and walks what was parsed on.
static ROOM: AtomicU32 = AtomicU32::new(1);

/// Says that all who parse in this process have so many times 256 KiB of stack, and as much again for each of the walks over what was parsed.
pub fn set_stack_room(times: u32) {
    ROOM.store(times.max(1), Ordering::Relaxed);
}

/// What [`set_stack_room`] was told; 1 if nobody said anything.
pub fn stack_room() -> u32 {
    ROOM.load(Ordering::Relaxed)
}

/// Roughly where the stack is now; compared only with another value of the same thread.
#[inline(never)]
pub fn stack_position() -> usize {
    let marker = 0u8;
    std::hint::black_box(&raw const marker) as usize
}

impl<'a> Parser<'a> {
    pub(crate) fn new(sql: &'a [u8], opts: ParseOptions) -> Parser<'a> {
        Parser {
            sql,
            opts,
            tokens: SmallVec::new(),
            pos: 0,
            params: SmallVec::new(),
            consumed: 0,
            pending_into: None,
            may_go_into: false,
            outermost: false,
            no_subqueries: false,
            scope: None,
            names: None,
            depth: 0,
            room: stack_room(),
            height: 0,
            links: 0,
            stack_base: 0,
            ticks: watch::Ticks::default(),
        }
    }

    fn tokenize(&mut self) -> PResult<()> {
        let mut lexer = Lexer::new(self.sql, self.opts.sql_mode);
        loop {
            let token = lexer.next_token();
            if token.kind == T::Param {
                self.params.push(self.tokens.len() as u32);
            }
            self.tokens.push(token);
            self.ticks.tick(watch::TOKEN)?;
            if matches!(token.kind, T::End | T::Bad) {
                break;
            }
        }
        self.consumed = lexer.position();
        self.close_tokens();
        Ok(())
    }

    fn close_tokens(&mut self) {
        // Whatever follows a bad token is not looked at; the sentinel keeps lookahead in range.
        if self.tokens.last().is_some_and(|t| t.kind == T::Bad) {
            let end = self.sql.len() as u32;
            self.tokens.push(Token { kind: T::End, kw: Kw::NOKW, start: end, end });
        }
    }

    /// Parses the statement the tokens make.
    pub(crate) fn run(&mut self) -> PResult<Parsed> {
        self.stack_base = stack_position();
        if self.kind() == T::End {
            return self.no_statement();
        }
        let stmt = self.statement()?;
        self.expect_end()?;
        Ok(self.ended(stmt))
    }

    fn expect_end(&mut self) -> PResult<()> {
        match self.kind() {
            T::End => Ok(()),
            // Behind the body of a stored program.
            T::Semicolon => {
                self.consumed = self.token().end as usize;
                Ok(())
            }
            _ => Err(self.error()),
        }
    }

    /// Nothing of the statement follows.
    pub(crate) fn at_end(&self) -> bool {
        matches!(self.kind(), T::End | T::Semicolon)
    }

    /// The text stands in the dictionary. Rules that were narrowed since it was written down leave it as it is, because a
    /// definition that was taken once has to load.
    pub(crate) fn lenient(&self) -> bool {
        self.opts.stored || self.opts.kept
    }

    // Looking at tokens.

    pub(crate) fn token(&self) -> Token {
        self.tokens[self.pos]
    }

    pub(crate) fn kind(&self) -> T {
        self.tokens[self.pos].kind
    }

    pub(crate) fn kw(&self) -> Kw {
        self.tokens[self.pos].kw
    }

    /// The token `n` places ahead.
    pub(crate) fn ahead(&self, n: usize) -> Token {
        self.tokens[(self.pos + n).min(self.tokens.len() - 1)]
    }

    pub(crate) fn at(&self, kw: Kw) -> bool {
        self.kw() == kw
    }

    pub(crate) fn at_all(&self, kws: &[Kw]) -> bool {
        kws.iter().enumerate().all(|(n, kw)| self.ahead(n).kw == *kw)
    }

    pub(crate) fn advance(&mut self) {
        if self.pos + 1 < self.tokens.len() {
            self.pos += 1;
        }
    }

    pub(crate) fn eat(&mut self, kw: Kw) -> bool {
        let hit = self.kw() == kw;
        if hit {
            self.advance();
        }
        hit
    }

    /// Takes all of the words or none.
    pub(crate) fn eat_all(&mut self, kws: &[Kw]) -> bool {
        let hit = self.at_all(kws);
        if hit {
            self.pos += kws.len();
        }
        hit
    }

    pub(crate) fn eat_any(&mut self, kws: &[Kw]) -> Option<Kw> {
        let kw = self.kw();
        if kw != Kw::NOKW && kws.contains(&kw) {
            self.advance();
            return Some(kw);
        }
        None
    }

    pub(crate) fn eat_t(&mut self, kind: T) -> bool {
        let hit = self.kind() == kind;
        if hit {
            self.advance();
        }
        hit
    }

    pub(crate) fn expect(&mut self, kw: Kw) -> PResult<()> {
        if self.eat(kw) { Ok(()) } else { Err(self.error()) }
    }

    pub(crate) fn expect_all(&mut self, kws: &[Kw]) -> PResult<()> {
        kws.iter().try_for_each(|kw| self.expect(*kw))
    }

    pub(crate) fn expect_t(&mut self, kind: T) -> PResult<()> {
        if self.eat_t(kind) { Ok(()) } else { Err(self.error()) }
    }

    pub(crate) fn raw(&self, token: Token) -> &'a [u8] {
        token.text(self.sql)
    }

    /// Runs a rule one level deeper.
    #[inline]
    pub(crate) fn nested<V>(
        &mut self,
        rule: impl FnOnce(&mut Parser<'a>) -> PResult<V>,
    ) -> PResult<V> {
        self.enter()?;
        let result = rule(self);
        self.depth -= 1;
        result
    }

    fn enter(&mut self) -> PResult<()> {
        self.ticks.tick(watch::NODE)?;
        let used = stack_position().abs_diff(self.stack_base);
        if self.depth >= MAX_DEPTH * self.room || used > MAX_STACK * self.room as usize {
            return Err(self.too_deep());
        }
        self.depth += 1;
        Ok(())
    }

    /// A node was made of the operand just read and of others up to `left` high; refuses trees
    /// too high to walk.
    pub(crate) fn grow(&mut self, left: u32) -> PResult<()> {
        self.height = self.height.max(left) + 1;
        if self.height > MAX_HEIGHT * self.room { Err(self.too_deep()) } else { Ok(()) }
    }

    /// Height of the operand just read.
    pub(crate) fn height(&self) -> u32 {
        self.height
    }

    pub(crate) fn set_height(&mut self, height: u32) {
        self.height = height;
    }

    /// One more join or set operation.
    pub(crate) fn link(&mut self) -> PResult<()> {
        self.links += 1;
        if self.links > MAX_LINKS { Err(self.too_deep()) } else { Ok(()) }
    }

    // Names and simple literals.

    /// The token may be used as a name.
    pub(crate) fn is_ident(token: Token) -> bool {
        match token.kind {
            T::Word => !token.kw.is_reserved(),
            T::Quoted => true,
            _ => false,
        }
    }

    pub(crate) fn at_ident(&self) -> bool {
        Self::is_ident(self.token())
    }

    /// A name.
    pub(crate) fn ident(&mut self) -> PResult<Ident> {
        let token = self.token();
        if !Self::is_ident(token) {
            return Err(self.error());
        }
        self.advance();
        self.name_of(token)
    }

    /// A word of any kind, reserved or not.
    pub(crate) fn any_word(&mut self) -> PResult<Ident> {
        let token = self.token();
        if !matches!(token.kind, T::Word | T::Quoted) {
            return Err(self.error());
        }
        self.advance();
        self.name_of(token)
    }

    pub(crate) fn name_of(&self, token: Token) -> PResult<Ident> {
        if let Some(names) = &self.names {
            names.borrow_mut().push(token.start);
        }
        let raw = self.raw(token);
        let bytes = if token.kind == T::Word {
            Cow::Borrowed(raw)
        } else {
            literal::unquote(raw, token.kind == T::Str && self.escapes())
        };
        match self.opts.client {
            Some(client) if has_placeholders(&bytes) => {
                let (text, lost) = client.plain(&bytes);
                if lost > 0 {
                    return Err(errors::invalid_name(client, &bytes));
                }
                Ok(Ident(utf8(&text)?.into()))
            }
            _ => Ok(Ident(utf8(&bytes)?.into())),
        }
    }

    /// A text that is no literal in UTF-8 alone, whatever the client sent.
    pub(crate) fn plain<'b>(&self, text: Cow<'b, [u8]>) -> Cow<'b, [u8]> {
        match self.opts.client {
            Some(client) if has_placeholders(&text) => Cow::Owned(client.plain(&text).0),
            _ => text,
        }
    }

    pub(crate) fn escapes(&self) -> bool {
        !self.opts.sql_mode.no_backslash_escapes
    }

    /// A name or a string, as aliases, user names and charset names may be.
    pub(crate) fn ident_or_string(&mut self) -> PResult<Ident> {
        let token = self.token();
        if token.kind == T::Str {
            self.advance();
            return self.name_of(token);
        }
        self.ident()
    }

    pub(crate) fn ident_list(&mut self) -> PResult<Vec<Ident>> {
        self.comma_list(Parser::ident)
    }

    /// A name, and ASC or DESC behind it.
    pub(crate) fn ordered_ident(&mut self) -> PResult<Ident> {
        let name = self.ident()?;
        self.eat_any(&[Kw::ASC, Kw::DESC]);
        Ok(name)
    }

    /// `(a, b)`.
    pub(crate) fn paren_idents(&mut self) -> PResult<Vec<Ident>> {
        self.expect_t(T::LParen)?;
        let list = self.ident_list()?;
        self.expect_t(T::RParen)?;
        Ok(list)
    }

    /// `(a, b)` or nothing.
    pub(crate) fn opt_paren_idents(&mut self) -> PResult<Vec<Ident>> {
        if self.kind() == T::LParen { self.paren_idents() } else { Ok(Vec::new()) }
    }

    pub(crate) fn comma_list<V>(
        &mut self,
        mut rule: impl FnMut(&mut Parser<'a>) -> PResult<V>,
    ) -> PResult<Vec<V>> {
        let mut list = vec![rule(self)?];
        while self.eat_t(T::Comma) {
            list.push(rule(self)?);
        }
        Ok(list)
    }

    /// A string literal's bytes, in UTF-8.
    pub(crate) fn string(&mut self) -> PResult<Box<[u8]>> {
        let bytes = self.sent_string()?;
        Ok(self.plain(bytes).into())
    }

    /// The same, with placeholders.
    pub(crate) fn sent_string(&mut self) -> PResult<Cow<'a, [u8]>> {
        let token = self.token();
        if token.kind != T::Str {
            return Err(self.error());
        }
        self.advance();
        let mut bytes = literal::unquote(self.raw(token), self.escapes());
        while self.lenient() && self.kind() == T::Str {
            bytes
                .to_mut()
                .extend_from_slice(&literal::unquote(self.raw(self.token()), self.escapes()));
            self.advance();
        }
        Ok(bytes)
    }

    /// The same where strings side by side are one string, as they are in expressions.
    pub(crate) fn joined_string(&mut self) -> PResult<Box<[u8]>> {
        let mut bytes = self.string()?.into_vec();
        while self.kind() == T::Str {
            bytes.extend_from_slice(&self.string()?);
        }
        Ok(bytes.into())
    }

    /// A string literal that is text.
    pub(crate) fn text(&mut self) -> PResult<Box<str>> {
        let bytes = self.string()?;
        Ok(utf8(&bytes)?.into())
    }

    /// A decimal integer without a sign.
    pub(crate) fn number(&mut self) -> PResult<u64> {
        let token = self.token();
        let value = match token.kind {
            T::Int => literal::int(self.raw(token)),
            T::Hex if self.lenient() => return self.whole_number(),
            _ => None,
        };
        match value {
            Some(value) => {
                self.advance();
                Ok(value)
            }
            None => Err(self.error()),
        }
    }

    /// An integer with an optional size suffix (`4M`), which the lexer sees as a word.
    pub(crate) fn size(&mut self) -> PResult<u64> {
        let token = self.token();
        if token.kind == T::Word {
            let raw = self.raw(token);
            let (digits, suffix) = raw.split_at(raw.len() - 1);
            let shift = match suffix[0] | 0x20 {
                b'k' => 10,
                b'm' => 20,
                b'g' => 30,
                _ => return Err(self.error()),
            };
            let all_digits = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
            let value = if all_digits { literal::int(digits) } else { None };
            return match value.and_then(|v| v.checked_mul(1 << shift)) {
                Some(value) => {
                    self.advance();
                    Ok(value)
                }
                None => Err(self.error()),
            };
        }
        self.number()
    }

    /// `(n)` or nothing.
    pub(crate) fn opt_paren_number(&mut self) -> PResult<Option<u64>> {
        if !self.eat_t(T::LParen) {
            return Ok(None);
        }
        let value = self.number()?;
        self.expect_t(T::RParen)?;
        Ok(Some(value))
    }

    pub(crate) fn if_exists(&mut self) -> bool {
        self.eat_all(&[Kw::IF, Kw::EXISTS])
    }

    pub(crate) fn if_not_exists(&mut self) -> bool {
        self.eat_all(&[Kw::IF, Kw::NOT, Kw::EXISTS])
    }

    /// The statement's text from a token up to the one before the current, trimmed of nothing.
    pub(crate) fn text_since(&self, first: usize) -> Box<str> {
        let start = self.tokens[first].start as usize;
        let end = self.tokens[self.pos.saturating_sub(1).max(first)].end as usize;
        String::from_utf8_lossy(&self.sql[start..end]).into()
    }

    /// Index from which the current token's parameter is known.
    pub(crate) fn param_index(&self) -> Option<u32> {
        self.params.binary_search(&(self.pos as u32)).ok().map(|i| i as u32)
    }

    /// Statement whose parts are not analysed: its text is taken up to its end.
    pub(crate) fn unsupported(&mut self, what: &'static str) -> Statement {
        while !self.at_end() {
            self.advance();
        }
        Statement::Unsupported { what }
    }

    fn statement(&mut self) -> PResult<Statement> {
        match self.token().kind {
            T::LParen => return self.query_statement(),
            T::Word => {}
            _ => return Err(self.error()),
        }
        match self.kw() {
            Kw::SELECT | Kw::VALUES | Kw::TABLE => self.query_statement(),
            Kw::WITH => self.with_statement(),
            Kw::INSERT | Kw::REPLACE => self.insert(),
            Kw::UPDATE => self.update(None),
            Kw::DELETE => self.delete(None),
            Kw::SET => self.set_statement(),
            Kw::BEGIN
            | Kw::START
            | Kw::COMMIT
            | Kw::ROLLBACK
            | Kw::SAVEPOINT
            | Kw::RELEASE
            | Kw::LOCK
            | Kw::UNLOCK
            | Kw::XA => self.transaction_statement(),
            Kw::CREATE => self.create(),
            Kw::ALTER => self.alter(),
            Kw::DROP => self.drop(),
            Kw::TRUNCATE | Kw::RENAME => self.truncate_or_rename(),
            Kw::SHOW => self.show(),
            Kw::EXPLAIN | Kw::DESCRIBE | Kw::DESC => self.explain(),
            Kw::GRANT => self.grant(),
            Kw::REVOKE => self.revoke(),
            _ => self.admin_statement(),
        }
    }
}
