//! Function calls and aggregates.

use super::digits::{is_long, rounded, whole_average};
use super::fixed_places::near_where_fixed;
use super::literal::{as_bytes, as_json, json_as_text, no_geometries};
use super::operator::compare_exprs;
use super::select::position;
use super::{AGGREGATE, Bind, Binder, by_place};
use crate::ddl::refused::value_error;
use crate::errno;
use crate::func::aggregate::{self, AggKind, AggSpec, MAX_BINARY, too_many_bits};
use crate::func::concat::concatenated;
use crate::func::control::NULLIF_COMPARED;
use crate::func::facts::{Arg, Id};
use crate::func::special::{self, Special, WaitFor};
use crate::func::{self, FuncDef};
use crate::query::expr::collations::{
    in_one_collation, no_bytes_beside_texts, of_connection, one_explicit, result_type,
};
use crate::query::expr::{BExpr, CmpOp, ColRef, Node};
use crate::query::plan::code::{check_count, does_not_exist, load};
use crate::query::plan::deprecated::Deprecated;
use crate::query::plan::{Sub, SubKind};
use crate::session_api::SqlError;
use crate::value::cast::CastTarget;
use crate::value::types::coercibility;
use crate::value::{Class, Collation, SqlType, TypeInfo, Value, ValueError};
use std::sync::Arc;
use weir_engine::ObjectKind;
use weir_syntax::ast;

