//! Several devices as one volume.

use super::{Device, Request, Served};
use std::sync::Arc;
use weir_rt::Rt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One device.
    Single,
    /// Stripes of so many bytes over all of them.
    Raid0 { stripe: u64 },
    /// The same with one parity for each row of stripes: a small write reads the old data and the old parity, then writes both.
    Raid5 { stripe: u64 },
}

pub struct Volume {
    rt: Rt,
    layout: Layout,
    members: Vec<Arc<dyn Device>>,
}

/// A request's share of one member.
type Piece = (usize, Request);

/// What a write does to one row of stripes: what is read first, and what is written then, the parity among it.
struct Row {
    reads: Vec<Piece>,
    writes: Vec<Piece>,
}

impl Volume {
    pub fn new(rt: &Rt, layout: Layout, members: Vec<Arc<dyn Device>>) -> Volume {
        assert!(!members.is_empty(), "a volume has devices");
        Volume { rt: rt.clone(), layout, members }
    }

    /// Bytes of a stripe, and stripes of data in a row.
    fn shape(&self) -> (u64, u64) {
        let n = self.members.len() as u64;
        match self.layout {
            Layout::Single => (u64::MAX, 1),
            Layout::Raid0 { stripe } => (stripe, n),
            Layout::Raid5 { stripe } => (stripe, n - 1),
        }
    }

    /// The member that has a row's parity: it moves by one from row to row, and the data begin behind it.
    fn parity(&self, row: u64) -> usize {
        let n = self.members.len() as u64;
        (n - 1 - row % n) as usize
    }

    fn member(&self, row: u64, column: u64) -> usize {
        match self.layout {
            Layout::Raid5 { .. } => (self.parity(row) + 1 + column as usize) % self.members.len(),
            _ => column as usize,
        }
    }

    fn pieces(&self, r: Request) -> Vec<Piece> {
        let (stripe, data) = self.shape();
        let (mut at, end) = (r.at, r.at + r.bytes);
        let mut out = Vec::new();
        while at < end {
            let (no, inside) = (at / stripe, at % stripe);
            let bytes = (stripe - inside).min(end - at);
            let (row, column) = (no / data, no % data);
            let request = Request { at: row * stripe + inside, bytes, write: r.write };
            out.push((self.member(row, column), request));
            at += bytes;
        }
        out
    }

    /// A write of RAID 5 row by row.
    fn rows(&self, r: Request) -> Vec<Row> {
        let (stripe, data) = self.shape();
        let (mut at, end) = (r.at, r.at + r.bytes);
        let mut out = Vec::new();
        while at < end {
            let row = at / stripe / data;
            let bytes = ((row + 1) * stripe * data - at).min(end - at);
            out.push(self.row(row, Request { at, bytes, write: true }));
            at += bytes;
        }
        out
    }

    /// A whole row's parity follows from what is written. For less than that either the other stripes are read, or what was there and its parity,
    /// whichever is less.
    fn row(&self, row: u64, r: Request) -> Row {
        let (stripe, data) = self.shape();
        let mut writes = self.pieces(r);
        let first = writes.iter().map(|p| p.1.at).min().unwrap_or(row * stripe);
        let last = writes.iter().map(|p| p.1.at + p.1.bytes).max().unwrap_or(first);
        let parity = (self.parity(row), Request { at: first, bytes: last - first, write: true });
        let read = |(member, r): &Piece| (*member, Request { write: false, ..*r });
        let others: Vec<Piece> = (0..data)
            .map(|column| self.member(row, column))
            .filter(|m| writes.iter().all(|w| w.0 != *m))
            .map(|m| (m, Request { write: false, ..parity.1 }))
            .collect();
        let reads = match others.len() <= writes.len() {
            true => others,
            false => writes.iter().chain([&parity]).map(read).collect(),
        };
        writes.push(parity);
        Row { reads, writes }
    }

