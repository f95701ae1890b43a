//! LOAD DATA and LOAD XML: the lines of a file, or elements of it, as rows.
//!
//! The file comes from the server's machine or from the client (`files`), is cut into fields (`textfile`), and each line goes the way
//! of a row of VALUES: defaults, AUTO_INCREMENT, then the writer of rows with all that a table asks for. The rows before a line
//! that is refused go with the statement, as a statement is undone as a whole.
//!
//! A line that lacks something, has too much or has NULL raises a warning (1261, 1262, 1263), which is an error in strict mode
//! without IGNORE.

use super::insert::Inserter;
use super::zero;
use crate::ddl::refused::value_error;
use crate::errno;
use crate::files::ReadFile;
use crate::query::exec::Runner;
use crate::query::plan::insert::{Fill, Goes, LoadPlan};
use crate::query::plan::outcome::Run;
use crate::query::textfile::{Field, Reader, XmlReader, text_value};
use crate::session_api::{KillSwitch, ResultSink, SqlError};
use crate::value::convert::now;
use crate::value::{DatumBuf, SqlType, Value, ValueError};
use crate::vars::Var;

/// What the client sends.
struct FromClient<'s>(&'s mut dyn ResultSink);

impl ReadFile for FromClient<'_> {
    fn read(&mut self, into: &mut Vec<u8>) -> Result<bool, SqlError> {
        self.0.client_data(into)
    }
}

/// A file whose reader can be killed, however long a line is.
struct Killable<'s> {
    source: &'s mut dyn ReadFile,
    kill: &'s KillSwitch,
}

impl ReadFile for Killable<'_> {
    fn read(&mut self, into: &mut Vec<u8>) -> Result<bool, SqlError> {
        let more = self.source.read(into)?;
        match self.kill.pending() {
            Some(_) => Err(SqlError::interrupted()),
            None => Ok(more),
        }
    }
}

/// 1638.
fn warn_of_format(r: &mut Runner<'_, '_>, l: &LoadPlan) {
    if l.format.is_foreign() {
        r.ev.cx.warnings.warn(errno::WARN_NON_ASCII_SEPARATOR_NOT_IMPLEMENTED, || {
            "Non-ASCII separator arguments are not fully supported".to_owned()
        });
    }
}

/// Rows between two looks whether the statement was killed.
const LOOK_EVERY: u64 = 256;

