//! Rows to the client: values in the form of their column.

use super::Boxed;
use crate::context::Settings;
use crate::errno;
use crate::memory::LARGE;
use crate::meta::SqlTable;
use crate::query::eval::as_stored::{Form, form_of, formed, sent_as_stored, stored, temporal};
use crate::query::eval::frame::{Frame, Slot};
use crate::query::eval::{Ev, eval, owned_bytes};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::OutColumn;
use crate::query::plan::outcome::Run;
use crate::query::plan::shape::Shape;
use crate::query::plan::told::{announce, show_columns};
use crate::session_api::{OutValue, ResultSink, SqlError};
use crate::value::{Charset, Class, Collation, SqlType, TimeZone, Value};
use smallvec::SmallVec;
use std::future::poll_fn;
use weir_engine::row::{Datum, RowLayout, RowView};

/// The client's end of a query.
pub struct Client<'s> {
    sink: &'s mut dyn ResultSink,
    /// The sink may become full.
    may_fill: bool,
    types: Vec<SqlType>,
    results: Option<Collation>,
    tz: TimeZone,
    /// `max_allowed_packet`.
    max_packet: usize,
    scratch: Vec<u8>,
}

/// A client that has enough rows for now.
pub struct Room<'s>(&'s mut dyn ResultSink);

impl<'s> Room<'s> {
    /// Waits until it wants more.
    pub fn wait(self) -> Boxed<'s, ()> {
        Box::pin(async move {
            poll_fn(|cx| self.0.poll_room(cx)).await;
            Ok(())
        })
    }
}

/// Rows of one stored table that consist of columns whose bytes are what the client gets.
pub struct Direct<'b> {
    pub table: usize,
    pub layout: &'b RowLayout,
    of: &'b SqlTable,
    columns: SmallVec<[(u16, Form); 16]>,
}

impl<'b> Direct<'b> {
    pub fn type_of(&self, column: u16) -> &'b SqlType {
        &self.of.meta.columns[usize::from(column)].ty
    }

    pub fn columns(&self) -> impl Iterator<Item = (u16, &'b SqlType)> + '_ {
        self.columns.iter().map(|(c, _)| (*c, self.type_of(*c)))
    }

    /// How the same columns go out.
    pub fn forms(&self) -> impl Iterator<Item = Form> + '_ {
        self.columns.iter().map(|(_, form)| *form)
    }
}

/// A value that is ready, or text in the scratch buffer.
enum Cell<'v> {
    Ready(OutValue<'v>),
    Text(usize, usize),
    /// A double as it is shown.
    Shown(f64, usize, usize),
}

