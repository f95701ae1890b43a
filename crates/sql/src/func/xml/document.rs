//! XML fragments as trees of nodes, as lenient as MySQL reads them: several elements and texts may stand side by side.

use crate::value::Look;

/// What a node is. Attributes and texts have a value, the others children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Root,
    Element,
    Attribute,
    Text,
    Comment,
    Instruction,
}

#[derive(Debug)]
pub struct Node {
    pub kind: Kind,
    pub name: String,
    pub value: String,
    pub parent: usize,
    /// Attributes first, then what is inside, in order.
    pub children: Vec<usize>,
    /// Its bytes in the fragment.
    pub start: usize,
    pub end: usize,
}

/// Invariant: node 0 is the root, and numbers rise in the order of the fragment.
#[derive(Debug)]
pub struct Document(pub Vec<Node>);

/// Elements within one another.
const MAX_DEPTH: usize = 100;

struct Reader<'a> {
    text: &'a str,
    at: usize,
    nodes: Vec<Node>,
    open: Vec<usize>,
}

impl Document {
    /// Errors: why the fragment is not one, as MySQL says it.
    pub fn parse(text: &str, look: &mut Look<'_>) -> Result<Document, String> {
        let root = Node {
            kind: Kind::Root,
            name: String::new(),
            value: String::new(),
            parent: 0,
            children: Vec::new(),
            start: 0,
            end: text.len(),
        };
        let mut r = Reader { text, at: 0, nodes: vec![root], open: vec![0] };
        match r.read(look) {
            Ok(()) => Ok(Document(r.nodes)),
            Err(why) => {
                let before = &text[..r.at.min(text.len())];
                let line = before.matches('\n').count() + 1;
                let pos = before.len() - before.rfind('\n').map_or(0, |n| n + 1);
                Err(format!("parse error at line {line} pos {pos}: {why}"))
            }
        }
    }

    pub fn kind(&self, n: usize) -> Kind {
        self.0[n].kind
    }

    /// The text in a node: of an element, that of all texts in it.
    pub fn string(&self, n: usize, out: &mut String) {
        let node = &self.0[n];
        match node.kind {
            Kind::Root | Kind::Element => {
                let inside = |c: &&usize| self.kind(**c) != Kind::Attribute;
                node.children.iter().filter(inside).for_each(|c| self.string(*c, out));
            }
            Kind::Text | Kind::Attribute => out.push_str(&node.value),
            Kind::Comment | Kind::Instruction => {}
        }
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':') || !c.is_ascii()
}

impl<'a> Reader<'a> {
    fn read(&mut self, look: &mut Look<'_>) -> Result<(), String> {
        while self.at < self.text.len() {
            let from = self.at;
            match self.text[self.at..].find('<') {
                Some(0) => self.markup()?,
                next => {
                    let end = next.map_or(self.text.len(), |n| self.at + n);
                    self.put_text(self.at, end, &self.text[self.at..end]);
                    self.at = end;
                }
            }
            if !look.go_on(self.at - from + size_of::<Node>()) {
                return Err("interrupted".into());
            }
        }
        match self.open.len() {
            1 => Ok(()),
            _ => {
                let name = &self.nodes[self.open[self.open.len() - 1]].name;
                Err(format!("unexpected END-OF-INPUT ('</{name}>' wanted)"))
            }
        }
    }

    fn put(&mut self, kind: Kind, name: &str, value: String, start: usize, end: usize) -> usize {
        let parent = self.open[self.open.len() - 1];
        let number = self.nodes.len();
        let (name, children) = (name.to_owned(), Vec::new());
        self.nodes.push(Node { kind, name, value, parent, children, start, end });
        self.nodes[parent].children.push(number);
        number
    }

    fn put_text(&mut self, start: usize, end: usize, raw: &str) {
        if !raw.trim().is_empty() {
            self.put(Kind::Text, "", decoded(raw.trim()), start, end);
        }
    }

