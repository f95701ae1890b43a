//! Rows of an XML file, as LOAD XML takes them.
//!
//! A row is an element of one name. What is found in it, its attributes, elements and `<field name="...">`, has a name and a value;
//! of those of one name the last counts. What stands above the rows counts for all rows below it. As in MySQL this is no parser of
//! XML: what is not well-formed is read as far as it goes, names keep their prefixes, and only the five entities of XML itself are
//! known. No character set that a file may be in has a second byte that would mean something here. Comments are passed over wherever they stand.

use crate::errno;
use crate::files::ReadFile;
use crate::memory::{Account, Held, LARGE};
use crate::session_api::SqlError;

/// A name with its value, and how many elements it is in.
struct Found {
    level: i64,
    name: Vec<u8>,
    value: Vec<u8>,
}

/// What a found name takes in memory beside its bytes.
const FOUND: usize = size_of::<Found>();

/// Reads an XML file row by row. Memory: a piece of the file, and what was found in the elements that are open, each value of which
/// may be no longer than `longest`.
pub struct XmlReader<'s> {
    source: &'s mut dyn ReadFile,
    /// The name of the element that is a row; without one no element is.
    row: Option<Box<[u8]>>,
    /// Read and not taken: `buffer[at..]`.
    buffer: Vec<u8>,
    at: usize,
    /// What was taken back, which comes first.
    back: Option<u8>,
    drained: bool,
    level: i64,
    found: Vec<Found>,
    /// Bytes of `found`.
    size: usize,
    longest: usize,
    held: Held,
}

/// Where the element at hand is: its name or an attribute's, which are not ended yet.
#[derive(Default)]
struct Open {
    tag: Vec<u8>,
    attribute: Vec<u8>,
    in_tag: bool,
    /// The quote of a field's name, which is left out of it.
    quote: Option<u8>,
}

/// White space of one kind.
fn spaced(b: u8) -> u8 {
    if matches!(b, b'\t' | b'\r' | b'\n') { b' ' } else { b }
}

