//! Prepared transactions: promised, and neither committed nor rolled back. What was promised is there after any start.

use super::{Cell, Failure, RowRef, World, failed};
use std::collections::BTreeMap;
use weir_engine::{Isolation, Xid};

/// A transaction that was prepared, or was to be when the engine ended.
pub struct Pending {
    /// The transaction in the model, in the life that runs.
    no: u64,
    writes: BTreeMap<Cell, Option<RowRef>>,
    /// The client was told.
    promised: bool,
    /// Somebody began to roll it back, and was not told that it is done for good.
    rolled: bool,
    /// The number of its commit, and whether its client was told that it is durable.
    seq: Option<u64>,
    durable: bool,
}

impl World {
    /// A transaction is about to be prepared, under this name.
    pub fn prepares(&mut self, no: u64) -> Xid {
        self.next_tx += 1;
        let name = Xid { format: 1, gtrid: self.next_tx.to_be_bytes().to_vec(), bqual: Vec::new() };
        self.tell(|| format!("{no} is to be prepared as {}", self.next_tx));
        let writes = self.tx(no).writes.clone();
        let p = Pending { no, writes, promised: false, rolled: false, seq: None, durable: false };
        self.prepared.insert(name.clone(), p);
        name
    }

    pub fn promised(&mut self, xid: &Xid) {
        if let Some(p) = self.prepared.get_mut(xid) {
            p.promised = true;
        }
    }

    /// It was not prepared.
    pub fn not_prepared(&mut self, xid: &Xid) {
        self.prepared.remove(xid);
    }

    /// Somebody begins to end it; gives the transaction.
    pub fn ends_prepared(&mut self, xid: &Xid, commit: bool) -> Result<u64, Failure> {
        let Some(p) = self.prepared.get_mut(xid) else {
            return failed("durability", format!("nobody prepared {xid:?}"));
        };
        p.rolled |= !commit;
        let no = p.no;
        self.release(no)?;
        Ok(no)
    }

    /// Noted in the moment of the commit: the life may end before its client hears of it.
    pub(super) fn prepared_is_committed(&mut self, no: u64, seq: u64) {
        for p in self.prepared.values_mut().filter(|p| p.no == no) {
            p.seq = Some(seq);
        }
    }

    pub fn committed_prepared(&mut self, xid: &Xid, seq: u64, durable: bool) {
        if let Some(p) = self.prepared.get_mut(xid) {
            p.seq = Some(seq);
            p.durable = durable;
        }
    }

    /// Its rollback was acknowledged; `durable`: no start finds it again.
    pub fn rolled_back_prepared(&mut self, xid: &Xid, durable: bool) {
        if durable {
            self.prepared.remove(xid);
        }
    }

    /// After a start, whose state is that after commit `seq`: what was promised is there, and nothing else is.
    pub fn recovered_prepared(&mut self, names: &[Xid], seq: u64) -> Result<(), Failure> {
        if let Some(other) = names.iter().find(|n| !self.prepared.contains_key(n)) {
            return failed("durability", format!("{other:?} is prepared, and nobody wanted it"));
        }
        let mut kept = BTreeMap::new();
        for (xid, mut p) in std::mem::take(&mut self.prepared) {
            let there = names.contains(&xid);
            if there && p.durable {
                return failed("durability", format!("{xid:?} is prepared again after its commit"));
            }
            let committed = p.seq.is_some_and(|s| s <= seq);
            if !there && p.promised && !p.rolled && !committed {
                return failed("durability", format!("{xid:?} was prepared and is gone"));
            }
            if there {
                p.seq = None;
                p.rolled = false;
                p.promised = true;
                kept.insert(xid, p);
            }
        }
        self.prepared = kept;
        for (xid, writes) in
            self.prepared.iter().map(|(x, p)| (x.clone(), p.writes.clone())).collect::<Vec<_>>()
        {
            let no = self.begin(Isolation::ReadCommitted);
            self.tx_mut(no).writes = writes;
            if let Some(p) = self.prepared.get_mut(&xid) {
                p.no = no;
            }
        }
        Ok(())
    }

    /// Tables and keys of the rows that it has changed.
    pub fn cells_of_prepared(&self, xid: &Xid) -> Vec<Cell> {
        self.prepared.get(xid).map_or_else(Vec::new, |p| p.writes.keys().cloned().collect())
    }
}
