//! Keys for a plan cache: the statement's text with its literals taken out.
//!
//! One decision procedure ([`Decider`]) says which literals are replaced. [`normalize`] runs it to
//! build the key; [`parse_normalized`] runs it to turn the same literals into parameters. So the
//! plan made from the latter, with the values found by the former, is the plan of the statement.
//!
//! Kept in the key are literals that the shape of the plan or of the result depends on: the select
//! list (it names columns), GROUP BY, ORDER BY, LIMIT, type lengths, fractional seconds, hints,
//! and whatever is not plainly an operand.

use super::operand::text_literal;
use super::{PResult, ParseError, ParseOptions, Parsed, Parser, parse_one, utf8};
use crate::ast::Literal;
use crate::lex::{Client, Kw, Lexer, SqlMode, T, Token, literal};

/// Statements with more literals than this (bulk inserts) are not worth a key.
const MAX_LITERALS: usize = 1000;
/// Nor are texts longer than this, in bytes: a plan that is found saves little of what such a text costs.
const MAX_KEYED: usize = 64 * 1024;
/// Parentheses deeper than this are not followed.
const MAX_NESTING: usize = 24;
/// Integers of at most this many digits are replaced: their type is BIGINT without a look.
const MAX_INT_DIGITS: u32 = 18;
/// A decimal that is longer may be no column's, and there may be something to say of it.
const MAX_DECIMAL_CHARS: u32 = 31;

/// Stands in the key for a text behind LIKE that says nothing of how what it matches begins: an index is not searched by one, so the
/// statement has another plan than with a pattern that does.
const OPEN_PATTERN: u8 = 7;

/// Type of a replaced literal. Part of the key, as the byte given here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum LiteralClass {
    Int = 1,
    Decimal = 2,
    Float = 3,
    Str = 4,
    Hex = 5,
    Bit = 6,
}

/// A replaced literal: where it stands in the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NormalizedLiteral {
    pub class: LiteralClass,
    /// A minus sign in front belongs to it (and is not within the span).
    pub negative: bool,
    pub start: u32,
    pub end: u32,
}

impl NormalizedLiteral {
    /// The literal's bytes in the statement.
    pub fn raw<'a>(&self, sql: &'a [u8]) -> &'a [u8] {
        &sql[self.start as usize..self.end as usize]
    }

    /// The value, without the sign.
    pub fn value(&self, sql: &[u8], mode: &SqlMode, client: Option<Client>) -> PResult<Literal> {
        let raw = self.raw(sql);
        Ok(match self.class {
            LiteralClass::Int => Literal::Int(literal::int(raw).unwrap_or(0)),
            LiteralClass::Decimal => Literal::Decimal(utf8(raw)?.into()),
            LiteralClass::Float => {
                let text = utf8(raw)?;
                let value: f64 = text.parse().unwrap_or(f64::INFINITY);
                if value.is_infinite() {
                    return Err(ParseError::illegal_double(text));
                }
                Literal::Float(value, text.into())
            }
            LiteralClass::Str => {
                text_literal(literal::unquote(raw, !mode.no_backslash_escapes), None, client)
            }
            LiteralClass::Hex => Literal::Hex { bytes: literal::hex(raw), charset: None },
            LiteralClass::Bit => Literal::Bit { bytes: literal::bits(raw), charset: None },
        })
    }
}

/// Key and literals; reused from statement to statement so that nothing is allocated.
#[derive(Clone, Debug, Default)]
pub struct NormalizedBuf {
    pub key: Vec<u8>,
    pub literals: Vec<NormalizedLiteral>,
}

/// What to do with a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Keep,
    Replace { class: LiteralClass, negative: bool },
    Reject,
}

/// State of one level of parentheses.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// An outer level keeps its literals, so this one does.
    inherited: bool,
    keep: bool,
    in_select: bool,
    /// Keyword before the opening parenthesis.
    opener: Kw,
}

const OUTER: Frame = Frame { inherited: false, keep: true, in_select: false, opener: Kw::NOKW };

/// Decides literal by literal; fed every token of the statement in order.
#[derive(Debug)]
struct Decider {
    frames: [Frame; MAX_NESTING],
    depth: usize,
    prev: Token,
    before: Token,
    /// End of the last literal that was kept.
    kept_end: u32,
    first: bool,
}

