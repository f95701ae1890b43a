//! Window functions: OVER, named windows, frames.
//!
//! Calls over the same window stand together, so that rows are sorted once for them.

use super::digits::{is_long, rounded};
use super::{Bind, Binder, by_place};
use crate::errno;
use crate::func::aggregate::{self, AggKind, AggSpec};
use crate::func::infer;
use crate::query::expr::{BExpr, Node};
use crate::query::plan::{Bound, Frame, Window, WindowCall, WindowFunction};
use crate::session_api::SqlError;
use crate::value::arith::Op;
use crate::value::{IntKind, SqlType, TypeInfo};
use std::collections::HashSet;
use weir_syntax::ast::{self, FrameBound, FrameUnit, Ident, Over, WindowSpec};

/// What a window without a name is called in messages.
const UNNAMED: &str = "<unnamed window>";

fn is_window_call(e: &ast::Expr) -> bool {
    matches!(e, ast::Expr::Call(c) if c.over.is_some())
}

/// 3595: the rows of a window are known before what is worked out over them.
fn nested(window: &str) -> SqlError {
    SqlError::of(errno::ER_WINDOW_NESTED_WINDOW_FUNC_USE_IN_WINDOW_SPEC, &[&window])
}

fn of_window(errno: u16, name: &str, what: &str) -> SqlError {
    SqlError::new(errno, format!("Window '{name}'{what}"))
}

/// Windows of one block, as in MySQL.
const MAX_WINDOWS: usize = 127;

/// 4086.
pub fn refuse_many(windows: usize) -> Bind<()> {
    if windows <= MAX_WINDOWS {
        return Ok(());
    }
    Err(SqlError::of(errno::ER_TOO_MANY_WINDOWS, &[&windows, &MAX_WINDOWS]))
}

