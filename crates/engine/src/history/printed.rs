//! What counters were at the last print of the monitor, from which its figures per second are made.

use crate::sync::Mutex;
use weir_rt::Nanos;

/// A print: when it was made, and the counters then, in an order that the monitor knows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Print {
    pub at: Nanos,
    pub counters: Vec<u64>,
}

#[derive(Default)]
pub struct Printed(Mutex<Print>);

impl Printed {
    /// Notes a print and returns the one before it: all zeros at the start of the engine if there was none.
    pub fn note(&self, now: Print) -> Print {
        let none = || Print { at: 0, counters: vec![0; now.counters.len()] };
        let before = std::mem::replace(&mut *self.0.lock(), now.clone());
        if before.counters.len() == now.counters.len() { before } else { none() }
    }
}
