//! Functions of the clock, with all their names.

/// What a function of the clock gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    Date,
    Time,
    DateTime,
}

const CLOCK: [(&str, Gives); 12] = [
    ("NOW", Gives::DateTime),
    ("CURRENT_TIMESTAMP", Gives::DateTime),
    ("LOCALTIME", Gives::DateTime),
    ("LOCALTIMESTAMP", Gives::DateTime),
    ("SYSDATE", Gives::DateTime),
    ("UTC_TIMESTAMP", Gives::DateTime),
    ("CURDATE", Gives::Date),
    ("CURRENT_DATE", Gives::Date),
    ("UTC_DATE", Gives::Date),
    ("CURTIME", Gives::Time),
    ("CURRENT_TIME", Gives::Time),
    ("UTC_TIME", Gives::Time),
];

/// What the function of that name, in upper case, gives, if it reads the clock.
pub fn of(name: &str) -> Option<Gives> {
    CLOCK.iter().find(|(known, _)| *known == name).map(|(_, gives)| *gives)
}

/// Whether its argument is a number of digits of a second, which a date has not got.
pub fn has_digits(name: &str) -> bool {
    of(name).is_some_and(|gives| gives != Gives::Date)
}

/// Functions that are not deterministic but have one value in a statement where their arguments have.
pub fn is_settled_in_statement(name: &str) -> bool {
    let of_clock = of(name).is_some() && name != "SYSDATE";
    let of_session = ["DATABASE", "SCHEMA", "CONNECTION_ID", "UNIX_TIMESTAMP", "FROM_UNIXTIME"];
    of_clock || of_session.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_function() {
        for (name, gives) in CLOCK {
            let def = crate::func::lookup(name).expect("a function");
            assert!(!def.deterministic, "{name}");
            assert_eq!(usize::from(def.max_args), usize::from(gives != Gives::Date), "{name}");
        }
        assert!(is_settled_in_statement("LOCALTIME") && !is_settled_in_statement("SYSDATE"));
    }
}