    /// All of them at once, until the last one is done.
    async fn serve_pieces(rt: &Rt, members: &[Arc<dyn Device>], mut pieces: Vec<Piece>) {
        let Some((last, request)) = pieces.pop() else { return };
        let one = |(member, r): Piece| {
            let member = members[member].clone();
            rt.spawn("piece", async move { member.serve(r).await })
        };
        let others: Vec<_> = pieces.into_iter().map(one).collect();
        members[last].serve(request).await;
        for o in others {
            o.await;
        }
    }

    async fn all(&self, r: Request) {
        if !r.write || !matches!(self.layout, Layout::Raid5 { .. }) {
            return Self::serve_pieces(&self.rt, &self.members, self.pieces(r)).await;
        }
        let one = |row: Row| {
            let (rt, members) = (self.rt.clone(), self.members.clone());
            self.rt.spawn("row", async move {
                Self::serve_pieces(&rt, &members, row.reads).await;
                Self::serve_pieces(&rt, &members, row.writes).await;
            })
        };
        for row in self.rows(r).into_iter().map(one).collect::<Vec<_>>() {
            row.await;
        }
    }

    async fn flush_all(&self) {
        let flush = |m: &Arc<dyn Device>| {
            let m = m.clone();
            self.rt.spawn("flush", async move { m.flush().await })
        };
        for m in self.members.iter().map(flush).collect::<Vec<_>>() {
            m.await;
        }
    }
}

impl Device for Volume {
    fn serve(&self, r: Request) -> Served<'_> {
        Box::pin(self.all(r))
    }

    fn flush(&self) -> Served<'_> {
        Box::pin(self.flush_all())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_rt::sim::SimRt;

    struct Nothing;
    impl Device for Nothing {
        fn serve(&self, _: Request) -> Served<'_> {
            Box::pin(async {})
        }
        fn flush(&self) -> Served<'_> {
            Box::pin(async {})
        }
    }

    fn volume(layout: Layout, n: usize) -> Volume {
        let members = (0..n).map(|_| Arc::new(Nothing) as Arc<dyn Device>).collect();
        Volume::new(&SimRt::new(1).rt(), layout, members)
    }

    #[test]
    fn every_byte_has_one_place() {
        for (layout, data) in [(Layout::Raid0 { stripe: 64 }, 5), (Layout::Raid5 { stripe: 64 }, 4)]
        {
            let v = volume(layout, 5);
            let mut seen = std::collections::BTreeSet::new();
            for at in (0..64 * data * 20).step_by(16) {
                let p = v.pieces(Request { at, bytes: 16, write: true });
                assert_eq!(p.len(), 1);
                assert!(seen.insert((p[0].0, p[0].1.at)), "{at} lies on another's place");
            }
            assert_eq!(v.pieces(Request { at: 60, bytes: 72, write: false }).len(), 3);
        }
    }

    #[test]
    fn a_row_reads_as_little_as_its_parity_needs() {
        let v = volume(Layout::Raid5 { stripe: 64 }, 5);
        for row in 0..10u64 {
            let write = |at, bytes| {
                let rows = v.rows(Request { at: row * 256 + at, bytes, write: true });
                assert_eq!(rows.len(), 1);
                let members: std::collections::BTreeSet<_> =
                    rows[0].writes.iter().map(|w| w.0).collect();
                assert_eq!(members.len(), rows[0].writes.len(), "one write of each member");
                let bytes = |l: &[Piece]| l.iter().map(|p| p.1.bytes).sum::<u64>();
                (rows[0].reads.len(), bytes(&rows[0].reads), bytes(&rows[0].writes))
            };
            assert_eq!(write(0, 256), (0, 0, 320), "a whole row");
            assert_eq!(write(64, 16), (2, 32, 32), "what was there, and its parity");
            assert_eq!(write(64, 192), (1, 64, 256), "the stripe that is left");
        }
        assert_eq!(v.rows(Request { at: 200, bytes: 400, write: true }).len(), 3);
    }
}
