//! JSON_VALUE and JSON_TABLE.

use super::{Bind, Binder};
use crate::ddl::Env;
use crate::ddl::column::invalid_default;
use crate::ddl::refused::value_error;
use crate::ddl::types::{TextDefaults, column_type};
use crate::errno;
use crate::query::eval::json_value::{default_value, typed};
use crate::query::expr::json::{Otherwise, Wanted};
use crate::query::expr::{BExpr, Node};
use crate::query::plan::json_table::{Column, JsonTable, Level};
use crate::query::plan::{Body, OutColumn, QueryPlan};
use crate::session_api::SqlError;
use crate::value::json::{Path, parse};
use crate::value::{
    CastTarget, Collation, Decimal, IntKind, LobKind, SqlMode, SqlType, TimeZone, TypeInfo, Value,
    Warnings,
};
use std::sync::Arc;
use weir_syntax::ast::{
    self, DataType, Expr, Ident, JsonColumn, JsonOn, JsonValue, Literal, Query,
};

/// Characters of JSON_VALUE without RETURNING.
const PLAIN_CHARS: u32 = 512;

/// A name in the document that means nothing there: 1109 where it has a table's.
fn in_argument(e: SqlError) -> SqlError {
    const PLACE: &str = "a table function argument";
    let name = |e: &SqlError| {
        let rest = e.message.strip_prefix("Unknown column '")?;
        rest.strip_suffix("' in 'field list'").map(str::to_owned)
    };
    match name(&e) {
        Some(name) if e.errno == errno::ER_BAD_FIELD_ERROR => match name.rsplit('.').nth(1) {
            Some(table) => SqlError::of(errno::ER_UNKNOWN_TABLE, &[&table, &PLACE]),
            None => SqlError::new(e.errno, format!("Unknown column '{name}' in '{PLACE}'")),
        },
        _ => e,
    }
}

impl Binder<'_> {
    pub fn json_value(&mut self, j: &JsonValue) -> Bind<BExpr> {
        let doc = self.scalar(&j.doc)?;
        let Expr::Literal(Literal::Str { bytes, .. }) = &j.path else {
            return Err(SqlError::parse("", 1));
        };
        let ty = match &j.returning {
            None => SqlType::varchar(PLAIN_CHARS, Collation::Utf8mb4Bin),
            Some(to) => match self.returned(to)? {
                CastTarget::Char { chars: None, collation } => {
                    SqlType::Text { kind: LobKind::Long, collation }
                }
                target => target.result_type(&TypeInfo::new(SqlType::Json, true)).ty,
            },
        };
        let wanted = self.wanted(bytes, ty, j.on_empty.as_ref(), j.on_error.as_ref())?;
        let mut info = TypeInfo::new(ty, true);
        if let Some(to) = &j.returning {
            info = super::convert::claimed(to, info);
        }
        Ok(BExpr::new(Node::JsonValue(Box::new(doc), Arc::new(wanted)), info))
    }

    /// A type behind RETURNING. CHAR without a character set is what JSON text is, utf8mb4_bin, whatever the connection has.
    fn returned(&mut self, to: &ast::CastType) -> Bind<CastTarget> {
        let mut target = self.cast_target(to)?;
        if let ast::CastType::Char { charset: None, .. } = to
            && let CastTarget::Char { collation, .. } = &mut target
        {
            *collation = Collation::Utf8mb4Bin;
        }
        Ok(target)
    }

    /// The rows of JSON_TABLE as a query, and which of the tables before it the document reads.
    pub fn json_table(&mut self, j: &ast::JsonTable) -> Bind<(QueryPlan, u64)> {
        let doc = ast::SelectItem::Expr {
            expr: j.doc.clone(),
            alias: Some(Ident::new("doc")),
            text: "doc".into(),
        };
        let (source, of) = self.lateral(&Query::of_items(vec![doc])).map_err(in_argument)?;
        let mut columns = Vec::new();
        let root = self.json_level(&j.path, &j.columns, &mut columns)?;
        let table = JsonTable { source, root, columns: columns.len() };
        let body = Body::Json(Box::new(table));
        Ok((QueryPlan { body, order: Vec::new(), limit: None, columns }, of))
    }

    fn json_level(
        &mut self,
        path: &[u8],
        columns: &[JsonColumn],
        all: &mut Vec<OutColumn>,
    ) -> Bind<Level> {
        let mut level = Level { path: parsed(path)?, columns: Vec::new(), nested: Vec::new() };
        for c in columns {
            let (name, ty, column) = match c {
                JsonColumn::Nested { path, columns } => {
                    level.nested.push(self.json_level(path, columns, all)?);
                    continue;
                }
                JsonColumn::Ordinality(name) => {
                    (name, SqlType::int(IntKind::Int, true), Column::Ordinality)
                }
                JsonColumn::Path { name, data_type, exists, path, on_empty, on_error } => {
                    let ty = self.json_column_type(name.as_str(), data_type)?;
                    let column = if *exists {
                        Column::Exists(parsed(path)?)
                    } else {
                        let clause =
                            |c: &Option<JsonOn>| default_json(name.as_str(), c.as_ref(), ty);
                        let wanted = Wanted {
                            path: parsed(path)?,
                            ty,
                            on_empty: clause(on_empty)?,
                            on_error: clause(on_error)?,
                            of_table: true,
                        };
                        Column::Path(name.as_str().into(), wanted)
                    };
                    (name, ty, column)
                }
            };
            level.columns.push((all.len(), column));
            let info = TypeInfo::column(ty, true);
            all.push(OutColumn::stored(name.as_str().into(), info));
        }
        Ok(level)
    }

    fn json_column_type(&self, name: &str, data: &DataType) -> Bind<SqlType> {
        let settings = self.env.reads.settings;
        let mut warnings = Warnings::default();
        let mut env = Env {
            mode: settings.mode,
            refuses_engines: settings.refuses_engines,
            skips_indexes: settings.skips_indexes,
            requires_key: false,
            generates_key: false,
            tz: settings.tz,
            now_micros: 0,
            collation: self.connection(),
            utf8mb4: settings.utf8mb4,
            table: String::new(),
            reads: self.env.reads,
            warnings: &mut warnings,
        };
        let text = TextDefaults { collation: self.connection() };
        Ok(column_type(name, data, None, text, &mut env)?.0)
    }

    /// A path, a type, and the clauses of what is not there.
    pub fn wanted(
        &mut self,
        path: &[u8],
        ty: SqlType,
        on_empty: Option<&JsonOn>,
        on_error: Option<&JsonOn>,
    ) -> Bind<Wanted> {
        Ok(Wanted {
            path: parsed(path)?,
            ty,
            on_empty: self.otherwise(on_empty, ty)?,
            on_error: self.otherwise(on_error, ty)?,
            of_table: false,
        })
    }

    fn otherwise(&mut self, clause: Option<&JsonOn>, ty: SqlType) -> Bind<Otherwise> {
        Ok(match clause {
            None | Some(JsonOn::Null) => Otherwise::Null,
            Some(JsonOn::Error) => Otherwise::Error,
            Some(JsonOn::Default(e)) => {
                let v = match self.scalar(e)?.node {
                    Node::Const(v) => v,
                    Node::Neg(e) => negated(e.node)?,
                    _ => return Err(no_literal()),
                };
                let settings = self.env.reads.settings;
                let value = default_value(&v, &ty, settings.mode, settings.tz, 0);
                Otherwise::Default(value.map_err(value_error)?)
            }
        })
    }
}

