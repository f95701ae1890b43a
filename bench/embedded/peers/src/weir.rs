//! Weir's engine by its own interface, without SQL.

use crate::store::{PAD, Settings, Store, Work, Worker};
use weir_engine::store::{Database, Durability, Snapshot, Table, TableDefinition, Transaction};
use weir_engine::{Error, Result};

const ROWS: TableDefinition<u64, (i64, String)> = TableDefinition::new("rows");

pub struct Weir {
    db: Database,
    rows: Table<u64, (i64, String)>,
}

pub fn open(s: &Settings) -> Box<dyn Store> {
    let durability = if s.durable { Durability::Flush } else { Durability::Write };
    let how = Database::builder().page_pool(s.cache).redo_log(64 << 20).durability(durability);
    let db = if s.in_memory { how.open_in_memory() } else { how.open(s.dir) }.expect("opens");
    let rows = db.table(&ROWS).expect("the table");
    Box::new(Weir { db, rows })
}

impl Store for Weir {
    fn worker(&self) -> Box<dyn Worker + '_> {
        Box::new(At(self))
    }

    fn close(self: Box<Self>) {
        let Weir { db, rows } = *self;
        drop(rows);
        db.close().expect("closes");
    }
}

struct At<'a>(&'a Weir);

impl At<'_> {
    fn add(&self, tx: &mut Transaction, key: u64) -> Result<()> {
        let (n, pad) = tx.get_for_update(&self.0.rows, key)?.expect("the row is there");
        tx.put(&self.0.rows, key, (n + 1, &pad))?;
        Ok(())
    }

    fn sum(&self, reads: &mut Snapshot, first: u64, last: u64) -> Result<i64> {
        let (mut sum, mut rows) = (0, reads.range(&self.0.rows, first..=last));
        while let Some((_, (n, _))) = rows.lend()? {
            sum += n;
        }
        Ok(sum)
    }
}

impl Worker for At<'_> {
    fn get(&mut self, key: u64) -> i64 {
        self.0.db.get_with(&self.0.rows, key, |(n, _)| n).expect("reads").expect("the row is there")
    }

    fn range(&mut self, first: u64, last: u64) -> i64 {
        self.sum(&mut self.0.db.snapshot(), first, last).expect("reads")
    }

    fn update(&mut self, key: u64) {
        let there = self.0.db.update(&self.0.rows, key, |(n, pad)| (n + 1, pad)).expect("commits");
        assert!(there, "the row is there");
    }

    fn insert(&mut self, key: u64) {
        self.0.db.insert(&self.0.rows, key, (0, PAD)).expect("a new row");
    }

    fn bulk(&mut self, first: u64, count: u64) {
        let mut tx = self.0.db.begin();
        for key in first..first + count {
            tx.insert(&self.0.rows, key, (0, PAD)).expect("a new row");
        }
        tx.commit().expect("commits");
    }

    fn work(&mut self, w: &Work) {
        let done: std::result::Result<(), Error> = self.0.db.transaction(|tx| {
            for key in &w.reads {
                tx.get(&self.0.rows, *key)?;
            }
            for (first, count) in &w.ranges {
                self.sum(tx, *first, first + count - 1)?;
            }
            for key in &w.adds {
                self.add(tx, *key)?;
            }
            for key in &w.inserts {
                tx.insert(&self.0.rows, *key, (0, PAD))?;
            }
            Ok(())
        });
        done.expect("commits");
    }
}
