//! Puts every mutant of a file into its text, each behind a question to `crate::mutation`.
//!
//! Text is only inserted, or put in place of an operator, never moved, and nothing that is inserted has a line break: lines keep
//! their numbers, so that panics and errors of the compiler speak of the file that people read.
//!
//! Every operator is sure to compile, or nearly so, from the syntax alone. What the compiler refuses all the same is left out of
//! the next build (`refused`), under the same numbers.

use crate::Mutant;
use proc_macro2::Span;
use std::collections::HashSet;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Lit, Pat, RangeLimits, ReturnType, Stmt, Type};

/// How the rewritten file names the switch.
const M: &str = "crate::mutation";

/// A file's text with its mutants in it, and where each byte of it came from.
pub struct Rewritten {
    pub text: String,
    pub mutants: Vec<Mutant>,
    edits: Vec<Edit>,
}

#[derive(Clone)]
struct Edit {
    at: usize,
    removed: usize,
    text: String,
}

impl Rewritten {
    /// The place in the file as it was of a place in the text.
    pub fn original(&self, place: usize) -> usize {
        let (mut old, mut new) = (0, 0);
        for e in &self.edits {
            if place < new + (e.at - old) {
                break;
            }
            new += e.at - old;
            old = e.at;
            if place < new + e.text.len() {
                return old;
            }
            new += e.text.len();
            old += e.removed;
        }
        old + (place - new)
    }
}

/// Numbers begin with `first`.
pub fn rewrite(
    path: &str,
    source: &str,
    first: u32,
    refused: &HashSet<u32>,
) -> syn::Result<Rewritten> {
    let file = syn::parse_file(source)?;
    let mut w = Writer {
        path,
        source,
        next: first,
        refused,
        mutants: Vec::new(),
        edits: Vec::new(),
        functions: Vec::new(),
        quiet: 0,
    };
    w.visit_file(&file);
    // In the order in which the walk made them where several stand at one place: what is opened last is closed first.
    w.edits.sort_by_key(|e| e.at);
    let mut text = String::with_capacity(source.len() * 2);
    let mut done = 0;
    for e in &w.edits {
        text.push_str(&source[done..e.at]);
        text.push_str(&e.text);
        done = e.at + e.removed;
    }
    text.push_str(&source[done..]);
    Ok(Rewritten { text, mutants: w.mutants, edits: w.edits })
}

struct Writer<'a> {
    path: &'a str,
    source: &'a str,
    next: u32,
    refused: &'a HashSet<u32>,
    mutants: Vec<Mutant>,
    edits: Vec<Edit>,
    functions: Vec<String>,
    /// Above zero where nothing is to be changed: constants, what only tells, bugs that are planted already.
    quiet: u32,
}

