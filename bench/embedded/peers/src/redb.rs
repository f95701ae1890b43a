//! redb: one writer at a time, which the others wait for.

use crate::store::{Settings, Store, VALUE, Work, Worker, number, value};
use redb::{Database, Durability, ReadableTable, TableDefinition, WriteTransaction};
use std::hint::black_box;

const ROWS: TableDefinition<u64, &[u8; VALUE]> = TableDefinition::new("rows");

pub struct Redb {
    db: Database,
    durable: bool,
}

pub fn open(s: &Settings) -> Box<dyn Store> {
    let mut how = Database::builder();
    how.set_cache_size(s.cache as usize);
    let db = match s.in_memory {
        true => how.create_with_backend(redb::backends::InMemoryBackend::new()),
        false => how.create(format!("{}/redb", s.dir)),
    };
    let store = Redb { db: db.expect("opens"), durable: s.durable };
    let tx = store.begin();
    tx.open_table(ROWS).expect("the table");
    tx.commit().expect("commits");
    Box::new(store)
}

impl Redb {
    fn begin(&self) -> WriteTransaction {
        let mut tx = self.db.begin_write().expect("begins");
        // Without a sync there is nothing of a commit that an end of the process would leave.
        tx.set_durability(if self.durable { Durability::Immediate } else { Durability::None });
        tx
    }
}

impl Store for Redb {
    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(At(self))
    }

    fn close(self: Box<Self>) {}
}

struct At<'a>(&'a Redb);

fn add(t: &mut redb::Table<u64, &[u8; VALUE]>, key: u64) {
    let n = number(t.get(key).expect("reads").expect("the row is there").value());
    t.insert(key, &value(n + 1)).expect("writes");
}

fn sum(t: &impl ReadableTable<u64, &'static [u8; VALUE]>, first: u64, last: u64) -> i64 {
    t.range(first..=last).expect("reads").map(|r| number(r.expect("reads").1.value())).sum()
}

impl At<'_> {
    fn write(&self, f: impl FnOnce(&mut redb::Table<u64, &[u8; VALUE]>)) {
        let tx = self.0.begin();
        f(&mut tx.open_table(ROWS).expect("the table"));
        tx.commit().expect("commits");
    }

    fn read<T>(&self, f: impl FnOnce(redb::ReadOnlyTable<u64, &[u8; VALUE]>) -> T) -> T {
        let tx = self.0.db.begin_read().expect("begins");
        f(tx.open_table(ROWS).expect("the table"))
    }
}

impl Worker for At<'_> {
    fn get(&mut self, key: u64) -> i64 {
        self.read(|t| number(t.get(key).expect("reads").expect("the row is there").value()))
    }

    fn range(&mut self, first: u64, last: u64) -> i64 {
        self.read(|t| sum(&t, first, last))
    }

    fn update(&mut self, key: u64) {
        self.write(|t| add(t, key));
    }

    fn insert(&mut self, key: u64) {
        self.write(|t| drop(t.insert(key, &value(0)).expect("writes")));
    }

    fn bulk(&mut self, first: u64, count: u64) {
        self.write(|t| {
            (first..first + count).for_each(|key| drop(t.insert(key, &value(0)).expect("writes")));
        });
    }

    fn work(&mut self, w: &Work) {
        if w.adds.is_empty() && w.inserts.is_empty() {
            self.read(|t| {
                w.reads.iter().for_each(|key| drop(t.get(*key).expect("reads")));
                w.ranges.iter().for_each(|(first, count)| {
                    black_box(sum(&t, *first, first + count - 1));
                });
            });
            return;
        }
        self.write(|t| {
            w.reads.iter().for_each(|key| drop(t.get(*key).expect("reads")));
            w.ranges.iter().for_each(|(first, count)| {
                black_box(sum(t, *first, first + count - 1));
            });
            w.adds.iter().for_each(|key| add(t, *key));
            w.inserts.iter().for_each(|key| drop(t.insert(*key, &value(0)).expect("writes")));
        });
    }
}
