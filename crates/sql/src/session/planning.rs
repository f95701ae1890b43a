//! Plans of statements: made under the limits of the session, and looked at again for the values of another run.

use super::Session;
use crate::errno;
use crate::query::{self, PlanEnv};
use crate::session_api::SqlError;
use crate::value::Value;
use weir_syntax::ast::Statement;

impl Session {
    pub(super) async fn plan(
        &mut self,
        stmt: &Statement,
        params: &[Value<'static>],
    ) -> Result<query::Plan, SqlError> {
        self.check_query(stmt)?;
        self.plan_in(stmt, self.plan_env(params)).await
    }

    /// A plan, made within the time that a SELECT may take: what plans looks at the clock, and execution begins with a limit of its own.
    pub(super) async fn plan_in(
        &self,
        stmt: &Statement,
        env: PlanEnv<'_>,
    ) -> Result<query::Plan, SqlError> {
        let limit = match stmt {
            Statement::Select(_) | Statement::Explain(_) => query::hints::time_limit(stmt),
            _ => Some(0),
        };
        self.info.limit_time(limit.unwrap_or(self.settings.max_execution));
        let plan = self.plan_unlimited(stmt, env).await;
        self.info.limit_time(0);
        plan
    }

    /// A plan of open types is made for the values at hand: those of other types ask for another one.
    pub(super) async fn plan_unlimited(
        &self,
        stmt: &Statement,
        env: PlanEnv<'_>,
    ) -> Result<query::Plan, SqlError> {
        let plan = match by_priority!(self, Box::pin(query::plan(stmt, &env))) {
            // A computed table is written to.
            Err(e)
                if e.errno == errno::ER_DBACCESS_DENIED_ERROR
                    && Box::pin(self.make_written(stmt)).await? =>
            {
                by_priority!(self, Box::pin(query::plan(stmt, &env)))
            }
            done => done,
        }?;
        if !plan.has_open_types() || env.params.is_empty() {
            return Ok(plan);
        }
        let env = PlanEnv { typed_params: true, ..env };
        by_priority!(self, Box::pin(query::plan(stmt, &env)))
    }

    pub(super) fn plan_env<'s>(&'s self, params: &'s [Value<'static>]) -> PlanEnv<'s> {
        let collects = self.collecting;
        PlanEnv { collects, ..PlanEnv::new(reads!(self), &self.user_vars, params) }
    }
}
