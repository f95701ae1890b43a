//! Names: columns of this block and those around it, aliases, defaults, variables.

use super::functional_dependency::text;
use super::scope::{Found, Place, ambiguous, unknown_column};
use super::view::several_bases;
use super::{AGGREGATE, Bind, Binder, Named};
use crate::account::Privileges;
use crate::errno;
use crate::meta::{ColumnDefault, SqlColumn, SqlTable};
use crate::query::expr::{BExpr, ColRef, Node};
use crate::query::plan::deprecated::Deprecated;
use crate::session_api::SqlError;
use crate::value::arith::real;
use crate::value::types::coercibility;
use crate::value::{SqlType, TypeInfo, Value};
use crate::vars::{SetTarget, resolve_read};
use weir_syntax::ast;

/// Characters that MySQL says of the text of a system variable.
const VARIABLE_CHARS: u32 = 21_845;

fn has_window(e: &BExpr) -> bool {
    let mut found = false;
    e.walk(&mut |n| found |= matches!(n.node, Node::Window(_)));
    found
}

impl Binder<'_> {
    /// A column whose value is wanted.
    pub fn column(&mut self, c: &ast::ColumnRef) -> Bind<BExpr> {
        let (e, place) = self.resolve(c)?;
        if let Some((level, place)) = place {
            self.note_read(level, place);
            self.note_named(level, place);
        }
        Ok(e)
    }

    /// What a subquery's aggregate sums up is left out: of which block it is is not known yet.
    fn note_named(&mut self, level: usize, (table, column): Place) {
        if self.top().in_agg || self.stack[level].in_agg || self.stack[level].unasked {
            return;
        }
        let within = level + 1 < self.stack.len();
        let ctx = &mut self.stack[level];
        let place = (table, column);
        let column = ctx.scope.column(table, column, 0);
        ctx.named.push(Named { place, column, within });
    }

    /// ANY_VALUE() is its argument, of which nobody asks that the groups determine it.
    pub fn any_value(&mut self, name: &str, args: &[ast::Expr]) -> Bind<BExpr> {
        let around = std::mem::replace(&mut self.top_mut().unasked, true);
        let bound = args.iter().map(|a| self.scalar(a)).collect::<Bind<Vec<_>>>();
        self.top_mut().unasked = around;
        self.func("ANY_VALUE", bound?).map_err(|e| super::call::as_written(e, "ANY_VALUE", name))
    }

    /// Anyone who reads a column of a table or view needs SELECT on it.
    pub fn note_read(&mut self, level: usize, place: Place) {
        self.note_read_of(level, place, false);
    }

    /// `whole`: as one of all columns of its table.
    pub fn note_read_of(&mut self, level: usize, (table, column): Place, whole: bool) {
        let t = &self.stack[level].scope.tables[table as usize];
        // Derived and computed tables ask for no right.
        if t.schema.is_empty() || crate::ddl::is_virtual_schema(&t.schema) {
            return;
        }
        if let Some(origin) = &t.columns[column as usize].origin {
            let table = (&*t.schema, &*origin.org_table);
            self.uses.column(table, Privileges::SELECT, &origin.column, whole);
        }
    }

    /// Resolves a name from this block outwards; with the block and the place there, where it is no alias.
    fn resolve(&mut self, c: &ast::ColumnRef) -> Bind<(BExpr, Option<(usize, Place)>)> {
        let place = self.top().place;
        let alias_first = self.top().alias_first && c.table.is_none();
        if alias_first && let Some(e) = self.key_or_alias(c)? {
            return Ok((e, None));
        }
        for depth in 0..self.stack.len() {
            let level = self.stack.len() - 1 - depth;
            match self.stack[level].scope.find(c) {
                Found::Column(t, _) if self.stack[level].unreachable & (1 << t) != 0 => {}
                Found::Column(t, i) => {
                    let target = &self.stack[level].scope.tables[usize::from(t)];
                    if target.merged.as_ref().is_some_and(|m| m.is_elsewhere(i)) {
                        return Err(several_bases(target));
                    }
                    let e = self.stack[level].scope.column(t, i, depth as u8);
                    if depth == 0 && !self.may_be_named_here(&e) {
                        continue;
                    }
                    if depth > 0 {
                        self.note_outer(level, t);
                        if !e.has_no_subs() {
                            self.met_sub_column = true;
                            let what = "a view's subquery within another one";
                            return Err(SqlError::not_supported(what));
                        }
                        // A merged column may show others than the first of the tables that it was merged with.
                        let mut shown = Vec::new();
                        e.walk(&mut |n| {
                            if let Node::Col(c) = n.node {
                                shown.push(c.table);
                            }
                        });
                        shown.into_iter().for_each(|t| self.note_outer(level, t));
                    }
                    return Ok((e, Some((level, (t, i)))));
                }
                Found::Ambiguous => return Err(ambiguous(c, place)),
                Found::None if depth == 0 && c.table.is_none() => {
                    if let Some((at, e)) = self.aliased_item(c)? {
                        return Ok((self.item_or_draw(at, e), None));
                    }
                }
                Found::None if depth > 0 && c.table.is_none() => {
                    if let Some(e) = self.outer_alias(level, depth as u8, c.column.as_str()) {
                        return Ok((e, None));
                    }
                }
                Found::None => {}
            }
        }
        if let (Some(table), true) =
            (&c.table, self.stack.len() == 1 && self.top().scope.tables.is_empty())
        {
            return Err(SqlError::of(errno::ER_UNKNOWN_TABLE, &[&table, &place]));
        }
        Err(unknown_column(c, place))
    }

    /// Outside of aggregates HAVING sees the columns of the select list and of GROUP BY, and no others of the tables.
    fn may_be_named_here(&self, e: &BExpr) -> bool {
        let top = self.top();
        if top.place != "having clause" || top.in_agg {
            return true;
        }
        let text = format!("{:?}", e.node);
        let mut known = top.key_names.iter().chain(&top.aliases);
        known.any(|(_, shown)| format!("{:?}", shown.node) == text)
    }

    /// An alias of the select list of a block around this one: its expression, where that is one of that block's rows and aggregates.
    fn outer_alias(&mut self, level: usize, depth: u8, name: &str) -> Option<BExpr> {
        let ctx = &self.stack[level];
        let mut known = ctx.shown.iter().chain(&ctx.aliases);
        let mut e = known.find(|(n, _)| crate::meta::same_name(n, name))?.1.clone();
        let (mut reads, mut subs) = (Vec::new(), Vec::new());
        e.subs(&mut subs);
        let mut plain = subs.is_empty();
        e.walk(&mut |n| match &n.node {
            Node::Col(c) if c.depth == 0 => reads.push(c.table),
            Node::Agg(_) => reads.push(AGGREGATE),
            Node::Window(_) | Node::Assign(..) => plain = false,
            Node::Col(_) | Node::OuterAgg { .. } => plain = false,
            _ => {}
        });
        if !plain {
            return None;
        }
        if reads.is_empty() {
            // What does not vary is the same in here.
            return Some(e);
        }
        reads.into_iter().for_each(|t| self.note_outer(level, t));
        self.top_mut().alias_in_agg = true;
        e.move_out(depth);
        Some(e)
    }

    /// HAVING's: a column of GROUP BY before what the select list has.
    fn key_or_alias(&mut self, c: &ast::ColumnRef) -> Bind<Option<BExpr>> {
        let listed = self.aliased_item(c)?;
        let top = self.top();
        let mut keys =
            top.key_names.iter().filter(|(n, _)| crate::meta::same_name(n, c.column.as_str()));
        let Some((_, key)) = keys.next() else {
            return Ok(listed.map(|(at, e)| self.item_or_draw(at, e)));
        };
        if keys.any(|(_, e)| text(e) != text(key)) {
            return Err(ambiguous(c, top.place));
        }
        let key = key.clone();
        if listed.is_some_and(|(_, e)| text(&e) != text(&key)) {
            let name = c.column.as_str().into();
            self.deprecated(Deprecated::Ambiguous(name, "having clause"));
        }
        Ok(Some(key))
    }

    /// What the select list has by that name, where the clause may use it: an expression before a column. 1052 for columns that differ.
    pub fn alias(&self, c: &ast::ColumnRef) -> Bind<Option<BExpr>> {
        Ok(self.aliased_item(c)?.map(|(_, e)| e))
    }

    /// The same with its place in the list.
    fn aliased_item(&self, c: &ast::ColumnRef) -> Bind<Option<(usize, BExpr)>> {
        if c.table.is_some() {
            return Ok(None);
        }
        let top = self.top();
        let mut found: Option<(usize, &BExpr)> = None;
        let named = top.aliases.iter().enumerate();
        for (at, (_, e)) in named.filter(|(_, (n, _))| crate::meta::same_name(n, c.column.as_str()))
        {
            let is_column = matches!(e.node, Node::Col(_));
            match found {
                _ if !is_column => {
                    found = Some((at, e));
                    break;
                }
                Some((_, f)) if text(f) != text(e) => return Err(ambiguous(c, top.place)),
                _ => found = Some((at, e)),
            }
        }
        let expr = found.map(|(_, e)| e);
        // Windows are looked at when the groups are there.
        if top.place == "group statement" && expr.is_some_and(has_window) {
            return Err(SqlError::of(errno::ER_WRONG_GROUP_FIELD, &[&c.column]));
        }
        if top.place == "having clause" && expr.is_some_and(has_window) {
            return Err(SqlError::of(errno::ER_WINDOW_INVALID_WINDOW_FUNC_ALIAS_USE, &[&c.column]));
        }
        Ok(found.map(|(at, e)| (at, e.clone())))
    }

    pub fn sys_var(&mut self, v: &ast::SysVar) -> Bind<BExpr> {
        self.cacheable = false;
        if let Some(c) = &v.component {
            return Err(SqlError::new(
                errno::ER_UNKNOWN_SYSTEM_VARIABLE,
                format!("Unknown system variable '{c}.{}'", v.name),
            ));
        }
        let scope = match v.scope {
            None => None,
            Some(ast::VarScope::Session) => Some(SetTarget::Session),
            Some(_) => Some(SetTarget::Global),
        };
        let (var, target) = resolve_read(v.name.as_str(), scope)?;
        // Against a literal its own collation rules.
        let text = || TypeInfo {
            coercibility: coercibility::SYSCONST,
            ..TypeInfo::new(SqlType::varchar(VARIABLE_CHARS, crate::func::infer::SYSTEM), true)
        };
        use crate::vars::VarType;
        let info = match var.def().ty {
            VarType::Bool => TypeInfo::new(SqlType::BOOL, true),
            VarType::Int { .. } => TypeInfo::new(SqlType::LONG_INT, true),
            VarType::UInt { .. } | VarType::Size { .. } => TypeInfo::new(SqlType::LONG_UINT, true),
            VarType::Float { .. } => TypeInfo::new(real(Some(6)), true),
            _ => text(),
        };
        Ok(BExpr::new(Node::SysVar(var, target), info))
    }

    /// A column by name in one table of the block.
    pub fn column_in(&self, table: u16, c: &ast::ColumnRef) -> Bind<BExpr> {
        let scope = &self.top().scope;
        let at = scope.tables[table as usize]
            .columns
            .iter()
            .position(|k| crate::meta::same_name(&k.name, c.column.as_str()));
        match at {
            Some(i) => Ok(scope.column(table, i as u16, 0)),
            None => Err(unknown_column(c, "field list")),
        }
    }

    /// DEFAULT(col): the column's default as a constant.
    pub fn column_default(&mut self, r: ColRef, c: &ast::ColumnRef) -> Bind<BExpr> {
        let level = self.stack.len() - 1 - r.depth as usize;
        let t = &self.stack[level].scope.tables[r.table as usize];
        if let Some(m) = &t.merged {
            let table = m.table(r.table.into()).ok_or_else(|| unknown_column(c, "field list"))?;
            return default_value(table, r.col as usize);
        }
        let (schema, alias) = (t.schema.clone(), t.columns[r.col as usize].origin.clone());
        let Some(origin) = alias else {
            // In a definition the columns are those that are being defined.
            let own = self.defined.get(r.col as usize).filter(|_| r.depth == 0);
            return default_of(own.ok_or_else(|| unknown_column(c, "field list"))?);
        };
        let table = self.table(&schema, &origin.org_table)?;
        default_value(&table, r.col as usize)
    }

    /// A target column of a change: unqualified or with the table's name.
    pub fn target_column(&self, c: &ast::ColumnRef) -> Bind<(u16, u16)> {
        match self.top().scope.find(c) {
            Found::Column(t, i) => match &self.top().scope.tables[t as usize].merged {
                None => Ok((t, i)),
                Some(m) => match m.items[i as usize].written_column() {
                    Some(r) => Ok((r.table, r.col)),
                    None => Err(SqlError::of(errno::ER_NONUPDATEABLE_COLUMN, &[&c.column])),
                },
            },
            Found::Ambiguous => Err(ambiguous(c, "field list")),
            Found::None => Err(unknown_column(c, "field list")),
        }
    }

    pub fn default_of(&mut self, c: &ast::ColumnRef) -> Bind<BExpr> {
        // What a column's default is tells of the column: it takes the right to read it.
        let e = self.column(c)?;
        let Node::Col(r) = e.node else { return Err(unknown_column(c, "field list")) };
        let default = self.column_default(r, c)?;
        Ok(BExpr { node: default.node, info: e.info })
    }

    pub fn values_of(&mut self, c: &ast::ColumnRef) -> Bind<BExpr> {
        self.deprecated(Deprecated::ValuesFunction);
        match self.new_row {
            // A subquery's own columns have no row that was to be inserted: NULL, as in MySQL.
            Some(table) if self.stack.len() > 1 => {
                let (mut e, place) = self.resolve(c)?;
                e.info.nullable = true;
                match (place, &mut e.node) {
                    (Some((0, (0, _))), Node::Col(r)) => {
                        r.table = table;
                        self.note_outer(0, table);
                    }
                    _ => e.node = Node::Const(Value::Null),
                }
                Ok(e)
            }
            // The row that was to be inserted is the table behind the target.
            Some(table) => {
                let target = &self.top().scope.tables[0];
                let named = c.table.as_ref().is_none_or(|t| *target.alias == *t.as_str());
                let schema = c.schema.as_ref().is_none_or(|s| *target.schema == *s.as_str());
                if !named || !schema {
                    return Err(unknown_column(c, "field list"));
                }
                let e = self.column_in(0, c)?;
                match e.node {
                    Node::Col(mut r) => {
                        r.table = table;
                        Ok(BExpr::new(Node::Col(r), TypeInfo { nullable: true, ..e.info }))
                    }
                    _ => Err(unknown_column(c, "field list")),
                }
            }
            None => {
                let (e, place) = self.resolve(c)?;
                if let Some((level, place)) = place {
                    self.note_read(level, place);
                }
                Ok(BExpr::new(Node::Const(Value::Null), TypeInfo { nullable: true, ..e.info }))
            }
        }
    }
}

/// 1364 when it has none.
pub fn default_value(table: &SqlTable, col: usize) -> Bind<BExpr> {
    default_of(&table.meta.columns[col])
}

fn default_of(c: &SqlColumn) -> Bind<BExpr> {
    match &c.default {
        ColumnDefault::None => Err(SqlError::of(errno::ER_NO_DEFAULT_FOR_FIELD, &[&c.name])),
        ColumnDefault::Null => Ok(BExpr::constant(Value::Null)),
        ColumnDefault::Literal(d) => {
            Ok(BExpr::constant(c.ty.load(d.as_ref(), crate::value::TimeZone::UTC).into_owned()))
        }
        ColumnDefault::CurrentTimestamp(_)
        | ColumnDefault::Expr(_)
        | ColumnDefault::Generated { .. } => {
            Err(SqlError::of(errno::ER_DEFAULT_AS_VAL_GENERATED, &[]))
        }
    }
}