impl Binder<'_> {
    /// WINDOW clauses of the block; an error in one is reported although nothing uses it.
    pub fn name_windows(&mut self, list: &[(Ident, WindowSpec)]) -> Bind<()> {
        let mut known = HashSet::new();
        for (name, _) in list {
            if !known.insert(name.folded()) {
                let errno = errno::ER_WINDOW_DUPLICATE_NAME;
                return Err(of_window(errno, name.as_str(), " is defined twice."));
            }
        }
        self.top_mut().named_windows = list.to_vec();
        for (name, spec) in list {
            self.resolved(Some(name), spec, 0)?;
            let order = spec.order_by.iter().map(|o| &o.expr);
            if spec.partition_by.iter().chain(order).any(is_window_call) {
                return Err(nested(name.as_str()));
            }
        }
        Ok(())
    }

    fn named(&self, name: &Ident) -> Bind<WindowSpec> {
        let found = self.top().named_windows.iter().find(|(n, _)| n.is(name.as_str()));
        found.map(|(_, spec)| spec.clone()).ok_or_else(|| {
            let errno = errno::ER_WINDOW_NO_SUCH_WINDOW;
            SqlError::new(errno, format!("Window name '{name}' is not defined."))
        })
    }

    /// The window with what it inherits.
    fn resolved(&self, name: Option<&Ident>, spec: &WindowSpec, depth: usize) -> Bind<WindowSpec> {
        let Some(base_name) = &spec.base else { return Ok(spec.clone()) };
        if depth > self.top().named_windows.len() {
            return Err(SqlError::of(errno::ER_WINDOW_CIRCULARITY_IN_WINDOW_GRAPH, &[]));
        }
        let base = self.named(base_name)?;
        let base = self.resolved(Some(base_name), &base, depth + 1)?;
        let shown = name.map_or(UNNAMED, |n| n.as_str());
        if !spec.partition_by.is_empty() {
            return Err(SqlError::of(errno::ER_WINDOW_NO_CHILD_PARTITIONING, &[]));
        }
        if base.frame.is_some() {
            let what = " has a frame definition, so cannot be referenced by another window.";
            return Err(of_window(errno::ER_WINDOW_NO_INHERIT_FRAME, base_name.as_str(), what));
        }
        if !spec.order_by.is_empty() && !base.order_by.is_empty() {
            let what =
                format!(" cannot inherit '{base_name}' since both contain an ORDER BY clause.");
            return Err(of_window(errno::ER_WINDOW_NO_REDEFINE_ORDER_BY, shown, &what));
        }
        let order_by = match spec.order_by.is_empty() {
            true => base.order_by,
            false => spec.order_by.clone(),
        };
        let (partition_by, frame) = (base.partition_by, spec.frame.clone());
        Ok(WindowSpec { base: None, partition_by, order_by, frame })
    }

    pub fn window_call(&mut self, c: &ast::FunctionCall) -> Bind<BExpr> {
        let name = c.name.as_str().to_ascii_lowercase();
        let top = self.top();
        if let Some(window) = &top.in_specification {
            return Err(nested(window));
        }
        let here = matches!(top.place, "field list" | "order clause");
        if !top.agg_ok || !here || top.in_agg || top.in_window {
            return Err(SqlError::of(errno::ER_WINDOW_INVALID_WINDOW_FUNC_USE, &[&name]));
        }
        if c.ignore_nulls == Some(true) {
            return Err(SqlError::not_supported("IGNORE NULLS"));
        }
        if c.from_last {
            return Err(SqlError::not_supported("FROM LAST"));
        }
        let (shown, spec) = match &c.over {
            Some(Over::Name(n)) => {
                (n.as_str().to_owned(), self.resolved(Some(n), &self.named(n)?, 0)?)
            }
            Some(Over::Spec(s)) => (UNNAMED.to_owned(), self.resolved(None, s, 0)?),
            None => return Err(SqlError::parse("", 1)),
        };
        self.top_mut().in_window = true;
        let bound = self.window_parts(c, &name, &shown, &spec);
        self.top_mut().in_window = false;
        let (window, mut call, info) = bound?;
        let ctx = self.top_mut();
        call.at = ctx.window_calls as usize;
        ctx.window_calls += 1;
        let text = format!("{:?}|{:?}", window.partition, window.order);
        match ctx.window_texts.get(&text) {
            Some(i) => ctx.windows[*i].calls.push(call),
            None => {
                ctx.window_texts.insert(text, ctx.windows.len());
                ctx.windows.push(Window { calls: vec![call], ..window });
            }
        }
        Ok(BExpr::new(Node::Window(ctx.window_calls - 1), info))
    }

    fn window_parts(
        &mut self,
        c: &ast::FunctionCall,
        name: &str,
        shown: &str,
        spec: &WindowSpec,
    ) -> Bind<(Window, WindowCall, TypeInfo)> {
        let numbers = aggregate::lookup(name).is_some_and(AggKind::takes_numbers);
        let bind = |b: &mut Self, a| if numbers { b.numeric(a) } else { b.scalar(a) };
        let mut args = c.args.iter().map(|a| bind(self, a)).collect::<Bind<Vec<_>>>()?;
        // Averages of groups are in columns before a window reads them.
        args = args.into_iter().map(|a| if is_long(&a) { rounded(a) } else { a }).collect();
        if let Some(kind) = aggregate::lookup(name) {
            args = super::call::aggregate_arguments(kind, c, args)?;
        }
        let (function, info) = self.window_function(c, name, &args)?;
        let exprs = |b: &mut Self, list: &[ast::Expr]| {
            list.iter().map(|e| b.scalar(e)).collect::<Bind<Vec<_>>>()
        };
        let sorted = spec.partition_by.iter().chain(spec.order_by.iter().map(|o| &o.expr));
        refuse_positions(sorted, shown)?;
        let around = self.top().place;
        self.top_mut().in_specification = Some(shown.into());
        self.place("window partition by");
        let partition = exprs(self, &spec.partition_by)?;
        self.place("window order by");
        let mut order = Vec::new();
        for o in &spec.order_by {
            order.push((self.scalar(&o.expr)?, o.descending));
        }
        self.place(around);
        self.top_mut().in_specification = None;
        let frame = match &spec.frame {
            Some(f) => self.frame(f, shown, &order)?,
            None if order.is_empty() => {
                Frame { rows: true, start: Bound::Unbounded, end: Bound::Unbounded }
            }
            None => Frame { rows: false, start: Bound::Unbounded, end: Bound::Current },
        };
        // Behind the frame, for which an ENUM is no number that a RANGE could be counted from.
        let order = order.into_iter().map(|(e, descending)| (by_place(e), descending)).collect();
        let partition = partition.into_iter().map(by_place).collect();
        let call = WindowCall { function, args, frame, at: 0 };
        Ok((Window { partition, order, calls: Vec::new() }, call, info))
    }

    fn window_function(
        &mut self,
        c: &ast::FunctionCall,
        name: &str,
        args: &[BExpr],
    ) -> Bind<(WindowFunction, TypeInfo)> {
        use WindowFunction as W;
        let count = |least: usize, most: usize| match (least..=most).contains(&args.len()) {
            true => Ok(()),
            false => Err(SqlError::of(errno::ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT, &[&name])),
        };
        let number = TypeInfo::new(SqlType::LONG_UINT, false);
        let share = TypeInfo::new(SqlType::LONG_DOUBLE, false);
        let nullable = |i: TypeInfo| TypeInfo { nullable: true, ..as_bigint(i) };
        let (function, least, most, info) = match name {
            "row_number" => (W::RowNumber, 0, 0, number),
            "rank" => (W::Rank, 0, 0, number),
            "dense_rank" => (W::DenseRank, 0, 0, number),
            "percent_rank" => (W::PercentRank, 0, 0, share),
            "cume_dist" => (W::CumeDist, 0, 0, share),
            "ntile" => (W::Ntile, 1, 1, number),
            "lag" | "lead" => {
                count(1, 3)?;
                self.settle_columns(args.iter().step_by(2).map(|a| &a.info));
                let values: Vec<TypeInfo> = args.iter().step_by(2).map(|a| a.info).collect();
                let info = nullable(infer::merge(&values));
                (if name == "lag" { W::Lag } else { W::Lead }, 1, 3, info)
            }
            "first_value" | "last_value" | "nth_value" => {
                count(1, 2)?;
                let info = nullable(args[0].info);
                match name {
                    "first_value" => (W::FirstValue, 1, 1, info),
                    "last_value" => (W::LastValue, 1, 1, info),
                    _ if args.get(1).is_some_and(|n| !is_set(n) || counts_no_rows(n)) => {
                        return Err(SqlError::of(errno::ER_WRONG_ARGUMENTS, &[&"nth_value"]));
                    }
                    _ => (W::NthValue, 2, 2, info),
                }
            }
            _ => return self.aggregate_over(c, name, args),
        };
        count(least, most)?;
        Ok((function, info))
    }

    fn aggregate_over(
        &self,
        c: &ast::FunctionCall,
        name: &str,
        args: &[BExpr],
    ) -> Bind<(WindowFunction, TypeInfo)> {
        let kind = match aggregate::lookup(name) {
            Some(_) if c.star => AggKind::CountAll,
            Some(AggKind::GroupConcat) => {
                return Err(SqlError::not_supported("group_concat as window function"));
            }
            Some(kind) => kind,
            None => return Err(SqlError::parse("", 1)),
        };
        if c.distinct {
            return Err(SqlError::not_supported("<window function>(DISTINCT ..)"));
        }
        if args.is_empty() && kind != AggKind::CountAll {
            return Err(SqlError::parse(")", 1));
        }
        let infos: Vec<TypeInfo> = args.iter().map(|a| a.info).collect();
        let spec = AggSpec::new(kind, false, &infos, self.env.reads.settings.div_increment);
        let mut info = as_bigint(spec.result);
        info.ty = info.ty.without_zerofill();
        Ok((WindowFunction::Aggregate(spec), info))
    }

    fn frame(&mut self, f: &ast::WindowFrame, shown: &str, order: &[(BExpr, bool)]) -> Bind<Frame> {
        let rows = match f.unit {
            FrameUnit::Rows => true,
            FrameUnit::Range => false,
            FrameUnit::Groups => return Err(SqlError::not_supported("GROUPS")),
        };
        if f.start == FrameBound::UnboundedFollowing {
            let what = ": frame start cannot be UNBOUNDED FOLLOWING.";
            return Err(of_window(errno::ER_WINDOW_FRAME_START_ILLEGAL, shown, what));
        }
        if f.end == Some(FrameBound::UnboundedPreceding) {
            let what = ": frame end cannot be UNBOUNDED PRECEDING.";
            return Err(of_window(errno::ER_WINDOW_FRAME_END_ILLEGAL, shown, what));
        }
        let current = FrameBound::CurrentRow;
        let end = f.end.as_ref().unwrap_or(&current);
        if backwards(&f.start, end) {
            let what = ": frame start or end is negative, NULL or of non-integral type";
            return Err(of_window(errno::ER_WINDOW_FRAME_ILLEGAL, shown, what));
        }
        let start = self.bound(&f.start, rows, shown, order)?;
        let end = self.bound(end, rows, shown, order)?;
        Ok(Frame { rows, start, end })
    }

    fn bound(
        &mut self,
        b: &FrameBound,
        rows: bool,
        shown: &str,
        order: &[(BExpr, bool)],
    ) -> Bind<Bound> {
        let (amount, unit, before) = match b {
            FrameBound::UnboundedPreceding | FrameBound::UnboundedFollowing => {
                return Ok(Bound::Unbounded);
            }
            FrameBound::CurrentRow => return Ok(Bound::Current),
            FrameBound::Preceding(e) => (e, None, true),
            FrameBound::Following(e) => (e, None, false),
            FrameBound::IntervalPreceding(e, u) => (e, Some(*u), true),
            FrameBound::IntervalFollowing(e, u) => (e, Some(*u), false),
        };
        let amount = self.numeric(amount)?;
        let e = match rows {
            true if unit.is_some() => {
                let what = ": INTERVAL can only be used with RANGE frames.";
                return Err(of_window(errno::ER_WINDOW_ROWS_INTERVAL_USE, shown, what));
            }
            true if counts_no_rows(&amount) => {
                let what = ": frame start or end is negative, NULL or of non-integral type";
                return Err(of_window(errno::ER_WINDOW_FRAME_ILLEGAL, shown, what));
            }
            true => amount,
            false => self.range_end(amount, unit, before, shown, order)?,
        };
        Ok(if before { Bound::Before(e) } else { Bound::After(e) })
    }

    /// The value of the order at which a RANGE frame ends on one side.
    fn range_end(
        &self,
        amount: BExpr,
        unit: Option<ast::TimeUnit>,
        before: bool,
        shown: &str,
        order: &[(BExpr, bool)],
    ) -> Bind<BExpr> {
        let [(key, descending)] = order else {
            let what = " with RANGE N PRECEDING/FOLLOWING frame requires exactly one ORDER BY expression, of numeric or temporal type";
            return Err(of_window(errno::ER_WINDOW_RANGE_FRAME_ORDER_TYPE, shown, what));
        };
        // Before the current row stand smaller values, or larger ones where the order descends.
        let subtract = before != *descending;
        let (temporal, numeric) = (key.info.ty.is_temporal(), key.info.ty.is_numeric());
        match unit {
            _ if !temporal && !numeric => {
                let what = " with RANGE N PRECEDING/FOLLOWING frame requires exactly one ORDER BY expression, of numeric or temporal type";
                Err(of_window(errno::ER_WINDOW_RANGE_FRAME_ORDER_TYPE, shown, what))
            }
            None if temporal => {
                let what = " with RANGE frame has ORDER BY expression of datetime type. Only INTERVAL bound value allowed.";
                Err(of_window(errno::ER_WINDOW_RANGE_FRAME_TEMPORAL_TYPE, shown, what))
            }
            Some(_) if numeric => {
                let what = " with RANGE frame has ORDER BY expression of numeric type, INTERVAL bound value not allowed.";
                Err(of_window(errno::ER_WINDOW_RANGE_FRAME_NUMERIC_TYPE, shown, what))
            }
            Some(_) if !is_set(&amount) => {
                let what = " has a non-constant frame bound.";
                Err(of_window(errno::ER_WINDOW_FRAME_BOUND_NOT_CONSTANT, shown, what))
            }
            Some(u) => {
                let (date, amount) = (Box::new(key.clone()), Box::new(amount));
                let unit = super::expr::unit(u);
                let node = Node::DateAdd { date, amount, unit, subtract };
                Ok(BExpr::new(node, TypeInfo::new(key.info.ty, true)))
            }
            None => {
                // As numbers that have room for what is beyond the column's type.
                let wide = |e: BExpr| {
                    let ty = match e.info.ty {
                        SqlType::Int { .. } | SqlType::Year => SqlType::decimal(30, 0),
                        ty => ty,
                    };
                    let target =
                        crate::value::cast::CastTarget::Decimal { precision: 30, scale: 0 };
                    match ty == e.info.ty {
                        true => e,
                        false => {
                            let info = TypeInfo::new(ty, e.info.nullable);
                            BExpr::new(Node::Cast(target, Box::new(e)), info)
                        }
                    }
                };
                let op = if subtract { Op::Sub } else { Op::Add };
                let node = Node::Arith(op, Box::new(wide(key.clone())), Box::new(amount));
                Ok(BExpr::new(node, TypeInfo::new(SqlType::DOUBLE, true)))
            }
        }
    }
}

