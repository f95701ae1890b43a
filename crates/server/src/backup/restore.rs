//! A data directory out of backups and archived redo: everything is checked first, then written.

use super::Fault;
use super::archive::{ArchiveFile, Tail, Whose, files};
use super::check::{Checked, check_chain, size_of};
use super::key::Key;
use super::read::Reader;
use super::statements::is_meant;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use weir_disk::{Backend, Disk, RealDisk};
use weir_engine::Lsn;
use weir_engine::backup::{Block, Piece, Restored, Restorer};
use weir_engine::log::stream::GroupStream;
use weir_engine::page::redo::Redo;
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
    /// Archived redo, to go on behind the last backup.
    pub archive: Option<PathBuf>,
    pub key: Option<Key>,
    pub goal: Goal,
    /// A definition statement: the directory is as it was before its last occurrence, within the goal.
    pub before: Option<String>,
}

/// A definition statement that the redo names.
#[derive(Clone, Debug)]
pub struct Named {
    pub lsn: Lsn,
    /// When the redo was archived, in microseconds since 1970; none for that of the backup itself.
    pub micros: Option<u64>,
    pub text: String,
}

/// What was checked.
pub struct Plan {
    pub chain: Vec<Checked>,
    pub upto: Lsn,
    /// How far the redo is taken.
    goal: Goal,
    /// The statement before which it ends.
    pub before: Option<Named>,
}

impl Restore {
    /// Looks at every byte that will be needed.
    pub fn check(&self, step: &mut dyn FnMut(u64)) -> Fault<Plan> {
        let chain = check_chain(&self.from, self.key.as_ref(), step)?;
        let last = chain.last().ok_or("no backup is named")?;
        let shown = last.path.display().to_string();
        let too_old = |what: &str| {
            Err(format!(
                "{what} is before the end of the backup '{shown}': an older backup is needed"
            ))
        };
        match self.goal {
            Goal::Lsn(lsn) if lsn < last.end.end => return too_old(&format!("LSN {lsn}")),
            Goal::Time(t) if t < last.end.ended_micros => {
                return too_old(&format!("the moment {}", crate::log::timestamp(t)));
            }
            _ => {}
        }
        let before = match &self.before {
            Some(asked) => Some(self.find(last, asked)?),
            None => None,
        };
        let goal = before.as_ref().map_or(self.goal, |named| Goal::Lsn(named.lsn));
        let upto = self.check_redo(last, goal, step)?;
        Ok(Plan { chain, upto, goal, before })
    }

    /// The last occurrence of a definition statement in the redo, as far as the goal.
    fn find(&self, last: &Checked, asked: &str) -> Fault<Named> {
        let all = self.named(last)?;
        if let Some(found) = all.iter().rev().find(|n| is_meant(&n.text, asked)) {
            return Ok(found.clone());
        }
        let mut text = format!("there is no statement '{asked}' in the redo behind the backup");
        let begin = all.len().saturating_sub(SHOWN);
        text.push_str(match all.is_empty() {
            true => ", and no other one that defines something",
            false => "; the last ones that define something:",
        });
        for named in &all[begin..] {
            let at = named.micros.map(crate::log::timestamp).unwrap_or_default();
            text.push_str(&format!("\n  LSN {} {at} {}", named.lsn, named.text));
        }
        Err(text)
    }

    /// Definition statements behind the last backup's end, in their order.
    fn named(&self, last: &Checked) -> Fault<Vec<Named>> {
        let mut stream = GroupStream::new(last.begin.start, &last.begin.epochs);
        let mut all: Vec<Named> = Vec::new();
        self.each_redo(last, self.goal, &mut |at, bytes, micros| {
            if at + (bytes.len() as u64) <= stream.end() {
                return Ok(());
            }
            stream.push(&bytes[(stream.end().saturating_sub(at)) as usize..]);
            while let Some((start, group)) = stream.next_group().map_err(told)? {
                let records = stream.records(start, group, |_, rec| {
                    if let Redo::Statement { text } = rec {
                        let text = String::from_utf8_lossy(text).into_owned();
                        all.push(Named { lsn: start, micros, text });
                    }
                });
                records.map_err(told)?;
            }
            Ok(())
        })?;
        // What began before the backup's end is in its pages; a piece may reach over the goal.
        let within = |lsn: Lsn| !matches!(self.goal, Goal::Lsn(goal) if lsn >= goal);
        all.retain(|n| n.lsn >= last.end.end && within(n.lsn));
        Ok(all)
    }

    /// Reads all redo that will be needed, as the restore does. Gives the LSN at which it ends.
    fn check_redo(&self, last: &Checked, goal: Goal, step: &mut dyn FnMut(u64)) -> Fault<Lsn> {
        let mut seen =
            Seen { stream: GroupStream::new(last.begin.start, &last.begin.epochs), step };
        self.each_redo(last, goal, &mut |at, bytes, _| seen.add(at, bytes))?;
        let end = seen.stream.position();
        match goal {
            Goal::Lsn(lsn) if end < lsn && seen.stream.end() < lsn => {
                Err(format!("there is redo up to LSN {end} only, and LSN {lsn} is wanted"))
            }
            // A group that reaches over the LSN is not taken.
            Goal::Lsn(lsn) => Ok(lsn),
            Goal::End | Goal::Time(_) => Ok(end),
        }
    }

