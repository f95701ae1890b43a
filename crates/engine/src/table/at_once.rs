//! Metadata locks of those who wait for nothing.

use super::Table;
use super::mdl::{MdlBrief, MdlHold, MdlMode};

impl Table {
    /// The lock of a user of the table, if it is to be had without waiting, the handle is current and the file has been met.
    pub(crate) fn mdl_now(&self, mode: MdlMode) -> Option<MdlHold> {
        let held = if self.is_ready() { self.mdl.at_once(mode) } else { None };
        held.filter(|_| !self.is_stale())
    }

    /// The same for a reader's look that waits for nothing, without a count of references.
    pub(crate) fn mdl_briefly(&self) -> Option<MdlBrief<'_>> {
        let held = if self.is_ready() { self.mdl.briefly() } else { None };
        held.filter(|_| !self.is_stale())
    }

    /// The same for the change of a row.
    pub(crate) fn mdl_briefly_to_write(&self) -> Option<MdlBrief<'_>> {
        let held = if self.is_ready() { self.mdl.briefly_to_write() } else { None };
        held.filter(|_| !self.is_stale())
    }

    /// The table's file is used, and somebody has used it since the start.
    fn is_ready(&self) -> bool {
        self.space.is_met() && self.space.refusal().is_none()
    }
}
