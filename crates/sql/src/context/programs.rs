//! Stored programs that were read and parsed, kept while they are current. What is kept of one is the affair of the room that runs it.

use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use weir_engine::Object;

/// Programs kept at most; beyond, all go.
const KEEP: usize = 4096;

type Known = (Arc<Object>, Arc<dyn Any + Send + Sync>);

/// Programs by the place in memory of their objects: a program that is defined anew is another object.
#[derive(Default)]
pub struct Programs(RwLock<HashMap<usize, Known>>);

fn place(o: &Arc<Object>) -> usize {
    Arc::as_ptr(o) as usize
}

impl Programs {
    pub fn get<T: Any + Send + Sync>(&self, o: &Arc<Object>) -> Option<Arc<T>> {
        let map = self.0.read().unwrap_or_else(PoisonError::into_inner);
        // The object is kept alive here, so that no other one can have its place.
        let (known, kept) = map.get(&place(o))?;
        debug_assert!(Arc::ptr_eq(known, o));
        kept.clone().downcast().ok()
    }

    pub fn put<T: Any + Send + Sync>(&self, o: &Arc<Object>, kept: &Arc<T>) {
        let mut map = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if map.len() >= KEEP {
            map.clear();
        }
        // What was dropped or replaced is only held here.
        if map.len() % 64 == 63 {
            map.retain(|_, (o, _)| Arc::strong_count(o) > 2);
        }
        map.insert(place(o), (o.clone(), kept.clone()));
    }
}
