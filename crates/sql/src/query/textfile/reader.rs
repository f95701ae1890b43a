//! Lines and fields of a file, as LOAD DATA cuts them.

use super::Format;
use crate::errno;
use crate::files::ReadFile;
use crate::memory::{Account, Held, LARGE};
use crate::session_api::SqlError;
use crate::value::{Charset, Collation, Value};

/// A field that was read; its bytes are [`Reader::field`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// `\N`, or the word NULL where fields are quoted and this one is not.
    Null,
    Text,
}

/// What ends a run of plain bytes.
type Stops = [bool; 256];

/// Cuts a file into fields. Memory: a piece of the file and one field, which may not be longer than `max_field`.
pub struct Reader<'s> {
    source: &'s mut dyn ReadFile,
    format: Format,
    charset: Charset,
    /// Read and not taken: `buffer[at..]`.
    buffer: Vec<u8>,
    at: usize,
    /// The file has no more than what is in the buffer.
    drained: bool,
    /// The line at hand has ended.
    line_over: bool,
    /// The file has ended.
    over: bool,
    /// The next field is the first of its line, behind LINES STARTING BY.
    line_begins: bool,
    field: Vec<u8>,
    max_field: usize,
    held: Held,
    charged: usize,
    stops: Stops,
}

impl<'s> Reader<'s> {
    pub fn new(
        source: &'s mut dyn ReadFile,
        mut format: Format,
        charset: Charset,
        max_field: usize,
    ) -> Reader<'s> {
        // With one and the same delimiter all is one line.
        if format.field_end == format.line_end {
            format.line_end = Box::default();
        }
        let mut stops = [false; 256];
        let firsts = [format.field_end.first(), format.line_end.first()];
        let chars = [format.enclosed, format.escape];
        for b in firsts.into_iter().flatten().copied().chain(chars.into_iter().flatten()) {
            stops[usize::from(b)] = true;
        }
        if charset.max_char_bytes() > 1 {
            stops[0x80..].fill(true);
        }
        Reader {
            source,
            line_begins: !format.line_start.is_empty(),
            format,
            charset,
            buffer: Vec::new(),
            at: 0,
            drained: false,
            line_over: false,
            over: false,
            field: Vec::new(),
            max_field,
            held: Held::default(),
            charged: 0,
            stops,
        }
    }

    /// The bytes of the field that was read last.
    pub fn field(&self) -> &[u8] {
        &self.field
    }

    /// The same as a value.
    pub fn value(&self) -> Value<'_> {
        text_value(&self.field, self.charset)
    }

    /// Passes over a line, of `fields` fields where nothing ends lines. False: the file ends.
    pub fn skip_line(&mut self, fields: usize, account: Account<'_>) -> Result<bool, SqlError> {
        if self.format.line_end.is_empty() {
            for _ in 0..fields {
                if self.read_field(account)?.is_none() {
                    break;
                }
            }
        }
        Ok(self.next_line(account)?.is_some())
    }

    /// Gets more of the file; false when there is none.
    fn fill(&mut self, account: Account<'_>) -> Result<bool, SqlError> {
        if self.drained {
            return Ok(false);
        }
        self.buffer.drain(..self.at);
        self.at = 0;
        let before = self.buffer.len();
        while self.buffer.len() == before {
            if !self.source.read(&mut self.buffer)? {
                self.drained = true;
                return Ok(false);
            }
        }
        if self.field.len() > self.max_field {
            return Err(SqlError::of(errno::ER_NET_PACKET_TOO_LARGE, &[]));
        }
        let holds = self.buffer.capacity() + self.field.capacity();
        if holds > self.charged.max(LARGE) {
            self.held.grow(account, holds - self.charged)?;
            self.charged = holds;
        }
        Ok(true)
    }

    fn peek(&mut self, account: Account<'_>) -> Result<Option<u8>, SqlError> {
        if self.at == self.buffer.len() && !self.fill(account)? {
            return Ok(None);
        }
        Ok(Some(self.buffer[self.at]))
    }

    /// Passes over what comes next, which is not looked at: no byte within a character is an escape or begins a delimiter. In
    /// UTF-8 none could be one.
    fn pass(&mut self, account: Account<'_>) -> Result<(), SqlError> {
        let n = self.passed(account)?;
        self.at += n;
        Ok(())
    }

    fn passed(&mut self, account: Account<'_>) -> Result<usize, SqlError> {
        match self.charset.is_utf8() {
            true => Ok(1),
            false => self.character_length(account),
        }
    }

    /// Takes `what` if it comes next; the empty text never does.
    fn eat(&mut self, what: Delimiter, account: Account<'_>) -> Result<bool, SqlError> {
        loop {
            let text = match what {
                Delimiter::Field => &self.format.field_end,
                Delimiter::Line => &self.format.line_end,
                Delimiter::Start => &self.format.line_start,
            };
            let have = &self.buffer[self.at..];
            if text.is_empty() || !have.starts_with(&text[..text.len().min(have.len())]) {
                return Ok(false);
            }
            if have.len() >= text.len() {
                self.at += text.len();
                return Ok(true);
            }
            if !self.fill(account)? {
                return Ok(false);
            }
        }
    }

    /// Passes over all that stands before LINES STARTING BY. False: the file ends first.
    fn find_start(&mut self, account: Account<'_>) -> Result<bool, SqlError> {
        while !self.eat(Delimiter::Start, account)? {
            if self.peek(account)?.is_none() {
                (self.line_over, self.over) = (true, true);
                return Ok(false);
            }
            self.pass(account)?;
        }
        Ok(true)
    }

    fn begin_field(&mut self, account: Account<'_>) -> Result<bool, SqlError> {
        if self.line_over {
            return Ok(false);
        }
        self.field.clear();
        if std::mem::take(&mut self.line_begins) && !self.find_start(account)? {
            return Ok(false);
        }
        if self.peek(account)?.is_none() {
            (self.line_over, self.over) = (true, true);
            return Ok(false);
        }
        Ok(true)
    }

    /// Reads the next field of the line; `None` when the line or the file has no more.
    pub fn read_field(&mut self, account: Account<'_>) -> Result<Option<Field>, SqlError> {
        if !self.begin_field(account)? {
            return Ok(None);
        }
        let mut null = false;
        let quote = self.format.enclosed.filter(|q| self.buffer[self.at] == *q);
        self.at += usize::from(quote.is_some());
        let closed = match quote {
            Some(q) => self.quoted(q, &mut null, account)?,
            None => {
                self.plain(&mut null, account)?;
                false
            }
        };
        if let (Some(q), false) = (quote, closed) {
            // A quote that is never closed is part of the text.
            self.field.insert(0, q);
        }
        let word = self.format.enclosed.is_some() && !closed && *self.field == *b"NULL";
        let null = word || (null && self.field.len() == 1);
        Ok(Some(if null { Field::Null } else { Field::Text }))
    }

    /// The bytes up to the next that may mean something.
    fn run(&mut self) {
        let have = &self.buffer[self.at..];
        let n = have.iter().position(|b| self.stops[usize::from(*b)]).unwrap_or(have.len());
        self.field.extend_from_slice(&have[..n]);
        self.at += n;
    }

    /// A field without quotes, with its end.
    fn plain(&mut self, null: &mut bool, account: Account<'_>) -> Result<(), SqlError> {
        loop {
            self.run();
            if self.peek(account)?.is_none() {
                (self.line_over, self.over) = (true, true);
                return Ok(());
            }
            if self.escaped(null, account)? {
                continue;
            }
            if self.eat(Delimiter::Line, account)? {
                self.line_over = true;
                return Ok(());
            }
            if self.eat(Delimiter::Field, account)? {
                return Ok(());
            }
            self.character(account)?;
        }
    }

    /// A field behind its opening quote, with its end. False: the file ended before the quote was closed.
    fn quoted(
        &mut self,
        quote: u8,
        null: &mut bool,
        account: Account<'_>,
    ) -> Result<bool, SqlError> {
        loop {
            self.run();
            let Some(b) = self.peek(account)? else {
                (self.line_over, self.over) = (true, true);
                return Ok(false);
            };
            if self.escaped(null, account)? {
                continue;
            }
            if b != quote {
                self.character(account)?;
                continue;
            }
            self.at += 1;
            match self.peek(account)? {
                None => {
                    (self.line_over, self.over) = (true, true);
                    return Ok(true);
                }
                Some(b) if b == quote => {
                    self.at += 1;
                    self.field.push(quote);
                }
                Some(_) if self.eat(Delimiter::Line, account)? => {
                    self.line_over = true;
                    return Ok(true);
                }
                Some(_) if self.eat(Delimiter::Field, account)? => return Ok(true),
                // It closes nothing.
                Some(_) => self.field.push(quote),
            }
        }
    }

    /// An escape and what it stands for, if one comes next. Where quotes are escaped by themselves, doubling alone is an escape.
    fn escaped(&mut self, null: &mut bool, account: Account<'_>) -> Result<bool, SqlError> {
        let Some(escape) = self.format.escape.filter(|e| self.buffer[self.at] == *e) else {
            return Ok(false);
        };
        // Both bytes are looked at before one is taken: what was taken is forgotten with the next piece of the file.
        while self.buffer.len() - self.at < 2 && self.fill(account)? {}
        let Some(&b) = self.buffer.get(self.at + 1) else {
            self.at += 1;
            self.field.push(escape);
            return Ok(true);
        };
        if self.format.enclosed == Some(escape) && b != escape {
            return Ok(false);
        }
        self.at += 1;
        if !b.is_ascii() && self.charset.max_char_bytes() > 1 {
            self.character(account)?;
            return Ok(true);
        }
        self.at += 1;
        *null |= b == b'N';
        self.field.push(match b {
            b'0' => 0,
            b'n' => b'\n',
            b't' => b'\t',
            b'r' => b'\r',
            b'b' => 8,
            b'Z' => 26,
            other => other,
        });
        Ok(true)
    }

    /// The next character, whatever it is. 1300 for a byte that begins none.
    fn character(&mut self, account: Account<'_>) -> Result<(), SqlError> {
        let n = self.character_length(account)?;
        self.field.extend_from_slice(&self.buffer[self.at..self.at + n]);
        self.at += n;
        Ok(())
    }

    fn character_length(&mut self, account: Account<'_>) -> Result<usize, SqlError> {
        let first = self.buffer[self.at];
        let longest = self.charset.max_char_bytes();
        if first.is_ascii() || longest == 1 {
            return Ok(1);
        }
        if !self.charset.is_utf8() {
            while self.buffer.len() - self.at < longest && self.fill(account)? {}
            return Ok(self.charset.char_at(&self.buffer[self.at..]));
        }
        let wanted = match first {
            0xC2..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xF4 if longest == 4 => 4,
            _ => {
                let so_far = String::from_utf8_lossy(&self.field);
                let shown: String = so_far.chars().take(64).collect();
                let set = self.charset.name();
                return Err(SqlError::of(errno::ER_INVALID_CHARACTER_STRING, &[&set, &shown]));
            }
        };
        while self.buffer.len() - self.at < wanted && self.fill(account)? {}
        // Of a character that breaks off the first byte stands alone: the column says what it thinks of it.
        Ok(self.charset.decode(&self.buffer[self.at..]).map_or(1, |(_, n)| n))
    }

    /// A line of fixed widths, `width` bytes of it or what there is; false at the end of the file.
    pub fn read_fixed(&mut self, width: usize, account: Account<'_>) -> Result<bool, SqlError> {
        if !self.begin_field(account)? {
            return Ok(false);
        }
        let mut null = false;
        while self.field.len() < width {
            if self.peek(account)?.is_none() {
                (self.line_over, self.over) = (true, true);
                return Ok(!self.field.is_empty());
            }
            if self.escaped(&mut null, account)? {
                continue;
            }
            if self.eat(Delimiter::Line, account)? {
                self.line_over = true;
                return Ok(true);
            }
            let n = self.passed(account)?.min(width - self.field.len());
            self.field.extend_from_slice(&self.buffer[self.at..self.at + n]);
            self.at += n;
        }
        Ok(true)
    }

    /// Goes to the next line. `None`: there is none; `Some(true)`: something was left of the line at hand.
    pub fn next_line(&mut self, account: Account<'_>) -> Result<Option<bool>, SqlError> {
        self.line_begins = !self.format.line_start.is_empty();
        if std::mem::take(&mut self.line_over) || self.over {
            return Ok((!self.over).then_some(false));
        }
        if self.format.line_end.is_empty() {
            return Ok(Some(false));
        }
        let mut cut = false;
        while self.peek(account)?.is_some() {
            if self.format.escape == Some(self.buffer[self.at]) {
                self.at += 1;
                cut = true;
                if self.peek(account)?.is_some() {
                    self.pass(account)?;
                }
                continue;
            }
            if self.eat(Delimiter::Line, account)? {
                return Ok(Some(cut));
            }
            cut = true;
            self.pass(account)?;
        }
        self.over = true;
        Ok(None)
    }
}

