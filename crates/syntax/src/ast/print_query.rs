//! SQL text of queries, as views are stored and as people read them. INTO has none: a view has none of it.

use std::fmt::{self, Display, Formatter, Write};

use super::print::Quoted;
use super::*;

type R = fmt::Result;

fn list<V: Display>(f: &mut Formatter<'_>, before: &str, items: &[V], after: &str) -> R {
    if items.is_empty() {
        return Ok(());
    }
    f.write_str(before)?;
    for (i, item) in items.iter().enumerate() {
        write!(f, "{}{item}", if i > 0 { ", " } else { "" })?;
    }
    f.write_str(after)
}

fn names(f: &mut Formatter<'_>, before: &str, items: &[Ident], after: &str) -> R {
    let quoted: Vec<_> = items.iter().map(|name| Quoted(name.as_str())).collect();
    list(f, before, &quoted, after)
}

impl Display for OrderItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        write!(f, "{}{}", self.expr, if self.descending { " DESC" } else { "" })
    }
}

impl Display for Query {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        if let Some(with) = &self.with {
            f.write_str(if with.recursive { "WITH RECURSIVE " } else { "WITH " })?;
            for (i, table) in with.tables.iter().enumerate() {
                write!(f, "{}{}", if i > 0 { ", " } else { "" }, Quoted(table.name.as_str()))?;
                names(f, " (", &table.columns, ")")?;
                write!(f, " AS ({})", table.query)?;
            }
            f.write_char(' ')?;
        }
        self.body.fmt(f)?;
        list(f, " ORDER BY ", &self.order_by, "")?;
        if let Some(limit) = &self.limit {
            f.write_str(" LIMIT ")?;
            if let Some(offset) = &limit.offset {
                write!(f, "{offset}, ")?;
            }
            limit.count.fmt(f)?;
        }
        self.locking.iter().try_for_each(|locking| locking.fmt(f))
    }
}

impl Display for Locking {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        f.write_str(match self.strength {
            LockStrength::Update => " FOR UPDATE",
            LockStrength::Share => " FOR SHARE",
        })?;
        names(f, " OF ", &self.of, "")?;
        f.write_str(match self.wait {
            LockWait::Wait => "",
            LockWait::NoWait => " NOWAIT",
            LockWait::SkipLocked => " SKIP LOCKED",
        })
    }
}

impl Display for QueryBody {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        match self {
            QueryBody::Select(select) => select.fmt(f),
            QueryBody::Nested(query) => write!(f, "({query})"),
            QueryBody::Table(name) => write!(f, "TABLE {name}"),
            QueryBody::Values(rows) => {
                f.write_str("VALUES ")?;
                for (i, row) in rows.iter().enumerate() {
                    f.write_str(if i > 0 { ", ROW(" } else { "ROW(" })?;
                    list(f, "", row, "")?;
                    f.write_char(')')?;
                }
                Ok(())
            }
            QueryBody::SetOp { op, all, left, right } => {
                let word = match op {
                    SetOp::Union => "UNION",
                    SetOp::Intersect => "INTERSECT",
                    SetOp::Except => "EXCEPT",
                };
                write!(f, "{left} {word} {}{right}", if *all { "ALL " } else { "" })
            }
        }
    }
}

impl Display for Select {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        f.write_str("SELECT ")?;
        if let Some(hints) = &self.hints {
            write!(f, "/*+ {hints} */ ")?;
        }
        let o = &self.options;
        for (set, word) in [
            (o.distinct, "DISTINCT "),
            (o.high_priority, "HIGH_PRIORITY "),
            (o.straight_join, "STRAIGHT_JOIN "),
            (o.small_result, "SQL_SMALL_RESULT "),
            (o.big_result, "SQL_BIG_RESULT "),
            (o.buffer_result, "SQL_BUFFER_RESULT "),
            (o.no_cache, "SQL_NO_CACHE "),
            (o.calc_found_rows, "SQL_CALC_FOUND_ROWS "),
        ] {
            f.write_str(if set { word } else { "" })?;
        }
        list(f, "", &self.items, "")?;
        list(f, " FROM ", &self.from, "")?;
        if let Some(where_) = &self.where_ {
            write!(f, " WHERE {where_}")?;
        }
        list(f, " GROUP BY ", &self.group_by, if self.rollup { " WITH ROLLUP" } else { "" })?;
        if let Some(having) = &self.having {
            write!(f, " HAVING {having}")?;
        }
        for (i, (name, spec)) in self.windows.iter().enumerate() {
            f.write_str(if i > 0 { ", " } else { " WINDOW " })?;
            write!(f, "{} AS ({spec})", Quoted(name.as_str()))?;
        }
        Ok(())
    }
}

impl Display for SelectItem {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        match self {
            SelectItem::Wildcard { schema, table } => {
                for part in [schema, table].into_iter().flatten() {
                    write!(f, "{}.", Quoted(part.as_str()))?;
                }
                f.write_char('*')
            }
            SelectItem::Expr { expr, alias: Some(alias), .. } => {
                write!(f, "{expr} AS {}", Quoted(alias.as_str()))
            }
            SelectItem::Expr { expr, .. } => expr.fmt(f),
        }
    }
}

impl Display for TableRef {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        match self {
            TableRef::Table(table) => table.fmt(f),
            TableRef::Derived { lateral, query, alias, columns } => {
                let lateral = if *lateral { "LATERAL " } else { "" };
                write!(f, "{lateral}({query}) AS {}", Quoted(alias.as_str()))?;
                names(f, " (", columns, ")")
            }
            TableRef::List(tables) => list(f, "(", tables, ")"),
            TableRef::Join(join) => join.fmt(f),
            TableRef::JsonTable(table) => table.fmt(f),
        }
    }
}

impl Display for Join {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        let natural = self.condition == Some(JoinCondition::Natural);
        let word = match self.kind {
            JoinKind::Inner => "JOIN",
            JoinKind::Straight => "STRAIGHT_JOIN",
            JoinKind::Left => "LEFT JOIN",
            JoinKind::Right => "RIGHT JOIN",
        };
        write!(f, "{} {}{word} ", self.left, if natural { "NATURAL " } else { "" })?;
        match &self.right {
            right @ TableRef::Join(_) => write!(f, "({right})")?,
            right => right.fmt(f)?,
        }
        match &self.condition {
            Some(JoinCondition::On(expr)) => write!(f, " ON {expr}"),
            Some(JoinCondition::Using(columns)) => names(f, " USING (", columns, ")"),
            Some(JoinCondition::Natural) | None => Ok(()),
        }
    }
}

impl Display for TableFactor {
    fn fmt(&self, f: &mut Formatter<'_>) -> R {
        self.name.fmt(f)?;
        names(f, " PARTITION (", &self.partitions, ")")?;
        if let Some(alias) = &self.alias {
            write!(f, " AS {}", Quoted(alias.as_str()))?;
        }
        for hint in &self.index_hints {
            f.write_str(match hint.kind {
                IndexHintKind::Use => " USE INDEX",
                IndexHintKind::Force => " FORCE INDEX",
                IndexHintKind::Ignore => " IGNORE INDEX",
            })?;
            f.write_str(match hint.scope {
                None => "",
                Some(IndexHintScope::Join) => " FOR JOIN",
                Some(IndexHintScope::OrderBy) => " FOR ORDER BY",
                Some(IndexHintScope::GroupBy) => " FOR GROUP BY",
            })?;
            f.write_str(" (")?;
            names(f, "", &hint.indexes, "")?;
            f.write_char(')')?;
        }
        Ok(())
    }
}
