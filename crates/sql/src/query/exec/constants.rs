//! Constant texts beside columns of numbers, dates and times ([`Beside`]): some must be such values themselves, whatever rows there are.

use super::Runner;
use crate::query::eval::eval;
use crate::query::eval::frame::Frame;
use crate::query::plan::beside::Beside;
use crate::query::plan::outcome::Run;
use crate::query::plan::{Kind, Plan};
use crate::value::compare::check_temporal;
use crate::value::types::Class;
use crate::value::{EvalCtx, SqlType, Value, ValueError, Warnings};

impl Beside {
    /// 1525 for what is no date. Where rows change in a strict mode it is 1292, since the constant becomes a value of the column
    /// first: of a column of numbers, too.
    fn check(&self, v: &Value<'_>, strict: bool, cx: &mut EvalCtx<'_>) -> Result<(), ValueError> {
        if !v.is_string() {
            return Ok(());
        }
        if !self.ty.is_numeric() {
            let checked = check_temporal(v, &self.ty, cx);
            let Some(column) = self.column.as_ref().filter(|_| strict) else { return checked };
            // What the column would have to cut off is no value of it either.
            let cut = || v.find_datetime(cx).is_some_and(|found| found.truncated);
            if checked.is_ok() && (self.local || !cut()) {
                return Ok(());
            }
            let kind = if self.ty == SqlType::Date { "date" } else { "datetime" };
            let text = v.to_string_lossy().unwrap_or_default();
            return Err(ValueError::incorrect_temporal(kind, &text, column, 1));
        }
        if !strict {
            return Ok(());
        }
        let mut said = Warnings::with_limit(1);
        match self.ty.class() {
            Class::Decimal => _ = v.to_decimal(&mut said),
            _ => _ = v.to_f64(&mut said),
        }
        said.strict_error().map_or(Ok(()), Err)
    }
}

impl Runner<'_, '_> {
    pub fn check_constants(&mut self, plan: &Plan) -> Run<()> {
        let ignore = match &plan.kind {
            Kind::Insert(p) => p.ignore,
            Kind::Change(p) => p.ignore,
            _ => true,
        };
        let strict = !ignore && self.ev.cx.mode.strict();
        // What is raised on the way to the text is raised again where it is compared.
        let warnings = std::mem::replace(&mut self.ev.cx.warnings, Warnings::with_limit(0));
        let frame = Frame::empty(self.params);
        let checked = plan.constants.iter().try_for_each(|b| {
            let v = eval(&b.value, &frame, &mut self.ev)?;
            b.check(&v, strict, &mut self.ev.cx)
        });
        self.ev.cx.warnings = warnings;
        Ok(checked?)
    }
}
