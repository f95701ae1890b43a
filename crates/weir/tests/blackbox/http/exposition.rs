//! A strict reader of Prometheus' text format 0.0.4 and of OpenMetrics 1.0, as far as the server uses them. It shares nothing with the writer.

use std::collections::BTreeSet;

#[derive(Debug, Default)]
pub struct Family {
    pub name: String,
    pub kind: String,
    pub unit: String,
    pub help: String,
    /// Name with its suffix, and value; labels are checked and left out.
    pub samples: Vec<(String, f64)>,
    bounds: Vec<(f64, f64)>,
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_' || c == ':')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':')
}

/// `name="value",...` up to the closing brace; returns the pairs and what follows.
fn labels(mut text: &str) -> (Vec<(String, String)>, &str) {
    let mut found = Vec::new();
    loop {
        let (name, rest) = text.split_once("=\"").unwrap_or_else(|| panic!("a label: {text}"));
        assert!(is_name(name) && !name.contains(':'), "{name}");
        let mut value = String::new();
        let mut chars = rest.char_indices();
        let end = loop {
            match chars.next().expect("a label ends") {
                (_, '\\') => value.push(match chars.next().unwrap().1 {
                    'n' => '\n',
                    c @ ('\\' | '"') => c,
                    c => panic!("escape {c}"),
                }),
                (i, '"') => break i,
                (_, c) => value.push(c),
            }
        };
        found.push((name.to_owned(), value));
        match &rest[end + 1..] {
            r if r.starts_with(',') => text = &r[1..],
            r if r.starts_with('}') => return (found, &r[1..]),
            r => panic!("behind a label: {r}"),
        }
    }
}

fn number(text: &str) -> f64 {
    match text {
        "+Inf" => f64::INFINITY,
        t => t.parse().unwrap_or_else(|_| panic!("a value: {t}")),
    }
}

fn read(text: &str, open: bool) -> Vec<Family> {
    let mut all: Vec<Family> = Vec::new();
    let mut ended = false;
    assert!(text.ends_with('\n'));
    for line in text.lines() {
        assert!(!ended, "behind the end: {line}");
        if line == "# EOF" {
            assert!(open);
            ended = true;
        } else if let Some(rest) = line.strip_prefix("# ") {
            let mut words = rest.splitn(3, ' ');
            let (what, name) = (words.next().unwrap(), words.next().unwrap());
            let value = words.next().unwrap_or("").to_owned();
            assert!(is_name(name), "{line}");
            if all.last().is_none_or(|f| f.name != name) {
                assert!(all.iter().all(|f| f.name != name), "{name} is in two places");
                all.push(Family { name: name.into(), ..Family::default() });
            }
            let f = all.last_mut().unwrap();
            assert!(f.samples.is_empty(), "{line} stands behind samples");
            let to = match what {
                "TYPE" => &mut f.kind,
                "HELP" => &mut f.help,
                "UNIT" if open => &mut f.unit,
                _ => panic!("{line}"),
            };
            assert!(to.is_empty(), "{line} stands twice");
            *to = value;
        } else {
            sample(line, all.last_mut().expect("a sample has a family"), open);
        }
    }
    assert_eq!(ended, open, "OpenMetrics ends with # EOF");
    all.iter().for_each(|f| check(f, open));
    all
}

fn sample(line: &str, f: &mut Family, open: bool) {
    let end = line.find(['{', ' ']).unwrap();
    let name = &line[..end];
    let (pairs, rest) = match &line[end..] {
        r if r.starts_with('{') => labels(&r[1..]),
        r => (Vec::new(), r),
    };
    let value = number(rest.strip_prefix(' ').expect("one blank before the value"));
    let suffix =
        name.strip_prefix(f.name.as_str()).unwrap_or_else(|| panic!("{line} is not of {}", f.name));
    let fits = match (f.kind.as_str(), suffix) {
        ("gauge", "") => true,
        ("counter", "") => !open,
        ("counter", "_total") => open,
        ("histogram", "_bucket" | "_sum" | "_count") => true,
        _ => false,
    };
    assert!(fits, "{line}: a {}", f.kind);
    if suffix == "_bucket" {
        let le = &pairs.iter().find(|(n, _)| n == "le").expect("a bucket has a bound").1;
        f.bounds.push((number(le), value));
    }
    f.samples.push((name.into(), value));
}

fn check(f: &Family, open: bool) {
    assert!(!f.kind.is_empty() && !f.help.is_empty() && !f.samples.is_empty(), "{f:?}");
    assert!(f.unit.is_empty() || f.name.ends_with(&format!("_{}", f.unit)), "{f:?}");
    assert!(f.kind != "counter" || open != f.name.ends_with("_total"), "{f:?}");
    assert!(f.kind == "counter" || !f.name.ends_with("_total"), "{f:?}");
    if f.kind == "histogram" {
        assert!(f.bounds.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 <= w[1].1), "{f:?}");
        let (last, count) = f.bounds.last().unwrap();
        assert!(*last == f64::INFINITY);
        assert!(f.samples.contains(&(format!("{}_count", f.name), *count)), "{f:?}");
    }
    assert!(f.samples.iter().all(|s| f.kind == "gauge" || s.1 >= 0.0));
}

fn distinct(all: Vec<Family>) -> Vec<Family> {
    let names: BTreeSet<&str> = all.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(names.len(), all.len());
    all
}

pub fn text(text: &str) -> Vec<Family> {
    distinct(read(text, false))
}

pub fn open_metrics(text: &str) -> Vec<Family> {
    distinct(read(text, true))
}
