//! XPath over a document.

use super::document::{Document, Kind};
use super::parse::{Axis, Expr, Function, Op, Step, Test};

/// What an expression gives. Nodes are in the document's order, each once.
#[derive(Debug, Clone, PartialEq)]
pub enum Out {
    Nodes(Vec<usize>),
    Number(f64),
    Text(String),
    Bool(bool),
}

/// The node at hand, its place among those of its step, and their number.
#[derive(Clone, Copy)]
struct At {
    node: usize,
    place: usize,
    count: usize,
}

/// Nodes looked at, at most: what a step gives is searched again for each predicate.
pub struct Budget<'b>(pub &'b mut dyn FnMut(usize) -> Result<(), crate::value::ValueError>);

type Run<T> = Result<T, crate::value::ValueError>;

pub fn evaluate(d: &Document, e: &Expr, budget: &mut Budget<'_>) -> Run<Out> {
    Eval { d, budget }.expr(e, At { node: 0, place: 1, count: 1 })
}

struct Eval<'e, 'b> {
    d: &'e Document,
    budget: &'e mut Budget<'b>,
}

impl Out {
    fn truth(&self) -> bool {
        match self {
            Out::Nodes(n) => !n.is_empty(),
            Out::Number(x) => *x != 0.0 && !x.is_nan(),
            Out::Text(t) => !t.is_empty(),
            Out::Bool(b) => *b,
        }
    }

    pub fn number(&self, d: &Document) -> f64 {
        match self {
            Out::Number(x) => *x,
            Out::Bool(b) => f64::from(u8::from(*b)),
            other => number(&other.text(d)),
        }
    }

    /// Of nodes, the text of the first.
    pub fn text(&self, d: &Document) -> String {
        match self {
            Out::Nodes(n) => {
                let mut text = String::new();
                n.first().into_iter().for_each(|n| d.string(*n, &mut text));
                text
            }
            Out::Number(x) => {
                let mut text = Vec::new();
                crate::value::double::write_double(*x, &mut text);
                String::from_utf8_lossy(&text).into_owned()
            }
            Out::Text(t) => t.clone(),
            Out::Bool(b) => u8::from(*b).to_string(),
        }
    }
}

/// As MySQL reads numbers: as far as the text is one, otherwise 0.
fn number(text: &str) -> f64 {
    let text = text.trim();
    let end = text
        .char_indices()
        .find(|(n, c)| !(c.is_ascii_digit() || *c == '.' || (*n == 0 && matches!(c, '-' | '+'))))
        .map_or(text.len(), |(n, _)| n);
    text[..end].parse().unwrap_or(0.0)
}

impl Eval<'_, '_> {
    fn expr(&mut self, e: &Expr, at: At) -> Run<Out> {
        Ok(match e {
            Expr::Number(x) => Out::Number(*x),
            Expr::Text(t) => Out::Text(t.clone()),
            Expr::Neg(e) => Out::Number(-self.number(e, at)?),
            Expr::Path { root, steps } => {
                let from = vec![if *root { 0 } else { at.node }];
                Out::Nodes(self.steps(from, steps)?)
            }
            Expr::Of(e, predicates, steps) => {
                let Out::Nodes(mut nodes) = self.expr(e, at)? else {
                    return Ok(Out::Nodes(Vec::new()));
                };
                for p in predicates {
                    nodes = self.filter(nodes, p)?;
                }
                Out::Nodes(self.steps(nodes, steps)?)
            }
            Expr::Binary(op, a, b) => self.binary(*op, a, b, at)?,
            Expr::Call(f, args) => self.call(*f, args, at)?,
        })
    }

    fn number(&mut self, e: &Expr, at: At) -> Run<f64> {
        Ok(self.expr(e, at)?.number(self.d))
    }

    fn text(&mut self, e: &Expr, at: At) -> Run<String> {
        Ok(self.expr(e, at)?.text(self.d))
    }

