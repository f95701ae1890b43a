//! Groups whose rows come in batches (`exec::batch`): begun one by one, told by vectors, and given over with what their aggregates came to.

use super::{Group, Groups, group_bytes};
use crate::func::aggregate::{Accumulator, State, arguments_key};
use crate::memory::Held;
use crate::query::eval::Ev;
use crate::query::eval::frame::{Frame, Slot};
use crate::value::{Value, ValueError};

impl Groups<'_> {
    /// Rows can come in batches: to be summed up by ROLLUP only where no rows are kept.
    pub fn take_batches(&self) -> bool {
        let kept = self.agg.rollup.is_some() && !(self.bare && self.seen_keys.is_empty());
        !kept && self.list.is_empty()
    }

    /// The only group has been told this argument of its `n`-th aggregate.
    pub fn know_told(
        &mut self,
        n: usize,
        value: &Value<'_>,
        ev: &Ev<'_>,
    ) -> Result<(), ValueError> {
        let Some(told) = &mut self.told else { return Ok(()) };
        let mut key = [0, n as u32].map(u32::to_le_bytes).as_flattened().to_vec();
        arguments_key(std::slice::from_ref(value), &mut key);
        told.seen.see(&key, ev)
    }

    /// WITH ROLLUP: a group of all keys, which begins here or goes on, becomes a part of itself and of those that sum it up.
    pub fn roll_up(
        &mut self,
        keys: &[Value<'static>],
        mut state: impl FnMut(usize) -> Result<State, ValueError>,
        ev: &mut Ev<'_>,
    ) -> Result<(), ValueError> {
        let agg = self.agg;
        let first = if agg.has_supers() { 0 } else { keys.len() };
        for level in first..=keys.len() {
            self.make_level(&keys[..level]);
            let at = self.group_of(&[Slot::Null], &keys[..level], ev)?;
            for (n, (spec, _)) in agg.specs.iter().enumerate() {
                self.list[at].accs[n].merge(spec, state(n)?, &mut ev.cx)?;
            }
        }
        Ok(())
    }

    /// The rows of a group come one behind the other.
    pub fn stream(&self) -> bool {
        self.streams
    }

    /// Takes the last group away, of which more rows may come, before the others go out.
    pub fn take_last(&mut self) -> Option<Group> {
        self.list.pop()
    }

    /// The others have gone, with all that was charged for them.
    pub fn put_back(&mut self, last: Group, ev: &Ev<'_>) -> Result<(), ValueError> {
        ev.cx.hold(&mut self.held, group_bytes(&last))?;
        self.list.push(last);
        Ok(())
    }

    /// The rows of groups are kept, because columns outside of aggregates are looked at.
    pub fn keep_rows(&self) -> bool {
        !self.bare
    }

    /// Begins a group with its first row; its number.
    pub fn begin(&mut self, row: &[u8], ev: &Ev<'_>) -> Result<u32, ValueError> {
        let slot = if self.bare { Slot::Null } else { Slot::Bytes(row.to_vec()) };
        self.push(&[slot], &[], ev)?;
        Ok(self.list.len() as u32 - 1)
    }

    /// How many there are in memory.
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// No other group has room in memory.
    pub fn are_full(&self) -> bool {
        self.is_full()
    }

    /// The same of groups that are kept elsewhere, and charged here.
    pub fn have_no_room(&self) -> bool {
        self.held.bytes() >= self.memory
    }

    /// The row waits until the groups that are kept elsewhere have gone out.
    pub fn set_aside(
        &mut self,
        f: &Frame<'_>,
        slots: &[Slot],
        ev: &mut Ev<'_>,
    ) -> Result<(), ValueError> {
        self.make_key(f, ev)?;
        self.put_aside(f, slots, ev)
    }

    /// What is charged for the groups, for those who keep more of them.
    pub fn held(&mut self) -> &mut Held {
        &mut self.held
    }

    /// Tells a group the arguments of its `n`-th aggregate.
    pub fn tell_values(
        &mut self,
        (group, n): (usize, usize),
        args: &[Value<'_>],
        ev: &mut Ev<'_>,
    ) -> Result<(), ValueError> {
        self.tell((group, n), args, ev)
    }

    /// What the `n`-th aggregate of a group came to.
    pub fn settle_state(&mut self, (group, n): (usize, usize), state: State) {
        self.list[group].accs[n] = Accumulator::of_state(state);
    }

    /// The group is found by this key from now on.
    pub fn file(&mut self, group: usize, key: Vec<u8>, ev: &Ev<'_>) -> Result<(), ValueError> {
        ev.cx.hold(&mut self.held, size_of::<Vec<u8>>() + key.len())?;
        self.by_key.insert(key, group);
        Ok(())
    }
}
