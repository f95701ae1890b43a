//! A statement as a tree that can be cut: the shrinker takes parts away and asks whether the servers still differ.

#[derive(Clone, Debug)]
pub enum Tree {
    Text(String),
    Seq(Vec<Tree>),
    /// An expression: an expression inside it, or NULL, or 1 may stand in its place.
    Expr(Vec<Tree>),
    /// What may be left out.
    Optional(Box<Tree>),
    /// What a `Twin` elsewhere repeats, however it is cut: the key of GROUP BY, which stands in the select list too.
    Key(Box<Tree>),
    /// The text of the `Key`; NULL where it was left out.
    Twin,
    /// Items with a separator; all but `least` may be left out.
    List {
        separator: &'static str,
        items: Vec<Tree>,
        least: usize,
    },
}

/// What stands for these trees until the whole is rendered: no statement has such characters.
const KEY: [char; 2] = ['\u{2}', '\u{3}'];
const TWIN: char = '\u{1}';

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
        let Some((head, rest)) = out.split_once(KEY[0]) else { return out.replace(TWIN, "NULL") };
        let (key, tail) = rest.split_once(KEY[1]).unwrap_or((rest, ""));
        format!("{head}{key}{tail}").replace(TWIN, key)
    }

    fn write(&self, out: &mut String) {
        match self {
            Tree::Text(s) => out.push_str(s),
            Tree::Seq(v) | Tree::Expr(v) => v.iter().for_each(|t| t.write(out)),
            Tree::Optional(t) => t.write(out),
            Tree::Key(t) => {
                out.push(KEY[0]);
                t.write(out);
                out.push(KEY[1]);
            }
            Tree::Twin => out.push(TWIN),
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
            Tree::Text(_) | Tree::Twin => {}
            Tree::Key(t) => all.extend(t.smaller().into_iter().map(|t| Tree::Key(Box::new(t)))),
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
            Tree::Text(_) | Tree::Twin => {}
            Tree::Expr(_) => out.push(self.clone()),
            Tree::Optional(t) | Tree::Key(t) => t.expressions(out),
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

    #[test]
    fn a_twin_is_cut_with_its_key() {
        let key = Tree::Expr(vec![text("F("), Tree::Expr(vec![text("a")]), text(")")]);
        let by = |t| optional(Tree::Seq(vec![text(" BY "), t]));
        let tree = Tree::Seq(vec![text("SELECT "), Tree::Twin, by(Tree::Key(Box::new(key)))]);
        assert_eq!(tree.render(), "SELECT F(a) BY F(a)");
        assert_eq!(shrink(&tree, 100, |t| t.render().contains("BY")).render(), "SELECT 1 BY 1");
        assert_eq!(shrink(&tree, 100, |_| true).render(), "SELECT NULL");
    }
}
