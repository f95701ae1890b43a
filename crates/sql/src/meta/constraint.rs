//! Constraints of a table beside its keys.

use super::same_name;

/// The name of a constraint. One that the server made follows the table's name when that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConstraintName {
    Given(String),
    /// `t_chk_1` is number 1 of table `t`.
    Numbered(u32),
}

impl ConstraintName {
    /// `infix`: `_chk_` of checks, `_ibfk_` of foreign keys.
    pub fn text(&self, table: &str, infix: &str) -> String {
        match self {
            ConstraintName::Given(name) => name.clone(),
            ConstraintName::Numbered(n) => format!("{table}{infix}{n}"),
        }
    }

    /// A name as written; one that the server would have made counts as made by it, as dumps have them.
    pub fn of(name: &str, table: &str, infix: &str) -> ConstraintName {
        let number = name.strip_prefix(table).and_then(|rest| rest.strip_prefix(infix));
        let plain = |n: &&str| !n.starts_with(['0', '+']);
        match number.filter(plain).and_then(|n| n.parse().ok()) {
            Some(n) => ConstraintName::Numbered(n),
            None => ConstraintName::Given(name.to_owned()),
        }
    }
}

/// What stands between a table's name and the number of a check.
pub const CHECK: &str = "_chk_";

/// A CHECK constraint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckConstraint {
    pub name: ConstraintName,
    /// The condition in MySQL's own form, see `ddl::expression`.
    pub expr: String,
    pub enforced: bool,
}

impl CheckConstraint {
    pub fn is_named(&self, name: &str, table: &str) -> bool {
        same_name(&self.name.text(table, CHECK), name)
    }
}

/// Checks with their names, in the order of these, as SHOW CREATE TABLE has them.
pub fn checks_by_name<'c>(
    checks: &'c [CheckConstraint],
    table: &str,
) -> Vec<(String, &'c CheckConstraint)> {
    let mut named: Vec<_> = checks.iter().map(|c| (c.name.text(table, CHECK), c)).collect();
    named.sort_by_key(|(name, _)| name.to_lowercase());
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_names_are_known() {
        let of = |name| ConstraintName::of(name, "t", CHECK);
        assert_eq!(of("t_chk_12"), ConstraintName::Numbered(12));
        for given in ["t_chk_01", "t_chk_", "t_chk_+1", "u_chk_1", "t_chk_99999999999"] {
            assert_eq!(of(given), ConstraintName::Given(given.into()));
        }
        assert_eq!(of("t_chk_2").text("u", CHECK), "u_chk_2");
    }
}
