//! Stored programs that were read and parsed, kept while they are current. What is kept of one is the affair of the room that runs it.

use crate::meta::program::ProgramMeta;
use std::any::Any;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};
use weir_engine::{Db, Object, ObjectKind};
use weir_syntax::ast::TriggerEvent;

/// Programs kept at most; beyond, all go. One whose text is long counts as several.
const KEEP: usize = 4096;

/// Bytes of a text that count as one program.
const ENTRY: usize = 4096;

type Known = (Arc<Object>, Arc<dyn Any + Send + Sync>);

/// Programs by the place in memory of their objects: a program that is defined again is another object. And the triggers of tables.
#[derive(Default)]
pub struct Programs {
    known: RwLock<Kept>,
    /// The catalog version that `triggers` was made for, plus one.
    made_for: RwLock<(u64, ByTable)>,
    /// The catalog version for which there are no triggers at all, plus one.
    none_at: AtomicU64,
}

#[derive(Default)]
struct Kept {
    map: HashMap<usize, Known>,
    /// As how many they count.
    entries: usize,
}

fn entries(o: &Object) -> usize {
    1 + o.text.len() / ENTRY
}

/// Triggers by schema and table.
type ByTable = HashMap<(String, String), Arc<TableTriggers>>;

/// A trigger with what it is sorted by.
type Sorted = (u32, TriggerEvent, bool, Arc<Object>);

/// The triggers of a table: for each event those before the row and those after it, in the order in which they run.
#[derive(Default)]
pub struct TableTriggers {
    lists: [[Vec<Arc<Object>>; 2]; 3],
}

impl TableTriggers {
    pub fn of(&self, event: TriggerEvent, before: bool) -> &[Arc<Object>] {
        &self.lists[event as usize][usize::from(!before)]
    }

    pub fn fires(&self, event: TriggerEvent) -> bool {
        self.lists[event as usize].iter().any(|l| !l.is_empty())
    }
}

fn place(o: &Arc<Object>) -> usize {
    Arc::as_ptr(o) as usize
}

impl Programs {
    pub fn get<T: Any + Send + Sync>(&self, o: &Arc<Object>) -> Option<Arc<T>> {
        let all = self.known.read().unwrap_or_else(PoisonError::into_inner);
        // The object is kept alive here, so that no other one can have its place.
        let (known, kept) = all.map.get(&place(o))?;
        debug_assert!(Arc::ptr_eq(known, o));
        kept.clone().downcast().ok()
    }

    pub fn put<T: Any + Send + Sync>(&self, o: &Arc<Object>, kept: &Arc<T>) {
        let mut all = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if all.entries + entries(o) > KEEP {
            *all = Kept::default();
        }
        // What was dropped or replaced is only held here.
        if all.map.len() % 64 == 63 {
            all.map.retain(|_, (o, _)| Arc::strong_count(o) > 2);
            all.entries = all.map.values().map(|(o, _)| entries(o)).sum();
        }
        if all.map.insert(place(o), (o.clone(), kept.clone())).is_none() {
            all.entries += entries(o);
        }
    }

    /// The triggers of a table. Where there are none at all it costs two loads.
    pub fn triggers(&self, db: &Db, schema: &str, table: &str) -> Option<Arc<TableTriggers>> {
        let version = db.catalog_version() + 1;
        if self.none_at.load(Relaxed) == version {
            return None;
        }
        let place = (schema.to_owned(), table.to_owned());
        {
            let made = self.made_for.read().unwrap_or_else(PoisonError::into_inner);
            if made.0 == version {
                return made.1.get(&place).cloned();
            }
        }
        let all = read_triggers(db);
        if all.is_empty() {
            self.none_at.store(version, Relaxed);
            return None;
        }
        let found = all.get(&place).cloned();
        *self.made_for.write().unwrap_or_else(PoisonError::into_inner) = (version, all);
        found
    }
}

fn read_triggers(db: &Db) -> ByTable {
    let mut sorted: HashMap<_, Vec<Sorted>> = HashMap::new();
    for schema in db.schemas() {
        for o in db.objects(ObjectKind::Trigger, &schema.name) {
            // One that cannot be read fires nothing; to show it is an error.
            let Some(t) = ProgramMeta::of(&o).ok().and_then(|p| p.trigger) else { continue };
            let list = sorted.entry((schema.name.clone(), t.table)).or_default();
            list.push((t.order, t.event, t.before, o));
        }
    }
    let table = |mut list: Vec<Sorted>| {
        list.sort_by_key(|t| t.0);
        let mut triggers = TableTriggers::default();
        for (_, event, before, o) in list {
            triggers.lists[event as usize][usize::from(!before)].push(o);
        }
        Arc::new(triggers)
    };
    sorted.into_iter().map(|(place, list)| (place, table(list))).collect()
}
