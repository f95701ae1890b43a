//! The shards of the lock table: each a mutex around its queues, and how many queues it has, which is read without the mutex.
//!
//! Invariant: the number is stored before the mutex is let go. Anyone who has the latch of a record's page exclusively reads none too small
//! for that record, because the one who placed a lock there has let go of that latch since.

use super::name::{NameSet, Names};
use super::queue::Queue;
use crate::sync::atomic::{AtomicUsize, Ordering};
use crate::sync::{Mutex, MutexGuard};
use std::ops::{Deref, DerefMut};

#[derive(Default)]
pub(super) struct Shard {
    /// No queue in it is empty.
    pub queues: Names<Queue>,
    /// The queues in which somebody waits.
    pub contended: NameSet,
}

#[derive(Default)]
pub(super) struct ShardCell {
    queues: AtomicUsize,
    shard: Mutex<Shard>,
}

/// A shard while it is locked.
pub(super) struct LockedShard<'s> {
    shard: MutexGuard<'s, Shard>,
    queues: &'s AtomicUsize,
}

impl ShardCell {
    pub fn lock(&self) -> LockedShard<'_> {
        LockedShard { shard: self.shard.lock(), queues: &self.queues }
    }

    /// No record of the shard has a lock or a waiter.
    pub fn is_empty(&self) -> bool {
        self.queues.load(Ordering::Acquire) == 0
    }
}

impl Drop for LockedShard<'_> {
    fn drop(&mut self) {
        self.queues.store(self.shard.queues.len(), Ordering::Release);
    }
}

impl Deref for LockedShard<'_> {
    type Target = Shard;

    fn deref(&self) -> &Shard {
        &self.shard
    }
}

impl DerefMut for LockedShard<'_> {
    fn deref_mut(&mut self) -> &mut Shard {
        &mut self.shard
    }
}
