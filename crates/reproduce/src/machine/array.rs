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

/// A request's share of one member, and of the member that has the row's parity.
struct Piece {
    member: usize,
    parity: Option<usize>,
    request: Request,
}

impl Volume {
    pub fn new(rt: &Rt, layout: Layout, members: Vec<Arc<dyn Device>>) -> Volume {
        assert!(!members.is_empty(), "a volume has devices");
        Volume { rt: rt.clone(), layout, members }
    }

    fn pieces(&self, r: Request) -> Vec<Piece> {
        let n = self.members.len() as u64;
        let (stripe, data) = match self.layout {
            Layout::Single => return vec![Piece { member: 0, parity: None, request: r }],
            Layout::Raid0 { stripe } => (stripe, n),
            Layout::Raid5 { stripe } => (stripe, n - 1),
        };
        let (mut at, end) = (r.at, r.at + r.bytes);
        let mut out = Vec::new();
        while at < end {
            let (no, inside) = (at / stripe, at % stripe);
            let bytes = (stripe - inside).min(end - at);
            let (row, column) = (no / data, no % data);
            let whole = self.layout == Layout::Raid5 { stripe } && r.write && column == 0;
            if whole && inside == 0 && end - at >= data * stripe {
                // A whole row: its parity follows from what is written, so nothing is read.
                let request = Request { at: row * stripe, bytes: stripe, write: true };
                out.extend((0..n as usize).map(|member| Piece { member, parity: None, request }));
                at += data * stripe;
                continue;
            }
            let request = Request { at: row * stripe + inside, bytes, write: r.write };
            let (member, parity) = match self.layout {
                Layout::Raid5 { .. } => {
                    // The parity moves by one member from row to row, and the data begin behind it.
                    let parity = (n - 1 - row % n) as usize;
                    ((parity + 1 + column as usize) % n as usize, Some(parity))
                }
                _ => (column as usize, None),
            };
            out.push(Piece { member, parity, request });
            at += bytes;
        }
        out
    }

    async fn piece(member: Arc<dyn Device>, parity: Option<Arc<dyn Device>>, r: Request, rt: Rt) {
        let Some(parity) = parity.filter(|_| r.write) else {
            return member.serve(r).await;
        };
        for write in [false, true] {
            let r = Request { write, ..r };
            let other = parity.clone();
            let beside = rt.spawn("parity", async move { other.serve(r).await });
            member.serve(r).await;
            beside.await;
        }
    }

    async fn all(&self, r: Request) {
        let mut pieces = self.pieces(r);
        let one = |p: Piece| {
            let parity = p.parity.map(|n| self.members[n].clone());
            Self::piece(self.members[p.member].clone(), parity, p.request, self.rt.clone())
        };
        let Some(last) = pieces.pop() else { return };
        let others: Vec<_> = pieces.into_iter().map(|p| self.rt.spawn("piece", one(p))).collect();
        one(last).await;
        for o in others {
            o.await;
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
                assert!(p[0].parity != Some(p[0].member));
                assert!(
                    seen.insert((p[0].member, p[0].request.at)),
                    "{at} lies on another's place"
                );
            }
            assert_eq!(v.pieces(Request { at: 60, bytes: 72, write: false }).len(), 3);
            let row = v.pieces(Request { at: 64 * data, bytes: 64 * data, write: true });
            assert!(row.len() as u64 >= data && row.iter().all(|p| p.parity.is_none()));
        }
    }
}
