//! What one seed stands for, as plain data: sizes, clients, the network, lives. Shrinking edits it.

use crate::network::Weather;
use weir_rt::Rng;
use weir_sim::{Overrides, mix};

/// From one start of engine and server to their end.
#[derive(Clone, Debug)]
pub struct Life {
    pub no: u64,
    /// The device stops at this operation; `None`: the clients finish, and the engine is closed.
    pub crash_at: Option<u64>,
    /// After a crash: the machine lost its power (and what was not synced), or only the process ended.
    pub power: bool,
}

#[derive(Clone, Debug)]
pub struct Scenario {
    pub seed: u64,
    pub page_size: usize,
    pub frames: u64,
    pub redo: u64,
    /// Numbers of the clients; what a client does follows from its number, not from how many there are.
    pub clients: Vec<u64>,
    /// Of all clients that the seed has, those included that are left out.
    pub clients_in_all: u64,
    /// Units of work of a client in a life.
    pub units: u64,
    pub weather: Weather,
    pub lives: Vec<Life>,
}

impl Scenario {
    pub fn new(seed: u64, o: &Overrides) -> Scenario {
        let rng = &mut Rng::new(mix(&[seed, 40]));
        let clients = 2 + rng.below(8);
        let count = 1 + rng.below(2);
        let weather = Weather {
            delay: [0, 50, 1000, 20_000][rng.below(4) as usize],
            piece: [1, 7, 100, 2000, 65_536][rng.below(5) as usize],
            room: [1000, 4000, 16_384, 200_000][rng.below(4) as usize],
            ahead: rng.chance(0.4),
        };
        let life = |rng: &mut Rng, no| {
            let crash = no + 1 < count && rng.chance(0.8);
            let crash_at = crash.then(|| 20 + rng.below(600));
            Life { no, crash_at, power: rng.chance(0.7) }
        };
        let lives = (0..count).map(|no| life(rng, no)).collect();
        let mut s = Scenario {
            seed,
            page_size: [4096, 4096, 16_384][rng.below(3) as usize],
            frames: 100 + rng.below(160),
            redo: (512 << 10) << rng.below(4),
            clients: (0..clients).collect(),
            clients_in_all: clients,
            units: 10 + rng.below(30),
            weather,
            lives,
        };
        s.edit(o);
        s
    }

    fn edit(&mut self, o: &Overrides) {
        if !o.faults.clone().unwrap_or_default().has("crash") {
            self.lives.iter_mut().for_each(|l| l.crash_at = None);
        }
        self.units = o.txns.unwrap_or(self.units);
        if let Some(c) = &o.clients {
            self.clients.retain(|n| c.contains(n));
        }
        if let Some(l) = &o.lives {
            self.lives.retain(|x| l.contains(&x.no));
        }
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        let Weather { delay, piece, room, ahead } = self.weather;
        format!(
            "net: pages of {} bytes, {} frames, redo {} KiB, {} clients with {} units, {} lives; pieces of {piece} bytes, {delay} us \
             on their way, {room} bytes of room{}",
            self.page_size,
            self.frames,
            self.redo >> 10,
            self.clients.len(),
            self.units,
            self.lives.len(),
            if ahead { ", read ahead" } else { "" }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_leave_the_rest() {
        for seed in 0..100 {
            let all = Scenario::new(seed, &Overrides::default());
            let o = Overrides { clients: Some(vec![1]), txns: Some(2), ..Overrides::default() };
            let less = Scenario::new(seed, &o);
            assert_eq!((less.clients, less.units), (vec![1], 2));
            assert_eq!((less.frames, less.redo), (all.frames, all.redo));
            assert_eq!(less.clients_in_all, all.clients_in_all);
            assert_eq!(all.lives.last().map(|l| l.crash_at), Some(None));
        }
    }
}
