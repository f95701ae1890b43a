//! The topics and what they are found by.

use crate::func::{self, FuncDef};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// Statements and types: `# category`, `== name`, the syntax, `-- meaning`, `> example`.
const STATEMENTS: &str = include_str!("statements.txt");

/// Functions: `NAME | meaning | example`, in sections.
const FUNCTIONS: &str = include_str!("../func/meanings.txt");

/// Categories within that of functions, for the sections of [`FUNCTIONS`] behind the first.
const SECTIONS: [(&str, &str); 3] = [
    ("Functions of the language", "Language Functions"),
    ("Aggregates", "Aggregate Functions and Modifiers"),
    ("Window functions", "Window Functions"),
];

pub struct Topic {
    pub id: u32,
    pub name: String,
    /// The category's id.
    pub category: u32,
    pub description: String,
    pub example: String,
}

pub struct Category {
    pub id: u32,
    pub name: String,
    pub parent: Option<u32>,
}

#[derive(Default)]
pub struct Help {
    /// By name, as all lists here.
    pub topics: Vec<Topic>,
    pub categories: Vec<Category>,
    /// The words of syntaxes that name no topic, with the topics' ids.
    pub keywords: BTreeMap<String, Vec<u32>>,
}

/// All of it, made when it is first asked for.
pub fn help() -> &'static Help {
    static HELP: OnceLock<Help> = OnceLock::new();
    HELP.get_or_init(made)
}

/// The root of the categories.
const ROOT: &str = "Contents";
const OF_FUNCTIONS: &str = "Functions";

fn made() -> Help {
    let mut help = Help::default();
    let root = help.category(ROOT, None);
    help.statements(root);
    help.functions(root);
    help.topics.sort_by(|a, b| a.name.cmp(&b.name));
    help.categories.sort_by(|a, b| a.name.cmp(&b.name));
    help.find_keywords();
    help
}

impl Help {
    fn category(&mut self, name: &str, parent: Option<u32>) -> u32 {
        let id = self.categories.len() as u32;
        self.categories.push(Category { id, name: name.to_owned(), parent });
        id
    }

    /// A category of that name within another one.
    fn within(&mut self, parent: u32, name: &str) -> u32 {
        let found = self.categories.iter().find(|c| c.parent == Some(parent) && c.name == name);
        match found.map(|c| c.id) {
            Some(id) => id,
            None => self.category(name, Some(parent)),
        }
    }

    fn topic(&mut self, name: &str, category: u32, (syntax, meaning): (&str, &str), example: &str) {
        let description = format!("Syntax:\n{syntax}\n\n{meaning}\n\n");
        let id = self.topics.len() as u32;
        let (name, example) = (name.to_owned(), example.to_owned());
        self.topics.push(Topic { id, name, category, description, example });
    }

    fn statements(&mut self, root: u32) {
        let mut category = root;
        for part in STATEMENTS.split("\n== ") {
            let (body, following) = match part.rsplit_once("\n# ") {
                Some((body, name)) => (body, Some(name)),
                None => (part, None),
            };
            match body.strip_prefix("# ") {
                Some(first) => category = self.category(first.trim(), Some(root)),
                None => self.statement(body, category),
            }
            if let Some(name) = following {
                category = self.category(name.trim(), Some(root));
            }
        }
    }

    fn statement(&mut self, body: &str, category: u32) {
        let (mut syntax, mut meaning, mut example) = (Vec::new(), "", "");
        let mut lines = body.lines();
        let name = lines.next().unwrap_or_default();
        for line in lines {
            match (line.strip_prefix("-- "), line.strip_prefix("> ")) {
                (Some(text), _) => meaning = text,
                (_, Some(sql)) => example = sql,
                _ => syntax.push(line),
            }
        }
        self.topic(name, category, (&syntax.join("\n"), meaning), example);
    }

    fn functions(&mut self, root: u32) {
        let functions = self.category(OF_FUNCTIONS, Some(root));
        let mut category = functions;
        for line in FUNCTIONS.lines() {
            if let Some(section) = line.strip_prefix("# ") {
                let known = SECTIONS.iter().find(|(title, _)| *title == section);
                category = self.category(known.map_or(section, |(_, name)| name), Some(functions));
                continue;
            }
            let mut parts = line.split(" | ").map(|p| p.trim_end_matches(" |"));
            let name = parts.next().unwrap_or_default();
            let meaning = sentence(parts.next().unwrap_or_default());
            let example = parts.next().map_or(String::new(), |sql| format!("SELECT {sql}"));
            let form = match func::lookup(name) {
                Some(def) => form_of(def),
                None => format!("{name}(...)"),
            };
            let own = match func::kind_of(name) {
                Some(kind) => self.within(functions, kind),
                None => category,
            };
            // Some statements and types have the name of a function.
            let title = match self.topics.iter().any(|t| t.name == name) {
                true => format!("{name} FUNCTION"),
                false => name.to_owned(),
            };
            self.topic(&title, own, (&form, &meaning), &example);
        }
    }

    /// A word in capitals of a syntax is a keyword, unless a topic has that name.
    fn find_keywords(&mut self) {
        let is_word =
            |w: &&str| w.len() > 1 && w.chars().all(|c| c.is_ascii_uppercase() || c == '_');
        for topic in &self.topics {
            let letter = |c: char| !c.is_ascii_alphanumeric() && c != '_';
            let syntax = topic.description.split("\n\n").next().unwrap_or_default();
            for word in syntax.split(letter).filter(is_word) {
                let named = self.topics.binary_search_by(|t| (*t.name).cmp(word)).is_ok();
                let of = self.keywords.entry(word.to_owned()).or_default();
                if !named && !of.contains(&topic.id) {
                    of.push(topic.id);
                }
            }
        }
        self.keywords.retain(|_, of| !of.is_empty());
    }

    /// The topics of the only keyword that fits.
    pub fn of_one_keyword(&self, fits: &dyn Fn(&str) -> bool) -> Vec<&Topic> {
        let mut found = self.keywords.iter().filter(|(word, _)| fits(word));
        match (found.next(), found.next()) {
            (Some((_, of)), None) => self.topics.iter().filter(|t| of.contains(&t.id)).collect(),
            _ => Vec::new(),
        }
    }
}

/// A meaning as a sentence.
fn sentence(meaning: &str) -> String {
    let mut chars = meaning.chars();
    let first = chars.next().map_or(String::new(), |c| c.to_uppercase().to_string());
    format!("{first}{}.", chars.as_str())
}

/// How a function is called, with letters for its arguments.
fn form_of(def: &FuncDef) -> String {
    let letter = |n: u8| char::from(b'a' + n % 26).to_string();
    let needed = (0..def.min_args).map(letter).collect::<Vec<_>>().join(", ");
    let more = match def.max_args {
        func::ANY => ", ...".to_owned(),
        most => {
            let more = (def.min_args..most).map(|n| match n {
                0 => format!("[{}", letter(n)),
                n => format!("[, {}", letter(n)),
            });
            let more: Vec<String> = more.collect();
            format!("{}{}", more.concat(), "]".repeat(more.len()))
        }
    };
    format!("{}({needed}{more})", def.name)
}