/// A literal behind a minus.
fn negated(of: Node) -> Bind<Value<'static>> {
    Ok(match of {
        Node::Const(Value::Int(n)) => Value::Int(n.checked_neg().ok_or_else(no_literal)?),
        Node::Const(Value::UInt(n)) if n == 1 << 63 => Value::Int(i64::MIN),
        Node::Const(Value::UInt(n)) => {
            Value::Decimal(Decimal::parse(format!("-{n}").as_bytes()).value.ok_or_else(no_literal)?)
        }
        Node::Const(Value::Double(x)) => Value::Double(-x),
        Node::Const(Value::Decimal(d)) => Value::Decimal(d.negated()),
        _ => return Err(no_literal()),
    })
}

/// MySQL's grammar has nothing but literals as a DEFAULT.
fn no_literal() -> SqlError {
    SqlError::parse("", 1)
}

fn parsed(path: &[u8]) -> Bind<Path> {
    Path::parse(path).map_err(|e| value_error(e.error()))
}

/// A clause of a column of JSON_TABLE, whose default is JSON text. 1067 for one that is not one, or no value of the type.
fn default_json(name: &str, clause: Option<&JsonOn>, ty: SqlType) -> Bind<Otherwise> {
    let text = match clause {
        None | Some(JsonOn::Null) => return Ok(Otherwise::Null),
        Some(JsonOn::Error) => return Ok(Otherwise::Error),
        Some(JsonOn::Default(e)) => match &**e {
            Expr::Literal(Literal::Str { bytes, .. }) => bytes,
            _ => {
                let what = "non-string DEFAULT value for a column in a JSON_TABLE expression";
                return Err(SqlError::not_supported(what));
            }
        },
    };
    let json = parse(text).ok().and_then(|dom| dom.to_json().ok());
    let json = json.ok_or_else(|| invalid_default(name))?;
    let value = typed(json.view(), &ty, SqlMode::default(), TimeZone::UTC, 0);
    value.map(Otherwise::Default).map_err(|_| invalid_default(name))
}
