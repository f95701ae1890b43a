//! The plans and expressions of a program's instructions, made when one is first met and kept with it.

use super::host::What;
use crate::account::Access;
use crate::context::{Reads, Shared, StatementCtx, UserVars};
use crate::ddl::refused::value_error;
use crate::errno;
use crate::query::bind::bind_alone;
use crate::query::eval::frame::Frame;
use crate::query::eval::{Ev, eval, is_true};
use crate::query::expr::BExpr;
use crate::query::make;
use crate::query::plan::Plan;
use crate::query::plan::code::{Code, Kept, of_object};
use crate::query::plan::env::PlanEnv;
use crate::session_api::SqlError;
use crate::value::Value;
use std::sync::Arc;
use weir_syntax::ast::{Expr, Ident, Query, SelectItem, Statement};

impl Code {
    /// The expression of an instruction, if it needs no plan.
    fn bound(
        &self,
        at: usize,
        e: &Expr,
        vars: &[Value<'static>],
        cx: &StatementCtx<'_>,
    ) -> Result<Option<Arc<BExpr>>, SqlError> {
        match self.kept(at) {
            Kept::Value(e) => return Ok(Some(e)),
            Kept::Plan(_) => return Ok(None),
            Kept::Nothing => {}
        }
        let env =
            PlanEnv { locals: &self.infos, ..PlanEnv::new(cx.reads, &*cx.changes.user_vars, vars) };
        let Some((bound, keeps, _)) = bind_alone(e, &env)? else { return Ok(None) };
        let bound = Arc::new(bound);
        if keeps {
            self.keep(at, Kept::Value(bound.clone()));
        }
        Ok(Some(bound))
    }

    /// The value of an expression. `None`: it needs a plan.
    pub fn value(
        &self,
        at: usize,
        e: &Expr,
        vars: &[Value<'static>],
        cx: &mut StatementCtx<'_>,
    ) -> Result<Option<Value<'static>>, SqlError> {
        let Some(bound) = self.bound(at, e, vars, cx)? else { return Ok(None) };
        evaluate(cx, |ev| strictly(&bound, vars, ev)).map(Some)
    }

    /// The value of a procedure's argument, bound for this one time.
    pub fn argument(
        &self,
        e: &Expr,
        vars: &[Value<'static>],
        cx: &mut StatementCtx<'_>,
    ) -> Result<Option<Value<'static>>, SqlError> {
        let env =
            PlanEnv { locals: &self.infos, ..PlanEnv::new(cx.reads, &*cx.changes.user_vars, vars) };
        let Some((bound, ..)) = bind_alone(e, &env)? else { return Ok(None) };
        evaluate(cx, |ev| strictly(&bound, vars, ev)).map(Some)
    }

    /// The value of an expression that is bound for this one time, of which nothing is made that has a type of its own.
    pub fn value_anew(
        &self,
        e: &Expr,
        vars: &[Value<'static>],
        cx: &mut StatementCtx<'_>,
    ) -> Result<Option<Value<'static>>, SqlError> {
        let env =
            PlanEnv { locals: &self.infos, ..PlanEnv::new(cx.reads, &*cx.changes.user_vars, vars) };
        let Some((bound, ..)) = bind_alone(e, &env)? else { return Ok(None) };
        evaluate(cx, |ev| Ok(eval(&bound, &Frame::empty(vars), ev)?.into_owned())).map(Some)
    }

    /// Whether a condition holds. `None`: it needs a plan.
    pub fn holds(
        &self,
        at: usize,
        e: &Expr,
        vars: &[Value<'static>],
        cx: &mut StatementCtx<'_>,
    ) -> Result<Option<bool>, SqlError> {
        let Some(bound) = self.bound(at, e, vars, cx)? else { return Ok(None) };
        evaluate(cx, |ev| is_true(&bound, &Frame::empty(vars), ev)).map(Some)
    }

    /// What a plan of the program is made from.
    pub fn env<'e>(
        &'e self,
        reads: Reads<'e>,
        user_vars: &'e UserVars,
        vars: &'e [Value<'static>],
    ) -> PlanEnv<'e> {
        PlanEnv { locals: &self.infos, ..PlanEnv::new(reads, user_vars, vars) }
    }

    /// The plan of a statement, a cursor, or an expression that needs one.
    pub async fn plan(
        &self,
        at: usize,
        what: &What<'_>,
        vars: &[Value<'static>],
        reads: Reads<'_>,
        user_vars: &UserVars,
    ) -> Result<Arc<Plan>, SqlError> {
        let free = reads.locked.is_none();
        if let Kept::Plan(p) = self.kept(at)
            && free
            && p.catalog_version() == reads.db().catalog_version()
            && !p.is_outgrown()
        {
            return Ok(p);
        }
        let env = PlanEnv {
            locals: &self.infos,
            collects: !matches!(what, What::Statement(_)),
            ..PlanEnv::new(reads, user_vars, vars)
        };
        let made;
        let stmt = match what {
            What::Statement(s) => *s,
            What::Query(q) => {
                made = Statement::Select(Box::new((*q).clone()));
                &made
            }
            What::Value(e) => {
                made = Statement::Select(Box::new(query_of((*e).clone())));
                &made
            }
        };
        let plan = Arc::new(make::make(stmt, &env).await?);
        if free && plan.is_cacheable() {
            self.keep(at, Kept::Plan(plan.clone()));
        }
        Ok(plan)
    }
}

/// `SELECT e`.
fn query_of(e: Expr) -> Query {
    Query::of_items(vec![SelectItem::Expr {
        expr: e,
        alias: Some(Ident::new("v")),
        text: "v".into(),
    }])
}

/// What a variable, a parameter or a result is given: in strict modes what an INSERT refuses is refused here too.
fn strictly(
    bound: &BExpr,
    vars: &[Value<'static>],
    ev: &mut Ev<'_>,
) -> Result<Value<'static>, crate::value::ValueError> {
    ev.cx.strict_dml = ev.cx.mode.strict();
    let value = eval(bound, &Frame::empty(vars), ev)?.into_owned();
    ev.refuse_strict()?;
    Ok(value)
}

fn evaluate<T>(
    cx: &mut StatementCtx<'_>,
    work: impl FnOnce(&mut Ev<'_>) -> Result<T, crate::value::ValueError>,
) -> Result<T, SqlError> {
    let mut ev = Ev {
        cx: cx.reads.eval(cx.now_micros),
        vars: cx.reads.vars,
        user_vars: cx.changes.user_vars,
        lists: Default::default(),
    };
    let done = work(&mut ev);
    cx.changes.warnings.absorb(ev.cx.warnings);
    done.map_err(value_error)
}

/// The rights of a program's definer, or 1449.
pub fn definer(shared: &Shared, user: &str, host: &str) -> Result<Access, SqlError> {
    match shared.accounts.get(user, host) {
        Some(account) => Ok(shared.accounts.access(&account, host)),
        None => Err(SqlError::of(errno::ER_NO_SUCH_USER, &[&user, &host])),
    }
}

/// Whether a program can be a trigger of its table: its columns of NEW and OLD are there.
pub fn check_trigger(
    reads: Reads<'_>,
    o: &Arc<weir_engine::Object>,
) -> Result<(), crate::session_api::SqlError> {
    of_object(reads, o).map(|_| ())
}
