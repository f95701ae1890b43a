//! Partial revokes: databases that privileges on `*.*` do not reach. REVOKE on a database makes them of what is granted on all of them,
//! where `partial_revokes` is on.
//!
//! Invariants: a restriction is of privileges that the account holds on `*.*`; it goes with them. Who is restricted cannot hand out more
//! than he has: what he grants on `*.*` is restricted as his own is. Restrictions hold whatever the variable says now.

use super::{Account, Privileges, host};
use crate::value::json::Dom;

/// By the name of a database, which is no pattern; in the order of the names, and none of them empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Restrictions(Vec<(String, Privileges)>);

impl Restrictions {
    pub(super) fn from_list(list: Vec<(String, Privileges)>) -> Restrictions {
        let mut all = Restrictions::default();
        list.into_iter().for_each(|(database, held)| all.add(&database, held));
        all
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, Privileges)> {
        self.0.iter().map(|(database, held)| (&**database, *held))
    }

    /// What does not reach a database.
    pub fn on(&self, database: &str) -> Privileges {
        let own = self.0.iter().find(|(name, _)| name == database);
        own.map_or(Privileges::NONE, |(_, held)| *held)
    }

    /// What does not reach some database that a pattern means.
    pub fn under(&self, pattern: &str) -> Privileges {
        let under =
            self.0.iter().filter(|(name, _)| name == pattern || host::like_exactly(pattern, name));
        under.fold(Privileges::NONE, |all, (_, held)| all | *held)
    }

    pub(super) fn add(&mut self, database: &str, privileges: Privileges) {
        if privileges.is_empty() {
            return;
        }
        match self.0.binary_search_by(|(name, _)| (**name).cmp(database)) {
            Ok(at) => self.0[at].1 |= privileges,
            Err(at) => self.0.insert(at, (database.to_owned(), privileges)),
        }
    }

    pub(super) fn lift(&mut self, database: &str, privileges: Privileges) {
        let own = self.0.iter_mut().filter(|(name, _)| name == database);
        own.for_each(|(_, held)| *held = held.without(privileges));
        self.0.retain(|(_, held)| !held.is_empty());
    }

    pub(super) fn lift_everywhere(&mut self, privileges: Privileges) {
        self.0.iter_mut().for_each(|(_, held)| *held = held.without(privileges));
        self.0.retain(|(_, held)| !held.is_empty());
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Privileges on `*.*` were granted by somebody who is restricted himself by `by`; `had`: those that the account held before. What
    /// it had without a restriction stays without one, and of its own restrictions those stay that the grantor has too.
    pub(super) fn granted(&mut self, privileges: Privileges, had: Privileges, by: &Restrictions) {
        let before = self.clone();
        self.lift_everywhere(privileges);
        for (database, theirs) in by.iter() {
            let theirs = theirs.common(privileges);
            let kept = before.on(database).common(theirs);
            self.add(database, theirs.without(had) | kept);
        }
    }

    /// Of an account with the rights of several: restricted is what each of those that hold it has restricted.
    pub(super) fn of_all<'a>(accounts: impl Iterator<Item = &'a Account> + Clone) -> Restrictions {
        let mut all = Restrictions::default();
        for (database, held) in accounts.clone().flat_map(|a| a.restrictions.0.iter()) {
            let open = |a: &Account| a.global.without(a.restrictions.on(database));
            let reached = accounts.clone().fold(Privileges::NONE, |sum, a| sum | open(a));
            all.add(database, held.without(reached));
        }
        all
    }

    /// As `mysql.user`.`User_attributes` has them.
    pub(super) fn to_dom(&self) -> Dom {
        let one = |(database, held): (&str, Privileges)| {
            let names = held.names().map(|name| Dom::str(name.as_bytes())).collect();
            Dom::object(vec![
                (b"Database".as_slice().into(), Dom::str(database.as_bytes())),
                (b"Privileges".as_slice().into(), Dom::Array(names)),
            ])
        };
        Dom::Array(self.iter().map(one).collect())
    }

    /// Reads what [`Restrictions::to_dom`] made; what is nothing of the kind is left out.
    pub(super) fn from_dom(dom: &Dom) -> Restrictions {
        let text = |dom: &Dom| match dom {
            Dom::Str(s) => Some(String::from_utf8_lossy(s).into_owned()),
            _ => None,
        };
        let mut all = Restrictions::default();
        let Dom::Array(list) = dom else { return all };
        for one in list {
            let database = one.member(b"Database").and_then(text);
            let (Some(database), Some(Dom::Array(names))) = (database, one.member(b"Privileges"))
            else {
                continue;
            };
            let held = names.iter().filter_map(text).filter_map(|n| Privileges::by_name(&n));
            all.add(&database, held.fold(Privileges::NONE, |all, one| all | one));
        }
        all
    }
}

impl Account {
    /// What is held on `*.*` as far as it reaches a database.
    pub fn global_on(&self, database: &str) -> Privileges {
        match self.restrictions.is_empty() {
            true => self.global,
            false => self.global.without(self.restrictions.on(database)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{AccountName, Privileges as P};
    use super::*;

    fn of(list: &[(&str, P)]) -> Restrictions {
        Restrictions::from_list(list.iter().map(|(d, p)| ((*d).to_owned(), *p)).collect())
    }

    #[test]
    fn who_is_restricted_grants_no_more_than_he_has() {
        let by = of(&[("x", P::SELECT), ("y", P::INSERT)]);
        let mut fresh = Restrictions::default();
        fresh.granted(P::SELECT | P::UPDATE, P::NONE, &by);
        assert_eq!(fresh, of(&[("x", P::SELECT)]));
        // What was held without a restriction stays so; of two restrictions that of both stays.
        let mut held = of(&[("x", P::SELECT), ("z", P::SELECT)]);
        held.granted(P::SELECT, P::SELECT, &by);
        assert_eq!(held, of(&[("x", P::SELECT)]));
        let mut open = Restrictions::default();
        open.granted(P::SELECT, P::SELECT, &by);
        assert!(open.is_empty());
        held.granted(P::SELECT, P::SELECT, &Restrictions::default());
        assert!(held.is_empty());
    }

    #[test]
    fn a_role_opens_what_the_account_has_closed() {
        let with = |global: P, list: &[(&str, P)]| Account {
            global,
            restrictions: of(list),
            ..Account::new(&AccountName::new("a", "%"))
        };
        let own = with(P::SELECT | P::INSERT, &[("x", P::SELECT | P::INSERT)]);
        let role = with(P::SELECT, &[("y", P::SELECT)]);
        assert_eq!(Restrictions::of_all([&own, &role].into_iter()), of(&[("x", P::INSERT)]));
        assert_eq!(own.global_on("x"), P::NONE);
        assert_eq!(own.restrictions.under("_"), P::SELECT | P::INSERT);
    }

    #[test]
    fn they_are_kept_as_json() {
        let all = of(&[("b", P::SELECT | P::DELETE), ("a", P::INSERT)]);
        assert_eq!(Restrictions::from_dom(&all.to_dom()), all);
        assert_eq!(all.iter().next(), Some(("a", P::INSERT)));
    }
}
