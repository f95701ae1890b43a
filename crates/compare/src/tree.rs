//! A statement as a tree that can be cut: the shrinker takes parts away and asks whether the servers still differ.

#[derive(Clone, Debug)]
pub enum Tree {
    Text(String),
    Seq(Vec<Tree>),
    /// An expression: an expression inside it, or NULL, or 1 may stand in its place.
    Expr(Vec<Tree>),
    /// What may be left out.
    Optional(Box<Tree>),
    /// Items with a separator; all but `least` may be left out.
    List {
        separator: &'static str,
        items: Vec<Tree>,
        least: usize,
    },
}

pub fn text(s: impl Into<String>) -> Tree {
    Tree::Text(s.into())
}

pub fn optional(t: Tree) -> Tree {
    Tree::Optional(Box::new(t))
}

impl Tree {
    pub fn render(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Tree::Text(s) => out.push_str(s),
            Tree::Seq(v) | Tree::Expr(v) => v.iter().for_each(|t| t.write(out)),
            Tree::Optional(t) => t.write(out),
            Tree::List { separator, items, .. } => {
                for (i, t) in items.iter().enumerate() {
                    if i > 0 {
                        out.push_str(separator);
                    }
                    t.write(out);
                }
            }
        }
    }

    /// Trees with one thing taken away each, the boldest first.
    pub fn smaller(&self) -> Vec<Tree> {
        let mut all = Vec::new();
        match self {
            Tree::Text(_) => {}
            Tree::Optional(t) => {
                all.push(Tree::Seq(Vec::new()));
                all.extend(t.smaller().into_iter().map(optional));
            }
            Tree::Seq(v) => all.extend(inside(v).into_iter().map(Tree::Seq)),
            Tree::Expr(v) => {
                if !matches!(v.as_slice(), [Tree::Text(s)] if s == "NULL" || s == "1") {
                    all.push(Tree::Expr(vec![text("NULL")]));
                    all.push(Tree::Expr(vec![text("1")]));
                }
                v.iter().for_each(|t| t.expressions(&mut all));
                all.extend(inside(v).into_iter().map(Tree::Expr));
            }
            Tree::List { separator, items, least } => {
                let list = |items| Tree::List { separator, items, least: *least };
                if items.len() > *least {
                    for i in 0..items.len() {
                        let mut fewer = items.clone();
                        fewer.remove(i);
                        all.push(list(fewer));
                    }
                }
                all.extend(inside(items).into_iter().map(list));
            }
        }
        all
    }

    /// The outermost expressions in here.
    fn expressions(&self, out: &mut Vec<Tree>) {
        match self {
            Tree::Text(_) => {}
            Tree::Expr(_) => out.push(self.clone()),
            Tree::Optional(t) => t.expressions(out),
            Tree::Seq(v) | Tree::List { items: v, .. } => v.iter().for_each(|t| t.expressions(out)),
        }
    }
}

/// The lists that have one tree of `v` made smaller.
fn inside(v: &[Tree]) -> Vec<Vec<Tree>> {
    let mut all = Vec::new();
    for (i, t) in v.iter().enumerate() {
        for smaller in t.smaller() {
            let mut copy = v.to_vec();
            copy[i] = smaller;
            all.push(copy);
        }
    }
    all
}

/// The smallest tree found for which `fails` still holds, in at most `tries` questions.
pub fn shrink(tree: &Tree, mut tries: usize, mut fails: impl FnMut(&Tree) -> bool) -> Tree {
    let mut best = tree.clone();
    'again: loop {
        for candidate in best.smaller() {
            if tries == 0 {
                return best;
            }
            tries -= 1;
            if candidate.render().len() < best.render().len() && fails(&candidate) {
                best = candidate;
                continue 'again;
            }
        }
        return best;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_is_left() {
        let call = |f: &str, arg: Tree| Tree::Expr(vec![text(format!("{f}(")), arg, text(")")]);
        let leaf = |s: &str| Tree::Expr(vec![text(s)]);
        let items = vec![leaf("a"), call("F", call("BAD", call("G", leaf("b")))), leaf("c")];
        let list = Tree::List { separator: ", ", items, least: 1 };
        let order = optional(text(" ORDER BY 1"));
        let tree = Tree::Seq(vec![text("SELECT "), list, order]);
        let small = shrink(&tree, 1000, |t| t.render().contains("BAD("));
        assert_eq!(small.render(), "SELECT BAD(1)");
        assert_eq!(shrink(&tree, 0, |_| true).render(), tree.render());
    }
}
