//! Literals and types as text, and JSON_VALUE with its type.

use super::Printer;
use crate::value::temporal::parse;
use std::fmt::Write as _;
use weir_syntax::ast::{CastType, Expr, JsonOn, JsonValue, Literal};

impl Printer {
    /// A text in quotes.
    pub fn text(&mut self, bytes: &[u8]) {
        let Ok(text) = std::str::from_utf8(bytes) else { return self.hex(bytes) };
        self.push("'");
        for c in text.chars() {
            match c {
                '\'' => self.push("\\'"),
                '\\' => self.push("\\\\"),
                '\0' => self.push("\\0"),
                '\n' => self.push("\\n"),
                '\r' => self.push("\\r"),
                '\x1a' => self.push("\\Z"),
                c => self.out.push(c),
            }
        }
        self.push("'");
    }

    fn hex(&mut self, bytes: &[u8]) {
        if bytes.is_empty() {
            return self.push("x''");
        }
        self.push("0x");
        bytes.iter().for_each(|b| _ = write!(self.out, "{b:02x}"));
    }

    fn introducer(&mut self, charset: Option<&str>) {
        if let Some(charset) = charset {
            let _ = write!(self.out, "_{}", charset.to_lowercase());
        }
    }

    pub fn literal(&mut self, l: &Literal) {
        let shown = self.style.introducers;
        match l {
            Literal::Null => self.push("NULL"),
            Literal::Bool(b) => self.push(if *b { "true" } else { "false" }),
            Literal::Int(n) => _ = write!(self.out, "{n}"),
            Literal::Decimal(text) | Literal::Float(_, text) => {
                self.push(if text.starts_with('.') { "0" } else { "" });
                self.push(text);
            }
            Literal::Str { bytes, charset, national } => {
                let text = std::str::from_utf8(bytes).is_ok();
                // Bytes that are no text are nothing without their set.
                let charset = charset.as_deref().filter(|_| shown || !text);
                let charset = charset.or((*national && text && shown).then_some("utf8mb3"));
                self.introducer(charset);
                self.push(if charset.is_some() && !text { " " } else { "" });
                self.text(bytes);
            }
            Literal::Sent { bytes, charset } => {
                self.introducer(Some(charset));
                self.push(" ");
                self.hex(bytes);
            }
            Literal::Hex { bytes, charset } | Literal::Bit { bytes, charset } => {
                self.introducer(charset.as_deref());
                self.push(if charset.is_some() { " " } else { "" });
                self.hex(bytes);
            }
            Literal::Date(text) => {
                self.push("DATE");
                self.text(text.as_bytes());
            }
            Literal::Time(text) => {
                self.push("TIME");
                self.text(text.as_bytes());
            }
            Literal::Timestamp(text) => {
                self.push("TIMESTAMP");
                self.text(text.as_bytes());
            }
        }
    }

    /// `{d '...'}` is a text where it is no date.
    pub fn odbc(&mut self, e: &Expr) {
        let text = match e {
            Expr::Literal(Literal::Date(t)) if !parse::is_date(t.as_bytes()) => t,
            Expr::Literal(Literal::Timestamp(t)) if !parse::is_datetime(t.as_bytes()) => t,
            Expr::Literal(Literal::Time(t)) if !parse::is_time(t.as_bytes()) => t,
            _ => return self.expr(e),
        };
        self.text(text.as_bytes());
    }

    pub fn json_value(&mut self, j: &JsonValue) {
        self.wrapped("json_value(", &j.doc, ", ");
        self.expr(&j.path);
        self.push(" returning ");
        match returned(j.returning.as_ref()) {
            Ok(to) => self.push(&to),
            Err(to) => self.cast_type(to),
        }
        self.json_on(j.on_empty.as_ref(), j.on_error.as_ref());
        self.push(")");
    }

    pub fn json_on(&mut self, empty: Option<&JsonOn>, error: Option<&JsonOn>) {
        for (on, word) in [(empty, "empty"), (error, "error")] {
            match on {
                None => continue,
                Some(JsonOn::Null) => self.push(" null"),
                Some(JsonOn::Error) => self.push(" error"),
                Some(JsonOn::Default(value)) => self.wrapped(" default ", value, ""),
            }
            let _ = write!(self.out, " on {word}");
        }
    }

    pub fn cast_type(&mut self, to: &CastType) {
        let sized = |word: &str, n: &Option<u64>| match n {
            Some(n) => format!("{word}({n})"),
            None => word.to_owned(),
        };
        let text = match to {
            CastType::Binary(n) => sized("char", n) + " charset binary",
            CastType::Char { length, charset, binary, national } => {
                let set = match (charset, national) {
                    (Some(set), _) => set.to_lowercase(),
                    (None, true) => "utf8mb3".into(),
                    (None, false) => "utf8mb4".into(),
                };
                let binary = if *binary { " binary" } else { "" };
                format!("{} charset {set}{binary}", sized("char", length))
            }
            CastType::Signed => "signed".into(),
            CastType::Unsigned => "unsigned".into(),
            CastType::Date => "date".into(),
            CastType::Year => "year".into(),
            CastType::Time(n) => sized("time", n),
            CastType::Datetime(n) | CastType::DatetimeAt { digits: n, .. } => sized("datetime", n),
            CastType::Decimal { precision, scale } => {
                format!("decimal({},{})", precision.unwrap_or(10), scale.unwrap_or(0))
            }
            CastType::Float(n) if n.is_some_and(|n| n > 24) => "double".into(),
            CastType::Float(_) => "float".into(),
            CastType::Double | CastType::Real => "double".into(),
            CastType::Json => "json".into(),
            CastType::Geometry(name) => name.to_lowercase(),
        };
        self.push(&text);
    }
}

/// RETURNING's type as MySQL writes it, unless it is written like one of CAST. A text without a character set has that of JSON, which
/// is not one that may be written.
pub fn returned(to: Option<&CastType>) -> Result<String, &CastType> {
    match to {
        None => Ok("char(512)".into()),
        Some(CastType::Char { length, charset, national: false, .. }) => {
            let set = charset.as_ref().map(|set| format!(" character set {}", set.to_lowercase()));
            Ok(format!("char({}){}", length.unwrap_or(LONGEST_TEXT), set.unwrap_or_default()))
        }
        Some(to) => Err(to),
    }
}

/// Characters of a text whose length is not said.
const LONGEST_TEXT: u64 = 1_073_741_823;
