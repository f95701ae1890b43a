//! `binlog_format = STATEMENT`: a change goes to the binary log as its text.
//!
//! A text is logged only where it does the same to equal tables on any server, which is what MySQL calls safe; of all other changes the
//! rows are logged, as MySQL's MIXED has it. So a replica that applies the log has the same tables whatever the format is, and what a
//! tool logs as a text to have it carried out on the replicas' own rows (pt-table-checksum) is carried out there. MIXED logs rows.
//!
//! A text stands among the notes of its transaction as one item, so that savepoints take it back like rows.

use super::Session;
use crate::account::Privileges;
use crate::binlog::is_own_schema;
use crate::binlog::note::TEXT;
use crate::func;
use crate::meta::{ColumnDefault, SqlColumn, TableMeta};
use crate::rights::{self, Need};
use crate::value::SqlType;
use weir_engine::{Isolation, Txn};
use weir_syntax::ast::{
    BinaryOp, Expr, Insert, InsertSource, Literal, OrderItem, Query, QueryBody, SelectItem,
    Statement, TableRef, UnaryOp,
};

impl Session {
    /// The statement's text, if that is to be logged and not its rows.
    pub(super) fn text_of_change(&mut self, stmt: &Statement) -> Option<Box<[u8]>> {
        if !self.settings.logs_texts || self.depth > 0 || !is_change(stmt) || !self.logs_commits() {
            return None;
        }
        // At lower levels another transaction may change what the statement reads before this one commits.
        let level = self.settings.isolation;
        let steady = matches!(level, Isolation::RepeatableRead | Isolation::Serializable);
        if !steady || self.depends_on_order(stmt) || !self.names_like_tables(stmt) {
            return None;
        }
        self.said.text.take().map(|(_, text)| text)
    }

    /// All that the statement names are tables that a replica has, and that the server does nothing of its own to.
    fn names_like_tables(&self, stmt: &Statement) -> bool {
        let schema = self.info.database.as_deref();
        let Ok((needs, false)) = rights::of_change(stmt, schema, depends_on_server) else {
            return false;
        };
        let insert = match stmt {
            Statement::Insert(i) => Some(i.as_ref()),
            _ => None,
        };
        needs.iter().all(|need| match need {
            Need::Table { schema, table, privileges } => {
                let writes = *privileges != Privileges::SELECT;
                self.is_like_table(schema, table, writes.then_some(insert))
            }
            Need::AnyOnTable { schema, table, .. } => {
                self.is_like_table(schema, table, Some(insert))
            }
            _ => true,
        })
    }

    /// `writes`: it is changed, and perhaps by the new rows of this statement.
    fn is_like_table(&self, schema: &str, table: &str, writes: Option<Option<&Insert>>) -> bool {
        if is_own_schema(schema) || self.temporaries.has(schema, table) {
            return false;
        }
        let Ok(t) = self.inst.meta.lookup(&self.inst.db, schema, table) else { return false };
        let Some(insert) = writes else { return true };
        let numbers = insert.is_some_and(|i| {
            t.meta.auto_increment().is_some_and(|at| !gives_numbers(i, &t.meta, at))
        });
        let drawn = |c: &crate::meta::SqlColumn| matches!(c.default, ColumnDefault::Expr(_));
        let fires = self.inst.programs.triggers(&self.inst.db, schema, table).is_some();
        !numbers && !fires && !t.meta.columns.iter().any(drawn)
    }

    /// In which order rows come decides which of them the statement takes, or which one is there first.
    fn depends_on_order(&self, stmt: &Statement) -> bool {
        match stmt {
            Statement::Update(u) => {
                u.ignore
                    || u.limit.is_some()
                        && !self.takes_same_rows(&u.tables, u.where_.as_ref(), &u.order_by)
            }
            Statement::Delete(d) => {
                d.ignore
                    || d.limit.is_some()
                        && !self.takes_same_rows(&d.from, d.where_.as_ref(), &d.order_by)
            }
            Statement::Insert(i) => {
                let meets = i.ignore || i.replace || !i.on_duplicate.is_empty();
                match &i.source {
                    InsertSource::Query(q) => meets && !gives_one_row(q),
                    InsertSource::Values(_) => false,
                }
            }
            _ => true,
        }
    }

    /// Whether LIMIT takes the same rows of equal tables on any server: the condition names one row by a unique key, or the order has
    /// all columns of such a key.
    fn takes_same_rows(
        &self,
        from: &[TableRef],
        condition: Option<&Expr>,
        order: &[OrderItem],
    ) -> bool {
        let [TableRef::Table(factor)] = from else { return false };
        let own = self.info.database.as_deref();
        let Some(schema) = factor.name.schema.as_ref().map(|s| s.as_str()).or(own) else {
            return false;
        };
        let Ok(t) = self.inst.meta.lookup(&self.inst.db, schema, factor.name.name.as_str()) else {
            return false;
        };
        let columns = &t.meta.columns;
        t.meta.indexes.iter().filter(|i| i.unique && !i.is_multi_valued()).any(|index| {
            let whole = index.parts.iter().all(|p| {
                p.prefix.is_none() && !columns[p.column].nullable && !columns[p.column].hidden
            });
            let ordered = || {
                index
                    .parts
                    .iter()
                    .all(|p| order.iter().any(|o| names_column(&o.expr, &columns[p.column].name)))
            };
            let pinned = || {
                index.parts.iter().all(|p| condition.is_some_and(|e| pins(e, &columns[p.column])))
            };
            whole && (pinned() || ordered())
        })
    }