impl Binder<'_> {
    pub fn func(&mut self, name: &str, args: Vec<BExpr>) -> Bind<BExpr> {
        let Some(def) = func::lookup(name) else {
            let schema = self.env.reads.schema.unwrap_or("");
            return Err(SqlError::new(
                errno::ER_SP_DOES_NOT_EXIST,
                format!("FUNCTION {schema}.{name} does not exist"),
            ));
        };
        def.check_arity(args.len()).map_err(value_error)?;
        let args = match func::json::knows_json(def.name) {
            true => args,
            false => with_json_as_text(def, args),
        };
        let args = match def.branches {
            Some(first) => {
                let mut args = args;
                let branches = args.split_off(usize::from(first).min(args.len()));
                let branches = self.branches(branches).into_iter();
                // IF() gives what it chooses, and others a value of their type.
                args.extend(branches.map(|b| if def.id == Id::If { whole_average(b) } else { b }));
                args
            }
            None => args,
        };
        let texts = args.into_iter().enumerate();
        let args: Vec<BExpr> =
            texts.map(|(i, a)| if def.arg(i) == Arg::Text { as_text(a) } else { a }).collect();
        let degrees = func::geo::takes_degrees(def, args.len());
        let plain = degrees || matches!(def.id, Id::Like | Id::Least | Id::Greatest);
        let computes = |i| plain || matches!(def.arg(i), Arg::Number | Arg::Digits);
        let numbers = args.iter().enumerate().filter(|(i, _)| computes(*i));
        no_geometries(numbers.map(|(_, a)| a), &def.name.to_ascii_lowercase())?;
        if let Some(compared) = func::regexp::compared_texts(def) {
            no_bytes_beside_texts(
                def,
                &args[..compared.min(args.len())],
                self.env.reads.settings.collation,
            )?;
        }
        one_explicit(def, &args)?;
        let args = in_one_collation(def, args)?;
        super::lengths::check_digits(def, &args)?;
        if def.id == Id::WeightString && args.first().is_some_and(|a| a.info.ty.is_numeric()) {
            // What is no text weighs nothing, and is not looked at.
            return Ok(BExpr::new(Node::Const(Value::Null), (def.infer)(&[])));
        }
        let given = args.first().is_some_and(|a| a.info.ty.is_geometry());
        let def = if given { func::geo::of_geometry(def) } else { def };
        let def = match def.id {
            Id::Field if args.iter().any(|a| a.info.ty.is_numeric()) => {
                &func::string::FIELD_OF_NUMBERS
            }
            _ => def,
        };
        let infos: Vec<TypeInfo> = args.iter().map(|a| a.info).collect();
        let mut info = result_type(def, &infos, self.env.reads.settings.collation);
        super::digits::with_digits_of_texts(def, &args, &mut info);
        super::lengths::with_known_digits(def, &args, &mut info);
        super::lengths::with_known_length(def, &args, &mut info);
        if def.branches.is_none() && !matches!(def.id, Id::Nullif | Id::Version | Id::MakeSet) {
            info = self.null_if_malformed(info);
        }
        let def = self.with_known_format(def, &args, &mut info);
        let long = args.iter().any(is_long);
        let call = BExpr::new(Node::Func(def, args), info);
        Ok(if long { rounded(call) } else { call })
    }

    /// Expressions of which one gives the value: beside a text, the others are what they are as texts.
    pub fn branches(&mut self, branches: Vec<BExpr>) -> Vec<BExpr> {
        let branches = self.settled(branches);
        let infos: Vec<TypeInfo> = branches.iter().map(|a| a.info).collect();
        // Also where none is a text, as of a BIT and a TIME.
        match func::infer::merge(&infos).ty {
            ty if ty.is_string() => branches.into_iter().map(as_text).collect(),
            // A double takes all digits of a quotient.
            SqlType::Double { .. } => branches.into_iter().map(super::digits::unrounded).collect(),
            _ => branches,
        }
    }

    /// COERCIBILITY(): a fact of the expression, whatever its value.
    fn coercibility(&mut self, args: &[ast::Expr]) -> Bind<BExpr> {
        let [arg] = args else {
            return Err(value_error(ValueError::wrong_parameter_count("COERCIBILITY")));
        };
        let e = self.scalar(arg)?;
        let null = matches!(e.node, Node::Const(Value::Null));
        let claim = match e.info.ty.class() {
            _ if null => coercibility::IGNORABLE,
            Class::Text => e.info.coercibility,
            Class::Json => coercibility::IMPLICIT,
            _ if e.is_untyped() && !self.is_number(arg, &e) => e.info.coercibility,
            _ => coercibility::NUMERIC,
        };
        let mut e = BExpr::constant(Value::Int(i64::from(claim)));
        e.info.ty = SqlType::wide_int(10, false);
        Ok(e)
    }

    /// CHARSET() and COLLATION() of a text: facts of the expression too, also where its value is NULL.
    fn text_fact(&mut self, c: &ast::FunctionCall, charset: bool) -> Bind<Option<BExpr>> {
        let [arg] = c.args.as_slice() else { return Ok(None) };
        let e = self.scalar(arg)?;
        let number = e.info.ty.is_numeric() || e.info.ty.is_temporal();
        let own = match e.info.ty {
            // What a document's column has is not what expressions have.
            SqlType::Json if !matches!(e.node, Node::Col(_)) => Some(Collation::Utf8mb4Bin),
            SqlType::Json => Some(Collation::Binary),
            ty => ty.collation().or(number.then_some(Collation::Binary)),
        };
        let Some(collation) = own.filter(|_| !e.is_untyped()) else {
            return Ok(None);
        };
        let name = if charset { collation.charset().name() } else { collation.name() };
        let names = Collation::Utf8mb3GeneralCi;
        let mut fact = BExpr::constant(Value::text(name.as_bytes().to_vec(), names));
        fact.info =
            self.null_if_malformed(TypeInfo { ty: SqlType::varchar(64, names), ..fact.info });
        Ok(Some(fact))
    }

    pub fn call(&mut self, c: &ast::FunctionCall) -> Bind<BExpr> {
        let name = c.name.as_str();
        if c.over.is_some() {
            return self.window_call(c);
        }
        if let Some(s) = &c.schema {
            return self.stored_function(Some(s.as_str()), name, &c.args);
        }
        if c.apart {
            return self.stored_function(None, name, &c.args).map_err(|e| match e.errno {
                errno::ER_SP_DOES_NOT_EXIST => {
                    let schema = self.env.reads.schema.unwrap_or("");
                    let full = format!("{schema}.{name}");
                    SqlError::of(errno::ER_FUNC_INEXISTENT_NAME_COLLISION, &[&full])
                }
                _ => e,
            });
        }
        if let Some(kind) = aggregate::lookup(name) {
            return self.aggregate(kind, c);
        }
        if let Some(special) = special::lookup(name) {
            return self.special(special, &c.args);
        }
        // They are nothing without OVER.
        if crate::func::names::is_window_function(&name.to_ascii_uppercase()) {
            return Err(SqlError::parse("", 1));
        }
        match func::lookup(name) {
            Some(def) => self.built_in(def, c),
            None => self.stored_function(None, name, &c.args).map_err(|e| match e.errno {
                1046 | 1305 => func::refused::error(name).map_or(e, value_error),
                _ => e,
            }),
        }
    }

    fn special(&mut self, special: Special, args: &[ast::Expr]) -> Bind<BExpr> {
        match special {
            Special::Sleep => self.sleep(args),
            Special::GetLock => self.get_lock(args),
            Special::Wait(what) => self.wait_for(what, args),
            Special::Coercibility => self.coercibility(args),
            Special::Benchmark => self.benchmark(args),
            Special::Grouping => self.grouping(args),
            Special::LoadFile => self.load_file(args),
            Special::NameConst => self.name_const(args),
        }
    }

    /// A call of a function that has a row.
    fn built_in(&mut self, def: &'static FuncDef, c: &ast::FunctionCall) -> Bind<BExpr> {
        let name = c.name.as_str();
        match def.id {
            Id::Charset | Id::Collation => {
                if let Some(fact) = self.text_fact(c, def.id == Id::Charset)? {
                    return Ok(fact);
                }
            }
            Id::AnyValue => return self.any_value(name, &c.args),
            Id::FoundRows => self.deprecated(Deprecated::FoundRows),
            _ => {}
        }
        let mut args = Vec::with_capacity(c.args.len());
        for (i, a) in c.args.iter().enumerate() {
            args.push(match def.arg(i) {
                _ if func::json::takes_value(def.name, i) => {
                    as_json(Some(a), whole_average(self.scalar(a)?))
                }
                Arg::Number | Arg::Choice => self.numeric(a)?,
                Arg::Digits if self.is_hex(a) => self.numeric(a)?,
                Arg::Time => super::digits::as_date_or_time(self.scalar(a)?),
                _ => self.scalar(a)?,
            });
        }
        self.varying |= !def.is_pure();
        self.draws |= def.draws();
        match def.id {
            Id::Rand if !args.is_empty() => return self.seeded(args),
            Id::Least | Id::Greatest => {
                self.tell_json_compared(args.iter(), "in the LEAST and GREATEST operators");
            }
            Id::Field if args.iter().any(is_number) => {
                for (e, written) in args.iter_mut().zip(&c.args) {
                    if self.is_hex(written) {
                        *e = self.numeric(written)?;
                    }
                }
                args = args.into_iter().map(by_place).collect();
            }
            // As a definition writes it, so that a key made of ROUND(a) serves both spellings.
            Id::Round if args.len() == 1 => args.push(BExpr::constant(Value::Int(0))),
            _ => {}
        }
        let call = self.func(def.name, args).map_err(|e| as_written(e, def.name, name))?;
        match &c.args[..] {
            [left, right] if def.id == Id::Nullif => self.null_if(left, right, call),
            _ => Ok(of_connection(call, self.env.reads.settings.collation)),
        }
    }

    /// NULLIF() compares as `=` does: an ENUM beside a number is one.
    fn null_if(&mut self, left: &ast::Expr, right: &ast::Expr, call: BExpr) -> Bind<BExpr> {
        let Node::Func(_, args) = call.node else { return Ok(call) };
        let Ok([a, b]) = <[BExpr; 2]>::try_from(args) else {
            return Err(SqlError::internal("NULLIF without its arguments"));
        };
        let (x, y) = self.operands((left, a.clone()), (right, b));
        let equal = near_where_fixed(compare_exprs(CmpOp::Eq, x, y)?);
        let a = whole_average(self.settle_literal(a));
        let long = is_long(&a);
        let mut info = TypeInfo { nullable: true, ..a.info };
        // A number, whatever it is made of.
        if info.ty == SqlType::BOOL {
            info.ty = SqlType::BIGINT;
        }
        let call = BExpr::new(Node::Func(&NULLIF_COMPARED, vec![a, equal]), info);
        Ok(if long { rounded(call) } else { call })
    }

    /// A call of a stored function, 1305 if there is none of that name.
    fn stored_function(
        &mut self,
        schema: Option<&str>,
        name: &str,
        args: &[ast::Expr],
    ) -> Bind<BExpr> {
        let reads = self.env.reads;
        // In a view a name alone is first one of the view's schema, whatever the session's is.
        let of_view = self.views.last().map(|v| v.schema.clone()).filter(|_| schema.is_none());
        let of_view = match &of_view {
            Some(s) => load(reads, ObjectKind::Function, s, name)?.map(|code| (s.as_str(), code)),
            None => None,
        };
        let Some(schema) = of_view.as_ref().map(|(s, _)| *s).or(schema).or(reads.schema) else {
            return Err(SqlError::no_database());
        };
        let found = match of_view {
            Some((_, code)) => Some(code),
            None => load(reads, ObjectKind::Function, schema, name)?,
        };
        let code = found.ok_or_else(|| does_not_exist("FUNCTION", schema, name))?;
        self.needs_routine(schema, &code.meta.name);
        check_count(&code, args.len())?;
        let args = args.iter().map(|a| self.scalar(a)).collect::<Bind<Vec<_>>>()?;
        let mut windows = false;
        let mut look = |e: &BExpr| windows |= matches!(e.node, Node::Window(_));
        args.iter().for_each(|a| a.walk(&mut look));
        if windows {
            let what = "window function in an argument of a stored function";
            return Err(SqlError::not_supported(what));
        }
        let Some((_, result)) = &code.meta.returns else {
            return Err(SqlError::internal("a function without a type"));
        };
        let info = TypeInfo::column(result.ty, true);
        let tables = args.iter().fold(0, |bits, a| bits | self.expr_tables(a));
        self.varying = true;
        // The same call twice gives the same value, if the function says so: GROUP BY f(x) is the f(x) of the select list.
        let text = format!("call {:p} {args:?}", Arc::as_ptr(&code));
        let same = |s: &Sub| matches!(&s.kind, SubKind::Call(c, _) if Arc::ptr_eq(c, &code));
        let known = self.known_sub(&text, same).filter(|_| code.meta.deterministic);
        let sub = match known {
            Some(at) => at,
            None => {
                let draws = !code.meta.deterministic;
                let kind = SubKind::Call(code, args.clone());
                let (plan, correlated, sums) = (None, true, false);
                self.push_known(
                    text,
                    Sub { kind, plan, correlated, tables, sums, draws, guard: None },
                )
            }
        };
        Ok(BExpr::new(Node::Call { sub, args }, info))
    }

    fn sleep(&mut self, args: &[ast::Expr]) -> Bind<BExpr> {
        let [arg] = args else {
            return Err(value_error(ValueError::wrong_parameter_count("SLEEP")));
        };
        let arg = self.scalar(arg)?;
        let tables = self.expr_tables(&arg);
        let info = TypeInfo::new(SqlType::LONG_INT, false);
        Ok(self.run_before(SubKind::Sleep(arg), tables, info))
    }

    fn benchmark(&mut self, args: &[ast::Expr]) -> Bind<BExpr> {
        let [n, e] = args else {
            return Err(value_error(ValueError::wrong_parameter_count("BENCHMARK")));
        };
        let (n, e) = (self.numeric(n)?, self.scalar(e)?);
        let tables = self.expr_tables(&n) | self.expr_tables(&e);
        let info = TypeInfo::new(SqlType::BOOL, true);
        let args = vec![n.clone(), e.clone()];
        let done = self.run_before(SubKind::Benchmark(n, e), tables, info);
        // Subqueries in it are run before it, which is seen in its arguments.
        Ok(match done.node {
            Node::Sub(sub) => BExpr::new(Node::Call { sub, args }, info),
            other => BExpr::new(other, info),
        })
    }

    fn get_lock(&mut self, args: &[ast::Expr]) -> Bind<BExpr> {
        let [name, limit] = args else {
            return Err(value_error(ValueError::wrong_parameter_count("GET_LOCK")));
        };
        let (name, limit) = (as_text(self.scalar(name)?), self.numeric(limit)?);
        let tables = self.without_subqueries("GET_LOCK()", &[&name, &limit])?;
        let info = TypeInfo::new(SqlType::BOOL, true);
        Ok(self.run_before(SubKind::GetLock(name, limit), tables, info))
    }

    /// WAIT_FOR_EXECUTED_GTID_SET and its family: a text, and perhaps a text at the end.
    fn wait_for(&mut self, what: WaitFor, args: &[ast::Expr]) -> Bind<BExpr> {
        let (name, least, most) = what.shape();
        let upper = name.to_ascii_uppercase();
        if !(least..=most).contains(&args.len()) {
            return Err(value_error(ValueError::wrong_parameter_count(&upper)));
        }
        let mut bound = Vec::with_capacity(args.len());
        for (at, arg) in args.iter().enumerate() {
            bound.push(match at {
                0 | 3 => as_text(self.scalar(arg)?),
                _ => self.numeric(arg)?,
            });
        }
        let tables =
            self.without_subqueries(&format!("{upper}()"), &bound.iter().collect::<Vec<_>>())?;
        let info = TypeInfo::new(SqlType::LONG_INT, true);
        Ok(self.run_before(SubKind::Wait(what, bound), tables, info))
    }

    /// NAME_CONST(name, value): the value; the parser gives the column its name. Both are literals, the value perhaps behind a sign or before COLLATE.
    fn name_const(&mut self, args: &[ast::Expr]) -> Bind<BExpr> {
        let [name, value] = args else {
            return Err(value_error(ValueError::wrong_parameter_count("NAME_CONST")));
        };
        // A literal in a condition is a parameter when the plan may be kept.
        let literal = |e: &ast::Expr| matches!(e, ast::Expr::Literal(_) | ast::Expr::Param(_));
        let settled = match value {
            ast::Expr::Unary { op: ast::UnaryOp::Neg, expr } | ast::Expr::Collate { expr, .. } => {
                literal(expr)
            }
            other => literal(other),
        };
        let named = literal(name) && *name != ast::Expr::Literal(ast::Literal::Null);
        if !named || !settled {
            return Err(value_error(ValueError::wrong_arguments("NAME_CONST")));
        }
        let mut e = self.scalar(value)?;
        e.info.nullable = true;
        Ok(e)
    }

    fn load_file(&mut self, args: &[ast::Expr]) -> Bind<BExpr> {
        let [path] = args else {
            return Err(value_error(ValueError::wrong_parameter_count("LOAD_FILE")));
        };
        let path = self.scalar(path)?;
        let tables = self.without_subqueries("LOAD_FILE()", &[&path, &path])?;
        let ty = SqlType::varbinary(1 << 24);
        Ok(self.run_before(SubKind::LoadFile(path), tables, TypeInfo::new(ty, true)))
    }

    /// What is run before the expression that it stands in is run before no other of its kind: the tables that the arguments
    /// read, or 1235.
    fn without_subqueries(&self, what: &str, args: &[&BExpr]) -> Bind<u64> {
        let mut subs = Vec::new();
        args.iter().for_each(|a| a.subs(&mut subs));
        match subs.is_empty() {
            true => Ok(args.iter().fold(0, |bits, a| bits | self.expr_tables(a))),
            false => Err(SqlError::not_supported(format!("subquery in {what}"))),
        }
    }

    fn run_before(&mut self, kind: SubKind, tables: u64, info: TypeInfo) -> BExpr {
        let draws = matches!(kind, SubKind::Sleep(_));
        let (plan, correlated, sums) = (None, true, false);
        let sub = self.push_sub(Sub { kind, plan, correlated, tables, sums, draws, guard: None });
        BExpr::new(Node::Sub(sub), info)
    }

    /// RAND(seed): each call has a generator, begun once when the seed is a constant. The argument behind tells which;
    /// a negative one begins again for every row.
    fn seeded(&mut self, mut args: Vec<BExpr>) -> Bind<BExpr> {
        if args.len() > 1 {
            return Err(value_error(ValueError::wrong_parameter_count("RAND")));
        }
        self.generators += 1;
        let constant = args[0].is_statement_constant();
        let place = if constant { self.generators } else { -1 };
        args.push(BExpr::constant(Value::Int(place)));
        self.func("RAND", args)
    }

    pub fn aggregate(&mut self, kind: AggKind, c: &ast::FunctionCall) -> Bind<BExpr> {
        let kind = if c.star { AggKind::CountAll } else { kind };
        let several = match kind {
            AggKind::GroupConcat | AggKind::JsonObject => true,
            AggKind::Count => c.distinct,
            _ => false,
        };
        if kind != AggKind::CountAll && (c.args.is_empty() || c.args.len() > 1 && !several) {
            return Err(SqlError::parse(")", 1));
        }
        let around = std::mem::replace(&mut self.top_mut().in_agg, true);
        self.top_mut().alias_in_agg = false;
        let bound = (|| {
            let number = kind.takes_numbers();
            let bind = |a| if number { self.numeric(a) } else { self.scalar(a) };
            let mut args = c.args.iter().map(bind).collect::<Bind<Vec<_>>>()?;
            args = aggregate_arguments(kind, c, args)?;
            if c.distinct && matches!(kind, AggKind::Sum | AggKind::Avg) {
                // Texts are different numbers, whatever their digits.
                args = args.into_iter().map(as_double_if_text).collect();
            }
            let data = args.len();
            for o in &c.order_by {
                let key = match &o.expr {
                    // The n-th of the values that are concatenated.
                    ast::Expr::Literal(ast::Literal::Int(n)) => {
                        args[position(*n, data, "order clause")?].clone()
                    }
                    e => self.scalar(e)?,
                };
                args.push(by_place(key));
            }
            Ok::<_, SqlError>(args)
        })();
        self.top_mut().in_agg = around;
        let mut args = bound?;
        let depth = self.block_of_aggregate(&args)?;
        args.iter_mut().for_each(|a| a.move_in(depth));
        let data = &args[..args.len() - c.order_by.len()];
        let infos: Vec<TypeInfo> = data.iter().map(|a| a.info).collect();
        let mut spec =
            AggSpec::new(kind, c.distinct, &infos, self.env.reads.settings.div_increment);
        if kind == AggKind::GroupConcat {
            spec.result = concatenated(&infos, self.env.reads.settings.group_concat_max_len);
        }
        spec.result = self.made_of(&infos, spec.result);
        if let Some(s) = &c.separator {
            spec.separator = s.to_vec();
        }
        spec.order = c.order_by.iter().map(|o| o.descending).collect();
        let info = spec.result;
        // The same aggregate twice is computed once.
        let text = format!("{kind:?}{:?}{args:?}{:?}{:?}", c.distinct, spec.separator, spec.order);
        let level = self.stack.len() - 1 - usize::from(depth);
        if depth > 0 {
            self.note_outer(level, AGGREGATE);
        }
        let ctx = &mut self.stack[level];
        let at = *ctx.agg_texts.entry(text).or_insert_with(|| {
            ctx.aggs.push((spec, args));
            ctx.aggs.len() - 1
        });
        let e = BExpr::new(Node::Agg(at as u32), info);
        let mut e = of_connection(e, self.env.reads.settings.collation);
        e.move_out(depth);
        Ok(if kind == AggKind::Avg { rounded(e) } else { e })
    }

    /// How many blocks further out an aggregate is computed. As in MySQL that is the innermost block whose columns its arguments read;
    /// if that has no aggregates where it stands, the nearest one that has. 1111: none has.
    fn block_of_aggregate(&self, args: &[BExpr]) -> Bind<u8> {
        let block = |depth: u8| &self.stack[self.stack.len() - 1 - usize::from(depth)];
        let may = |depth: u8| block(depth).agg_ok;
        let (mut read, mut subs) = (None::<u8>, Vec::new());
        for a in args {
            a.subs(&mut subs);
            a.walk(&mut |e| {
                if let Node::Col(ColRef { depth, .. }) = &e.node {
                    read = Some(read.map_or(*depth, |d| d.min(*depth)));
                }
            });
        }
        let outermost = self.stack.len() as u8 - 1;
        // Subqueries among the arguments belong to this block.
        let chosen = match read {
            // What an alias stands for says nothing of where the aggregate belongs.
            Some(_) if self.top().alias_in_agg && may(0) => Some(0),
            Some(0) => may(0).then_some(0),
            None if may(0) => Some(0),
            _ if !subs.is_empty() => may(0).then_some(0),
            Some(d) if may(d) => Some(d),
            _ => {
                let last = read.unwrap_or(outermost);
                (1..=last).find(|d| may(*d)).or(may(0).then_some(0))
            }
        };
        // An aggregate of the same block, or of one further in, has no value there.
        let alone = |d: &u8| {
            let mut nested = block(*d).in_agg;
            args.iter().for_each(|a| {
                a.walk(&mut |e| {
                    nested |= matches!(e.node, Node::OuterAgg { depth, .. } if depth <= *d);
                });
            });
            !nested
        };
        chosen.filter(alone).ok_or_else(|| SqlError::of(errno::ER_INVALID_GROUP_FUNC_USE, &[]))
    }
}

