//! What MySQL tells clients of the columns of its computed tables and of SHOW. Its dictionary has views over tables with keys, joins and
//! expressions there, of which nothing else is to be seen: the facts were asked of a server (`tools/measure_told.py`).

use std::collections::HashMap;
use std::sync::OnceLock;

/// The metadata of one column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    pub type_code: u8,
    /// Characters of a text, else the length.
    pub chars: u32,
    pub decimals: u8,
    pub flags: u16,
    pub text: bool,
}

/// What a column of a SHOW is said to be of, where MySQL answers it from a view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Origin {
    pub schema: &'static str,
    /// The view, or its name in the statement.
    pub table: &'static str,
    pub org_table: &'static str,
    /// Empty: the column's own name.
    pub org_name: &'static str,
}

/// A line for each table, `schema table column=facts...`, and for each SHOW, `show names facts...` with the names of all its columns.
/// Facts of a SHOW end with the four names of their origin, if there is one.
const FACTS: &str = include_str!("told.txt");

#[derive(Default)]
struct All {
    /// By schema, table and column in lower case.
    tables: HashMap<String, Told>,
    /// By the names of all columns.
    shows: HashMap<&'static str, Vec<(Told, Option<Origin>)>>,
}

fn parsed(facts: &str) -> Option<Told> {
    let mut parts = facts.split(',');
    Some(Told {
        type_code: parts.next()?.parse().ok()?,
        chars: parts.next()?.parse().ok()?,
        decimals: parts.next()?.parse().ok()?,
        flags: parts.next()?.parse().ok()?,
        text: parts.next()? == "t",
    })
}

fn origin(facts: &'static str) -> Option<Origin> {
    let mut parts = facts.split(',').skip(5);
    let mut next = || parts.next();
    Some(Origin { schema: next()?, table: next()?, org_table: next()?, org_name: next()? })
}

fn all() -> &'static All {
    static ALL: OnceLock<All> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut all = All::default();
        for line in FACTS.lines() {
            let mut fields = line.split('\t');
            let (Some(schema), Some(name)) = (fields.next(), fields.next()) else { continue };
            if schema == "show" {
                let both = |f| parsed(f).map(|told| (told, origin(f)));
                all.shows.insert(name, fields.filter_map(both).collect());
                continue;
            }
            for (column, facts) in fields.filter_map(|f| f.split_once('=')) {
                let key = format!("{schema}.{name}.{column}").to_lowercase();
                all.tables.extend(parsed(facts).map(|told| (key, told)));
            }
        }
        all
    })
}

/// The metadata of a column of a computed table.
pub fn of_table(schema: &str, table: &str, column: &str) -> Option<Told> {
    all().tables.get(&format!("{schema}.{table}.{column}").to_lowercase()).copied()
}

/// The metadata of the columns of a SHOW that has just these.
pub fn of_show<'n>(
    names: impl Iterator<Item = &'n str>,
) -> Option<&'static [(Told, Option<Origin>)]> {
    // Names with what was asked for behind them.
    let bare = |n: &'n str| match n {
        n if n.starts_with("Tables_in_") => "Tables_in",
        n if n.starts_with("Database (") => "Database",
        n if n.starts_with("Grants for ") => "Grants for",
        n if n.starts_with("CREATE USER for ") => "CREATE USER for",
        n => n,
    };
    let key: Vec<&str> = names.map(bare).collect();
    all().shows.get(key.join("|").as_str()).map(Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_lines_are_read() {
        let columns = FACTS.matches('=').count();
        assert_eq!(all().tables.len(), columns);
        for line in FACTS.lines().filter(|l| l.starts_with("show\t")) {
            let mut fields = line.split('\t').skip(1);
            let names = fields.next().expect("names");
            let told = of_show(names.split('|')).expect(names);
            assert_eq!(
                (told.len(), fields.count()),
                (names.split('|').count(), told.len()),
                "{names}"
            );
        }
    }

    /// Metadata belongs to tables that exist, and to all of their columns except those that MySQL does not have.
    #[test]
    fn tables_are_known() {
        for line in FACTS.lines().filter(|l| !l.starts_with("show\t")) {
            let mut fields = line.split('\t');
            let (schema, name) = (fields.next().expect("schema"), fields.next().expect("name"));
            let table = crate::infoschema::lookup(schema, name).expect(name);
            let known = |n: &str| of_table(schema, name, n).is_some();
            assert!(table.columns().iter().any(|c| known(&c.name)), "{schema}.{name}");
        }
    }
}