impl<'s> Client<'s> {
    pub fn new(
        sink: &'s mut dyn ResultSink,
        columns: &[OutColumn],
        results: Option<Collation>,
        tz: TimeZone,
        max_packet: usize,
    ) -> Client<'s> {
        Client {
            may_fill: sink.may_fill(),
            sink,
            types: columns.iter().map(OutColumn::written).collect(),
            results,
            tz,
            max_packet,
            scratch: Vec::new(),
        }
    }

    /// Evaluates and sends a row; columns of tables go from the page's bytes to the packet without a detour.
    fn frame(&mut self, items: &[BExpr], f: &Frame<'_>, ev: &mut Ev<'_>) -> Run<()> {
        self.scratch.clear();
        let mut large = 0;
        let mut owned: SmallVec<[(usize, Value<'_>); 8]> = SmallVec::new();
        let mut cells: SmallVec<[Option<Cell<'_>>; 16]> = SmallVec::new();
        for (i, e) in items.iter().enumerate() {
            let direct = if self.results.is_none() { direct(e, f, self.tz) } else { None };
            match direct {
                Some(v) => cells.push(Some(Cell::Ready(v))),
                None => {
                    let v = eval(e, f, ev)?;
                    let bytes = owned_bytes(&v);
                    if bytes >= LARGE {
                        ev.hold_large(bytes)?;
                        large += bytes;
                        if large > self.max_packet {
                            return Err(too_long().into());
                        }
                    }
                    cells.push(None);
                    owned.push((i, v));
                }
            }
        }
        for (i, v) in &owned {
            cells[*i] = Some(cell(v, &self.types[*i], self.results, &mut self.scratch));
        }
        if large > 0 {
            ev.cx.large.shrink(large);
        }
        send(self.sink, cells.iter().flatten(), &self.scratch, self.max_packet)
    }

    /// Sends the current row of a block, as it is stored if that goes.
    pub fn block_row(
        &mut self,
        items: &[BExpr],
        direct: Option<&Direct<'_>>,
        f: &Frame<'_>,
        ev: &mut Ev<'_>,
    ) -> Run<()> {
        match direct {
            Some(d) if self.direct_row(d, f)? => Ok(()),
            _ => self.frame(items, f, ev),
        }
    }

    /// Whether rows of these items can go as they are stored.
    pub fn direct<'b>(&self, items: &[BExpr], shapes: &'b [Shape]) -> Option<Direct<'b>> {
        if self.results.is_some() {
            return None;
        }
        let column = |e: &BExpr| match e.node {
            Node::Col(c) if c.depth == 0 => Some((c.table, c.col)),
            _ => None,
        };
        let (table, _) = column(items.first()?)?;
        let Shape::Table(t) = &shapes[table as usize] else { return None };
        let columns = items.iter().map(|e| {
            // Another table may have more columns than this one.
            let (_, c) = column(e).filter(|(of, _)| *of == table)?;
            let ty = &t.meta.columns[c as usize].ty;
            sent_as_stored(ty).then(|| (c, form_of(ty)))
        });
        Some(Direct {
            table: table as usize,
            layout: &t.engine.layout,
            of: t,
            columns: columns.collect::<Option<_>>()?,
        })
    }

    /// Sends the current row, unless there is none (an outer join's NULLs): then false.
    fn direct_row(&mut self, d: &Direct<'_>, f: &Frame<'_>) -> Run<bool> {
        let Some(bytes) = f.slots[d.table].bytes() else { return Ok(false) };
        self.stored_bytes(d, bytes).map(|()| true)
    }

    /// Sends a row as it is stored.
    pub fn stored_bytes(&mut self, d: &Direct<'_>, bytes: &[u8]) -> Run<()> {
        let view = RowView::new(d.layout, bytes);
        let mut row: SmallVec<[OutValue<'_>; 16]> = SmallVec::new();
        let mut length = 0;
        for (c, form) in &d.columns {
            let datum = view.get(usize::from(*c));
            let Some(v) = formed(*form, d.type_of(*c), datum, self.tz) else {
                return Err(not_of_its_type().into());
            };
            if let OutValue::Bytes(b) = v {
                length += b.len();
            }
            row.push(v);
        }
        if length > self.max_packet {
            return Err(too_long().into());
        }
        Ok(self.sink.row(&row)?)
    }

    /// Rows from here on come from pages that are latched, see [`ResultSink::hold`].
    pub fn hold(&mut self) -> bool {
        self.sink.hold()
    }

    pub fn release(&mut self) -> Run<()> {
        Ok(self.sink.release()?)
    }

    /// Sends stored values of types that [`sent_as_stored`] names.
    pub fn stored_row<'v>(
        &mut self,
        cells: impl Iterator<Item = (Form, &'v SqlType, Datum<'v>)>,
    ) -> Run<()> {
        let mut row: SmallVec<[OutValue<'_>; 16]> = SmallVec::new();
        let mut length = 0;
        for (form, ty, datum) in cells {
            let Some(v) = formed(form, ty, datum, self.tz) else {
                return Err(not_of_its_type().into());
            };
            if let OutValue::Bytes(b) = v {
                length += b.len();
            }
            row.push(v);
        }
        if length > self.max_packet {
            return Err(too_long().into());
        }
        Ok(self.sink.row(&row)?)
    }

    /// The client wants no more rows for now.
    pub fn is_full(&self) -> bool {
        self.may_fill && self.sink.is_full()
    }

    /// What to wait for before more rows are made, if the client wants none for now.
    pub fn room(&mut self) -> Room<'_> {
        Room(&mut *self.sink)
    }

    pub fn time_zone(&self) -> TimeZone {
        self.tz
    }

    pub fn row(&mut self, row: &[Value<'static>]) -> Run<()> {
        self.scratch.clear();
        let mut cells: SmallVec<[Cell<'_>; 16]> = SmallVec::new();
        for (v, ty) in row.iter().zip(&self.types) {
            cells.push(cell(v, ty, self.results, &mut self.scratch));
        }
        send(self.sink, cells.iter(), &self.scratch, self.max_packet)
    }
}

fn send<'v>(
    sink: &mut dyn ResultSink,
    cells: impl Iterator<Item = &'v Cell<'v>>,
    scratch: &[u8],
    max_packet: usize,
) -> Run<()> {
    let out: SmallVec<[OutValue<'_>; 16]> = cells
        .map(|c| match c {
            Cell::Ready(v) => *v,
            Cell::Text(from, to) => OutValue::Bytes(&scratch[*from..*to]),
            Cell::Shown(x, from, to) => OutValue::Shown(*x, &scratch[*from..*to]),
        })
        .collect();
    check_length(&out, max_packet)?;
    Ok(sink.row(&out)?)
}

/// 1153: a row that no client would take.
fn check_length(row: &[OutValue<'_>], max: usize) -> Run<()> {
    let length = |v: &OutValue<'_>| match v {
        OutValue::Bytes(b) => b.len(),
        _ => 0,
    };
    match row.iter().map(length).sum::<usize>() > max {
        true => Err(too_long().into()),
        false => Ok(()),
    }
}

fn not_of_its_type() -> SqlError {
    SqlError::internal("a stored value is not of its column's type")
}

fn too_long() -> SqlError {
    SqlError::of(errno::ER_NET_PACKET_TOO_LARGE, &[])
}

/// A column of a stored row whose bytes are what the client gets.
fn direct<'v>(e: &BExpr, f: &Frame<'v>, tz: TimeZone) -> Option<OutValue<'v>> {
    let Node::Col(c) = e.node else { return None };
    if c.depth != 0 {
        return None;
    }
    let (Shape::Table(t), slot) = (&f.shapes[c.table as usize], &f.slots[c.table as usize]) else {
        return None;
    };
    if let Slot::Null = slot {
        return Some(OutValue::Null);
    }
    let datum = RowView::new(&t.engine.layout, slot.bytes()?).get(c.col as usize);
    stored(&t.meta.columns[c.col as usize].ty, datum, tz)
}