impl Decider {
    fn new() -> Decider {
        let none = Token { kind: T::End, kw: Kw::NOKW, start: 0, end: 0 };
        Decider {
            frames: [OUTER; MAX_NESTING],
            depth: 0,
            prev: none,
            before: none,
            kept_end: 0,
            first: true,
        }
    }

    /// Literals at the cursor are kept, and blanks with them.
    fn keeps(&self) -> bool {
        let frame = &self.frames[self.depth];
        frame.keep || frame.inherited
    }

    #[inline]
    fn step(&mut self, token: Token, sql: &[u8]) -> Verdict {
        if self.first {
            self.first = false;
            let plain =
                matches!(token.kw, Kw::SELECT | Kw::INSERT | Kw::UPDATE | Kw::DELETE | Kw::REPLACE);
            if !plain {
                return Verdict::Reject;
            }
        }
        let verdict = match token.kind {
            T::Word if token.kw == Kw::NOKW => Verdict::Keep,
            T::Word => self.keyword(token.kw),
            T::Int | T::Decimal | T::Float | T::Str | T::Hex | T::Bit => self.literal(token, sql),
            T::LParen => self.open(),
            T::RParen => self.close(),
            T::Comma => {
                let frame = &mut self.frames[self.depth];
                frame.keep |= matches!(frame.opener, Kw::CONVERT | Kw::WEIGHT_STRING);
                Verdict::Keep
            }
            T::Bad | T::LBrace | T::Param | T::NStr => Verdict::Reject,
            _ => Verdict::Keep,
        };
        if verdict == Verdict::Keep && is_literal(token.kind) {
            self.kept_end = token.end;
        }
        self.before = self.prev;
        self.prev = token;
        verdict
    }

    fn keyword(&mut self, kw: Kw) -> Verdict {
        let frame = &mut self.frames[self.depth];
        match kw {
            Kw::SELECT => {
                frame.keep = true;
                frame.in_select = true;
            }
            Kw::FROM if frame.in_select => {
                frame.keep = false;
                frame.in_select = false;
            }
            Kw::WHERE | Kw::HAVING | Kw::ON | Kw::SET | Kw::VALUES | Kw::VALUE => {
                frame.keep = false;
                frame.in_select = false;
            }
            Kw::ORDER
            | Kw::GROUP
            | Kw::LIMIT
            | Kw::OFFSET
            | Kw::WINDOW
            | Kw::PARTITION
            | Kw::INTO
            | Kw::FOR
            | Kw::LOCK => frame.keep = true,
            Kw::AS if matches!(frame.opener, Kw::CAST | Kw::WEIGHT_STRING) => frame.keep = true,
            Kw::OUTFILE | Kw::DUMPFILE | Kw::JSON_TABLE | Kw::JSON_VALUE | Kw::PROCEDURE => {
                return Verdict::Reject;
            }
            _ => {}
        }
        Verdict::Keep
    }

    fn open(&mut self) -> Verdict {
        if self.depth + 1 >= MAX_NESTING {
            return Verdict::Reject;
        }
        let inherited = self.keeps();
        let opener = self.prev.kw;
        // Fractional seconds decide the type of the result.
        let keep = matches!(
            opener,
            Kw::NOW
                | Kw::CURRENT_TIMESTAMP
                | Kw::CURRENT_TIME
                | Kw::CURTIME
                | Kw::LOCALTIME
                | Kw::LOCALTIMESTAMP
                | Kw::SYSDATE
                | Kw::UTC_TIME
                | Kw::UTC_TIMESTAMP
        );
        self.depth += 1;
        self.frames[self.depth] = Frame { inherited, keep, in_select: false, opener };
        Verdict::Keep
    }

    fn close(&mut self) -> Verdict {
        if self.depth == 0 {
            return Verdict::Reject;
        }
        self.depth -= 1;
        Verdict::Keep
    }

