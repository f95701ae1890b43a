//! The digest text of a statement: what it says without the values in it, as performance_schema shows it.
//!
//! Values become `?`, lists of them `?, ...`, rows of them `(?)` and `(...)`, several rows `(...) /* , ... */`, and what comes after IN
//! `(...)`. Words are in upper case, names in backticks. A word that the parser took for a name is one, so statements are parsed for
//! this; of one that cannot be parsed, all words that might be keywords are.

use super::watch::{Ticks, Watch};
use super::{ParseError, ParseOptions, Parsed, Parser};
use crate::lex::{Kw, Lexer, T, Token};
use std::cell::RefCell;

/// The first statement of `sql`, and its digest of at most `longest` bytes of tokens (`max_digest_length`), by one reading of the text.
/// Errors: those of the parser.
pub fn parse_with_digest(
    sql: &[u8],
    opts: &ParseOptions,
    longest: usize,
    watch: Option<&dyn Watch>,
) -> Result<(Parsed, String), ParseError> {
    let mut parser = Parser::new(sql, *opts);
    parser.ticks = Ticks::new(watch);
    parser.names = Some(RefCell::default());
    parser.tokenize()?;
    let parsed = parser.run()?;
    let mut names = parser.names.take().unwrap_or_default().into_inner();
    names.sort_unstable();
    let mut writer = Writer::new(sql, longest);
    for (n, token) in parser.tokens.iter().enumerate() {
        if matches!(token.kind, T::End | T::Bad) || writer.full {
            break;
        }
        let name = token.kind == T::Word
            && !token.kw.is_reserved()
            && names.binary_search(&token.start).is_ok()
            && !is_call(sql, &parser.tokens, n);
        let next = parser.tokens.get(n + 1).map_or(T::End, |t| t.kind);
        writer.token(*token, name, next);
    }
    Ok((parsed, writer.finish()))
}

/// The digest text of what is no statement, as far as it has tokens.
pub fn digest_of_tokens(sql: &[u8], opts: &ParseOptions, longest: usize) -> String {
    let mut lexer = Lexer::new(sql, opts.sql_mode);
    let mut writer = Writer::new(sql, longest);
    let mut token = lexer.next_token();
    while !matches!(token.kind, T::End | T::Bad) {
        let next = lexer.next_token();
        let name = !token.kw.is_reserved() && next.kind != T::LParen;
        writer.token(token, name, next.kind);
        token = next;
    }
    writer.finish()
}

/// A known word before a parenthesis is the name of a function, and not that of a table before its columns.
fn is_call(sql: &[u8], tokens: &[Token], n: usize) -> bool {
    let before = n.checked_sub(1).map_or(Kw::NOKW, |i| tokens[i].kw);
    let dotted = n > 0 && tokens[n - 1].kind == T::Dot;
    (tokens[n].kw != Kw::NOKW || is_function(tokens[n].text(sql), T::LParen))
        && tokens.get(n + 1).is_some_and(|t| t.kind == T::LParen)
        && !dotted
        && !matches!(
            before,
            Kw::INTO | Kw::TABLE | Kw::EXISTS | Kw::REFERENCES | Kw::ON | Kw::KEY | Kw::INDEX
        )
}

/// One piece of a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    /// A word, a sign or a name, as it stands in the text that was written.
    Plain(Token),
    Name(Token),
    Value,
    Values,
    Row,
    Rows,
    WideRow,
    WideRows,
    /// The row behind IN.
    Among,
    /// The introducer of a text's character set.
    Charset,
}

struct Writer<'a> {
    sql: &'a [u8],
    pieces: Vec<Piece>,
    /// Bytes that may still come, by the count that `max_digest_length` is about: two for a token, and those of a name.
    left: usize,
    full: bool,
}

