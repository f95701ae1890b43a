//! XPath 1.0 as far as MySQL has it: from text to a tree.

/// Axes of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    Ancestor,
    AncestorOrSelf,
    Attribute,
    Child,
    Descendant,
    DescendantOrSelf,
    Following,
    FollowingSibling,
    Parent,
    Preceding,
    PrecedingSibling,
    Own,
}

const AXES: [(&str, Axis); 12] = [
    ("ancestor", Axis::Ancestor),
    ("ancestor-or-self", Axis::AncestorOrSelf),
    ("attribute", Axis::Attribute),
    ("child", Axis::Child),
    ("descendant", Axis::Descendant),
    ("descendant-or-self", Axis::DescendantOrSelf),
    ("following", Axis::Following),
    ("following-sibling", Axis::FollowingSibling),
    ("parent", Axis::Parent),
    ("preceding", Axis::Preceding),
    ("preceding-sibling", Axis::PrecedingSibling),
    ("self", Axis::Own),
];

#[derive(Debug, Clone, PartialEq)]
pub enum Test {
    Name(String),
    /// `*`: elements, or attributes on their axis.
    Any,
    /// `node()`.
    Node,
    Text,
    Comment,
    Instruction,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub axis: Axis,
    pub test: Test,
    pub predicates: Vec<Expr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    Or,
    And,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Union,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Expr {
    /// From the root, or from the node at hand.
    Path {
        root: bool,
        steps: Vec<Step>,
    },
    /// Steps, or predicates, of what an expression gives.
    Of(Box<Expr>, Vec<Expr>, Vec<Step>),
    Binary(Op, Box<Expr>, Box<Expr>),
    Neg(Box<Expr>),
    Number(f64),
    Text(String),
    Call(Function, Vec<Expr>),
}

macro_rules! functions {
    ($($variant:ident $name:literal $min:literal $max:literal;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Function { $($variant),* }
        const FUNCTIONS: &[(&str, Function, usize, usize)] =
            &[$(($name, Function::$variant, $min, $max)),*];
    };
}

functions! {
    Boolean "boolean" 1 1;
    Ceiling "ceiling" 1 1;
    Concat "concat" 1 255;
    Contains "contains" 2 2;
    Count "count" 1 1;
    False "false" 0 0;
    Floor "floor" 1 1;
    Last "last" 0 0;
    Not "not" 1 1;
    Number "number" 0 1;
    Position "position" 0 0;
    Round "round" 1 1;
    StringLength "string-length" 0 1;
    Substring "substring" 2 3;
    Sum "sum" 1 1;
    True "true" 0 0;
}

/// Expressions within one another. Each takes a dozen frames of the stack, of which a session has 256 KiB.
const MAX_DEPTH: usize = 20;
/// Operators in all: those of one level make a tree that is as high as they are many, which is walked and dropped by recursion.
const MAX_OPERATORS: usize = 200;

pub struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    operators: usize,
}

type Parsed<T> = Result<T, String>;

/// The whole of `text`. Errors: the rest of the text, from where it is no XPath on.
pub fn parse(text: &str) -> Parsed<Expr> {
    let mut p = Parser { text, at: 0, depth: 0, operators: 0 };
    let e = p.expr(0)?;
    p.blanks();
    if p.at < text.len() { Err(p.rest().to_owned()) } else { Ok(e) }
}

/// Operators by how tightly they bind, the loosest first; words among them end where a name ends.
const LEVELS: [&[(&str, Op)]; 6] = [
    &[("or", Op::Or)],
    &[("and", Op::And)],
    &[("!=", Op::Ne), ("=", Op::Eq)],
    &[("<=", Op::Le), (">=", Op::Ge), ("<", Op::Lt), (">", Op::Gt)],
    &[("+", Op::Add), ("-", Op::Sub)],
    &[("*", Op::Mul), ("div", Op::Div), ("mod", Op::Mod)],
];

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.') || !c.is_ascii()
}

