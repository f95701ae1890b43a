//! Functions of the clock.

/// What a function of the clock gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    Date,
    Time,
    DateTime,
}

#[cfg(test)]
mod tests {
    use super::Gives;
    use crate::func::{all, lookup};

    #[test]
    fn clocks_take_digits_unless_they_are_dates() {
        for def in all() {
            let Some(gives) = def.clock else { continue };
            assert!(!def.is_pure(), "{}", def.name);
            assert_eq!(
                usize::from(def.max_args),
                usize::from(gives != Gives::Date),
                "{}",
                def.name
            );
        }
        let settled = |name| lookup(name).expect("a function").is_settled_in_statement();
        assert!(settled("LOCALTIME") && !settled("SYSDATE"));
    }
}