    /// What begins with `<`.
    fn markup(&mut self) -> Result<(), String> {
        let (start, rest) = (self.at, &self.text[self.at..]);
        let until = |end: &str, kind: &str| match rest.find(end) {
            Some(n) => Ok(n + end.len()),
            None => Err(format!("unexpected END-OF-INPUT ({kind} wanted)")),
        };
        if rest.starts_with("<!--") {
            let len = until("-->", "'-->'")?;
            self.put(Kind::Comment, "", String::new(), start, start + len);
            self.at += len;
        } else if let Some(inner) = rest.strip_prefix("<![CDATA[") {
            let len = until("]]>", "']]>'")?;
            let value = inner[..len - 12].to_owned();
            self.put(Kind::Text, "", value, start, start + len);
            self.at += len;
        } else if rest.starts_with("<?") {
            let len = until("?>", "'?>'")?;
            self.put(Kind::Instruction, "", String::new(), start, start + len);
            self.at += len;
        } else if rest.starts_with("<!") {
            self.at += until(">", "'>'")?;
        } else if rest.starts_with("</") {
            self.close()?;
        } else {
            self.open_element()?;
        }
        Ok(())
    }

    fn name(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let len = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        self.at += len;
        &rest[..len]
    }

    fn blanks(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    fn eat(&mut self, what: &str) -> bool {
        let hit = self.text[self.at..].starts_with(what);
        self.at += if hit { what.len() } else { 0 };
        hit
    }

    fn unexpected(&self, wanted: &str) -> String {
        match self.text[self.at..].chars().next() {
            None => format!("unexpected END-OF-INPUT ({wanted} wanted)"),
            Some(c) => format!("unknown token unexpected ({wanted} wanted) near '{c}'"),
        }
    }

    fn close(&mut self) -> Result<(), String> {
        self.at += 2;
        let name = self.name();
        self.blanks();
        if !self.eat(">") {
            return Err(self.unexpected("'>'"));
        }
        let element = self.open[self.open.len() - 1];
        match &self.nodes[element].name {
            _ if self.open.len() == 1 => {
                Err(format!("'</{name}>' unexpected (END-OF-INPUT wanted)"))
            }
            open if open == name => {
                self.nodes[element].end = self.at;
                self.open.pop();
                Ok(())
            }
            open => Err(format!("'</{name}>' unexpected ('</{open}>' wanted)")),
        }
    }

    fn open_element(&mut self) -> Result<(), String> {
        let start = self.at;
        self.at += 1;
        let name = self.name();
        if name.is_empty() {
            return Err(self.unexpected("ident or '/'"));
        }
        if self.open.len() > MAX_DEPTH {
            return Err("too many elements within one another".into());
        }
        let element = self.put(Kind::Element, name, String::new(), start, start);
        self.open.push(element);
        loop {
            self.blanks();
            if self.eat("/>") {
                self.nodes[element].end = self.at;
                self.open.pop();
                return Ok(());
            }
            if self.eat(">") {
                return Ok(());
            }
            self.attribute()?;
        }
    }

    fn attribute(&mut self) -> Result<(), String> {
        let start = self.at;
        let name = self.name();
        if name.is_empty() {
            return Err(self.unexpected("'>'"));
        }
        self.blanks();
        let mut value = "";
        if self.eat("=") {
            self.blanks();
            let rest = &self.text[self.at..];
            match rest.chars().next().filter(|c| matches!(c, '"' | '\'')) {
                Some(quote) => {
                    let len = rest[1..]
                        .find(quote)
                        .ok_or_else(|| format!("unexpected END-OF-INPUT ('{quote}' wanted)"))?;
                    value = &rest[1..=len];
                    self.at += len + 2;
                }
                None => value = self.name(),
            }
        }
        self.put(Kind::Attribute, name, decoded(value), start, self.at);
        Ok(())
    }
}

/// Text with its entities as what they stand for.
fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known =
            [("&lt;", '<'), ("&gt;", '>'), ("&amp;", '&'), ("&quot;", '"'), ("&apos;", '\'')];
        match known.iter().find(|(entity, _)| rest.starts_with(entity)) {
            Some((entity, c)) => {
                out.push(*c);
                rest = &rest[entity.len()..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}
