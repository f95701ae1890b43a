//! Which of its tables a DELETE over several means.

use crate::errno;
use crate::query::bind::{MAX_TABLES, too_many_tables};
use crate::session_api::SqlError;
use weir_syntax::ast::{Delete, TableFactor, TableName, TableRef};

/// A table of the statement by the names that its block knows it by; a derived one is of no schema.
pub struct Target<'d> {
    pub schema: Option<&'d str>,
    pub alias: &'d str,
}

/// A table of the FROM clause: what it is, unless it is derived, and what it is called.
struct Listed<'d> {
    of: Option<&'d TableFactor>,
    alias: &'d str,
}

/// What the list names. As in MySQL a name alone is an alias, or a table of the default schema, without which nothing is named so (1046); one
/// with its schema is a table that has no alias.
pub fn targets<'d>(d: &'d Delete, default: Option<&'d str>) -> Result<Vec<Target<'d>>, SqlError> {
    let mut listed = Vec::new();
    d.from.iter().for_each(|t| list(t, &mut listed));
    // No block has more of them. What is named twice is refused, so a long list of targets is compared with as many tables at most.
    if listed.len() > MAX_TABLES {
        return Err(too_many_tables());
    }
    let mut found: Vec<Target<'d>> = Vec::new();
    for name in &d.targets {
        let schema = match &name.schema {
            Some(s) => s.as_str(),
            None => default.ok_or_else(SqlError::no_database)?,
        };
        let mut meant = listed.iter().filter(|l| l.is_meant(name, schema, default));
        let Some(one) = meant.next() else {
            return Err(SqlError::of(errno::ER_UNKNOWN_TABLE, &[&name.name, &"MULTI DELETE"]));
        };
        let target = one.target(default);
        let again = |t: &Target<'_>| t.alias == target.alias && t.schema == target.schema;
        if meant.next().is_some() || found.iter().any(again) {
            return Err(SqlError::of(errno::ER_NONUNIQ_TABLE, &[&one.alias]));
        }
        found.push(target);
    }
    Ok(found)
}

fn list<'d>(t: &'d TableRef, out: &mut Vec<Listed<'d>>) {
    match t {
        TableRef::Table(f) => {
            let alias = f.alias.as_ref().map_or(f.name.name.as_str(), |a| a.as_str());
            out.push(Listed { of: Some(f), alias });
        }
        TableRef::Derived { alias, .. } => out.push(Listed { of: None, alias: alias.as_str() }),
        TableRef::JsonTable(j) => out.push(Listed { of: None, alias: j.alias.as_str() }),
        TableRef::List(all) => all.iter().for_each(|t| list(t, out)),
        TableRef::Join(j) => {
            list(&j.left, out);
            list(&j.right, out);
        }
    }
}

impl<'d> Listed<'d> {
    fn is_meant(&self, name: &TableName, schema: &str, default: Option<&str>) -> bool {
        match self.of.filter(|f| f.alias.is_none()) {
            None => name.schema.is_none() && self.alias == name.name.as_str(),
            Some(f) => {
                let own = f.name.schema.as_ref().map(|s| s.as_str()).or(default);
                self.alias == name.name.as_str() && own == Some(schema)
            }
        }
    }

    fn target(&self, default: Option<&'d str>) -> Target<'d> {
        let of = |f: &'d TableFactor| f.name.schema.as_ref().map(|s| s.as_str()).or(default);
        Target { schema: self.of.and_then(of), alias: self.alias }
    }
}
