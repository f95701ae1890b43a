//! Which transaction is next.

use super::input::Kind;
use std::sync::{Mutex, PoisonError};
use weir_rt::Rng;

/// 23 cards, shared by all users and shuffled again when all were drawn: the mix is exact (clause 5.2.4.2).
pub struct Deck {
    cards: Mutex<(Vec<Kind>, Rng)>,
}

const CARDS: [(Kind, usize); 5] = [
    (Kind::NewOrder, 10),
    (Kind::Payment, 10),
    (Kind::OrderStatus, 1),
    (Kind::Delivery, 1),
    (Kind::StockLevel, 1),
];

impl Deck {
    pub fn new(seed: u64) -> Deck {
        Deck { cards: Mutex::new((Vec::new(), Rng::new(seed ^ 0xDECC))) }
    }

    pub fn draw(&self) -> Kind {
        let mut both = self.cards.lock().unwrap_or_else(PoisonError::into_inner);
        let (cards, rng) = &mut *both;
        if cards.is_empty() {
            cards.extend(CARDS.iter().flat_map(|(k, n)| std::iter::repeat_n(*k, *n)));
            rng.shuffle(cards);
        }
        cards.pop().unwrap_or(Kind::NewOrder)
    }
}

/// DBT-2's mix: each transaction drawn by itself, 45/43/4/4/4 percent.
pub fn draw_independently(percent: i64) -> Kind {
    match percent {
        ..=45 => Kind::NewOrder,
        46..=88 => Kind::Payment,
        89..=92 => Kind::OrderStatus,
        93..=96 => Kind::Delivery,
        _ => Kind::StockLevel,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_deck_has_the_exact_mix() {
        let deck = Deck::new(3);
        for _ in 0..10 {
            let mut counts = [0; 5];
            (0..23).for_each(|_| counts[deck.draw() as usize] += 1);
            assert_eq!(counts, [10, 10, 1, 1, 1]);
        }
    }

    #[test]
    fn the_drawn_mix() {
        let mut counts = [0; 5];
        (1..=100).for_each(|p| counts[draw_independently(p) as usize] += 1);
        assert_eq!(counts, [45, 43, 4, 4, 4]);
    }
}