impl Inserter<'_> {
    pub(super) async fn load(
        &mut self,
        r: &mut Runner<'_, '_>,
        l: &LoadPlan,
        sink: &mut dyn ResultSink,
    ) -> Run<()> {
        r.lasting.stop();
        let mut of_server;
        let mut of_client;
        let source: &mut dyn ReadFile = if l.local {
            if !r.reads.shared.vars.bool(Var::local_infile) {
                return Err(SqlError::local_disabled().into());
            }
            sink.client_file(&l.path)?;
            of_client = FromClient(sink);
            &mut of_client
        } else {
            of_server = r.reads.shared.files().open(&l.path)?;
            &mut *of_server
        };
        warn_of_format(r, l);
        let mut source = Killable { source, kill: &r.reads.conn.kill };
        let longest = r.ev.cx.max_packet;
        if let Some(names) = &l.xml {
            let mut rows = XmlReader::new(&mut source, &l.format.line_end, longest);
            return self.load_xml(r, l, names, &mut rows).await;
        }
        let mut lines = Reader::new(&mut source, l.format.clone(), l.charset, longest);
        let session = r.ev.cx.session;
        let account = session.memory();
        for _ in 0..l.skip {
            let there = match l.format.is_fixed() {
                true => {
                    let width = self.widths(l).iter().sum::<usize>().max(1);
                    lines.read_fixed(width, account)? && lines.next_line(account)?.is_some()
                }
                false => lines.skip_line(l.fields.len(), account)?,
            };
            if !there {
                return Ok(());
            }
        }
        loop {
            if self.records % LOOK_EVERY == LOOK_EVERY - 1 && r.is_killed() {
                return Err(SqlError::interrupted().into());
            }
            let there = match l.format.is_fixed() {
                true => self.fixed(r, l, &mut lines)?,
                false => self.separated(r, l, &mut lines)?,
            };
            if !there {
                return Ok(());
            }
            for (col, e) in &l.set {
                self.assign(r, *col, e.as_ref()).await?;
            }
            self.insert(r).await?;
            match lines.next_line(account)? {
                None => return Ok(()),
                Some(false) => {}
                Some(true) => {
                    let row = self.records;
                    self.complain(r, errno::ER_WARN_TOO_MANY_RECORDS, || {
                        format!("Row {row} was truncated; it contained more data than there were input columns")
                    })?;
                }
            }
        }
    }

    async fn load_xml(
        &mut self,
        r: &mut Runner<'_, '_>,
        l: &LoadPlan,
        names: &[Box<[u8]>],
        rows: &mut XmlReader<'_>,
    ) -> Run<()> {
        let account = r.ev.cx.session.memory();
        for _ in 0..l.skip {
            if !rows.next_row(account)? {
                return Ok(());
            }
        }
        while rows.next_row(account)? {
            if self.records % LOOK_EVERY == LOOK_EVERY - 1 && r.is_killed() {
                return Err(SqlError::interrupted().into());
            }
            self.begin_row(r)?;
            for (goes, name) in l.fields.iter().zip(names) {
                let value = rows.value(name).map(|v| text_value(v, l.charset));
                match (goes, value) {
                    (Goes::Column(c), Some(v)) => self.set(r, *c, &v)?,
                    (Goes::Column(c), None) => self.null(r, *c)?,
                    (Goes::Var(name), v) => {
                        let v = v.map_or(Value::Null, Value::into_owned);
                        r.ev.user_vars.set(account, name, v).map_err(SqlError::from)?;
                    }
                    (Goes::Nowhere, _) => {}
                }
            }
            for (col, e) in &l.set {
                self.assign(r, *col, e.as_ref()).await?;
            }
            self.insert(r).await?;
        }
        Ok(())
    }

    /// Reads the fields of a line up to their delimiters; false at the end of the file.
    fn separated(
        &mut self,
        r: &mut Runner<'_, '_>,
        l: &LoadPlan,
        lines: &mut Reader<'_>,
    ) -> Run<bool> {
        let session = r.ev.cx.session;
        let account = session.memory();
        for (n, goes) in l.fields.iter().enumerate() {
            let Some(field) = lines.read_field(account)? else {
                if n > 0 {
                    self.too_few(r, &l.fields[n..])?;
                }
                return Ok(n > 0);
            };
            if n == 0 {
                self.begin_row(r)?;
            }
            match (goes, field) {
                (Goes::Column(c), Field::Text) => self.set(r, *c, &lines.value())?,
                (Goes::Column(c), Field::Null) => self.null(r, *c)?,
                (Goes::Var(name), field) => {
                    let v = match field {
                        Field::Text => lines.value().into_owned(),
                        Field::Null => Value::Null,
                    };
                    r.ev.user_vars.set(account, name, v).map_err(SqlError::from)?;
                }
                (Goes::Nowhere, _) => {}
            }
        }
        Ok(!l.fields.is_empty())
    }

    /// The same where fields have the widths of their columns.
    fn fixed(&mut self, r: &mut Runner<'_, '_>, l: &LoadPlan, lines: &mut Reader<'_>) -> Run<bool> {
        let widths = self.widths(l);
        let session = r.ev.cx.session;
        // A row of columns without any width takes a byte: without progress there would be no end.
        let width = widths.iter().sum::<usize>().max(1);
        if l.fields.is_empty() || !lines.read_fixed(width, session.memory())? {
            return Ok(false);
        }
        self.begin_row(r)?;
        let mut at = 0;
        for (n, (goes, width)) in l.fields.iter().zip(&widths).enumerate() {
            let Goes::Column(c) = goes else { continue };
            let rest = &lines.field()[at..];
            if rest.is_empty() {
                self.too_few(r, &l.fields[n..])?;
                break;
            }
            let all = self.p.table.meta.columns[*c].ty.is_lob();
            let len = if all { rest.len() } else { rest.len().min(*width) };
            self.set(r, *c, &text_value(&rest[..len], l.charset))?;
            at += len;
        }
        Ok(true)
    }

    /// The widths of fields without delimiters.
    fn widths(&self, l: &LoadPlan) -> Vec<usize> {
        let columns = &self.p.table.meta.columns;
        // A blob without a width takes the rest of its line.
        let width = |goes: &Goes| match goes {
            Goes::Column(c) if columns[*c].ty.is_lob() => 256,
            Goes::Column(c) => columns[*c].ty.field_width(),
            Goes::Var(_) | Goes::Nowhere => 0,
        };
        l.fields.iter().map(width).collect()
    }

    fn begin_row(&mut self, r: &mut Runner<'_, '_>) -> Run<()> {
        self.records += 1;
        self.fill_rest(r)
    }

    /// An error in strict mode, else a warning.
    fn complain(
        &self,
        r: &mut Runner<'_, '_>,
        errno: u16,
        text: impl FnOnce() -> String,
    ) -> Run<()> {
        if self.strict {
            return Err(SqlError::new(errno, text()).into());
        }
        r.ev.cx.warnings.warn(errno, text);
        Ok(())
    }

    /// The line ends before these fields.
    fn too_few(&mut self, r: &mut Runner<'_, '_>, fields: &[Goes]) -> Run<()> {
        let row = self.records;
        let session = r.ev.cx.session;
        for goes in fields {
            self.complain(r, errno::ER_WARN_TOO_FEW_RECORDS, || {
                format!("Row {row} doesn't contain data for all columns")
            })?;
            match goes {
                // NULL is what a column has whose default it is; others have the zero of their type, as in MySQL.
                Goes::Column(c) => match self.p.fill[*c] {
                    Fill::Datum(DatumBuf::Null) | Fill::Auto => self.row[*c] = DatumBuf::Null,
                    _ => self.reset(r, *c)?,
                },
                Goes::Var(name) => {
                    let set = r.ev.user_vars.set(session.memory(), name, Value::Null);
                    set.map_err(SqlError::from)?;
                }
                Goes::Nowhere => {}
            }
        }
        Ok(())
    }

    /// The zero of a column's type; of a TIMESTAMP that bears no NULL the time.
    fn reset(&mut self, r: &mut Runner<'_, '_>, col: usize) -> Run<()> {
        let column = &self.p.table.meta.columns[col];
        if let (SqlType::Timestamp { fsp }, false) = (column.ty, column.nullable) {
            let v = now(&r.ev.cx, fsp).map_or(Value::Null, Value::DateTime);
            return self.set(r, col, &v);
        }
        if !column.ty.has_zero() {
            return Err(value_error(ValueError::no_geometry()).into());
        }
        self.row[col] = zero(&self.p.table, col);
        Ok(())
    }

    /// The file has NULL for a column.
    fn null(&mut self, r: &mut Runner<'_, '_>, col: usize) -> Run<()> {
        let column = &self.p.table.meta.columns[col];
        if column.nullable || self.p.table.rules.counter == Some(col) {
            self.row[col] = DatumBuf::Null;
            return Ok(());
        }
        if !matches!(column.ty, SqlType::Timestamp { .. }) {
            let row = self.records;
            self.complain(r, errno::ER_WARN_NULL_TO_NOTNULL, || {
                let name = &column.name;
                format!("Column set to default value; NULL supplied to NOT NULL column '{name}' at row {row}")
            })?;
        }
        self.reset(r, col)
    }
}