impl Writer<'_> {
    fn text(&self, s: Span) -> &str {
        &self.source[s.byte_range()]
    }

    /// A new mutant at a place, if it is to be built.
    fn mutant(&mut self, s: Span, operator: &'static str, becomes: &str) -> Option<u32> {
        if self.quiet > 0 {
            return None;
        }
        let id = self.next;
        self.next += 1;
        let was: String = self.text(s).split_whitespace().collect::<Vec<_>>().join(" ");
        let short: String = was.chars().take(90).collect();
        let dots = if short.len() < was.len() { "…" } else { "" };
        self.mutants.push(Mutant {
            id,
            path: self.path.to_string(),
            line: s.start().line,
            column: s.start().column + 1,
            range: s.byte_range(),
            function: self.functions.last().cloned().unwrap_or_default(),
            operator: operator.to_string(),
            what: format!("{short}{dots} -> {becomes}"),
            nth: 0,
        });
        (!self.refused.contains(&id)).then_some(id)
    }

    fn insert(&mut self, at: usize, text: String) {
        self.edits.push(Edit { at, removed: 0, text });
    }

    fn replace(&mut self, range: Range<usize>, text: String) {
        self.edits.push(Edit { at: range.start, removed: range.len(), text });
    }

    /// Visits what stands at `s` with `before` and `after` around it.
    fn around(&mut self, s: Span, before: String, after: &str, inside: impl FnOnce(&mut Self)) {
        let r = s.byte_range();
        self.insert(r.start, before);
        inside(self);
        self.insert(r.end, after.to_string());
    }

    fn quietly(&mut self, inside: impl FnOnce(&mut Self)) {
        self.quiet += 1;
        inside(self);
        self.quiet -= 1;
    }

    /// A condition that may be forced to be true, to be false.
    fn condition(&mut self, e: &Expr, to_true: bool, to_false: bool) {
        let plain = !has_let(e) && !self.planted(e.span());
        let (mut t, mut f) = (None, None);
        if plain && to_true {
            t = self.mutant(e.span(), "condition", "true");
        }
        if plain && to_false {
            f = self.mutant(e.span(), "condition", "false");
        }
        if t.is_none() && f.is_none() {
            return self.visit_expr(e);
        }
        let call = format!("{M}::force({}, {}, ", t.unwrap_or(0), f.unwrap_or(0));
        self.around(e.span(), call, ")", |w| w.visit_expr(e));
    }

    fn planted(&self, s: Span) -> bool {
        self.text(s).contains("planted::is")
    }

    fn binary(&mut self, b: &syn::ExprBinary) {
        match &b.op {
            BinOp::And(_) | BinOp::Or(_) => self.clauses(b),
            BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_)
            | BinOp::Eq(_)
            | BinOp::Ne(_) => self.compare(b),
            BinOp::Add(_) | BinOp::Sub(_) => self.sum(b),
            _ => visit::visit_expr_binary(self, b),
        }
    }

    /// `a && b`: each clause in turn counts as true; `a || b`: as false.
    fn clauses(&mut self, b: &syn::ExprBinary) {
        let and = matches!(b.op, BinOp::And(_));
        // When a bug is planted, and where, is no part of the engine.
        if and && begins_planted(self.text(b.left.span())) {
            return self.quietly(|w| visit::visit_expr_binary(w, b));
        }
        for side in [&b.left, &b.right] {
            let same = matches!(&**side, Expr::Binary(s) if matches!((&s.op, &b.op), (BinOp::And(_), BinOp::And(_)) | (BinOp::Or(_), BinOp::Or(_))));
            if same || matches!(&**side, Expr::Let(_)) {
                self.visit_expr(side);
            } else {
                self.condition(side, and, !and);
            }
        }
    }

    fn compare(&mut self, b: &syn::ExprBinary) {
        let op = self.text(b.op.span()).to_string();
        let others: &[&str] = match op.as_str() {
            "<" => &["<=", ">="],
            "<=" => &["<", ">"],
            ">" => &[">=", "<="],
            ">=" => &[">", "<"],
            "==" => &["!="],
            _ => &["=="],
        };
        if waits(self.text(b.span())) {
            return visit::visit_expr_binary(self, b);
        }
        let mut arms = format!("*l_ {op} *r_");
        for other in others {
            if let Some(id) = self.mutant(b.span(), "comparison", other) {
                arms = format!("{M}::pick({id}, {arms}, *l_ {other} *r_)");
            }
        }
        self.operands(b, &arms);
    }

    /// `(match (&(a), &(b)) { (l_, r_) => arms })`: both operands once, borrowed as an operator of comparison borrows them.
    fn operands(&mut self, b: &syn::ExprBinary, arms: &str) {
        if !arms.contains(M) {
            return visit::visit_expr_binary(self, b);
        }
        let after = format!(")) {{ (l_, r_) => {arms} }})");
        self.around(b.span(), "(match (&(".into(), &after, |w| {
            w.visit_expr(&b.left);
            w.replace(b.op.span().byte_range(), "), &(".into());
            w.visit_expr(&b.right);
        });
    }

    fn sum(&mut self, b: &syn::ExprBinary) {
        let plus = matches!(b.op, BinOp::Add(_));
        if let Expr::Lit(l) = &*b.right
            && matches!(l.lit, Lit::Int(_))
        {
            self.visit_expr(&b.left);
            if let Some(id) = self.mutant(b.span(), "step", "without the step") {
                self.around(l.span(), format!("{M}::step({id}, "), ")", |_| ());
            }
            return;
        }
        if waits(self.text(b.span())) {
            return visit::visit_expr_binary(self, b);
        }
        let (op, other) = if plus { ("+", "-") } else { ("-", "+") };
        let mut arms = String::new();
        if let Some(id) = self.mutant(b.span(), "sum", other) {
            arms = format!("if {M}::on({id}) {{ *l_ {other} *r_ }} else {{ *l_ {op} *r_ }}");
        }
        self.operands(b, &arms);
    }

    fn swapped_method(&mut self, m: &syn::ExprMethodCall) -> bool {
        let other = match m.method.to_string().as_str() {
            "min" => "max",
            "max" => "min",
            _ => return false,
        };
        let name = m.method.to_string();
        if m.args.len() != 1 || waits(self.text(m.span())) {
            return false;
        }
        let Some(id) = self.mutant(m.span(), "method", other) else { return false };
        let arg = &m.args[0];
        let s = m.span().byte_range();
        let r = m.receiver.span().byte_range();
        self.insert(s.start, "(match (".into());
        self.visit_expr(&m.receiver);
        let a = arg.span().byte_range();
        self.replace(r.end..a.start, ", ".into());
        self.visit_expr(arg);
        let after = format!(
            ") {{ (l_, r_) => if {M}::on({id}) {{ l_.{other}(r_) }} else {{ l_.{name}(r_) }} }})"
        );
        self.replace(a.end..s.end, after);
        true
    }

    fn statement(&mut self, e: &Expr, end: usize) {
        let gone = match e {
            Expr::Call(_)
            | Expr::MethodCall(_)
            | Expr::Assign(_)
            | Expr::Try(_)
            | Expr::Await(_) => true,
            Expr::Binary(b) => assigns(&b.op),
            _ => false,
        };
        let s = e.span();
        if !gone || only_tells(self.text(s)) || self.planted(s) {
            return self.visit_expr(e);
        }
        match self.mutant(s, "statement", "nothing") {
            None => self.visit_expr(e),
            Some(id) => {
                self.insert(s.byte_range().start, format!("if !{M}::on({id}) {{ "));
                self.visit_expr(e);
                self.insert(end, " }".into());
            }
        }
    }

    /// A function whose first statement may be to return.
    fn function(&mut self, name: String, sig: &syn::Signature, block: &syn::Block) {
        if sig.constness.is_some() || name == "fmt" {
            return;
        }
        self.functions.push(name);
        let mut early = String::new();
        if !block.stmts.is_empty() {
            for value in early_values(&sig.output) {
                let shown = if value.is_empty() {
                    "return at once".into()
                } else {
                    format!("return {value}")
                };
                if let Some(id) = self.mutant(sig.span(), "function", &shown) {
                    early.push_str(&format!(" if {M}::on({id}) {{ return {value}; }}"));
                }
            }
        }
        self.insert(block.brace_token.span.open().byte_range().end, early);
        self.visit_block(block);
        self.functions.pop();
    }
}

