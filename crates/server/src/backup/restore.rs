//! A data directory out of backups and archived redo: everything is checked first, then written.

use super::Fault;
use super::check::{Checked, check_chain, size_of};
use super::key::Key;
use super::read::Reader;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_disk::{Backend, Disk, RealDisk};
use weir_engine::Lsn;
use weir_engine::backup::{Block, Restored, Restorer};
use weir_rt::Rt;

/// How far the redo is wanted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// As far as there is any.
    End,
    Lsn(Lsn),
    /// By the wall clock of the server, in microseconds since 1970.
    Time(u64),
}

pub struct Restore {
    /// A full backup and its increments.
    pub from: Vec<PathBuf>,
    pub key: Option<Key>,
    pub goal: Goal,
}

/// What was checked.
pub struct Plan {
    pub chain: Vec<Checked>,
    pub upto: Lsn,
}

impl Restore {
    /// Looks at every byte that will be needed.
    pub fn check(&self, step: &mut dyn FnMut(u64)) -> Fault<Plan> {
        let chain = check_chain(&self.from, self.key.as_ref(), step)?;
        let last = chain.last().ok_or("no backup is named")?;
        let end = last.end.end;
        let upto = match self.goal {
            Goal::End => end,
            Goal::Lsn(lsn) if lsn < end => {
                return Err(format!(
                    "LSN {lsn} is before the end of the backup '{}', LSN {end}: an older backup is needed",
                    last.path.display()
                ));
            }
            Goal::Lsn(lsn) => lsn,
            Goal::Time(micros) if micros < last.end.ended_micros => {
                return Err(format!(
                    "the moment is before the end of the backup '{}', {}: an older backup is needed",
                    last.path.display(),
                    crate::log::timestamp(last.end.ended_micros)
                ));
            }
            Goal::Time(_) => end,
        };
        Ok(Plan { chain, upto })
    }

    /// Makes the directory. Nothing opens it until this has ended without an error.
    pub fn run(&self, plan: &Plan, target: &Path, step: &mut dyn FnMut(u64)) -> Fault<Restored> {
        refuse_used(target)?;
        let disk = RealDisk::open(target, Backend::Threads, |_| {}).map_err(|e| e.to_string())?;
        let disk: Arc<dyn Disk> = Arc::new(disk);
        let rt = Rt::real();
        rt.block_on(self.write(&rt, disk, plan, step))
    }

    async fn write(
        &self,
        rt: &Rt,
        disk: Arc<dyn Disk>,
        plan: &Plan,
        step: &mut dyn FnMut(u64),
    ) -> Fault<Restored> {
        let first = plan.chain.first().ok_or("no backup is named")?;
        let last = plan.chain.last().ok_or("no backup is named")?;
        let told = |e: weir_engine::Error| e.to_string();
        let mut r = Restorer::new(rt, disk, first.begin.clone()).await.map_err(told)?;
        for backup in &plan.chain {
            let mut blocks = Reader::open(&backup.path, self.key.as_ref())?;
            while let Some(block) = blocks.next()? {
                step(size_of(&block));
                match block {
                    Block::Begin(b) => r.follow(b),
                    Block::Pages(p) => r.pages(&p).await.map_err(told)?,
                    Block::Redo { .. } => {}
                    Block::End(e) => r.end(e).await.map_err(told)?,
                }
            }
        }
        r.begin_redo(plan.upto).await.map_err(told)?;
        let mut blocks = Reader::open(&last.path, self.key.as_ref())?;
        while let Some(block) = blocks.next()? {
            if let Block::Redo { at, bytes } = block {
                r.redo(at, &bytes).await.map_err(told)?;
            }
        }
        r.finish().await.map_err(told)
    }
}

/// A target is a directory that is empty or does not exist.
pub fn refuse_used(target: &Path) -> Fault<()> {
    match std::fs::read_dir(target) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(e) => Err(format!("cannot use '{}': {e}", target.display())),
        Ok(mut dir) => match dir.next() {
            None => Ok(()),
            Some(_) => Err(format!(
                "'{}' is not empty: a restore makes a new directory, and changes none",
                target.display()
            )),
        },
    }
}
