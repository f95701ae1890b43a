//! Something that one client changes, one statement at a time, while others look at it.
//!
//! A state is possible from the moment when the statement that makes it begins until the next one that succeeds has
//! ended. What a statement shows must be a state that was possible at some moment of the statement.

#[derive(Clone)]
pub struct Timeline<T> {
    all: Vec<State<T>>,
}

#[derive(Clone)]
struct State<T> {
    value: T,
    from: u64,
    until: u64,
}

impl<T> Default for Timeline<T> {
    fn default() -> Timeline<T> {
        Timeline { all: Vec::new() }
    }
}

impl<T: Clone + PartialEq> Timeline<T> {
    /// A world in which this is, and always was, the state.
    pub fn starting_with(value: T) -> Timeline<T> {
        Timeline { all: vec![State { value, from: 0, until: u64::MAX }] }
    }

    /// What the last statement that has succeeded left, if nothing is on its way.
    pub fn now(&self) -> Option<&T> {
        self.all.last().map(|s| &s.value)
    }

    /// A statement begins that will make this state.
    pub fn begin(&mut self, step: u64, value: T) {
        self.all.push(State { value, from: step, until: u64::MAX });
    }

    /// It has succeeded: the states before it are history.
    pub fn succeeded(&mut self, step: u64) {
        let n = self.all.len();
        for s in self.all.iter_mut().take(n.saturating_sub(1)) {
            s.until = s.until.min(step);
        }
        // Nobody asks about what was over long ago.
        if n > 64 {
            self.all.drain(..n - 32);
        }
    }

    /// It has failed: its state was never there.
    pub fn failed(&mut self) {
        self.all.pop();
    }

    /// Whether a statement that ran from `from` to `to` may have met a state that fits.
    pub fn possible(&self, from: u64, to: u64, fits: impl Fn(&T) -> bool) -> bool {
        self.all.iter().any(|s| s.from <= to && s.until >= from && fits(&s.value))
    }

    /// After a crash: what is there is the last state, or the one before if the last was on its way. False otherwise.
    pub fn settle(&mut self, found: T) -> bool {
        let known = self.all.iter().any(|s| s.until == u64::MAX && s.value == found);
        *self = Timeline::starting_with(found);
        known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_possible_from_its_beginning_to_the_end_of_the_next() {
        let mut t = Timeline::starting_with(1);
        t.begin(10, 2);
        assert!(t.possible(3, 4, |s| *s == 1) && !t.possible(3, 9, |s| *s == 2));
        assert!(t.possible(3, 12, |s| *s == 2));
        t.succeeded(20);
        assert!(t.possible(15, 30, |s| *s == 1));
        assert!(!t.possible(21, 30, |s| *s == 1));
        t.begin(40, 3);
        t.failed();
        assert!(!t.possible(41, 50, |s| *s == 3) && t.possible(41, 50, |s| *s == 2));
    }

    #[test]
    fn a_crash_leaves_the_last_state_or_the_one_before() {
        let mut t = Timeline::starting_with(1);
        t.begin(1, 2);
        t.succeeded(2);
        assert!(!t.clone().settle(1) && t.clone().settle(2));
        t.begin(3, 4);
        assert!(t.clone().settle(2) && t.clone().settle(4) && !t.settle(1));
    }
}
