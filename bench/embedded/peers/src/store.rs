//! What all stores are asked to do: one table of rows `key -> (n, pad)`, keys of 64 bits in order.

/// The text of each row.
pub const PAD: &str = "some sixty bytes of text that nobody will ever look at again, ever";
/// Bytes of a row's value where a store keeps bytes.
pub const VALUE: usize = 8 + PAD.len();

/// A transaction of the mix. Keys to be changed are in ascending order, so that transactions that wait for each other's rows do not make a circle.
#[derive(Default)]
pub struct Work {
    pub reads: Vec<u64>,
    /// Ranges to be read: first key, how many.
    pub ranges: Vec<(u64, u64)>,
    /// Rows whose number grows by one.
    pub adds: Vec<u64>,
    pub inserts: Vec<u64>,
}

/// How a store is opened.
pub struct Settings<'a> {
    pub dir: &'a str,
    pub cache: u64,
    /// A commit is on the device when it returns; otherwise the system has it, or as much as the store does without a sync.
    pub durable: bool,
    /// Nothing touches a device; where a store can do so. For tools that count instructions and do not know its ways to write.
    pub in_memory: bool,
}

pub trait Store: Sync {
    fn worker(&self) -> Box<dyn Worker + '_>;
    fn close(self: Box<Self>);
}

/// One thread's access.
pub trait Worker {
    /// The number of a row.
    fn get(&mut self, key: u64) -> i64;
    /// The sum of the numbers of rows in a range, which has its end.
    fn range(&mut self, first: u64, last: u64) -> i64;
    /// Adds one to the number of a row, in a transaction of its own.
    fn update(&mut self, key: u64);
    /// A new row, in a transaction of its own.
    fn insert(&mut self, key: u64);
    /// New rows in ascending order, in one transaction.
    fn bulk(&mut self, first: u64, count: u64);
    fn work(&mut self, work: &Work);
}

pub fn value(n: i64) -> [u8; VALUE] {
    let mut v = [0; VALUE];
    v[..8].copy_from_slice(&n.to_le_bytes());
    v[8..].copy_from_slice(PAD.as_bytes());
    v
}

pub fn number(value: &[u8]) -> i64 {
    i64::from_le_bytes(value[..8].try_into().expect("a value has eight bytes at least"))
}
