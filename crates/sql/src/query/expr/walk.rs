//! Walks over bound expressions.

use super::{BExpr, Node};

/// Calls a function for each expression right below a node; `iter` says how lists are gone through, by shared or by mutable reference.
macro_rules! for_children {
    ($node:expr, $iter:ident, $f:ident) => {
        match $node {
            Node::Const(_)
            | Node::Param(_)
            | Node::Col(_)
            | Node::Agg(_)
            | Node::OuterAgg { .. }
            | Node::SubColumn { .. }
            | Node::Window(_)
            | Node::Sub(_)
            | Node::UserVar(_)
            | Node::SysVar(..) => {}
            Node::InSub { left: v, .. }
            | Node::And(v)
            | Node::Or(v)
            | Node::Func(_, v)
            | Node::Call { args: v, .. }
            | Node::Match { columns: v, .. }
            | Node::Row(v) => v.$iter().for_each($f),
            Node::Quantified { left: e, .. }
            | Node::Assign(_, e)
            | Node::Not(e)
            | Node::BitNot(e)
            | Node::Neg(e)
            | Node::Is { expr: e, .. }
            | Node::Cast(_, e)
            | Node::Collate(_, e)
            | Node::Adapted(_, e)
            | Node::Once { expr: e, .. }
            | Node::JsonValue(e, _)
            | Node::Extract(_, e) => $f(e),
            Node::Xor(a, b)
            | Node::Cmp { a, b, .. }
            | Node::Arith(_, a, b)
            | Node::Bits(_, a, b)
            | Node::TimestampDiff(_, a, b)
            | Node::DateAdd { date: a, amount: b, .. } => {
                $f(a);
                $f(b);
            }
            Node::In { left, list, .. } => {
                $f(left);
                list.$iter().for_each(|(_, e)| $f(e));
            }
            Node::Case { whens, otherwise } => {
                for (w, t) in whens {
                    $f(w);
                    $f(t);
                }
                if let Some(e) = otherwise {
                    $f(e);
                }
            }
        }
    };
}

impl BExpr {
    /// Calls `f` for this node and all below.
    pub fn walk(&self, f: &mut dyn FnMut(&BExpr)) {
        f(self);
        self.for_children(&mut |c| c.walk(f));
    }

    pub fn any(&self, is: impl Fn(&Node) -> bool) -> bool {
        let mut found = false;
        self.walk(&mut |e| found |= is(&e.node));
        found
    }

    pub fn has_no_subs(&self) -> bool {
        let mut subs = Vec::new();
        self.subs(&mut subs);
        subs.is_empty()
    }

    /// Something is called that has effects, or answers again each time.
    pub fn varies(&self) -> bool {
        self.any(|n| match n {
            Node::Func(def, _) => !def.is_pure(),
            Node::UserVar(_) | Node::Assign(..) | Node::Call { .. } => true,
            _ => false,
        })
    }

    /// It gives another value each time it is asked, as far as functions and assignments go.
    pub fn draws(&self) -> bool {
        self.any(|n| match n {
            Node::Func(def, _) => def.draws(),
            Node::Assign(..) => true,
            _ => false,
        })
    }

    pub fn reads_variables(&self) -> bool {
        self.any(|n| matches!(n, Node::UserVar(_)))
    }

    /// It reads rows, or values of groups, of blocks around its own.
    pub fn is_from_outside(&self) -> bool {
        self.any(|n| match n {
            Node::Col(c) => c.depth > 0,
            Node::OuterAgg { .. } => true,
            _ => false,
        })
    }

    pub fn for_children(&self, f: &mut dyn FnMut(&BExpr)) {
        for_children!(&self.node, iter, f)
    }

    pub fn for_children_mut(&mut self, f: &mut dyn FnMut(&mut BExpr)) {
        for_children!(&mut self.node, iter_mut, f)
    }

    /// The expression as a block around sees it, `depth` blocks further out; it reads nothing of the blocks between.
    pub fn move_in(&mut self, depth: u8) {
        match &mut self.node {
            Node::Col(c) => c.depth -= depth,
            Node::OuterAgg { depth: d, .. } => *d -= depth,
            _ => {}
        }
        self.for_children_mut(&mut |e| e.move_in(depth));
    }

    /// The expression as a block sees it that is `depth` blocks further in.
    pub fn move_out(&mut self, depth: u8) {
        match &mut self.node {
            Node::Col(c) => c.depth += depth,
            Node::OuterAgg { depth: d, .. } => *d += depth,
            Node::Agg(at) if depth > 0 => self.node = Node::OuterAgg { depth, at: *at },
            _ => {}
        }
        if depth > 0 {
            self.for_children_mut(&mut |e| e.move_out(depth));
        }
    }

    /// The expression where a table of this block stands in another slot.
    pub fn move_table(&mut self, from: u16, to: u16) {
        if let Node::Col(c) = &mut self.node
            && c.depth == 0
            && c.table == from
        {
            c.table = to;
        }
        self.for_children_mut(&mut |e| e.move_table(from, to));
    }
}
