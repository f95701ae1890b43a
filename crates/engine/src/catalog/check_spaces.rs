//! A check of what belongs to no table: the dictionary's tree, and the maps of the system and undo spaces.

use super::Catalog;
use super::owners::{Owner, Owners};
use crate::btree;
use crate::dict;
use crate::error::Result;
use crate::space;
use crate::txn;

impl Catalog {
    /// Everything that is wrong with the system and undo spaces. For an engine without transactions: anyone who writes undo
    /// meanwhile moves what is compared.
    pub async fn check_spaces(&self) -> Result<Vec<String>> {
        let _ddl = self.ddl().await;
        let _purge = self.purge.running.lock().await;
        self.core.log.failure()?;
        let mut problems = self.check_system().await?;
        problems.extend(self.check_undo().await?);
        Ok(problems)
    }

    async fn check_system(&self) -> Result<Vec<String>> {
        let space = self.core.spaces.get(space::SYSTEM).expect("the system space is always open");
        let mut owners = Owners::new(&space, self.core.spaces.page_size());
        let report = btree::check(&self.core, self.dict.tree(), |_, _| {}).await?;
        owners.take_all(dict::INDEX, report.pages);
        let mut problems = report.problems;
        problems.extend(owners.compare(&self.core, &space).await?);
        Ok(problems.into_iter().map(|p| format!("system space: {p}")).collect())
    }

    async fn check_undo(&self) -> Result<Vec<String>> {
        let space = self.core.spaces.get(space::UNDO).expect("the undo space is always open");
        let mut owners = Owners::new(&space, self.core.spaces.page_size());
        for page in self.undo_slots.directory() {
            owners.take(page, Owner::Space);
        }
        let mut problems = Vec::new();
        let (slots, free) = self.undo_slots.counts();
        for (slot, first) in self.undo_slots.read(&self.core).await? {
            let mut page = first;
            while page != 0 && owners.take(page, Owner::Slot(slot.into())) {
                page = txn::next_undo_page(&self.core, page).await?;
            }
        }
        if free < slots {
            problems.push(format!("{} of {slots} slots belong to nobody", slots - free));
        }
        problems.extend(owners.compare(&self.core, &space).await?);
        Ok(problems.into_iter().map(|p| format!("undo space: {p}")).collect())
    }
}