/// The arguments of an aggregate as it takes them: values for a document as JSON.
pub fn aggregate_arguments(
    kind: AggKind,
    c: &ast::FunctionCall,
    mut args: Vec<BExpr>,
) -> Bind<Vec<BExpr>> {
    if kind.takes_numbers() || matches!(kind, AggKind::Min | AggKind::Max) {
        no_geometries(&args, &c.name.as_str().to_ascii_lowercase())?;
    }
    if matches!(kind, AggKind::BitAnd | AggKind::BitOr | AggKind::BitXor) {
        refuse_long_bits(&args)?;
    }
    if kind == AggKind::GroupConcat {
        return Ok(args.into_iter().map(as_text).collect());
    }
    if !kind.is_json() {
        return Ok(args);
    }
    let wanted = if kind == AggKind::JsonObject { 2 } else { 1 };
    if args.len() != wanted {
        return Err(SqlError::parse(")", 1));
    }
    if let Some(e) = args.pop() {
        args.push(as_json(c.args.last(), e));
    }
    Ok(args)
}

/// 1582 names a function as the statement does.
pub fn as_written(mut e: SqlError, known: &str, written: &str) -> SqlError {
    if e.errno == errno::ER_WRONG_PARAMCOUNT_TO_NATIVE_FCT {
        e.message = e.message.replace(&format!("'{known}'"), &format!("'{written}'"));
    }
    e
}