    /// Redo in order: of the last backup, then of the archive, as far as the goal. What came before may come again.
    fn each_redo(&self, last: &Checked, goal: Goal, f: &mut EachRedo<'_>) -> Fault<()> {
        let mut blocks = Reader::open(&last.path, self.key.as_ref())?;
        while let Some(block) = blocks.next_block()? {
            if let Block::Redo { at, bytes } = block {
                f(at, &bytes, None)?;
            }
        }
        let Some(dir) = &self.archive else { return Ok(()) };
        let mut have = last.end.end;
        let ids = &last.begin.ids;
        let whose = Whose { directory: ids.directory, history: ids.history };
        let list = files(dir)?;
        let mut trouble = None;
        for (start, path) in &list {
            if start > &have && reached(goal, have) {
                return Ok(());
            }
            let mut file = ArchiveFile::open(path, self.key.as_ref())?;
            if file.whose.directory != whose.directory {
                return Err(format!("'{}' is of another database", path.display()));
            }
            if file.whose != whose {
                continue;
            }
            if *start > have {
                let gap =
                    format!("the archive '{}' has a gap, LSN {have} to {start}", dir.display());
                return Err(trouble.map_or(gap.clone(), |t| format!("{gap}: {t}")));
            }
            trouble = loop {
                let piece = match file.next_piece() {
                    Ok(piece) => piece,
                    Err(Tail::Clean) => break None,
                    Err(Tail::Damaged(e)) => break Some(e),
                };
                if is_behind(goal, &piece) {
                    return Ok(());
                }
                if piece.at > have {
                    return Err(format!(
                        "'{}' has a gap, LSN {have} to {}",
                        path.display(),
                        piece.at
                    ));
                }
                let end = piece.at + piece.bytes.len() as u64;
                if end > have {
                    f(piece.at, &piece.bytes, Some(piece.micros))?;
                    have = end;
                }
            };
        }
        match trouble {
            // The next file begins at or before the damage, or there would have been a gap.
            Some(e) if !reached(goal, have) => {
                Err(format!("{e}; what is before it ends at LSN {have}"))
            }
            _ => Ok(()),
        }
    }

    /// Makes the directory. Nothing opens it until this has ended without an error.
    pub fn run(&self, plan: &Plan, target: &Path, step: &mut dyn FnMut(u64)) -> Fault<Restored> {
        refuse_used(target)?;
        let disk = RealDisk::open(target, Backend::Threads, |_| {}).map_err(|e| e.to_string())?;
        let disk: Arc<dyn Disk> = Arc::new(disk);
        let rt = Rt::real();
        let last = plan.chain.last().ok_or("no backup is named")?;
        let mut r = rt.block_on(self.put_pages(&rt, disk, plan, step))?;
        rt.block_on(r.begin_redo(plan.upto)).map_err(told)?;
        let mut apply =
            |at: Lsn, bytes: &[u8], _: Option<u64>| rt.block_on(r.redo(at, bytes)).map_err(told);
        self.each_redo(last, plan.goal, &mut apply)?;
        rt.block_on(r.finish()).map_err(told)
    }

    async fn put_pages(
        &self,
        rt: &Rt,
        disk: Arc<dyn Disk>,
        plan: &Plan,
        step: &mut dyn FnMut(u64),
    ) -> Fault<Restorer> {
        let first = plan.chain.first().ok_or("no backup is named")?;
        let mut r = Restorer::new(rt, disk, first.begin.clone()).await.map_err(told)?;
        for backup in &plan.chain {
            let mut blocks = Reader::open(&backup.path, self.key.as_ref())?;
            while let Some(block) = blocks.next_block()? {
                step(size_of(&block));
                match block {
                    Block::Begin(b) => r.follow(b),
                    Block::Pages(p) => r.pages(&p).await.map_err(told)?,
                    Block::Redo { .. } => {}
                    Block::End(e) => r.end(e).await.map_err(told)?,
                }
            }
        }
        Ok(r)
    }
}

/// Statements that are shown where the one asked for is not found.
const SHOWN: usize = 20;

/// Takes redo: the LSN of its first byte, the bytes, and when they were archived.
type EachRedo<'f> = dyn FnMut(Lsn, &[u8], Option<u64>) -> Fault<()> + 'f;

fn reached(goal: Goal, have: Lsn) -> bool {
    matches!(goal, Goal::Lsn(lsn) if have >= lsn)
}

/// Whether nothing from this piece on is wanted.
fn is_behind(goal: Goal, piece: &Piece) -> bool {
    match goal {
        Goal::End => false,
        Goal::Lsn(lsn) => piece.at >= lsn,
        Goal::Time(t) => piece.micros > t,
    }
}

fn told(e: weir_engine::Error) -> String {
    e.to_string()
}

/// Redo that is looked at before a restore.
struct Seen<'s> {
    stream: GroupStream,
    step: &'s mut dyn FnMut(u64),
}

impl Seen<'_> {
    fn add(&mut self, at: Lsn, bytes: &[u8]) -> Fault<()> {
        let have = self.stream.end();
        if at > have {
            return Err(format!("the redo between LSN {have} and {at} is missing"));
        }
        let known = (have - at).min(bytes.len() as u64) as usize;
        (self.step)((bytes.len() - known) as u64);
        self.stream.push(&bytes[known..]);
        while self.stream.next_group().map_err(told)?.is_some() {}
        Ok(())
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
