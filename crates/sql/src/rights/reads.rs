//! Walks queries and expressions for the tables that they name.

use super::Need;
use crate::account::Privileges;
use crate::meta::folded;
use crate::session_api::SqlError;
use std::collections::{HashMap, HashSet};
use weir_syntax::ast::{
    AlterSpec, Expr, FrameBound, FunctionCall, Ident, JoinCondition, JsonOn, Limit, LockStrength,
    OptionValue, OrderItem, Over, Query, QueryBody, References, Select, SelectInto, SelectItem,
    TableElement, TableFactor, TableName, TableOption, TableRef, WindowSpec, With,
};
use weir_syntax::ast::{ColumnAttr, ColumnDef};

/// What FOR UPDATE needs beside SELECT: one of these.
const LOCKING: [Privileges; 3] = [Privileges::DELETE, Privileges::LOCK_TABLES, Privileges::UPDATE];

type Done = Result<(), SqlError>;

/// A question about an expression without its parts.
pub type Asks = fn(&Expr) -> bool;

/// Collects the needs of one statement.
pub struct Reads<'a> {
    /// Default schema.
    schema: Option<&'a str>,
    pub needs: Vec<Need>,
    /// The same, once there are more than a few.
    known: HashSet<Need>,
    /// Common tables in sight: names of theirs without a schema are no base tables.
    common: Vec<&'a str>,
    /// How often each of these names is in sight, folded.
    sights: HashMap<String, u32>,
    /// Asked of each expression and each LIMIT's presence, where somebody wants to know whether it holds of any.
    asks: Option<Asks>,
    pub holds: bool,
}

/// As many needs as are compared one by one: most statements have fewer.
const FEW: usize = 16;