/// A value in the form that its column announced.
fn cell<'v>(
    v: &'v Value<'_>,
    ty: &SqlType,
    results: Option<Collation>,
    scratch: &mut Vec<u8>,
) -> Cell<'v> {
    let from = scratch.len();
    let done = |v| Cell::Ready(v);
    // A number of no more digits than it has.
    let plain = || ty.fixed_digits().is_none() && !ty.is_zerofill();
    match (v, ty) {
        (Value::Null, _) => return done(OutValue::Null),
        (Value::Int(n), SqlType::Int { .. } | SqlType::Year) => return done(OutValue::Int(*n)),
        (Value::UInt(n), SqlType::Int { .. } | SqlType::Year) => return done(OutValue::UInt(*n)),
        (Value::Double(x), SqlType::Float { .. }) if plain() => {
            return done(OutValue::Float(*x as f32));
        }
        (Value::Double(x), SqlType::Double { .. }) if plain() => {
            return done(OutValue::Double(*x));
        }
        (Value::Bytes(b), _) => return done(OutValue::Bytes(b)),
        (Value::Json(j), _) if results.is_some() => {
            let mut text = Vec::new();
            j.view().write_text(&mut text);
            let want = results.map_or(Charset::Utf8mb4, Collation::charset);
            scratch.extend_from_slice(&want.own_bytes(&Charset::Utf8mb4.convert(&text, want).0));
            return Cell::Text(from, scratch.len());
        }
        (Value::Str(b, c), _) => {
            let want = results.unwrap_or(Collation::Utf8mb4GeneralCi);
            if c.is_binary()
                || (c.charset() == want.charset() && !want.charset().is_wide())
                || (results.is_none() && c.charset().is_unicode())
            {
                return done(OutValue::Bytes(b));
            }
            let text = c.charset().convert(b, want.charset()).0;
            scratch.extend_from_slice(&want.charset().own_bytes(&text));
            return Cell::Text(from, scratch.len());
        }
        // Numbers that an expression gave in another kind than announced.
        (_, SqlType::Int { unsigned, .. }) if v.is_numeric() => {
            let w = &mut crate::value::Warnings::with_limit(0);
            return done(if *unsigned {
                v.to_u64(w).map_or(OutValue::Null, OutValue::UInt)
            } else {
                v.to_i64(w).map_or(OutValue::Null, OutValue::Int)
            });
        }
        (_, SqlType::Double { .. } | SqlType::Float { .. }) if v.is_numeric() && plain() => {
            let w = &mut crate::value::Warnings::with_limit(0);
            return done(v.to_f64(w).map_or(OutValue::Null, OutValue::Double));
        }
        _ => {}
    }
    if let Some(t) = temporal(v, ty)
        && matches!(
            (v, ty.class()),
            (Value::Date(_), Class::Date)
                | (Value::DateTime(_), Class::DateTime)
                | (Value::Time(_), Class::Time)
        )
    {
        return done(t);
    }
    ty.write_text(v, scratch);
    shown(v, ty, from, scratch.len())
}

/// A value that was written as it is shown.
fn shown<'v>(v: &Value<'_>, ty: &SqlType, from: usize, to: usize) -> Cell<'v> {
    match (v, ty) {
        (Value::Double(x), SqlType::Double { .. }) => Cell::Shown(*x, from, to),
        _ => Cell::Text(from, to),
    }
}

/// A small result set in memory.
pub fn send_rows(
    r: &crate::context::ShowResult,
    settings: &Settings,
    sink: &mut dyn ResultSink,
) -> Run<()> {
    announce(&show_columns(r, settings.told), settings, sink)?;
    let results = settings.results;
    let types = r.columns.iter().map(|c| c.ty).collect();
    let (tz, max_packet) = (TimeZone::SYSTEM, usize::MAX);
    // All of them are in memory anyway.
    let may_fill = false;
    let mut out = Client { sink, may_fill, types, results, tz, max_packet, scratch: Vec::new() };
    r.rows.iter().try_for_each(|row| out.row(row))
}