    fn binary(&mut self, op: Op, a: &Expr, b: &Expr, at: At) -> Run<Out> {
        let left = self.expr(a, at)?;
        match op {
            Op::Or if left.truth() => return Ok(Out::Bool(true)),
            Op::And if !left.truth() => return Ok(Out::Bool(false)),
            _ => {}
        }
        let right = self.expr(b, at)?;
        let (x, y) = (left.number(self.d), right.number(self.d));
        Ok(match op {
            Op::Or | Op::And => Out::Bool(right.truth()),
            Op::Add => Out::Number(x + y),
            Op::Sub => Out::Number(x - y),
            Op::Mul => Out::Number(x * y),
            Op::Div => Out::Number(x / y),
            Op::Mod => Out::Number(x % y),
            Op::Union => match (left, right) {
                (Out::Nodes(mut a), Out::Nodes(b)) => {
                    a.extend(b);
                    Out::Nodes(ordered(a))
                }
                _ => Out::Nodes(Vec::new()),
            },
            _ => Out::Bool(self.compares(op, &left, &right)?),
        })
    }

    /// Of nodes, whether one of them compares so.
    fn compares(&mut self, op: Op, a: &Out, b: &Out) -> Run<bool> {
        if let (Op::Eq | Op::Ne, true) =
            (op, matches!(a, Out::Bool(_)) || matches!(b, Out::Bool(_)))
        {
            return Ok((a.truth() == b.truth()) == (op == Op::Eq));
        }
        // A node counts by its text, which is made once.
        let each = |out: &Out| match out {
            Out::Nodes(n) => {
                n.iter().map(|n| Out::Text(Out::Nodes(vec![*n]).text(self.d))).collect()
            }
            other => vec![other.clone()],
        };
        let (left, right): (Vec<Out>, Vec<Out>) = (each(a), each(b));
        let d = self.d;
        let equal = |x: &Out, y: &Out| match (x, y) {
            (Out::Bool(_), _) | (_, Out::Bool(_)) => x.truth() == y.truth(),
            (Out::Number(_), _) | (_, Out::Number(_)) => x.number(d) == y.number(d),
            _ => x.text(d) == y.text(d),
        };
        let holds = |x: &Out, y: &Out| {
            let (n, m) = (x.number(d), y.number(d));
            match op {
                Op::Eq => equal(x, y),
                Op::Ne => !equal(x, y),
                Op::Lt => n < m,
                Op::Le => n <= m,
                Op::Gt => n > m,
                _ => n >= m,
            }
        };
        for x in &left {
            (self.budget.0)(right.len())?;
            if right.iter().any(|y| holds(x, y)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn call(&mut self, f: Function, args: &[Expr], at: At) -> Run<Out> {
        let own = Out::Nodes(vec![at.node]);
        Ok(match f {
            Function::True => Out::Bool(true),
            Function::False => Out::Bool(false),
            Function::Last => Out::Number(at.count as f64),
            Function::Position => Out::Number(at.place as f64),
            Function::Boolean => Out::Bool(self.expr(&args[0], at)?.truth()),
            Function::Not => Out::Bool(!self.expr(&args[0], at)?.truth()),
            Function::Ceiling => Out::Number(self.number(&args[0], at)?.ceil()),
            Function::Floor => Out::Number(self.number(&args[0], at)?.floor()),
            Function::Round => Out::Number((self.number(&args[0], at)? + 0.5).floor()),
            Function::Number => match args.first() {
                Some(e) => Out::Number(self.number(e, at)?),
                None => Out::Number(own.number(self.d)),
            },
            Function::Count | Function::Sum => {
                let Out::Nodes(nodes) = self.expr(&args[0], at)? else {
                    return Ok(Out::Number(0.0));
                };
                let values = nodes.iter().map(|n| Out::Nodes(vec![*n]).number(self.d));
                Out::Number(if f == Function::Count { nodes.len() as f64 } else { values.sum() })
            }
            Function::Concat => {
                let mut text = String::new();
                for e in args {
                    text.push_str(&self.text(e, at)?);
                }
                Out::Text(text)
            }
            Function::Contains => {
                Out::Bool(self.text(&args[0], at)?.contains(&self.text(&args[1], at)?))
            }
            Function::StringLength => {
                let text = match args.first() {
                    Some(e) => self.text(e, at)?,
                    None => own.text(self.d),
                };
                Out::Number(text.chars().count() as f64)
            }
            Function::Substring => {
                let (text, from) = (self.text(&args[0], at)?, self.number(&args[1], at)?);
                let len = args.get(2).map(|e| self.number(e, at)).transpose()?;
                let place = |n: usize| n as f64 + 1.0;
                let inside =
                    |n: &usize| place(*n) >= from && len.is_none_or(|len| place(*n) < from + len);
                let chars = text.chars().enumerate().filter(|(n, _)| inside(n));
                Out::Text(chars.map(|(_, c)| c).collect())
            }
        })
    }

    fn steps(&mut self, mut nodes: Vec<usize>, steps: &[Step]) -> Run<Vec<usize>> {
        for step in steps {
            let mut next = Vec::new();
            for n in nodes {
                let mut found = self.axis(n, step.axis)?;
                found.retain(|n| self.fits(*n, step));
                for p in &step.predicates {
                    found = self.filter(found, p)?;
                }
                next.extend(found);
                // Nodes that lie within one another find the same ones, and there are no more than the document has.
                if next.len() > 2 * self.d.0.len() {
                    next = ordered(next);
                }
            }
            nodes = ordered(next);
        }
        Ok(nodes)
    }

    fn filter(&mut self, nodes: Vec<usize>, predicate: &Expr) -> Run<Vec<usize>> {
        let count = nodes.len();
        (self.budget.0)(count)?;
        let mut out = Vec::new();
        for (n, node) in nodes.into_iter().enumerate() {
            let at = At { node, place: n + 1, count };
            let keep = match self.expr(predicate, at)? {
                Out::Number(x) => x == at.place as f64,
                other => other.truth(),
            };
            if keep {
                out.push(node);
            }
        }
        Ok(out)
    }

    fn fits(&self, n: usize, step: &Step) -> bool {
        let node = &self.d.0[n];
        let main = if step.axis == Axis::Attribute { Kind::Attribute } else { Kind::Element };
        match &step.test {
            Test::Any => node.kind == main,
            Test::Name(name) => node.kind == main && node.name == *name,
            Test::Node => true,
            Test::Text => node.kind == Kind::Text,
            Test::Comment => node.kind == Kind::Comment,
            Test::Instruction => node.kind == Kind::Instruction,
        }
    }

    fn inside(&self, n: usize) -> impl DoubleEndedIterator<Item = usize> + '_ {
        let inner = |c: &&usize| self.d.kind(**c) != Kind::Attribute;
        self.d.0[n].children.iter().filter(inner).copied()
    }

    fn descendants(&self, n: usize, out: &mut Vec<usize>) {
        for c in self.inside(n) {
            out.push(c);
            self.descendants(c, out);
        }
    }

    /// The nodes of an axis, the nearest first.
    fn axis(&mut self, n: usize, axis: Axis) -> Run<Vec<usize>> {
        let parent = self.d.0[n].parent;
        let mut out = Vec::new();
        match axis {
            Axis::Own => out.push(n),
            Axis::Parent if n == 0 => {}
            Axis::Parent => out.push(parent),
            Axis::Child => out.extend(self.inside(n)),
            Axis::Attribute => {
                let own = self.d.0[n].children.iter().copied();
                out.extend(own.filter(|c| self.d.kind(*c) == Kind::Attribute));
            }
            Axis::Descendant => self.descendants(n, &mut out),
            Axis::DescendantOrSelf => {
                out.push(n);
                self.descendants(n, &mut out);
            }
            Axis::Ancestor | Axis::AncestorOrSelf => {
                let mut at = n;
                if axis == Axis::AncestorOrSelf {
                    out.push(n);
                }
                while at != 0 {
                    at = self.d.0[at].parent;
                    out.push(at);
                }
            }
            Axis::FollowingSibling if n > 0 => out.extend(self.inside(parent).filter(|c| *c > n)),
            Axis::PrecedingSibling if n > 0 => {
                out.extend(self.inside(parent).rev().filter(|c| *c < n));
            }
            Axis::Following => {
                let end = self.d.0[n].end;
                let later = (n + 1..self.d.0.len()).filter(|m| self.d.0[*m].start >= end);
                out.extend(later.filter(|m| self.d.kind(*m) != Kind::Attribute));
            }
            Axis::Preceding => {
                let start = self.d.0[n].start;
                let before = (1..n).rev().filter(|m| self.d.0[*m].end <= start);
                out.extend(before.filter(|m| self.d.kind(*m) != Kind::Attribute));
            }
            Axis::FollowingSibling | Axis::PrecedingSibling => {}
        }
        (self.budget.0)(out.len())?;
        Ok(out)
    }
}

fn ordered(mut nodes: Vec<usize>) -> Vec<usize> {
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
