//! `c IS NULL` as the whole condition of WHERE finds the row that was inserted last where `c` is an AUTO_INCREMENT column and `sql_auto_is_null` is
//! ON: it is `c = LAST_INSERT_ID()` then. Programs that reach the server by ODBC ask so for a row that they have just inserted (manual,
//! `sql_auto_is_null`). Before the first generated value no row can be it.

use super::operator::compare_exprs;
use super::{Bind, Binder};
use crate::func::facts::Form;
use crate::query::expr::{BExpr, CmpOp, Node, Truth};
use crate::query::plan::raw::Raw;
use crate::query::plan::{Source, TableSlot};
use crate::value::{SqlType, TypeInfo, Value};
use crate::vars::{SetTarget, Var};

impl Binder<'_> {
    /// Behind the binding of all conditions of a block.
    pub fn find_inserted(&mut self, tables: &[TableSlot], raw: &mut Raw) -> Bind<()> {
        let [condition] = &raw.conds[..] else { return Ok(()) };
        let asked = match &condition.node {
            Node::Is { expr, test: Truth::Null, negated: false } => &**expr,
            Node::Func(def, args) if def.form == Form::IsNull && args.len() == 1 => &args[0],
            _ => return Ok(()),
        };
        let Some(table) = numbered(tables, asked) else { return Ok(()) };
        if raw.groups.iter().any(|g| g.tables & (1 << table) != 0) {
            return Ok(());
        }
        // The variable may be another one when the plan is used again.
        self.cacheable = false;
        if !self.env.reads.vars.bool(Var::sql_auto_is_null) {
            return Ok(());
        }
        let last = BExpr::new(
            Node::SysVar(Var::last_insert_id, SetTarget::Session),
            TypeInfo::new(SqlType::UBIGINT, false),
        );
        let column = asked.clone();
        let none = BExpr::constant(Value::Int(0));
        raw.conds = vec![
            compare_exprs(CmpOp::Eq, column, last.clone())?,
            compare_exprs(CmpOp::Ne, last, none)?,
        ];
        Ok(())
    }
}

/// The table of an AUTO_INCREMENT column.
fn numbered(tables: &[TableSlot], e: &BExpr) -> Option<u16> {
    let Node::Col(c) = e.node else { return None };
    if c.depth > 0 {
        return None;
    }
    match &tables[usize::from(c.table)].source {
        Source::Table(t) => {
            let column = t.meta.columns.get(usize::from(c.col));
            column.is_some_and(|c| c.auto_increment).then_some(c.table)
        }
        _ => None,
    }
}