impl<'ast> Visit<'ast> for Writer<'_> {
    fn visit_item(&mut self, i: &'ast syn::Item) {
        use syn::Item;
        let attrs: &[syn::Attribute] = match i {
            Item::Fn(f) => &f.attrs,
            Item::Impl(i) => &i.attrs,
            Item::Mod(m) => &m.attrs,
            Item::Trait(t) => &t.attrs,
            _ => return,
        };
        if left_out(attrs) {
            return;
        }
        if let Item::Impl(i) = i
            && let Some((path, _)) = &i.trait_
            && path.segments.last().is_some_and(|s| s.ident == "Debug" || s.ident == "Display")
        {
            return;
        }
        visit::visit_item(self, i);
    }

    fn visit_item_fn(&mut self, f: &'ast syn::ItemFn) {
        self.function(f.sig.ident.to_string(), &f.sig, &f.block);
    }

    fn visit_impl_item_fn(&mut self, f: &'ast syn::ImplItemFn) {
        if !left_out(&f.attrs) {
            self.function(f.sig.ident.to_string(), &f.sig, &f.block);
        }
    }

    fn visit_trait_item_fn(&mut self, f: &'ast syn::TraitItemFn) {
        if let (Some(b), false) = (&f.default, left_out(&f.attrs)) {
            self.function(f.sig.ident.to_string(), &f.sig, b);
        }
    }

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}
    fn visit_pat(&mut self, _: &'ast Pat) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_macro(&mut self, _: &'ast syn::Macro) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_expr_repeat(&mut self, r: &'ast syn::ExprRepeat) {
        self.visit_expr(&r.expr);
    }

    fn visit_arm(&mut self, a: &'ast syn::Arm) {
        if let Pat::Guard(g) = &a.pat {
            self.condition(&g.guard, true, true);
            if begins_planted(self.text(g.guard.span())) {
                return;
            }
        }
        self.visit_expr(&a.body);
    }

    fn visit_stmt(&mut self, s: &'ast Stmt) {
        match s {
            Stmt::Expr(e, Some(semi)) => self.statement(e, semi.span().byte_range().end),
            Stmt::Local(l) => {
                if left_out(&l.attrs) {
                    return;
                }
                visit::visit_local(self, l);
            }
            _ => visit::visit_stmt(self, s),
        }
    }

    fn visit_expr(&mut self, e: &'ast Expr) {
        match e {
            Expr::Binary(b) => self.binary(b),
            Expr::If(i) => {
                self.condition(&i.cond, true, true);
                // What a planted bug does is no part of the engine.
                if begins_planted(self.text(i.cond.span())) {
                    self.quietly(|w| w.visit_block(&i.then_branch));
                } else {
                    self.visit_block(&i.then_branch);
                }
                if let Some((_, other)) = &i.else_branch {
                    self.visit_expr(other);
                }
            }
            Expr::While(w) => {
                // A loop that never ends says nothing.
                self.condition(&w.cond, false, true);
                self.visit_block(&w.body);
            }
            Expr::Lit(l) => {
                if let Lit::Bool(b) = &l.lit {
                    let other = if b.value { "false" } else { "true" };
                    if let Some(id) = self.mutant(l.span(), "literal", other) {
                        self.around(l.span(), format!("{M}::flip({id}, "), ")", |_| ());
                    }
                }
            }
            Expr::Break(b) if b.expr.is_none() => {
                self.jump(e.span(), "break", "continue", b.label.as_ref())
            }
            Expr::Continue(c) => self.jump(e.span(), "continue", "break", c.label.as_ref()),
            Expr::Range(r) => {
                if let Some(s) = &r.start {
                    self.visit_expr(s);
                }
                if let Some(end) = &r.end {
                    let (half, helper) = match r.limits {
                        RangeLimits::HalfOpen(_) => ("..=", "up"),
                        RangeLimits::Closed(_) => ("..", "down"),
                    };
                    match self.mutant(r.span(), "range", half) {
                        Some(id) => {
                            self.around(end.span(), format!("{M}::{helper}({id}, "), ")", |w| {
                                w.visit_expr(end)
                            })
                        }
                        None => self.visit_expr(end),
                    }
                }
            }
            Expr::MethodCall(m) => {
                if !self.swapped_method(m) {
                    visit::visit_expr_method_call(self, m);
                }
            }
            _ => visit::visit_expr(self, e),
        }
    }
}