impl<'a> Writer<'a> {
    fn new(sql: &'a [u8], longest: usize) -> Writer<'a> {
        Writer { sql, pieces: Vec::with_capacity(32), left: longest, full: false }
    }

    fn token(&mut self, token: Token, name: bool, next: T) {
        if self.full {
            return;
        }
        match token.kind {
            T::Hint => {}
            T::Int | T::Decimal | T::Float | T::Str | T::NStr | T::Hex | T::Bit | T::Param => {
                // Texts side by side are one.
                let joined = token.kind == T::Str && self.pieces.last() == Some(&Piece::Value);
                if !joined {
                    self.value();
                }
            }
            // The name of a variable of the user, or a host's.
            T::Word | T::Quoted if self.last_is(T::At) => self.value(),
            T::Word if token.kw == Kw::NULL && self.expects_operand() => self.value(),
            T::Word
                if matches!(next, T::Str | T::Hex | T::Bit)
                    && token.text(self.sql).starts_with(b"_") =>
            {
                self.push(Piece::Charset);
            }
            T::RParen => self.close(token),
            T::Word
                if name || (token.kw == Kw::NOKW && !is_function(token.text(self.sql), next)) =>
            {
                self.push(Piece::Name(token));
            }
            T::Quoted => self.push(Piece::Name(token)),
            _ => self.push(Piece::Plain(token)),
        }
    }

    /// Bytes of a piece: two, and those of a name.
    fn cost(&self, piece: Piece) -> usize {
        match piece {
            Piece::Name(token) => 4 + token.text(self.sql).len(),
            _ => 2,
        }
    }

    fn push(&mut self, piece: Piece) {
        match self.left.checked_sub(self.cost(piece)) {
            Some(left) => {
                self.left = left;
                self.pieces.push(piece);
            }
            None => self.full = true,
        }
    }

    /// The last piece makes room for the mark that stands in its place.
    fn pop(&mut self) -> Option<Piece> {
        let last = self.pieces.pop()?;
        self.left += self.cost(last);
        Some(last)
    }

    /// The last piece is this sign.
    fn last_is(&self, kind: T) -> bool {
        matches!(self.pieces.last(), Some(Piece::Plain(t)) if t.kind == kind)
    }

    /// What comes next can only be an operand, so NULL is a value there.
    fn expects_operand(&self) -> bool {
        match self.pieces.last() {
            None => false,
            Some(Piece::Plain(t)) if t.kind == T::Word => before_operand(t.kw),
            Some(Piece::Plain(t)) => t.kind != T::RParen,
            Some(_) => false,
        }
    }

    /// A sign that comes next belongs to the value behind it. As in MySQL that is so at the beginning of an expression and behind an
    /// operator, but not behind a comparison.
    fn takes_signs(&self) -> bool {
        match self.pieces.last() {
            Some(Piece::Plain(t)) if t.kind == T::Word => matches!(
                t.kw,
                Kw::SELECT
                    | Kw::AND
                    | Kw::OR
                    | Kw::XOR
                    | Kw::NOT
                    | Kw::WHEN
                    | Kw::CASE
                    | Kw::BETWEEN
                    | Kw::LIKE
                    | Kw::REGEXP
                    | Kw::RLIKE
                    | Kw::DIV
                    | Kw::MOD
                    | Kw::INTERVAL
                    | Kw::DEFAULT
                    | Kw::RETURN
                    | Kw::ELSEIF
                    | Kw::WHILE
                    | Kw::UNTIL
            ),
            Some(Piece::Plain(t)) => matches!(
                t.kind,
                T::LParen
                    | T::Comma
                    | T::Star
                    | T::Plus
                    | T::Minus
                    | T::Slash
                    | T::Percent
                    | T::Caret
                    | T::Tilde
                    | T::Amp
                    | T::Pipe
                    | T::AmpAmp
                    | T::PipePipe
                    | T::Bang
                    | T::Shl
                    | T::Shr
            ),
            _ => false,
        }
    }

    /// A value, with the signs in front of it.
    fn value(&mut self) {
        while self.last_is(T::Minus) || self.last_is(T::Plus) {
            let sign = self.pop();
            if !self.takes_signs() {
                sign.into_iter().for_each(|sign| self.push(sign));
                break;
            }
        }
        let listed = self.last_is(T::Comma)
            && matches!(self.before_last(), Some(Piece::Value | Piece::Values));
        if listed {
            self.replace(2, Piece::Values);
        } else {
            self.push(Piece::Value);
        }
    }

    fn before_last(&self) -> Option<Piece> {
        self.pieces.len().checked_sub(2).map(|n| self.pieces[n])
    }

    fn replace(&mut self, taken: usize, piece: Piece) {
        (0..taken).for_each(|_| _ = self.pop());
        self.push(piece);
    }

    fn close(&mut self, token: Token) {
        let row = match (self.before_last(), self.pieces.last()) {
            (Some(Piece::Plain(open)), Some(Piece::Value)) if open.kind == T::LParen => Piece::Row,
            (Some(Piece::Plain(open)), Some(Piece::Values)) if open.kind == T::LParen => {
                Piece::WideRow
            }
            _ => return self.push(Piece::Plain(token)),
        };
        (0..2).for_each(|_| _ = self.pop());
        let piece = match (self.before_last(), self.pieces.last()) {
            (_, Some(Piece::Plain(t))) if t.kw == Kw::IN => return self.push(Piece::Among),
            (Some(Piece::Row | Piece::Rows), Some(Piece::Plain(t)))
                if t.kind == T::Comma && row == Piece::Row =>
            {
                Piece::Rows
            }
            (Some(Piece::WideRow | Piece::WideRows), Some(Piece::Plain(t)))
                if t.kind == T::Comma && row == Piece::WideRow =>
            {
                Piece::WideRows
            }
            _ => return self.push(row),
        };
        self.replace(2, piece);
    }

    fn finish(self) -> String {
        let mut out = String::with_capacity(16 * self.pieces.len());
        let mut space = false;
        for piece in &self.pieces {
            if space {
                out.push(' ');
            }
            space = self.write(*piece, &mut out);
        }
        if self.full {
            out.push_str(" ...");
        }
        out
    }

    /// Whether a blank comes after it.
    fn write(&self, piece: Piece, out: &mut String) -> bool {
        match piece {
            Piece::Name(token) => {
                let text = String::from_utf8_lossy(token.text(self.sql));
                let bare = match token.kind {
                    T::Quoted => &text[1..text.len().max(2) - 1],
                    _ => &text[..],
                };
                out.push('`');
                out.push_str(bare);
                out.push('`');
            }
            Piece::Plain(token) if token.kind == T::Word => {
                let text = String::from_utf8_lossy(token.text(self.sql)).to_ascii_uppercase();
                out.push_str(one_word(&text));
            }
            Piece::Plain(token) => {
                out.push_str(match token.kind {
                    T::Ne => "!=",
                    _ => std::str::from_utf8(token.text(self.sql)).unwrap_or("?"),
                });
                return !matches!(token.kind, T::At | T::AtAt);
            }
            Piece::Value => out.push('?'),
            Piece::Values => out.push_str("?, ..."),
            Piece::Charset => out.push_str("(_charset)"),
            Piece::Row => out.push_str("(?)"),
            Piece::Rows => out.push_str("(?) /* , ... */"),
            Piece::WideRow | Piece::Among => out.push_str("(...)"),
            Piece::WideRows => out.push_str("(...) /* , ... */"),
        }
        true
    }
}

/// Keywords behind which an expression begins.
fn before_operand(kw: Kw) -> bool {
    use Kw::*;
    matches!(
        kw,
        SELECT
            | DISTINCT
            | ALL
            | WHERE
            | AND
            | OR
            | XOR
            | WHEN
            | THEN
            | ELSE
            | CASE
            | BETWEEN
            | LIKE
            | IN
            | ON
            | HAVING
            | BY
            | RETURN
            | DEFAULT
            | SET
            | LIMIT
            | OFFSET
            | DIV
            | MOD
            | REGEXP
            | RLIKE
            | INTERVAL
            | USING
            | ESCAPE
            | IF
            | WHILE
            | UNTIL
            | VALUES
            | VALUE
            | AS
            | ELSEIF
            | DO
    )
}

/// Functions whose names are words of MySQL's grammar and not of this parser.
fn is_function(word: &[u8], next: T) -> bool {
    next == T::LParen && [&b"ASCII"[..], b"AVG"].iter().any(|f| word.eq_ignore_ascii_case(f))
}

/// Of words that mean the same, the one that MySQL shows.
fn one_word(word: &str) -> &str {
    match word {
        "INT" | "INT4" => "INTEGER",
        "INT1" => "TINYINT",
        "INT2" => "SMALLINT",
        "INT3" | "MEDIUMINT" => "MIDDLEINT",
        "BIGINT" => "INT8",
        "CHAR" => "CHARACTER",
        "VARCHAR" => "VARCHARACTER",
        "DEC" => "DECIMAL",
        "DOUBLE" => "FLOAT8",
        "FLOAT" => "FLOAT4",
        "DATABASE" => "SCHEMA",
        "DATABASES" => "SCHEMAS",
        "COLUMNS" => "FIELDS",
        "DISTINCT" => "DISTINCTROW",
        "ANY" => "SOME",
        "REGEXP" => "RLIKE",
        "CURRENT_DATE" => "CURDATE",
        "CURRENT_TIME" => "CURTIME",
        "CURRENT_TIMESTAMP" | "LOCALTIME" | "LOCALTIMESTAMP" => "NOW",
        "MID" | "SUBSTR" => "SUBSTRING",
        "STD" | "STDDEV" => "STDDEV_POP",
        "VARIANCE" => "VAR_POP",
        "USER" | "SESSION_USER" => "SYSTEM_USER",
        "DAY" => "SQL_TSI_DAY",
        "HOUR" => "SQL_TSI_HOUR",
        "MINUTE" => "SQL_TSI_MINUTE",
        "MONTH" => "SQL_TSI_MONTH",
        "QUARTER" => "SQL_TSI_QUARTER",
        "SECOND" => "SQL_TSI_SECOND",
        "WEEK" => "SQL_TSI_WEEK",
        "YEAR" => "SQL_TSI_YEAR",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::SqlMode;

    fn of(sql: &str) -> String {
        let opts = ParseOptions { allow_params: true, ..ParseOptions::default() };
        parse_with_digest(sql.as_bytes(), &opts, 1024, None)
            .unwrap_or_else(|e| panic!("{sql}: {e}"))
            .1
    }

    /// Compared with what MariaDB 10.11 shows, except for IN, which MySQL has in one form, and the words that are none of MySQL's.
    #[test]
    fn texts() {
        let cases = [
            ("select 1", "SELECT ?"),
            ("insert into t values (1)", "INSERT INTO `t` VALUES (?)"),
            ("insert into t values (1),(2)", "INSERT INTO `t` VALUES (?) /* , ... */"),
            ("insert into t values (1,'x'),(2,null)", "INSERT INTO `t` VALUES (...) /* , ... */"),
            (
                "select count(*), ascii('a'), avg(b) from s.t as x join y using (id) where x.a = -5",
                "SELECT COUNT ( * ) , ASCII (?) , AVG ( `b` ) FROM `s` . `t` AS `x` JOIN `y` USING ( `id` ) WHERE `x` . `a` = - ?",
            ),
            (
                "select status, `select` from `t-x` where status in ('a', 'b')",
                "SELECT `status` , `select` FROM `t-x` WHERE `status` IN (...)",
            ),
            ("set @a = 5, @@session.sql_mode = 'x'", "SET @? = ? , @@SESSION . `sql_mode` = ?"),
            ("grant select on *.* to 'u'@'h'", "GRANT SELECT ON * . * TO ? @?"),
            (
                "select _utf8mb4'x', cast(a as char(3))",
                "SELECT (_charset) ? , CAST ( `a` AS CHARACTER (?) )",
            ),
            ("select - -1, +2, a - 1, a > -1", "SELECT ?, ... , `a` - ? , `a` > - ?"),
            ("select ? is null, a is not null", "SELECT ? IS NULL , `a` IS NOT NULL"),
            ("select 1 + interval 2 day", "SELECT ? + INTERVAL ? SQL_TSI_DAY"),
            (
                "create table t (a int default null, b int not null)",
                "CREATE TABLE `t` ( `a` INTEGER DEFAULT ? , `b` INTEGER NOT NULL )",
            ),
        ];
        for (sql, want) in cases {
            assert_eq!(of(sql), want, "{sql}");
        }
    }

    #[test]
    fn limits_and_what_is_no_statement() {
        let opts = ParseOptions::default();
        let of =
            |sql: &[u8], opts: &ParseOptions, longest| parse_with_digest(sql, opts, longest, None);
        let short = of(b"select abc, def from ghi where jkl = 1", &opts, 16).expect("parses");
        assert_eq!(short.1, "SELECT `abc` , ...");
        assert!(of(b"selec 1", &opts, 1024).is_err());
        assert_eq!(digest_of_tokens(b"selec 1 from (2", &opts, 1024), "`selec` ? FROM ( ?");
        let (first, text) = of(b"select 1; select 2", &opts, 1024).expect("the first");
        assert_eq!((text.as_str(), first.consumed), ("SELECT ?", 9));
        let ansi = ParseOptions {
            sql_mode: SqlMode { ansi_quotes: true, ..SqlMode::default() },
            ..ParseOptions::default()
        };
        assert_eq!(of(b"select \"a\"", &ansi, 99).expect("parses").1, "SELECT `a`");
    }
}