impl<'a> Parser<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        self.at += self.rest().len() - self.rest().trim_start().len();
    }

    fn eat(&mut self, what: &str) -> bool {
        self.blanks();
        let hit = self.rest().starts_with(what);
        self.at += if hit { what.len() } else { 0 };
        hit
    }

    fn expect(&mut self, what: &str) -> Parsed<()> {
        if self.eat(what) { Ok(()) } else { Err(self.rest().to_owned()) }
    }

    fn operator(&mut self, level: usize) -> Option<Op> {
        self.blanks();
        let rest = self.rest();
        let (word, op) = LEVELS[level].iter().find(|(word, _)| {
            let tail = rest.strip_prefix(word);
            let wordy = word.starts_with(char::is_alphabetic);
            tail.is_some_and(|t| !wordy || !t.starts_with(is_name))
        })?;
        self.at += word.len();
        Some(*op)
    }

    fn expr(&mut self, level: usize) -> Parsed<Expr> {
        if level == LEVELS.len() {
            return self.unary();
        }
        let mut left = self.expr(level + 1)?;
        while let Some(op) = self.operator(level) {
            self.one_more()?;
            let right = self.expr(level + 1)?;
            left = Expr::Binary(op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let mut negative = false;
        while self.eat("-") {
            negative = !negative;
        }
        let mut e = self.path()?;
        while self.eat("|") {
            self.one_more()?;
            e = Expr::Binary(Op::Union, Box::new(e), Box::new(self.path()?));
        }
        Ok(if negative { Expr::Neg(Box::new(e)) } else { e })
    }

    fn one_more(&mut self) -> Parsed<()> {
        self.operators += 1;
        if self.operators > MAX_OPERATORS { Err(self.rest().to_owned()) } else { Ok(()) }
    }

    fn nested(&mut self) -> Parsed<Expr> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.rest().to_owned());
        }
        let e = self.expr(0);
        self.depth -= 1;
        e
    }

    /// A path, or something else with predicates and steps behind it.
    fn path(&mut self) -> Parsed<Expr> {
        self.blanks();
        let start = self.at;
        let primary = match self.primary()? {
            Some(e) => e,
            None => {
                self.at = start;
                let mut steps = Vec::new();
                let root = self.rest().starts_with('/');
                if root && !self.rest().starts_with("//") {
                    self.at += 1;
                    if !self.at_step() {
                        return Ok(Expr::Path { root, steps });
                    }
                    steps.push(self.step()?);
                } else if !root {
                    steps.push(self.step()?);
                }
                self.more_steps(&mut steps)?;
                return Ok(Expr::Path { root, steps });
            }
        };
        let predicates = self.predicates()?;
        let mut steps = Vec::new();
        self.more_steps(&mut steps)?;
        Ok(match predicates.is_empty() && steps.is_empty() {
            true => primary,
            false => Expr::Of(Box::new(primary), predicates, steps),
        })
    }

    fn at_step(&mut self) -> bool {
        self.blanks();
        self.rest().starts_with(|c: char| is_name(c) || matches!(c, '*' | '@' | '.'))
    }

    fn more_steps(&mut self, steps: &mut Vec<Step>) -> Parsed<()> {
        loop {
            if self.eat("//") {
                let (axis, test) = (Axis::DescendantOrSelf, Test::Node);
                steps.push(Step { axis, test, predicates: Vec::new() });
            } else if !self.eat("/") {
                return Ok(());
            }
            steps.push(self.step()?);
        }
    }

    fn predicates(&mut self) -> Parsed<Vec<Expr>> {
        let mut all = Vec::new();
        while self.eat("[") {
            all.push(self.nested()?);
            self.expect("]")?;
        }
        Ok(all)
    }

    fn name(&mut self) -> Option<&'a str> {
        self.blanks();
        let rest = self.rest();
        let first =
            rest.chars().next().filter(|c| is_name(*c) && !matches!(c, '-' | '.' | '0'..='9'))?;
        let len = rest[first.len_utf8()..]
            .find(|c| !is_name(c))
            .map_or(rest.len(), |n| n + first.len_utf8());
        let mut len = len;
        // A name with a prefix; `::` is behind an axis.
        if rest[len..].starts_with(':') && !rest[len..].starts_with("::") {
            let tail = &rest[len + 1..];
            len += 1 + tail.find(|c| !is_name(c)).unwrap_or(tail.len());
        }
        self.at += len;
        Some(&rest[..len])
    }

    fn step(&mut self) -> Parsed<Step> {
        self.blanks();
        let own = |axis| Ok(Step { axis, test: Test::Node, predicates: Vec::new() });
        if self.eat("..") {
            return own(Axis::Parent);
        }
        if self.eat(".") {
            return own(Axis::Own);
        }
        let mut axis = if self.eat("@") { Axis::Attribute } else { Axis::Child };
        let start = self.at;
        if let Some(name) = self.name()
            && self.eat("::")
        {
            let known = AXES.iter().find(|(n, _)| *n == name);
            axis = known.ok_or_else(|| self.text[start..].to_owned())?.1;
        } else {
            self.at = start;
        }
        let test = self.test()?;
        Ok(Step { axis, test, predicates: self.predicates()? })
    }

    fn test(&mut self) -> Parsed<Test> {
        if self.eat("*") {
            return Ok(Test::Any);
        }
        let start = self.at;
        let name = self.name().ok_or_else(|| self.rest().to_owned())?;
        let behind = self.at;
        if !self.eat("(") {
            self.at = behind;
            return Ok(Test::Name(name.to_owned()));
        }
        self.expect(")")?;
        match name {
            "node" => Ok(Test::Node),
            "text" => Ok(Test::Text),
            "comment" => Ok(Test::Comment),
            "processing-instruction" => Ok(Test::Instruction),
            _ => Err(self.text[start..].to_owned()),
        }
    }

    /// A number, a text, a call or an expression in parentheses; none: a path begins here.
    fn primary(&mut self) -> Parsed<Option<Expr>> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Err(String::new()) };
        match first {
            '(' => {
                self.at += 1;
                let e = self.nested()?;
                self.expect(")")?;
                Ok(Some(e))
            }
            '"' | '\'' => {
                let len = rest[1..].find(first).ok_or_else(|| rest.to_owned())?;
                self.at += len + 2;
                Ok(Some(Expr::Text(rest[1..=len].to_owned())))
            }
            '0'..='9' => {
                let len =
                    rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
                self.at += len;
                Ok(Some(Expr::Number(rest[..len].parse().map_err(|_| rest.to_owned())?)))
            }
            _ => self.call(),
        }
    }

    fn call(&mut self) -> Parsed<Option<Expr>> {
        let start = self.at;
        let Some(name) = self.name() else { return Ok(None) };
        if matches!(name, "node" | "text" | "comment" | "processing-instruction") || !self.eat("(")
        {
            return Ok(None);
        }
        let wrong = || self.text[start..].to_owned();
        let known = FUNCTIONS.iter().find(|(n, ..)| *n == name);
        let (_, function, min, max) = *known.ok_or_else(wrong)?;
        let mut args = Vec::new();
        if !self.eat(")") {
            loop {
                args.push(self.nested()?);
                if !self.eat(",") {
                    break;
                }
            }
            self.expect(")")?;
        }
        match (min..=max).contains(&args.len()) {
            true => Ok(Some(Expr::Call(function, args))),
            false => Err(self.text[start..].to_owned()),
        }
    }
}