impl Writer<'_> {
    fn jump(&mut self, s: Span, this: &str, other: &str, label: Option<&syn::Lifetime>) {
        let label = label.map_or(String::new(), |l| format!(" '{}", l.ident));
        if let Some(id) = self.mutant(s, "jump", other) {
            let text = format!("(if {M}::on({id}) {{ {other}{label} }} else {{ {this}{label} }})");
            self.replace(s.byte_range(), text);
        }
    }
}

fn has_let(e: &Expr) -> bool {
    match e {
        Expr::Let(_) => true,
        Expr::Binary(b) => has_let(&b.left) || has_let(&b.right),
        _ => false,
    }
}

/// Borrowed operands must not live across a wait, and what a jump leaves is no operand.
fn waits(text: &str) -> bool {
    text.contains(".await") || text.contains("return")
}

fn assigns(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

/// Counters, reports and messages: nothing depends on them.
fn only_tells(text: &str) -> bool {
    let first = text.trim_start();
    ["stats.", "requests.count", "troubles.note", "log_line", "(self.log_fn)", ".tell(", ".say("]
        .iter()
        .any(|t| text.contains(t))
        || ["report.", "self.report.", "say("].iter().any(|t| first.starts_with(t))
}

fn begins_planted(text: &str) -> bool {
    text.trim_start().starts_with("planted::is")
}

/// Tests, models and what other platforms have.
fn left_out(attrs: &[syn::Attribute]) -> bool {
    attrs.iter().any(|a| {
        let path = a.path();
        if path.is_ident("test") {
            return true;
        }
        if !path.is_ident("cfg") {
            return false;
        }
        let syn::Meta::List(l) = &a.meta else { return true };
        let text = l.tokens.to_string().replace(' ', "");
        !text.starts_with("not(") && !text.starts_with("debug_assertions")
    })
}

/// What a function of this type may return at once.
fn early_values(output: &ReturnType) -> Vec<String> {
    let ReturnType::Type(_, t) = output else { return vec![String::new()] };
    values(t)
}

fn values(t: &Type) -> Vec<String> {
    match t {
        Type::Tuple(t) if t.elems.is_empty() => vec!["()".into()],
        Type::Path(p) if p.qself.is_none() => {
            let Some(last) = p.path.segments.last() else { return Vec::new() };
            let first = match &last.arguments {
                syn::PathArguments::AngleBracketed(a) => a.args.iter().find_map(|a| match a {
                    syn::GenericArgument::Type(t) => Some(t),
                    _ => None,
                }),
                _ => None,
            };
            match (last.ident.to_string().as_str(), first) {
                ("bool", _) => vec!["true".into(), "false".into()],
                ("u64" | "u32" | "u16" | "usize", _) => vec!["0".into()],
                ("Option", Some(_)) => vec!["None".into()],
                ("Vec", Some(_)) => vec!["Vec::new()".into()],
                ("Result", Some(t)) => values(t).into_iter().map(|v| format!("Ok({v})")).collect(),
                _ => Vec::new(),
            }
        }
        _ => Vec::new(),
    }
}