/// A number with a fraction.
fn counts_no_rows(n: &BExpr) -> bool {
    matches!(n.info.ty, SqlType::Decimal { .. } | SqlType::Float { .. } | SqlType::Double { .. })
}

/// A value that is the same for all rows because it was written or set before.
fn is_set(n: &BExpr) -> bool {
    let mut set = true;
    n.walk(&mut |e| set &= !matches!(e.node, Node::Col(_) | Node::Agg(_)));
    set
}

/// 3592: an integer alone would be a place in the select list elsewhere.
fn refuse_positions<'e>(sorted: impl Iterator<Item = &'e ast::Expr>, shown: &str) -> Bind<()> {
    let is_place = |e: &ast::Expr| matches!(e, ast::Expr::Literal(ast::Literal::Int(_)));
    match sorted.into_iter().any(is_place) {
        true => {
            let what = ": ORDER BY or PARTITION BY uses legacy position indication which is not supported, use expression.";
            Err(of_window(errno::ER_WINDOW_ILLEGAL_ORDER_BY, shown, what))
        }
        false => Ok(()),
    }
}

/// An integer is a BIGINT there, as long as it was.
fn as_bigint(i: TypeInfo) -> TypeInfo {
    match i.ty {
        SqlType::Int { kind, unsigned, .. } if kind != IntKind::Big => {
            let ty = SqlType::wide_int(kind.display_width(unsigned) as u8, unsigned);
            TypeInfo { ty, ..i }
        }
        _ => i,
    }
}

/// A frame that begins behind where it ends, whatever the numbers.
fn backwards(start: &FrameBound, end: &FrameBound) -> bool {
    let rank = |b: &FrameBound| match b {
        FrameBound::UnboundedPreceding => 0,
        FrameBound::Preceding(_) | FrameBound::IntervalPreceding(..) => 1,
        FrameBound::CurrentRow => 2,
        FrameBound::Following(_) | FrameBound::IntervalFollowing(..) => 3,
        FrameBound::UnboundedFollowing => 4,
    };
    rank(start) > rank(end)
}