    fn literal(&self, token: Token, sql: &[u8]) -> Verdict {
        if token.kind == T::Str && self.prev.kind == T::Str {
            return Verdict::Reject;
        }
        if self.keeps() || !precedes_operand(self.prev) {
            return Verdict::Keep;
        }
        // `1 <> 1` and `WHERE 0` are switches, which the planner wants to see.
        let beside_kept = is_literal(self.before.kind) && self.before.end == self.kept_end;
        if beside_kept || matches!(self.prev.kw, Kw::WHERE | Kw::ON | Kw::HAVING) {
            return Verdict::Keep;
        }
        let class = match token.kind {
            T::Int if token.end - token.start > MAX_INT_DIGITS => return Verdict::Keep,
            T::Decimal if token.end - token.start > MAX_DECIMAL_CHARS => return Verdict::Keep,
            // Its type has no digit before the point, which its value does not tell.
            T::Decimal if token.text(sql).starts_with(b".") => return Verdict::Keep,
            T::Int => LiteralClass::Int,
            T::Decimal => LiteralClass::Decimal,
            T::Float => LiteralClass::Float,
            T::Str => LiteralClass::Str,
            T::Hex => LiteralClass::Hex,
            _ => LiteralClass::Bit,
        };
        let number =
            matches!(class, LiteralClass::Int | LiteralClass::Decimal | LiteralClass::Float);
        let negative = number && self.prev.kind == T::Minus && precedes_operand(self.before);
        Verdict::Replace { class, negative }
    }
}

/// A literal whose text begins with a wildcard of LIKE.
fn begins_anywhere(literal: &[u8]) -> bool {
    matches!(literal, [b'\'' | b'"', b'%' | b'_', ..])
}

fn is_literal(kind: T) -> bool {
    matches!(kind, T::Int | T::Decimal | T::Float | T::Str | T::Hex | T::Bit)
}

/// What comes after this token is an operand, and a minus sign there is unary.
fn precedes_operand(token: Token) -> bool {
    match token.kind {
        T::LParen
        | T::Comma
        | T::Assign
        | T::Eq
        | T::NullEq
        | T::Ne
        | T::Lt
        | T::Le
        | T::Gt
        | T::Ge
        | T::Shl
        | T::Shr
        | T::Plus
        | T::Minus
        | T::Star
        | T::Slash
        | T::Percent
        | T::Amp
        | T::AmpAmp
        | T::Pipe
        | T::PipePipe
        | T::Caret
        | T::Tilde
        | T::Bang => true,
        T::Word => matches!(
            token.kw,
            Kw::WHERE
                | Kw::ON
                | Kw::HAVING
                | Kw::AND
                | Kw::OR
                | Kw::XOR
                | Kw::NOT
                | Kw::BETWEEN
                | Kw::LIKE
                | Kw::REGEXP
                | Kw::RLIKE
                | Kw::DIV
                | Kw::MOD
                | Kw::CASE
                | Kw::WHEN
                | Kw::THEN
                | Kw::ELSE
        ),
        _ => false,
    }
}

/// Builds the key of a statement in `out`; the number of literals taken out, or `None` when the
/// statement is not to be cached by text.
pub fn normalize(sql: &[u8], mode: &SqlMode, out: &mut NormalizedBuf) -> Option<usize> {
    out.key.clear();
    out.literals.clear();
    if sql.len() > MAX_KEYED {
        return None;
    }
    let mut lexer = Lexer::new(sql, *mode);
    let mut decider = Decider::new();
    let mut minus_at = 0;
    loop {
        let verbatim = decider.keeps();
        let prev_end = decider.prev.end as usize;
        let token = lexer.next_token();
        if token.kind == T::End {
            break;
        }
        let verdict = decider.step(token, sql);
        let start = token.start as usize;
        if start > prev_end && !out.key.is_empty() {
            if verbatim {
                out.key.extend_from_slice(&sql[prev_end..start]);
            } else {
                out.key.push(b' ');
            }
        }
        match verdict {
            Verdict::Reject => return None,
            Verdict::Keep => {
                if token.kind == T::Minus {
                    minus_at = out.key.len();
                }
                out.key.extend_from_slice(token.text(sql));
            }
            Verdict::Replace { class, negative } => {
                if out.literals.len() == MAX_LITERALS {
                    return None;
                }
                if negative {
                    out.key.truncate(minus_at);
                }
                let open = decider.before.kw == Kw::LIKE && begins_anywhere(token.text(sql));
                out.key.push(if open { OPEN_PATTERN } else { class as u8 });
                let Token { start, end, .. } = token;
                out.literals.push(NormalizedLiteral { class, negative, start, end });
            }
        }
    }
    let rest = &sql[lexer.position()..];
    let whole = !lexer.saw_versioned() && rest.iter().all(u8::is_ascii_whitespace);
    (whole && !decider.first).then_some(out.literals.len())
}

