//! What an administrator does while others work: sizes change, tables are checked and counted.

use super::{Client, Done};
use crate::model::{Stop, failed};
use crate::schema::SCHEMA;
use std::sync::Arc;
use std::time::Duration;
use weir_engine::{Error, SettingValue};
use weir_rt::Interrupt;

impl Client {
    pub(super) async fn administer(&mut self) -> Done<()> {
        let db = self.db.clone();
        let tables = db.tables(SCHEMA);
        let t = match tables.len() as u64 {
            0 => return Ok(()),
            n => tables[self.rng.below(n) as usize].clone(),
        };
        match self.rng.below(6) {
            0 => {
                // A simulated pool grows to twice what it began with.
                let frames = 24 + self.rng.below(self.frames * 2 - 24) as i64;
                let bytes = frames * self.page_size as i64;
                match db.set("innodb_buffer_pool_size", SettingValue::Int(bytes)).await {
                    // Another administrator is at it.
                    Err(Error::Unsupported(e)) if e.contains("being resized already") => {}
                    r => r?,
                }
            }
            1 => {
                // A log that is made smaller keeps its size for a while: how large was it?
                let now = db.inner().core.log.capacity();
                self.world.lock().had_capacity(now);
                let bytes = ((96 << 10) << self.rng.below(5)).max(self.page_size as i64 * 24);
                db.set("innodb_redo_log_capacity", SettingValue::Int(bytes)).await?;
            }
            2 => {
                // It waits an hour for the table, even when the engine has stopped and nobody will give it back.
                let (patience, killer) = (Arc::new(Interrupt::new()), db.rt().clone());
                let killed = patience.clone();
                let kill = async move {
                    killer.sleep(Duration::from_secs(60)).await;
                    killed.kill(1);
                };
                db.rt().spawn("killer", kill);
                let bad = match db.check_table(&t, &patience).await {
                    Err(Error::TableChanged { .. } | Error::Interrupted) => return Ok(()),
                    r => r?,
                };
                let bad = self.world.lock().unexpected(t.def.id, bad);
                if !bad.is_empty() && !self.injector.happened().flip {
                    return failed(
                        "structure",
                        format!("CHECK TABLE of {}: {}", t.def.name, bad.join("; ")),
                    )
                    .map_err(Stop::Failed);
                }
            }
            3 => db.analyze_table(&t).await?,
            4 => db.refresh_statistics(&t).await?,
            _ => {
                let index = self.rng.below(t.indexes.len() as u64) as usize;
                db.estimate_range(&t, index, &[], None).await?;
            }
        }
        Ok(())
    }
}
