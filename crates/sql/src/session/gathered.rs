//! The events of a transaction that ends, on their way into a record.
//!
//! What is more than may ride in the redo log goes to a file of its own as it is made ([`weir_source::log::Spill`]): a transaction takes a
//! bounded part of memory while it commits, whatever it has changed, and nobody waits for it but its own session.

use super::Session;
use crate::binlog::events::Assembler;
use crate::ddl::engine_error;
use crate::session_api::SqlError;
use weir_binlog::{Kind, payload};
use weir_engine::Txn;
use weir_source::Batch;
use weir_source::log::Spill;
use weir_source::record::Events;

/// Events that were made so far: those in memory, and the file that has those before them.
pub(super) struct Gathered {
    pub batch: Batch,
    spill: Option<Spill>,
}

impl From<Batch> for Gathered {
    fn from(batch: Batch) -> Gathered {
        Gathered { batch, spill: None }
    }
}

impl Gathered {
    /// The transaction will not be committed, or has nothing to log.
    pub async fn give_up(self) {
        if let Some(spill) = self.spill {
            spill.give_up().await;
        }
    }
}

impl Session {
    /// Adds the events of the transaction's notes, which go to a file where they are too many.
    pub(super) async fn gather(&self, txn: &mut Txn, batch: Batch) -> Result<Gathered, SqlError> {
        let mut spill = None;
        match self.gather_into(txn, batch, Some(&mut spill)).await {
            Ok(batch) => Ok(Gathered { batch, spill }),
            Err(e) => {
                Gathered { batch: Batch::default(), spill }.give_up().await;
                Err(e)
            }
        }
    }

    /// The same without a file: the caller puts the events behind others.
    pub(super) async fn gather_in_memory(
        &self,
        txn: &mut Txn,
        batch: Batch,
    ) -> Result<Batch, SqlError> {
        self.gather_into(txn, batch, None).await
    }

    /// `spill`: where events go that are too many for memory, if they may.
    async fn gather_into(
        &self,
        txn: &mut Txn,
        batch: Batch,
        mut spill: Option<&mut Option<Spill>>,
    ) -> Result<Batch, SqlError> {
        let mut assembler = Assembler::behind(batch);
        if txn.noted().is_none() {
            return Ok(assembler.batch);
        }
        let notes = txn.row_log();
        for n in 0..notes.pieces() {
            let piece = notes.piece(n).await.map_err(engine_error)?;
            assembler.items(&piece)?;
            if let Some(spill) = &mut spill
                && assembler.batch.bytes.len() > self.inst.db.events_max()
            {
                self.spill(spill, &mut assembler.batch).await?;
            }
        }
        assembler.items(notes.memory())?;
        assembler.end_statement();
        Ok(assembler.batch)
    }

    /// The events as one that has all of them compressed (`binlog_transaction_compression`). As in MySQL not those of a transaction that
    /// has a statement as its text; those that went to a file, and what would become no shorter, stay as they are.
    pub(super) fn compressed(&self, events: Gathered) -> Result<Gathered, SqlError> {
        let Some(level) = self.settings.compresses else { return Ok(events) };
        if events.spill.is_some() || events.batch.statements {
            return Ok(events);
        }
        let server_id = match &self.said.applied {
            Some(applied) => applied.server_id(),
            None => self.log()?.settings.server_id(),
        };
        let plain = events
            .batch
            .formatted(server_id)
            .map_err(|_| SqlError::internal("the events of a transaction cannot be read"))?;
        let Some(body) = payload::pack(&plain, level.into()) else { return Ok(events) };
        let mut batch = Batch::with_keys(events.batch.keys);
        batch.push((Kind::TransactionPayload, 0, self.seconds()), &body);
        Ok(batch.into())
    }

    async fn spill(&self, spill: &mut Option<Spill>, batch: &mut Batch) -> Result<(), SqlError> {
        let file = match spill {
            Some(file) => file,
            None => spill.insert(self.log()?.spill().await.map_err(engine_error)?),
        };
        file.append(batch).await.map_err(engine_error)
    }

    /// The record of events, which is to ride with a commit.
    pub(super) async fn record(
        &self,
        events: impl Into<Gathered>,
        statements: bool,
    ) -> Result<Vec<u8>, SqlError> {
        let Gathered { mut batch, mut spill } = events.into();
        let mut record = self.record_head(&batch, statements)?;
        if spill.is_none() && batch.bytes.len() <= self.inst.db.events_max() {
            record.events = Events::Inline(&batch.bytes);
            return Ok(record.encode());
        }
        if let Err(e) = self.spill(&mut spill, &mut batch).await {
            Gathered { batch, spill }.give_up().await;
            return Err(e);
        }
        let Some(file) = spill else { return Err(SqlError::internal("a file that is not there")) };
        record.events = file.finish().await.map_err(engine_error)?;
        Ok(record.encode())
    }
}