    /// Puts the text of a change that was made at this time among the transaction's notes.
    pub(super) fn note_text(&self, txn: &mut Txn, text: &[u8], now_micros: i64) {
        let set = self.settings.timestamp;
        let micros = if set > 0.0 { (set * 1e6) as u64 } else { now_micros as u64 };
        let (seconds, micros) = ((micros / 1_000_000) as u32, (micros % 1_000_000) as u32);
        let text = text.trim_ascii();
        let text = text.strip_suffix(b";").unwrap_or(text);
        let body = self.query_body(0, text, micros);
        let mut item = Vec::with_capacity(body.len() + 9);
        item.extend_from_slice(&((1 + 4 + body.len()) as u32).to_le_bytes());
        item.push(TEXT);
        item.extend_from_slice(&seconds.to_le_bytes());
        item.extend_from_slice(&body);
        txn.note_row(&item);
    }
}

pub(super) fn is_change(stmt: &Statement) -> bool {
    matches!(stmt, Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_))
}

fn names_column(e: &Expr, name: &str) -> bool {
    matches!(e, Expr::Column(c) if c.column.as_str().eq_ignore_ascii_case(name))
}

/// Whether a condition holds for one value of the column at most, as the column itself compares values.
fn pins(condition: &Expr, column: &SqlColumn) -> bool {
    match condition {
        Expr::Binary { op: BinaryOp::And, left, right } => {
            pins(left, column) || pins(right, column)
        }
        Expr::Binary { op: BinaryOp::Eq | BinaryOp::NullSafeEq, left, right } => {
            let equals = |c: &Expr, value: &Expr| {
                names_column(c, &column.name) && compares_as(value, &column.ty)
            };
            equals(left, right) || equals(right, left)
        }
        _ => false,
    }
}

/// A literal that is compared as a value of the type. A text and a number are compared as numbers, which many texts are equal to, and
/// many integers that have no exact form as a floating-point number.
fn compares_as(value: &Expr, ty: &SqlType) -> bool {
    let Expr::Literal(value) = value else { return false };
    match ty {
        SqlType::Int { .. } => match value {
            Literal::Int(_) => true,
            Literal::Str { bytes, .. } => is_number(bytes),
            _ => false,
        },
        SqlType::Char { .. } | SqlType::Varchar { .. } => {
            matches!(value, Literal::Str { .. } | Literal::Hex { .. })
        }
        SqlType::Date | SqlType::DateTime { .. } | SqlType::Timestamp { .. } => {
            matches!(value, Literal::Str { .. })
        }
        _ => false,
    }
}

/// An integer other than zero, below 2^53.
fn is_number(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    (1..=15).contains(&digits.len()) && digits[0] != b'0' && digits.iter().all(u8::is_ascii_digit)
}

/// Each row says itself what the column `at`, which draws numbers, gets: no row gets the next number, which another server may have given
/// away.
fn gives_numbers(insert: &Insert, meta: &TableMeta, at: usize) -> bool {
    let InsertSource::Values(rows) = &insert.source else { return false };
    let place = match &insert.columns {
        Some(list) => {
            list.iter().position(|c| c.column.as_str().eq_ignore_ascii_case(&meta.columns[at].name))
        }
        None => meta.columns[..=at].iter().filter(|c| !c.hidden).count().checked_sub(1),
    };
    let is_given = |e: &Expr| match e {
        Expr::Literal(Literal::Int(n)) => *n > 0,
        Expr::Literal(Literal::Str { bytes, .. }) => is_number(bytes),
        Expr::Unary { op: UnaryOp::Neg, expr } => {
            matches!(**expr, Expr::Literal(Literal::Int(1..)))
        }
        _ => false,
    };
    place.is_some_and(|p| rows.iter().all(|row| row.get(p).is_some_and(is_given)))
}

/// An aggregate of all rows, as checksums are.
fn gives_one_row(q: &Query) -> bool {
    let is_aggregate = |item: &SelectItem| match item {
        SelectItem::Expr { expr: Expr::Call(c), .. } => {
            func::aggregate::lookup(c.name.as_str()).is_some()
        }
        _ => false,
    };
    match &q.body {
        QueryBody::Select(s) => s.group_by.is_empty() && s.items.iter().any(is_aggregate),
        _ => false,
    }
}

/// Aggregates whose value depends on the order of the rows.
const ORDERED: [&str; 3] = ["group_concat", "json_arrayagg", "json_objectagg"];

/// Whether the value of an expression may be another one on a replica, for the same row and at the same `timestamp`. Its parts are
/// asked by themselves.
fn depends_on_server(e: &Expr) -> bool {
    match e {
        Expr::Param(_) | Expr::UserVar(_) | Expr::AssignVar { .. } | Expr::SysVar(_) => true,
        Expr::Call(c) if c.schema.is_some() || c.over.is_some() => true,
        Expr::Call(c) if ORDERED.iter().any(|name| c.name.is(name)) => true,
        Expr::Call(c) => {
            let name = c.name.as_str();
            let draws = |f: &func::FuncDef| !f.is_settled_in_statement();
            match func::lookup(name) {
                Some(f) => draws(f),
                None => func::aggregate::lookup(name).is_none(),
            }
        }
        _ => false,
    }
}