impl<'s> XmlReader<'s> {
    /// `identified`: the text of ROWS IDENTIFIED BY, with its brackets.
    pub fn new(source: &'s mut dyn ReadFile, identified: &[u8], longest: usize) -> XmlReader<'s> {
        let row = (identified.len() >= 2).then(|| identified[1..identified.len() - 1].into());
        XmlReader {
            source,
            row,
            buffer: Vec::new(),
            at: 0,
            back: None,
            drained: false,
            level: 0,
            found: Vec::new(),
            size: 0,
            longest,
            held: Held::default(),
        }
    }

    /// The value of a name in the row that was read last.
    pub fn value(&self, name: &[u8]) -> Option<&[u8]> {
        self.found.iter().rev().find(|f| f.name == name).map(|f| &*f.value)
    }

    /// Goes to the end of the next row; false where the file has no more.
    pub fn next_row(&mut self, account: Account<'_>) -> Result<bool, SqlError> {
        let mut open = Open::default();
        let mut next = self.take(account)?;
        while let Some(b) = next {
            next = match b {
                b'<' => self.opens(&mut open, account)?,
                b' ' => self.attribute(&mut open, account)?,
                b'>' => self.content(&mut open, account)?,
                b'/' => {
                    if self.closes(&mut open, account)? {
                        return Ok(true);
                    }
                    self.take(account)?
                }
                b'=' => self.equals(&mut open, account)?,
                _ => self.take(account)?,
            };
        }
        Ok(false)
    }

    /// Behind `<`: a comment, or the name of an element or of a field.
    fn opens(&mut self, open: &mut Open, account: Account<'_>) -> Result<Option<u8>, SqlError> {
        let mut next = self.take(account)?;
        if next == Some(b'!') && open.quote.is_none() && self.eat(b"--", account)? {
            return self.behind_comment(account);
        }
        open.tag.clear();
        while let Some(b) = next.filter(|b| !matches!(b, b'>' | b' ' | b'/')) {
            if open.quote != Some(b) {
                self.push(&mut open.tag, b)?;
            }
            next = self.take(account)?;
        }
        open.quote = None;
        if matches!(next, Some(b' ' | b'>')) {
            self.level += 1;
            self.forget(self.level + 1);
        }
        open.in_tag = next == Some(b' ');
        Ok(next)
    }

    /// The `>` of the comment that has begun.
    fn behind_comment(&mut self, account: Account<'_>) -> Result<Option<u8>, SqlError> {
        let mut dashes = 0;
        while let Some(b) = self.take(account)? {
            match b {
                b'-' => dashes += 1,
                b'>' if dashes >= 2 => return Ok(Some(b)),
                _ => dashes = 0,
            }
        }
        Ok(None)
    }

    /// Behind the name of an element: that of an attribute, or blanks before the content.
    fn attribute(&mut self, open: &mut Open, account: Account<'_>) -> Result<Option<u8>, SqlError> {
        let mut next = self.take_behind_blanks(account)?;
        if !open.in_tag {
            return Ok(next);
        }
        while let Some(b) = next.filter(|b| !matches!(b, b'=' | b'/' | b'>')) {
            self.push(&mut open.attribute, b)?;
            next = self.take(account)?;
        }
        Ok(next)
    }

    /// Behind `>`: a text, up to the next element.
    fn content(&mut self, open: &mut Open, account: Account<'_>) -> Result<Option<u8>, SqlError> {
        open.in_tag = false;
        self.back = self.take_behind_blanks(account)?;
        let (value, next) = self.text(b'<', account)?;
        if next.is_some() {
            let tag = std::mem::take(&mut open.tag);
            self.keep(self.level, tag, value, account)?;
            open.tag.clear();
            open.attribute.clear();
        }
        Ok(next)
    }

    /// Behind `/`: an element without content, or the end of one. True where it is that of a row.
    fn closes(&mut self, open: &mut Open, account: Account<'_>) -> Result<bool, SqlError> {
        let mut next = self.take(account)?;
        // `<a/>` has opened nothing.
        if next != Some(b'>') || open.in_tag {
            self.level -= 1;
            open.in_tag = false;
        }
        if next != Some(b'>') {
            open.tag.clear();
        }
        while let Some(b) = next.filter(|b| *b != b'>') {
            self.push(&mut open.tag, b)?;
            next = self.take(account)?;
        }
        Ok(self.row.as_deref() == Some(&*open.tag))
    }

    /// Behind `=`: the value of an attribute. That of a field's name is the name of what the field holds.
    fn equals(&mut self, open: &mut Open, account: Account<'_>) -> Result<Option<u8>, SqlError> {
        if open.tag == b"field" && open.attribute == b"name" {
            open.quote = self.take(account)?;
            open.tag.clear();
            open.attribute.clear();
            self.level -= 1;
            return Ok(Some(b'<'));
        }
        let Some(first) = self.get(account)? else { return Ok(None) };
        let quote = match first {
            b'"' | b'\'' => first,
            _ => {
                self.back = Some(first);
                b' '
            }
        };
        let (value, next) = self.text(quote, account)?;
        let name = std::mem::take(&mut open.attribute);
        self.keep(self.level + 1, name, value, account)?;
        match next {
            Some(b' ') => Ok(next),
            _ => self.take(account),
        }
    }

    /// A text up to its delimiter, which is given back.
    fn text(
        &mut self,
        delimiter: u8,
        account: Account<'_>,
    ) -> Result<(Vec<u8>, Option<u8>), SqlError> {
        let mut value = Vec::new();
        loop {
            let Some(b) = self.get(account)? else { return Ok((value, None)) };
            if spaced(b) == delimiter {
                return Ok((value, Some(spaced(b))));
            }
            if b == b'&' {
                if !self.entity(&mut value, account)? {
                    return Ok((value, None));
                }
                continue;
            }
            self.push(&mut value, b)?;
        }
    }

    /// What `&` begins. False: the file ends in it.
    fn entity(&mut self, value: &mut Vec<u8>, account: Account<'_>) -> Result<bool, SqlError> {
        let mut name = Vec::new();
        loop {
            match self.take(account)? {
                None => return Ok(false),
                Some(b';') => break,
                Some(b) => self.push(&mut name, b)?,
            }
        }
        match &*name {
            b"gt" => value.push(b'>'),
            b"lt" => value.push(b'<'),
            b"amp" => value.push(b'&'),
            b"quot" => value.push(b'"'),
            b"apos" => value.push(b'\''),
            other => value.extend([b"&", other, b";"].concat()),
        }
        Ok(true)
    }

    fn push(&self, to: &mut Vec<u8>, b: u8) -> Result<(), SqlError> {
        if to.len() >= self.longest {
            return Err(SqlError::of(errno::ER_NET_PACKET_TOO_LARGE, &[]));
        }
        to.push(b);
        Ok(())
    }

    /// Keeps what has both a name and a value.
    fn keep(
        &mut self,
        level: i64,
        name: Vec<u8>,
        value: Vec<u8>,
        account: Account<'_>,
    ) -> Result<(), SqlError> {
        if name.is_empty() || value.is_empty() {
            return Ok(());
        }
        // Without the one before a row of many elements of one name would keep them all.
        let before = self.found.iter().position(|f| f.level == level && f.name == name);
        if let Some(old) = before.map(|at| self.found.remove(at)) {
            self.size -= FOUND + old.name.len() + old.value.len();
        }
        self.size += FOUND + name.len() + value.len();
        self.found.push(Found { level, name, value });
        self.charge(account)
    }

    /// Forgets what stands at this level and below it.
    fn forget(&mut self, level: i64) {
        let size = &mut self.size;
        self.found.retain(|f| {
            let stays = f.level < level;
            if !stays {
                *size -= FOUND + f.name.len() + f.value.len();
            }
            stays
        });
    }

    fn charge(&mut self, account: Account<'_>) -> Result<(), SqlError> {
        let holds = self.buffer.capacity() + self.size;
        match holds > LARGE || self.held.bytes() > 0 {
            true => self.held.set(account, holds).map_err(SqlError::from),
            false => Ok(()),
        }
    }

    fn take_behind_blanks(&mut self, account: Account<'_>) -> Result<Option<u8>, SqlError> {
        loop {
            match self.take(account)? {
                Some(b' ') => {}
                other => return Ok(other),
            }
        }
    }

    /// The next byte, white space of any kind as a space.
    fn take(&mut self, account: Account<'_>) -> Result<Option<u8>, SqlError> {
        Ok(self.get(account)?.map(spaced))
    }

    fn get(&mut self, account: Account<'_>) -> Result<Option<u8>, SqlError> {
        if let Some(b) = self.back.take() {
            return Ok(Some(b));
        }
        if self.at == self.buffer.len() && !self.fill(account)? {
            return Ok(None);
        }
        self.at += 1;
        Ok(Some(self.buffer[self.at - 1]))
    }

    /// Takes these bytes if they come next.
    fn eat(&mut self, text: &[u8], account: Account<'_>) -> Result<bool, SqlError> {
        while self.buffer.len() - self.at < text.len() && self.fill(account)? {}
        let there = self.back.is_none() && self.buffer[self.at..].starts_with(text);
        self.at += if there { text.len() } else { 0 };
        Ok(there)
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
        self.charge(account)?;
        Ok(true)
    }
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

    /// The values of `a` and `b` of each row, in pieces of every length.
    fn rows(text: &[u8]) -> String {
        let read = |piece: usize| {
            let mut source = Pieces(text.chunks(piece));
            let mut r = XmlReader::new(&mut source, b"<row>", 1 << 20);
            let mut all = Vec::new();
            while r.next_row(None).expect("reads") {
                let shown = |name: &[u8]| match r.value(name) {
                    Some(v) => String::from_utf8_lossy(v).into_owned(),
                    None => "-".to_owned(),
                };
                all.push([shown(b"a"), shown(b"b")].join(","));
            }
            all.join(" | ")
        };
        let whole = read(text.len().max(1));
        for piece in 1..=7 {
            assert_eq!(read(piece), whole, "in pieces of {piece}");
        }
        whole
    }

    #[test]
    fn rows_of_all_forms() {
        for (text, want) in [
            ("<l><row a='1' b=\"x\"/><row><a>2</a><b>y</b></row></l>", "1,x | 2,y"),
            ("<l><row><field name='a'>3</field><field name=\"b\"/></row></l>", "3,-"),
            ("<l><row><field type='x' name='a' n='y'>3</field></row></l>", "3,-"),
            ("<l><row><field name = 'a'>3</field></row></l>", "-,-"),
            ("<l a='5'><b>6</b><row/><row a='7'/><row></row></l>", "5,6 | 7,6 | 5,6"),
            ("<l><row a='1' a='2'/><row><a>3</a><a>4</a></row></l>", "2,- | 4,-"),
            ("<l><row><x><a>1</a></x></row><row><b>2</b></row></l>", "1,- | -,2"),
            ("<l><row a='1'><row a='2'/></row></l>", "2,- | 2,-"),
            ("<l><row\ta='1'\n b='2'>\n</row></l>", "1,2"),
            ("<l><row><a x='9'>1</a></row><row><a/><b> </b></row></l>", "1,- | -,-"),
            ("<l><row><a>\n x \ny\n</a></row><row a=' '/></l>", "x \ny\n,- |  ,-"),
            ("<l><row a='&lt;&amp;&gt;&quot;&apos;&#65;'/></l>", "<&>\"'&#65;,-"),
            ("<row a=1 b=2 ></row>", "1,2"),
            ("<ROW a='1'/><row ><a >1</a ></row>", "1,-"),
            ("<row><A>1</A></row>", "-,-"),
        ] {
            assert_eq!(rows(text.as_bytes()), want, "{text}");
        }
    }

    #[test]
    fn comments_are_no_rows() {
        for text in [
            "<!-- <row a='9'/> --><l><row a='1'/></l>",
            "<l><!-- x <row><a>9</a></row> - --><row a='1'/></l>",
            "<l>\n <!--<row a='9'/>--><!-- --><row a='1'/><!-- -- <row a='9'/>---></l>",
            "<?xml version='1.0'?><!DOCTYPE l [<!ELEMENT row (a)>]><l><row a='1'/></l>",
        ] {
            assert_eq!(rows(text.as_bytes()), "1,-", "{text}");
        }
    }

    #[test]
    fn what_is_not_whole_ends_the_file() {
        for (text, want) in [
            ("", ""),
            ("no xml at all", ""),
            ("<row a='1'", ""),
            ("<row><a>1</a>", ""),
            ("<row><a>1</a></row", "1,-"),
            ("<row a='x&y'/>", ""),
            ("<row a='1'/><row a='2", "1,-"),
            ("<row><!-- ", ""),
            ("</</</<row", ""),
        ] {
            assert_eq!(rows(text.as_bytes()), want, "{text}");
        }
    }

    #[test]
    fn a_value_has_a_longest_length() {
        let text = [&b"<row a='"[..], &[b'x'; 4096]].concat();
        let mut source = Pieces(text.chunks(256));
        let mut r = XmlReader::new(&mut source, b"<row>", 1024);
        assert_eq!(r.next_row(None).expect_err("too long").errno, 1153);
    }

    #[test]
    fn rows_without_a_name_are_none() {
        for identified in [&b""[..], b"x", b"<>"] {
            let mut source = Pieces(b"<l><row a='1'/></l>".chunks(8));
            let mut r = XmlReader::new(&mut source, identified, 1024);
            assert!(!r.next_row(None).expect("reads"));
        }
    }
}