/// 3514 for bits that may be more than an aggregate takes, whatever the rows have.
fn refuse_long_bits(args: &[BExpr]) -> Bind<()> {
    let takes_bits = |ty: &SqlType| ty.is_string() && ty.collation().is_none_or(|c| c.is_binary());
    let long = |e: &BExpr| takes_bits(&e.info.ty) && e.info.ty.octet_length() > MAX_BINARY as u32;
    match args.iter().any(long) {
        true => Err(value_error(too_many_bits())),
        false => Ok(()),
    }
}

/// Functions that know nothing of JSON get its text, or where they want a number, a date or a time the value, which is read as one.
fn with_json_as_text(def: &FuncDef, args: Vec<BExpr>) -> Vec<BExpr> {
    let text = |(i, e)| match def.arg(i) {
        Arg::Number | Arg::Choice | Arg::Time => e,
        Arg::Any | Arg::Text | Arg::Digits => json_as_text(e),
    };
    args.into_iter().enumerate().map(text).collect()
}

fn as_double_if_text(e: BExpr) -> BExpr {
    if !e.info.ty.is_string() {
        return e;
    }
    let info = CastTarget::Double.result_type(&e.info);
    BExpr::new(Node::Cast(CastTarget::Double, Box::new(e)), info)
}

/// With a number among what FIELD() looks for and among, an ENUM, a SET and a hexadecimal literal are numbers.
fn is_number(e: &BExpr) -> bool {
    e.info.ty.is_numeric() || e.is_untyped()
}

fn as_text(e: BExpr) -> BExpr {
    super::literal::number_as_text(as_bytes(e))
}