/// Parses a statement so that its i-th replaced literal is `Expr::Param(i)`. Meant for statements
/// that [`normalize`] gives a key; any other is parsed as it is.
pub fn parse_normalized(sql: &[u8], opts: &ParseOptions) -> PResult<Parsed> {
    let mut parser = Parser::new(sql, *opts);
    let mut lexer = Lexer::new(sql, opts.sql_mode);
    let mut decider = Decider::new();
    loop {
        let mut token = lexer.next_token();
        if token.kind == T::End {
            parser.tokens.push(token);
            break;
        }
        match decider.step(token, sql) {
            Verdict::Reject => return parse_one(sql, opts),
            Verdict::Keep => {}
            Verdict::Replace { negative, .. } => {
                if negative && let Some(minus) = parser.tokens.pop() {
                    token.start = minus.start;
                }
                token.kind = T::Slot;
                parser.params.push(parser.tokens.len() as u32);
            }
        }
        parser.tokens.push(token);
    }
    parser.consumed = lexer.position();
    parser.run()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(sql: &str) -> Option<(String, Vec<String>)> {
        let mut buf = NormalizedBuf::default();
        normalize(sql.as_bytes(), &SqlMode::default(), &mut buf)?;
        let key: String = buf
            .key
            .iter()
            .map(|&b| {
                if b < 8 {
                    "?idfshbo"[usize::from(b)..=usize::from(b)].to_string().to_uppercase()
                } else {
                    char::from(b).to_string()
                }
            })
            .collect();
        let literals = buf
            .literals
            .iter()
            .map(|l| {
                let sign = if l.negative { "-" } else { "" };
                format!("{sign}{}", String::from_utf8_lossy(l.raw(sql.as_bytes())))
            })
            .collect();
        let parsed = parse_normalized(sql.as_bytes(), &ParseOptions::default()).unwrap();
        assert_eq!(parsed.params as usize, buf.literals.len(), "{sql}");
        Some((key, literals))
    }

    fn check(sql: &str, expect: &str, literals: &[&str]) {
        let (key, got) = key(sql).expect(sql);
        assert_eq!(key, expect, "{sql}");
        assert_eq!(got, literals, "{sql}");
    }

    #[test]
    fn keys() {
        check("select c from t where id=5", "select c from t where id=I", &["5"]);
        check("select c  from t  where id = -5;", "select c  from t where id = I", &["-5"]);
        check(
            "SELECT 1, a+2 FROM t WHERE b-3>4.5",
            "SELECT 1, a+2 FROM t WHERE b-I>D",
            &["3", "4.5"],
        );
        check(
            "select a from t where b in (1,'x',1e3,x'41') order by 2 limit 10",
            "select a from t where b in (I,S,F,H) order by 2 limit 10",
            &["1", "'x'", "1e3", "x'41'"],
        );
        check(
            "insert into t(a,b) values (1,-2),(NULL,'y')",
            "insert into t(a,b) values (I,I),(NULL,S)",
            &["1", "-2", "'y'"],
        );
        check(
            "update t set a=a-1,b=- -2 where c between 1 and 2",
            "update t set a=a-I,b=- I where c between I and I",
            &["1", "-2", "1", "2"],
        );
        check(
            "delete from t where d<date '2020-01-01' + interval 3 day",
            "delete from t where d<date '2020-01-01' + interval 3 day",
            &[],
        );
        check(
            "select a from t where cast(b as char(10))=now(3)",
            "select a from t where cast(b as char(10))=now(3)",
            &[],
        );
        check(
            "select a from (select 1 from u where v=1) x where b=_utf8mb4'q'",
            "select a from (select 1 from u where v=I) x where b=_utf8mb4'q'",
            &["1"],
        );
        check("select a from t where 1 != 1", "select a from t where 1 != 1", &[]);
    }

    #[test]
    fn refused() {
        for sql in [
            "set a=1",
            "select 'a' 'b'",
            "select a from t where b='x' 'y'",
            "select 1 /*! +1 */",
            "select 1; select 2",
            "select {d '2020-01-01'}",
            "(select 1)",
            "",
        ] {
            assert!(key(sql).is_none(), "{sql}");
        }
    }
}
