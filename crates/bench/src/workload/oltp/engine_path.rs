//! The transactions as calls of the engine, on the table that SQL has made: what is left out is the SQL layer.
//!
//! One `block_on` for a whole transaction; a sort is a sort of copied texts, a DISTINCT drops equal neighbours after it. Each
//! range is read to its end and each text is copied, as an answer would be.

use super::user::{Kind, Step};
use super::{Config, Mode, NonTrx, PAD, PAD_AGAIN, Path};
use crate::error::{Error, Result};
use crate::target::Embedded;
use crate::workload::calls::{Calls, Done, Rows, durability, engine_error, no_row};
use Datum::{Bytes, Int};
use LockMode::{Exclusive, None as NoLock};
use std::sync::Arc;
use weir_engine::row::{Datum, RowView, encode_datum};
use weir_engine::{Db, Durability, Error as EngineError, LockMode, Table, Txn, TxnOptions};
use weir_rt::Rt;
use weir_sql::session::Instance;

const K: usize = 1;
const C: usize = 2;
const PAD_COLUMN: usize = 3;

/// The transactions on an open database; nothing here blocks a thread, so a client of virtual time runs them as well.
pub struct Transactions {
    db: Db,
    table: Arc<Table>,
    work: Calls,
    range: i64,
    /// Ids come from AUTO_INCREMENT.
    numbered: bool,
    /// What a point read gives.
    column: usize,
    /// Texts of an answer, one after the other, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
}

pub struct EnginePath {
    rt: Rt,
    inst: Arc<Instance>,
    in_transaction: bool,
    all: Transactions,
}

impl EnginePath {
    pub fn open(e: &Embedded, c: &Config) -> Result<EnginePath> {
        let all = Transactions::open(&e.db, c, Calls::default())?;
        let in_transaction = c.in_transaction();
        Ok(EnginePath { rt: e.rt.clone(), inst: e.inst.clone(), in_transaction, all })
    }
}

impl Transactions {
    pub fn open(db: &Db, c: &Config, work: Calls) -> Result<Transactions> {
        let table = db.table(&c.schema, &c.table).ok_or_else(|| {
            Error::other(format!(
                "there is no table '{}.{}'; run `weir bench oltp prepare` first",
                c.schema, c.table
            ))
        })?;
        Ok(Transactions {
            db: db.clone(),
            table,
            work,
            range: c.range as i64,
            numbered: c.mode != Mode::Complex,
            column: if c.mode == Mode::NonTrx(NonTrx::Select) { PAD_COLUMN } else { C },
            text: Vec::new(),
            ends: Vec::new(),
        })
    }

    /// Steps as one transaction. After an error nothing of it stays.
    pub async fn run(
        &mut self,
        steps: &[Step],
        durability: Durability,
        counts: &mut [u64; 3],
    ) -> Done<()> {
        let mut txn = self.db.begin(TxnOptions::default());
        for step in steps {
            counts[step.class()] += 1;
            txn.begin_statement();
            if let Err(e) = self.step(&mut txn, step).await {
                txn.rollback().await?;
                return Err(e);
            }
        }
        self.work.called().await;
        let _turn = self.work.committing().await;
        txn.commit_boxed(durability).await
    }