/// The bytes of a field as a text of the file's character set; bytes that are none are binary data, which a column checks.
pub fn text_value(bytes: &[u8], charset: Charset) -> Value<'_> {
    let is_text = charset != Charset::Binary && charset.well_formed(bytes) == bytes.len();
    match is_text {
        true => Value::text(bytes, Collation::default_of(charset)),
        false => Value::Bytes(bytes.into()),
    }
}

#[derive(Clone, Copy)]
enum Delimiter {
    Field,
    Line,
    Start,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that comes in pieces of one size.
    struct Pieces<'b>(std::slice::Chunks<'b, u8>);

    impl ReadFile for Pieces<'_> {
        fn read(&mut self, into: &mut Vec<u8>) -> Result<bool, SqlError> {
            let Some(piece) = self.0.next() else { return Ok(false) };
            into.extend_from_slice(piece);
            Ok(true)
        }
    }

    fn format(field: &str, quote: &str, line: &str) -> Format {
        Format {
            field_end: field.as_bytes().into(),
            enclosed: quote.bytes().next(),
            optionally: false,
            escape: Some(b'\\'),
            line_start: Box::default(),
            line_end: line.as_bytes().into(),
        }
    }

    type Line = Vec<Option<String>>;

    fn lines(f: &Format, text: &[u8], piece: usize) -> Result<Vec<Line>, u16> {
        let mut source = Pieces(text.chunks(piece));
        let mut r = Reader::new(&mut source, f.clone(), Charset::Utf8mb4, 1 << 20);
        let mut all = Vec::new();
        loop {
            let mut line = Vec::new();
            while let Some(kind) = r.read_field(None).map_err(|e| e.errno)? {
                let text = String::from_utf8_lossy(r.field()).into_owned();
                line.push((kind == Field::Text).then_some(text));
            }
            if !line.is_empty() {
                all.push(line);
            }
            if r.next_line(None).map_err(|e| e.errno)?.is_none() {
                return Ok(all);
            }
        }
    }

    /// The same in pieces of every length.
    fn read(f: &Format, text: &[u8]) -> Result<Vec<Line>, u16> {
        let whole = lines(f, text, usize::MAX);
        for piece in 1..=7 {
            assert_eq!(lines(f, text, piece), whole, "in pieces of {piece}");
        }
        whole
    }

    fn some(texts: &[&str]) -> Line {
        texts.iter().map(|t| Some((*t).to_owned())).collect()
    }

    #[test]
    fn the_default_format() {
        let f = format("\t", "", "\n");
        let got = read(&f, b"1\ta\\tb\t\\N\n2\t\\\\\tNULL\n\n3").expect("reads");
        let first = vec![Some("1".into()), Some("a\tb".into()), None];
        assert_eq!(got, [first, some(&["2", "\\", "NULL"]), some(&[""]), some(&["3"])]);
    }

    #[test]
    fn quotes_hold_delimiters_and_double() {
        let f = format(",", "\"", "\n");
        let got =
            read(&f, b"\"a,b\",\"c\nd\",\"e\"\"f\"\n\"g\"h\",NULL,\"NULL\"\n").expect("reads");
        let second = vec![Some("g\"h".into()), None, Some("NULL".into())];
        assert_eq!(got, [some(&["a,b", "c\nd", "e\"f"]), second]);
    }

    #[test]
    fn an_open_quote_takes_the_rest_and_stays() {
        let f = format(",", "\"", "\n");
        assert_eq!(read(&f, b"\"a,b\nc").expect("reads"), [some(&["\"a,b\nc"])]);
    }

    #[test]
    fn quotes_that_escape_themselves() {
        let f = Format { escape: Some(b'"'), ..format(",", "\"", "\n") };
        let got = read(&f, b"\"fie\"\"ld1\",\"b\"\n").expect("reads");
        assert_eq!(got, [some(&["fie\"ld1", "b"])]);
    }

    #[test]
    fn delimiters_of_several_characters() {
        let f = format("||", "", "%%\r\n");
        let got = read(&f, b"a|b||c%\r\n%%%\r\nd||e%%\r\n").expect("reads");
        assert_eq!(got, [some(&["a|b", "c%\r\n%"]), some(&["d", "e"])]);
        let same = format(",", "", ",");
        assert_eq!(read(&same, b"a,b,c").expect("reads"), [some(&["a", "b", "c"])]);
    }

    #[test]
    fn lines_begin_behind_their_mark() {
        let f = Format { line_start: (*b"xxx").into(), ..format(",", "", "\n") };
        let got = read(&f, b"xxx\"abc\",1\nsomething xxx\"def\",2\nnothing\n").expect("reads");
        assert_eq!(got, [some(&["\"abc\"", "1"]), some(&["\"def\"", "2"])]);
    }

    #[test]
    fn bytes_that_begin_no_character_are_refused() {
        let f = format(",", "", "\n");
        assert_eq!(read(&f, b"a,\xFF,b\n"), Err(1300));
        assert_eq!(read(&f, b"a,\x80\n"), Err(1300));
        assert_eq!(read(&f, b"a,\xE2\x82\n"), Err(1300));
        // A character of which the first byte alone is there is the column's affair.
        assert_eq!(read(&f, b"a,\xE2\n").expect("reads").len(), 1);
        assert_eq!(read(&f, "ä,\\ö€\n".as_bytes()).expect("reads"), [some(&["ä", "ö€"])]);
    }

    #[test]
    fn a_field_has_a_longest_length() {
        let text = [b'x'; 4096];
        let mut source = Pieces(text.chunks(256));
        let mut r = Reader::new(&mut source, format(",", "", "\n"), Charset::Utf8mb4, 1024);
        assert_eq!(r.read_field(None).expect_err("too long").errno, 1153);
    }

    #[test]
    fn fixed_widths() {
        let f = format("", "", "\n");
        let mut source = Pieces(b"ab  cd  \nef\n".chunks(3));
        let mut r = Reader::new(&mut source, f, Charset::Utf8mb4, 1024);
        assert!(r.read_fixed(8, None).expect("reads"));
        assert_eq!(r.field(), b"ab  cd  ");
        assert_eq!(r.next_line(None).expect("reads"), Some(false));
        assert!(r.read_fixed(8, None).expect("reads"));
        assert_eq!(r.field(), b"ef");
        assert_eq!(r.next_line(None).expect("reads"), Some(false));
        assert!(!r.read_fixed(8, None).expect("reads"));
    }

    /// 95 5C is one character, whose second byte is no escape; nor does it begin a delimiter.
    #[test]
    fn second_bytes_of_characters_mean_nothing() {
        for piece in 1..6 {
            let mut source = Pieces(b"x\x95\x5c\na,\x95\x5c\n\x95\x5c,c\n".chunks(piece));
            let mut r = Reader::new(&mut source, format(",", "", "\n"), Charset::Sjis, 1024);
            assert!(r.skip_line(0, None).expect("reads"));
            assert_eq!(r.read_field(None).expect("reads"), Some(Field::Text));
            assert_eq!(r.next_line(None).expect("reads"), Some(true));
            assert_eq!(r.read_field(None).expect("reads"), Some(Field::Text));
            assert_eq!(r.field(), b"\x95\x5c");
            assert_eq!(r.next_line(None).expect("reads"), Some(true));
            assert_eq!(r.next_line(None).expect("reads"), None);

            let f = Format { line_start: b"\\"[..].into(), escape: None, ..format(",", "", "\n") };
            let mut source = Pieces(b"\x95\x5cno\\yes\n".chunks(piece));
            let mut r = Reader::new(&mut source, f, Charset::Sjis, 1024);
            assert_eq!(r.read_field(None).expect("reads"), Some(Field::Text));
            assert_eq!(r.field(), b"yes");

            let mut source = Pieces(b"\x95\x5cab\n\x95\x5ccd\n".chunks(piece));
            let mut r = Reader::new(&mut source, format("", "", "\n"), Charset::Sjis, 1024);
            for want in [b"\x95\x5cab", b"\x95\x5ccd"] {
                assert!(r.read_fixed(4, None).expect("reads"));
                assert_eq!(r.field(), want);
                assert_eq!(r.next_line(None).expect("reads"), Some(false));
            }
        }
    }

    #[test]
    fn what_is_left_of_a_line_is_told() {
        let mut source = Pieces(b"a,b,c\\\nd\ne".chunks(2));
        let mut r = Reader::new(&mut source, format(",", "", "\n"), Charset::Utf8mb4, 1024);
        assert_eq!(r.read_field(None).expect("reads"), Some(Field::Text));
        assert_eq!(r.next_line(None).expect("reads"), Some(true));
        assert_eq!(r.read_field(None).expect("reads"), Some(Field::Text));
        assert_eq!(r.field(), b"e");
        assert_eq!(r.next_line(None).expect("reads"), None);
    }
}