impl<'a> Reads<'a> {
    pub fn new(schema: Option<&'a str>) -> Reads<'a> {
        let (known, sights) = (HashSet::new(), HashMap::new());
        let common = Vec::new();
        Reads { schema, needs: Vec::new(), known, common, sights, asks: None, holds: false }
    }

    /// The same; `holds` says afterwards whether there is a LIMIT, or an expression of which this holds.
    pub fn asking(schema: Option<&'a str>, asks: Asks) -> Reads<'a> {
        Reads { asks: Some(asks), ..Reads::new(schema) }
    }

    pub fn push(&mut self, need: Need) {
        if self.needs.len() < FEW {
            if !self.needs.contains(&need) {
                self.needs.push(need);
            }
            return;
        }
        if self.known.is_empty() {
            self.known.extend(self.needs.iter().cloned());
        }
        if self.known.insert(need.clone()) {
            self.needs.push(need);
        }
    }

    /// The schema that a name without one is in: 1046 when there is none.
    pub fn schema_of(&self, given: Option<&Ident>) -> Result<String, SqlError> {
        let name = given.map(Ident::as_str).or(self.schema).ok_or_else(SqlError::no_database)?;
        // The server's own schemas are found in any letter case.
        Ok(match crate::ddl::is_virtual_schema(name) {
            true => name.to_ascii_lowercase(),
            false => name.to_owned(),
        })
    }

    /// A base table and what is needed on it.
    pub fn table(&mut self, name: &TableName, privileges: Privileges) -> Done {
        let schema = self.schema_of(name.schema.as_ref())?;
        self.push(Need::Table { privileges, schema, table: name.name.as_str().into() });
        Ok(())
    }

    pub fn any_on_table(
        &mut self,
        name: &TableName,
        any_of: Privileges,
        verb: &'static str,
    ) -> Done {
        let schema = self.schema_of(name.schema.as_ref())?;
        self.push(Need::AnyOnTable { any_of, verb, schema, table: name.name.as_str().into() });
        Ok(())
    }

    fn is_common(&self, name: &TableName) -> bool {
        name.schema.is_none()
            && !self.common.is_empty()
            && self.sights.get(&folded(name.name.as_str())).is_some_and(|n| *n > 0)
    }

    /// Neither a common table nor DUAL.
    pub fn is_base(&self, name: &TableName) -> bool {
        let dual = name.schema.is_none() && self.schema.is_none() && name.name.is("dual");
        // The rows of SHOW, for its WHERE, are a table without a name.
        !dual && !name.name.as_str().is_empty() && !self.is_common(name)
    }

    pub fn query(&mut self, q: &'a Query) -> Done {
        let outer = self.common.len();
        self.with(q.with.as_ref())?;
        self.body(&q.body)?;
        self.order(&q.order_by)?;
        self.limit(q.limit.as_ref())?;
        for lock in q.locking.iter().filter(|l| l.strength == LockStrength::Update) {
            self.lock(&q.body, &lock.of)?;
        }
        if let Some(SelectInto::OutFile { .. } | SelectInto::DumpFile(_)) = &q.into {
            self.push(Need::File);
        }
        self.forget_common(outer);
        Ok(())
    }

    fn see_common(&mut self, name: &'a str) {
        self.common.push(name);
        *self.sights.entry(folded(name)).or_insert(0) += 1;
    }

    fn forget_common(&mut self, outer: usize) {
        for name in self.common.drain(outer..) {
            if let Some(n) = self.sights.get_mut(&folded(name)) {
                *n -= 1;
            }
        }
    }

    /// Common tables stay in sight until the caller ends the statement.
    pub fn with(&mut self, with: Option<&'a With>) -> Done {
        let Some(with) = with else { return Ok(()) };
        for t in &with.tables {
            if with.recursive {
                self.see_common(t.name.as_str());
            }
            self.query(&t.query)?;
            if !with.recursive {
                self.see_common(t.name.as_str());
            }
        }
        Ok(())
    }

    fn body(&mut self, body: &'a QueryBody) -> Done {
        match body {
            QueryBody::Select(s) => self.select(s),
            QueryBody::SetOp { left, right, .. } => {
                self.body(left)?;
                self.body(right)
            }
            QueryBody::Nested(q) => self.query(q),
            QueryBody::Values(rows) => rows.iter().flatten().try_for_each(|e| self.expr(e)),
            QueryBody::Table(name) if self.is_base(name) => self.table(name, Privileges::SELECT),
            QueryBody::Table(_) => Ok(()),
        }
    }

    fn select(&mut self, s: &'a Select) -> Done {
        for t in &s.from {
            self.from(t, &mut |me, f| me.table(&f.name, Privileges::SELECT))?;
        }
        for item in &s.items {
            if let SelectItem::Expr { expr, .. } = item {
                self.expr(expr)?;
            }
        }
        let rest = s.where_.iter().chain(&s.group_by).chain(&s.having);
        rest.into_iter().try_for_each(|e| self.expr(e))?;
        s.windows.iter().try_for_each(|(_, w)| self.window(w))
    }

    /// FOR UPDATE [OF ...]: the base tables of this query block.
    fn lock(&mut self, body: &'a QueryBody, of: &[Ident]) -> Done {
        let any_of = LOCKING.into_iter().fold(Privileges::NONE, |all, p| all | p);
        let verb = "SELECT with locking clause";
        match body {
            QueryBody::Select(s) => {
                let mut tables = Vec::new();
                s.from.iter().for_each(|t| base_tables(t, &mut tables));
                for f in tables {
                    let alias = f.alias.as_ref().unwrap_or(&f.name.name);
                    if self.is_base(&f.name) && (of.is_empty() || of.contains(alias)) {
                        self.any_on_table(&f.name, any_of, verb)?;
                    }
                }
                Ok(())
            }
            QueryBody::SetOp { left, right, .. } => {
                self.lock(left, of)?;
                self.lock(right, of)
            }
            QueryBody::Nested(q) => self.lock(&q.body, of),
            QueryBody::Table(name) if self.is_base(name) => self.any_on_table(name, any_of, verb),
            QueryBody::Table(_) | QueryBody::Values(_) => Ok(()),
        }
    }

    /// What FROM names; `table` says what is needed on a base table.
    pub fn from(
        &mut self,
        t: &'a TableRef,
        table: &mut dyn FnMut(&mut Self, &TableFactor) -> Done,
    ) -> Done {
        match t {
            TableRef::Table(f) if self.is_base(&f.name) => table(self, f),
            TableRef::Table(_) => Ok(()),
            TableRef::Derived { query, .. } => self.query(query),
            TableRef::Join(j) => {
                self.from(&j.left, table)?;
                self.from(&j.right, table)?;
                match &j.condition {
                    Some(JoinCondition::On(e)) => self.expr(e),
                    Some(JoinCondition::Using(_) | JoinCondition::Natural) | None => Ok(()),
                }
            }
            TableRef::List(list) => list.iter().try_for_each(|t| self.from(t, table)),
            TableRef::JsonTable(j) => self.expr(&j.doc),
        }
    }

    pub fn order(&mut self, list: &'a [OrderItem]) -> Done {
        list.iter().try_for_each(|o| self.expr(&o.expr))
    }

    pub fn limit(&mut self, limit: Option<&'a Limit>) -> Done {
        let Some(limit) = limit else { return Ok(()) };
        self.holds = true;
        self.own_limit(Some(limit))
    }

    /// LIMIT of the change itself: which rows it takes is the caller's question.
    pub fn own_limit(&mut self, limit: Option<&'a Limit>) -> Done {
        let Some(limit) = limit else { return Ok(()) };
        limit.offset.iter().chain([&limit.count]).try_for_each(|e| self.expr(e))
    }

    fn window(&mut self, w: &'a WindowSpec) -> Done {
        w.partition_by.iter().try_for_each(|e| self.expr(e))?;
        self.order(&w.order_by)?;
        let Some(frame) = &w.frame else { return Ok(()) };
        [Some(&frame.start), frame.end.as_ref()].into_iter().flatten().try_for_each(|b| match b {
            FrameBound::Preceding(e)
            | FrameBound::IntervalPreceding(e, _)
            | FrameBound::Following(e)
            | FrameBound::IntervalFollowing(e, _) => self.expr(e),
            FrameBound::UnboundedPreceding
            | FrameBound::CurrentRow
            | FrameBound::UnboundedFollowing => Ok(()),
        })
    }

    fn call(&mut self, c: &'a FunctionCall) -> Done {
        c.args.iter().try_for_each(|e| self.expr(e))?;
        self.order(&c.order_by)?;
        match &c.over {
            Some(Over::Spec(w)) => self.window(w),
            Some(Over::Name(_)) | None => Ok(()),
        }
    }

    pub fn exprs(&mut self, list: impl IntoIterator<Item = &'a Expr>) -> Done {
        list.into_iter().try_for_each(|e| self.expr(e))
    }

    pub fn expr(&mut self, e: &'a Expr) -> Done {
        if let Some(asks) = self.asks {
            self.holds |= asks(e);
        }
        match e {
            Expr::Subquery(q) | Expr::Exists(q) => self.query(q),
            Expr::Quantified { left, query, .. } | Expr::InQuery { expr: left, query, .. } => {
                self.expr(left)?;
                self.query(query)
            }
            Expr::Call(c) => self.call(c),
            Expr::JsonValue(j) => {
                self.exprs([&j.doc, &j.path])?;
                [&j.on_empty, &j.on_error].into_iter().flatten().try_for_each(|on| match on {
                    JsonOn::Default(e) => self.expr(e),
                    JsonOn::Null | JsonOn::Error => Ok(()),
                })
            }
            Expr::Literal(_)
            | Expr::Param(_)
            | Expr::Column(_)
            | Expr::UserVar(_)
            | Expr::SysVar(_)
            | Expr::Default
            | Expr::DefaultOf(_)
            | Expr::ValuesOf(_) => Ok(()),
            Expr::AssignVar { value: e, .. }
            | Expr::Unary { expr: e, .. }
            | Expr::Is { expr: e, .. }
            | Expr::Cast { expr: e, .. }
            | Expr::ConvertUsing { expr: e, .. }
            | Expr::Collate { expr: e, .. }
            | Expr::Extract { expr: e, .. }
            | Expr::WeightString { expr: e, .. }
            | Expr::GetFormat { expr: e, .. }
            | Expr::Match { against: e, .. }
            | Expr::Odbc { expr: e, .. } => self.expr(e),
            Expr::Binary { left: a, right: b, .. }
            | Expr::Regexp { expr: a, pattern: b, .. }
            | Expr::MemberOf { expr: a, array: b }
            | Expr::DateArith { date: a, amount: b, .. }
            | Expr::TimestampAdd { amount: a, date: b, .. }
            | Expr::TimestampDiff { from: a, to: b, .. } => self.exprs([&**a, &**b]),
            Expr::Like { expr, pattern, escape, .. } => {
                self.exprs([&**expr, &**pattern])?;
                self.exprs(escape.as_deref())
            }
            Expr::Between { expr, low, high, .. } => self.exprs([&**expr, &**low, &**high]),
            Expr::InList { expr, list, .. } => {
                self.expr(expr)?;
                self.exprs(list)
            }
            Expr::Row(list) | Expr::Char { args: list, .. } => self.exprs(list),
            Expr::Case { operand, whens, else_ } => {
                self.exprs(operand.as_deref())?;
                self.exprs(whens.iter().flat_map(|(a, b)| [a, b]))?;
                self.exprs(else_.as_deref())
            }
            Expr::Trim { what, expr, .. } => {
                self.exprs(what.as_deref())?;
                self.expr(expr)
            }
        }
    }

    /// Parents of foreign keys (REFERENCES) and subqueries in the elements of a definition.
    pub fn element(&mut self, of: &TableName, e: &'a TableElement) -> Done {
        match e {
            TableElement::Column(c) => self.column(of, c),
            TableElement::Key(_) => Ok(()),
            TableElement::ForeignKey(k) => self.parent(of, &k.references),
            TableElement::Check(c) => self.expr(&c.expr),
        }
    }

    /// The parent of a foreign key is one of the child's schema, unless it says otherwise.
    fn parent(&mut self, child: &TableName, parent: &References) -> Done {
        let of = parent.table.schema.as_ref().or(child.schema.as_ref());
        let (schema, table) = (self.schema_of(of)?, parent.table.name.as_str().to_owned());
        let columns = parent.columns.iter().map(|c| c.as_str().into()).collect();
        let privilege = Privileges::REFERENCES;
        let whole =
            Need::Table { privileges: privilege, schema: schema.clone(), table: table.clone() };
        self.push(whole);
        self.push(Need::Columns { privilege, schema, table, columns, beside: true, whole: false });
        Ok(())
    }

    fn column(&mut self, of: &TableName, c: &'a ColumnDef) -> Done {
        c.attrs.iter().try_for_each(|a| match a {
            ColumnAttr::References(r) => self.parent(of, r),
            ColumnAttr::Default(e)
            | ColumnAttr::DefaultExpr(e)
            | ColumnAttr::Generated { expr: e, .. }
            | ColumnAttr::Check { expr: e, .. } => self.expr(e),
            _ => Ok(()),
        })
    }

    pub fn table_option(&mut self, o: &TableOption) -> Done {
        let all = Privileges::SELECT | Privileges::UPDATE | Privileges::DELETE;
        match &o.value {
            // UNION of a MERGE table.
            OptionValue::Tables(names) => names.iter().try_for_each(|n| self.table(n, all)),
            _ => Ok(()),
        }
    }

    /// What an element of ALTER TABLE needs beside the rights on the table itself.
    pub fn alter(&mut self, old: &TableName, spec: &'a AlterSpec) -> Done {
        match spec {
            AlterSpec::RenameTo(new) => {
                self.table(old, Privileges::DROP)?;
                self.table(new, Privileges::ALTER | Privileges::CREATE | Privileges::INSERT)
            }
            AlterSpec::ExchangePartition { table, .. } => {
                let needed = Privileges::ALTER | Privileges::INSERT | Privileges::CREATE;
                self.table(old, needed | Privileges::DROP)?;
                self.table(table, needed | Privileges::DROP)
            }
            AlterSpec::DropPartition(_) | AlterSpec::TruncatePartition(_) => {
                self.table(old, Privileges::DROP)
            }
            AlterSpec::AddColumn { column, .. }
            | AlterSpec::ModifyColumn { column, .. }
            | AlterSpec::ChangeColumn { column, .. } => self.column(old, column),
            AlterSpec::AddElements(list) => list.iter().try_for_each(|e| self.element(old, e)),
            AlterSpec::AddForeignKey(k) => self.parent(old, &k.references),
            AlterSpec::AddCheck(c) => self.expr(&c.expr),
            AlterSpec::SetDefault { value, .. } => self.expr(value),
            AlterSpec::OrderBy(list) => self.order(list),
            AlterSpec::Option(o) => self.table_option(o),
            _ => Ok(()),
        }
    }
}

/// Tables named by FROM itself, not by what nests in it.
pub fn base_tables<'t>(t: &'t TableRef, out: &mut Vec<&'t TableFactor>) {
    match t {
        TableRef::Table(f) => out.push(f),
        TableRef::Join(j) => {
            base_tables(&j.left, out);
            base_tables(&j.right, out);
        }
        TableRef::List(list) => list.iter().for_each(|t| base_tables(t, out)),
        TableRef::Derived { .. } | TableRef::JsonTable(_) => {}
    }
}