    async fn step(&mut self, txn: &mut Txn, step: &Step) -> Done<()> {
        let t = self.table.clone();
        match step {
            Step::Point(id) => {
                let found = self.work.get(&t, txn, &[*id], NoLock).await?;
                self.answer_begins();
                if found {
                    let view = RowView::new(&t.layout, &self.work.found.row);
                    keep(&mut self.text, &mut self.ends, view.get(self.column));
                }
                Ok(())
            }
            Step::Range(kind, from) => self.read_range(&t, txn, *kind, *from).await,
            Step::AddToK(id) => {
                if self.work.get(&t, txn, &[*id], Exclusive).await? {
                    let k = RowView::new(&t.layout, &self.work.found.row).get(K).as_i64();
                    let k = k.ok_or_else(|| no_row(&t))? + 1;
                    self.work.change(&t, txn, &[(K, Int(k))]).await?;
                }
                Ok(())
            }
            Step::SetC(id, c) => {
                if self.work.get(&t, txn, &[*id], Exclusive).await? {
                    self.work.change(&t, txn, &[(C, Bytes(c.as_bytes()))]).await?;
                }
                Ok(())
            }
            Step::Delete(id) => {
                if self.work.get(&t, txn, &[*id], Exclusive).await? {
                    self.work.called().await;
                    let found = &self.work.found;
                    txn.delete_boxed(&t, &found.key, &found.row).await?;
                }
                Ok(())
            }
            Step::Insert(n) => {
                // A CHAR is stored without the spaces at its end.
                let empty = Bytes(b"");
                if self.numbered {
                    let id = t.auto_increment_reserve(1, 1, 1).await? as i64;
                    let row = [Int(id), Int(*n), empty, Bytes(PAD.as_bytes())];
                    return self.work.insert(&t, txn, &row).await;
                }
                let row = [Int(*n), Int(0), empty, Bytes(PAD_AGAIN.as_bytes())];
                self.work.insert(&t, txn, &row).await
            }
        }
    }

    async fn read_range(
        &mut self,
        t: &Arc<Table>,
        txn: &mut Txn,
        kind: Kind,
        from: i64,
    ) -> Done<()> {
        self.work.make_key(t, 0, &[Int(from)])?;
        let mut spec = self.work.range(0, NoLock, false, self.range as u32);
        let mut end = Vec::new();
        for part in t.indexes[0].types() {
            encode_datum(part, Int(from + self.range), &mut end)
                .map_err(|e| EngineError::Owner(e.to_string()))?;
        }
        spec.end = Some(end);
        spec.rows_only = true;
        self.work.called().await;
        self.work.takes_rows(Rows::Read(self.range as u64)).await;
        self.answer_begins();
        let mut sum = 0;
        let mut rows = txn.scan(t, spec);
        while rows.next_boxed(txn).await? {
            let view = RowView::new(&t.layout, rows.row());
            match kind {
                Kind::Sum => sum += view.get(K).as_i64().unwrap_or(0),
                _ => keep(&mut self.text, &mut self.ends, view.get(C)),
            }
        }
        std::hint::black_box(sum);
        if matches!(kind, Kind::Order | Kind::Distinct) {
            self.sort(kind == Kind::Distinct);
        }
        Ok(())
    }

    fn answer_begins(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    fn sort(&mut self, distinct: bool) {
        let mut from = 0;
        let mut texts: Vec<&[u8]> = Vec::with_capacity(self.ends.len());
        for end in &self.ends {
            texts.push(&self.text[from..*end]);
            from = *end;
        }
        texts.sort_unstable();
        if distinct {
            texts.dedup();
        }
        std::hint::black_box(texts);
    }
}

fn keep(text: &mut Vec<u8>, ends: &mut Vec<usize>, d: Datum<'_>) {
    text.extend_from_slice(d.as_bytes().unwrap_or_default());
    ends.push(text.len());
}

impl Path for EnginePath {
    fn run(&mut self, steps: &[Step], counts: &mut [u64; 3]) -> Result<()> {
        let durability = durability(&self.inst);
        if self.in_transaction {
            counts[2] += 2;
            self.all.work.calls += 2;
        }
        let (rt, all) = (&self.rt, &mut self.all);
        let mut run =
            |steps: &[Step]| rt.block_on(all.run(steps, durability, counts)).map_err(engine_error);
        match self.in_transaction {
            true => run(steps),
            false => steps.iter().try_for_each(|s| run(std::slice::from_ref(s))),
        }
    }

    /// `run` has rolled back already.
    fn undo(&mut self) -> Result<()> {
        Ok(())
    }

    fn take_statements(&mut self) -> u64 {
        std::mem::take(&mut self.all.work.calls)
    }
}
