//! Failures of the device, told in the error log: once when they begin, once when they are over.
//!
//! A statement that meets one gets the error; anyone who tries again, a session or the cleaner, must not fill the error log with it.
//! A full device is one trouble, whatever file meets it; any other failure is one for each file and kind of operation.

use crate::sync::Mutex;
use crate::sync::atomic::{AtomicUsize, Ordering};
use std::collections::HashMap;
use std::sync::Arc;
use weir_disk::{DiskError, Result};

/// Where the lines go.
pub type Tell = Arc<dyn Fn(&str) + Send + Sync>;

/// Operations that take room, of which the next that succeeds ends the trouble of a full device.
pub const EXTEND: &str = "extend";

#[derive(Default)]
pub struct Troubles {
    log: Mutex<Option<Tell>>,
    /// By operation and file (`EXTEND` and none: the device is full), how often it has failed.
    now: Mutex<HashMap<(&'static str, String), u64>>,
    /// Entries of `now`: where nothing is wrong, no mutex is taken.
    count: AtomicUsize,
}

impl Troubles {
    pub fn tell(&self, log: Tell) {
        *self.log.lock() = Some(log);
    }

    /// The outcome of an operation on a file.
    pub fn note<T>(&self, op: &'static str, path: &str, outcome: &Result<T>) {
        match outcome {
            Err(e) => self.failed(op, path, e),
            Ok(_) if self.count.load(Ordering::Relaxed) > 0 => self.worked(op, path),
            Ok(_) => {}
        }
    }

    fn failed(&self, op: &'static str, path: &str, e: &DiskError) {
        let (key, advice) = match e.is_full() {
            true => {
                ((EXTEND, String::new()), "; statements that need room fail until there is some")
            }
            false => ((op, path.to_string()), ""),
        };
        let mut now = self.now.lock();
        let times = now.entry(key).or_default();
        *times += 1;
        let first = *times == 1;
        self.count.store(now.len(), Ordering::Relaxed);
        drop(now);
        if first {
            self.say(&format!("{e}{advice}"));
        }
    }

    fn worked(&self, op: &'static str, path: &str) {
        let (file, full) = {
            let mut now = self.now.lock();
            let file = now.remove(&(op, path.to_string()));
            let full = (op == EXTEND).then(|| now.remove(&(EXTEND, String::new()))).flatten();
            self.count.store(now.len(), Ordering::Relaxed);
            (file, full)
        };
        if let Some(times) = full {
            self.say(&format!("there is room on the device again, after {times} failures"));
        }
        if let Some(times) = file {
            self.say(&format!("{op} of '{path}' works again, after {times} failures"));
        }
    }

    pub fn say(&self, text: &str) {
        let log = self.log.lock().clone();
        if let Some(log) = log {
            log(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_trouble_is_told_when_it_begins_and_when_it_ends() {
        let told = Arc::new(Mutex::new(Vec::<String>::new()));
        let (t, out) = (Troubles::default(), told.clone());
        t.tell(Arc::new(move |m| out.lock().push(m.to_string())));
        let fails = |os| {
            Err::<(), _>(DiskError::new("extend", "f", &std::io::Error::from_raw_os_error(os)))
        };
        let (full, broken) = (fails(28), fails(5));
        for _ in 0..3 {
            t.note(EXTEND, "f", &full);
            t.note(EXTEND, "g", &full);
            t.note("write", "f", &broken);
        }
        assert_eq!(told.lock().len(), 2, "{told:?}");
        t.note("write", "g", &Ok(()));
        t.note("read", "f", &Ok(()));
        assert_eq!(told.lock().len(), 2, "nothing is over yet: {told:?}");
        t.note(EXTEND, "g", &Ok(()));
        t.note("write", "f", &Ok(()));
        t.note("write", "f", &Ok(()));
        let all = told.lock().join("\n");
        assert!(all.contains("room on the device again, after 6 failures"), "{all}");
        assert!(all.ends_with("write of 'f' works again, after 3 failures"), "{all}");
        t.note(EXTEND, "f", &full);
        assert_eq!(told.lock().len(), 5, "the next one is told again");
    }
}
