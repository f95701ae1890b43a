//! Tables of Rust values, from the program's side.

use super::*;
use crate::error::Error;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Barrier;

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("weir-store-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

type User = (String, Option<i64>);
const USERS: TableDefinition<u64, User> =
    TableDefinition::new("users").unique("by_name", &[0]).index("by_age", &[1, 0]);

fn memory() -> Database {
    Database::builder().page_pool(4 << 20).open_in_memory().expect("opens")
}

fn some_users(db: &Database) -> Table<u64, User> {
    let users = db.table(&USERS).expect("a table");
    let mut tx = db.begin();
    for (id, name, age) in [(1, "Ada", Some(36)), (2, "Bob", None), (3, "Cyd", Some(20))] {
        tx.insert(&users, id, (name, age)).expect("inserts");
    }
    tx.commit().expect("commits");
    users
}

fn ids(range: Range<'_, u64, User>) -> Vec<u64> {
    range.map(|row| row.expect("reads").0).collect()
}

#[test]
fn rows_are_written_read_and_removed() {
    let db = memory();
    let users = some_users(&db);
    let mut tx = db.begin();
    assert_eq!(tx.get(&users, 1).expect("reads"), Some(("Ada".into(), Some(36))));
    assert_eq!(tx.get(&users, 9).expect("reads"), None);
    let before = tx.put(&users, 1, ("Ada", Some(37))).expect("puts");
    assert_eq!(before, Some(("Ada".into(), Some(36))));
    assert_eq!(tx.put(&users, 9, ("Eve", None)).expect("puts"), None);
    assert_eq!(tx.remove(&users, 2).expect("removes"), Some(("Bob".into(), None)));
    assert_eq!(tx.remove(&users, 2).expect("removes"), None);
    // Others see nothing of it before the commit.
    assert_eq!(db.get(&users, 9).expect("reads"), None);
    tx.commit().expect("commits");
    assert_eq!(ids(db.snapshot().range(&users, ..)), [1, 3, 9]);
    assert_eq!(db.get(&users, 1).expect("reads"), Some(("Ada".into(), Some(37))));
}

#[test]
fn a_failed_call_leaves_nothing_of_itself() {
    let db = memory();
    let users = some_users(&db);
    let mut tx = db.begin();
    tx.insert(&users, 4, ("Dan", None)).expect("inserts");
    let taken = tx.insert(&users, 1, ("New", None));
    assert!(matches!(taken, Err(Error::DuplicateKey { index: 0, .. })), "{taken:?}");
    let named = tx.put(&users, 5, ("Ada", None));
    assert!(matches!(named, Err(Error::DuplicateKey { index: 1, .. })), "{named:?}");
    let named = tx.put(&users, 3, ("Ada", None));
    assert!(matches!(named, Err(Error::DuplicateKey { index: 1, .. })), "{named:?}");
    tx.commit().expect("commits");
    assert_eq!(ids(db.snapshot().range(&users, ..)), [1, 2, 3, 4]);
    let by_name = users.index::<String>("by_name").expect("there");
    let found = db.snapshot().get_by(&by_name, "Cyd").expect("reads");
    assert_eq!(found, Some((3, ("Cyd".into(), Some(20)))));
    assert_eq!(db.snapshot().get_by(&by_name, "New").expect("reads"), None);
}

#[test]
fn calls_that_are_a_transaction_each() {
    let db = memory();
    let users = some_users(&db);
    db.insert(&users, 4, ("Dan", None)).expect("inserts");
    let taken = db.insert(&users, 4, ("New", None));
    assert!(matches!(taken, Err(Error::DuplicateKey { index: 0, .. })), "{taken:?}");
    let named = db.put(&users, 3, ("Ada", None));
    assert!(matches!(named, Err(Error::DuplicateKey { index: 1, .. })), "{named:?}");
    assert_eq!(db.put(&users, 5, ("Eve", Some(1))).expect("writes"), None);
    assert_eq!(db.put(&users, 5, ("Eve", Some(2))).expect("writes"), Some(("Eve".into(), Some(1))));
    let older = |(name, age): User| (name, age.map(|n| n + 1));
    assert!(db.update(&users, 5, older).expect("writes"));
    assert_eq!(db.get(&users, 5).expect("reads"), Some(("Eve".into(), Some(3))));
    assert!(db.update(&users, 5, |same| same).expect("writes"));
    assert!(!db.update(&users, 6, older).expect("writes"));
    let named = db.update(&users, 5, |(_, age)| ("Ada".into(), age));
    assert!(matches!(named, Err(Error::DuplicateKey { index: 1, .. })), "{named:?}");
    // A row that leaves its page is written in a transaction.
    let long = "x".repeat(40_000);
    let (long, pages) = (long.as_str(), TableDefinition::<u64, String>::new("long"));
    let pages = db.table(&pages).expect("a table");
    db.insert(&pages, 1, long).expect("inserts");
    assert!(db.update(&pages, 1, |text| text + "y").expect("writes"));
    assert_eq!(db.put(&pages, 1, "short").expect("writes").map(|t| t.len()), Some(40_001));
    // A snapshot has what there was, and a locked row is waited for.
    let mut before = db.snapshot();
    assert!(before.get(&users, 4).expect("reads").is_some());
    assert!(db.update(&users, 4, |(_, age)| ("Dot".into(), age)).expect("writes"));
    assert_eq!(before.get(&users, 4).expect("reads"), Some(("Dan".into(), None)));
    let mut tx = db.begin();
    tx.get_for_update(&users, 1).expect("locks");
    std::thread::scope(|s| {
        let other = s.spawn(|| db.update(&users, 1, |(name, _)| (name, Some(99))));
        std::thread::sleep(std::time::Duration::from_millis(50));
        tx.put(&users, 1, ("Ann", None)).expect("writes");
        tx.commit().expect("commits");
        assert!(other.join().expect("ends").expect("writes"));
    });
    assert_eq!(db.get(&users, 1).expect("reads"), Some(("Ann".into(), Some(99))));
}

#[test]
fn no_update_of_many_threads_is_lost() {
    let db = memory();
    let t = db.table(&TableDefinition::<u64, (i64, String)>::new("sums")).expect("a table");
    db.insert(&t, 1, (0, "text")).expect("inserts");
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| {
                for _ in 0..100 {
                    assert!(db.update(&t, 1, |(n, text)| (n + 1, text)).expect("writes"));
                }
            });
        }
    });
    assert_eq!(db.get(&t, 1).expect("reads"), Some((400, "text".into())));
    drop(t);
    db.close().expect("closes");
}

#[test]
fn marks_and_ends_undo() {
    let db = memory();
    let users = some_users(&db);
    let mut tx = db.begin();
    tx.remove(&users, 1).expect("removes");
    let mark = tx.mark();
    tx.remove(&users, 2).expect("removes");
    tx.back_to(mark).expect("undoes");
    assert_eq!(ids(tx.range(&users, ..)), [2, 3]);
    tx.rollback().expect("undoes");
    assert_eq!(ids(db.snapshot().range(&users, ..)), [1, 2, 3]);
    let failed: crate::Result<()> = db.transaction(|tx| {
        tx.remove(&users, 3)?;
        Err(Error::Owner("no".into()))
    });
    assert!(matches!(failed, Err(Error::Owner(_))), "{failed:?}");
    assert_eq!(db.get(&users, 3).expect("reads").map(|u| u.0), Some("Cyd".into()));
}

#[test]
fn ranges_have_the_bounds_of_rust() {
    let db = memory();
    let t = db.table(&TableDefinition::<(i32, String), ()>::new("pairs")).expect("a table");
    let mut tx = db.begin();
    let mut all = Vec::new();
    for a in [i32::MIN, -1, 0, 1, i32::MAX] {
        for b in ["", "a", "a\0", "a\0b", "aa", "\u{ff}", "\u{10ffff}"] {
            tx.insert(&t, (a, b), ()).expect("inserts");
            all.push((a, b.to_owned()));
        }
    }
    all.sort();
    let mut read = |from: std::ops::Bound<(i32, &str)>, to: std::ops::Bound<(i32, &str)>| {
        let there: Vec<_> = tx.range(&t, (from, to)).map(|row| row.expect("reads").0).collect();
        let mut back: Vec<_> =
            tx.range(&t, (from, to)).descending().map(|row| row.expect("reads").0).collect();
        back.reverse();
        assert_eq!(there, back);
        there
    };
    use std::ops::Bound::{Excluded, Included, Unbounded};
    let keys: Vec<(i32, &str)> = all.iter().map(|(a, b)| (*a, b.as_str())).collect();
    let mut bounds = vec![Unbounded];
    bounds.extend(keys.iter().step_by(3).flat_map(|k| [Included(*k), Excluded(*k)]));
    bounds.extend([Included((0, "b")), Excluded((i32::MAX, "\u{10ffff}\u{10ffff}"))]);
    for from in &bounds {
        for to in &bounds {
            let above = |k: &(i32, &str)| match from {
                Unbounded => true,
                Included(b) => k >= b,
                Excluded(b) => k > b,
            };
            let below = |k: &(i32, &str)| match to {
                Unbounded => true,
                Included(b) => k <= b,
                Excluded(b) => k < b,
            };
            let want = keys.iter().filter(|k| above(k) && below(k));
            let want: Vec<_> = want.map(|(a, b)| (*a, (*b).to_owned())).collect();
            assert_eq!(read(*from, *to), want, "{from:?} {to:?}");
        }
    }
    let most = db.table(&TableDefinition::<u64, u8>::new("most")).expect("a table");
    tx.insert(&most, u64::MAX, 1).expect("inserts");
    assert_eq!(tx.range(&most, u64::MAX..).count(), 1);
    assert_eq!(tx.range(&most, ..=u64::MAX).count(), 1);
    assert_eq!(tx.range(&most, (Excluded(u64::MAX), Unbounded)).count(), 0);
}

#[test]
fn indexes_are_in_their_order_with_nulls_first() {
    let db = memory();
    let users = some_users(&db);
    let by_age = users.index::<(Option<i64>, String)>("by_age").expect("there");
    let mut now = db.snapshot();
    assert_eq!(ids(now.range_by(&by_age, ..)), [2, 3, 1]);
    assert_eq!(ids(now.range_by(&by_age, (Some(30), "")..)), [1]);
    assert_eq!(ids(now.range_by(&by_age, ..).descending()), [1, 3, 2]);
    let other = users.index::<String>("by_age").map(drop);
    assert!(matches!(other, Err(Error::Unsupported(_))), "{other:?}");
    assert!(matches!(users.index::<i64>("none").map(drop), Err(Error::NoSuchIndex { .. })));
}

type Everything = (bool, f64, f32, Vec<u8>, [u8; 16], Option<String>, i8, u16);

#[test]
fn every_type_comes_back_as_it_was() {
    let db = memory();
    let t = db.table(&TableDefinition::<[u8; 4], Everything>::new("all")).expect("a table");
    let long = vec![7u8; 1 << 20];
    let mut tx = db.begin();
    tx.insert(&t, b"full", (true, -0.5, f32::MAX, &long, &[3; 16], Some("é"), i8::MIN, u16::MAX))
        .expect("inserts");
    tx.insert(&t, b"none", (false, f64::NEG_INFINITY, 0.0, &[], &[0; 16], None, 0, 0))
        .expect("inserts");
    let full = tx.get(&t, b"full").expect("reads").expect("there");
    let want = (true, -0.5, f32::MAX, long, [3; 16], Some("é".into()), i8::MIN, u16::MAX);
    assert!(full == want);
    let none = tx.get(&t, b"none").expect("reads").expect("there");
    assert_eq!((none.1, none.3.len(), none.5), (f64::NEG_INFINITY, 0, None));
    // A key must have a place in a page, whatever a row has.
    let keys = db.table(&TableDefinition::<Vec<u8>, ()>::new("keys")).expect("a table");
    tx.insert(&keys, &[1; 3000], ()).expect("inserts");
    let long = tx.insert(&keys, &[1; 4000], ());
    assert!(matches!(long, Err(Error::KeyTooLong { .. })), "{long:?}");
    assert_eq!(tx.get(&keys, &[1; 4000]).expect("reads"), None);
    assert_eq!(tx.range(&keys, ..).count(), 1);
}

#[test]
fn a_walk_meets_what_its_transaction_does_meanwhile() {
    let db = memory();
    let t = db.table(&TableDefinition::<u32, u32>::new("t")).expect("a table");
    let mut tx = db.begin();
    for id in 0..2000 {
        tx.insert(&t, id, id).expect("inserts");
    }
    tx.commit().expect("commits");
    let mut tx = db.begin();
    let mut walk = t.cursor(..).for_update();
    let mut met = 0;
    while let Some((id, n)) = walk.next(&mut tx).expect("reads") {
        assert_eq!(id, n);
        met += 1;
        match id % 2 {
            0 => drop(tx.remove(&t, id).expect("removes")),
            _ => drop(tx.put(&t, id, n + 1).expect("puts")),
        }
    }
    assert_eq!(met, 2000);
    tx.commit().expect("commits");
    assert_eq!(db.snapshot().range(&t, ..).count(), 1000);
    assert_eq!(db.get(&t, 7).expect("reads"), Some(8));
}

#[test]
fn a_snapshot_stays_and_reads_only() {
    let db = memory();
    let users = some_users(&db);
    let mut then = db.snapshot();
    db.transaction(|tx| tx.remove(&users, 1)).expect("removes");
    assert_eq!(ids(then.range(&users, ..)), [1, 2, 3]);
    assert_eq!(ids(db.snapshot().range(&users, ..)), [2, 3]);
    let locks = users.cursor(..).for_update().next(&mut then).map(drop);
    assert!(matches!(locks, Err(Error::ReadOnlyTransaction)), "{locks:?}");
}

#[test]
fn a_deadlocks_victim_runs_again() {
    let db = memory();
    let t = db.table(&TableDefinition::<u32, u64>::new("t")).expect("a table");
    let mut tx = db.begin();
    for id in [1, 2] {
        tx.insert(&t, id, 0).expect("inserts");
    }
    tx.commit().expect("commits");
    let together = Barrier::new(2);
    std::thread::scope(|s| {
        for order in [[1, 2], [2, 1]] {
            let (db, t, together) = (&db, &t, &together);
            s.spawn(move || {
                together.wait();
                for _ in 0..200 {
                    let add = |tx: &mut Transaction| {
                        for id in order {
                            let n = tx.get_for_update(t, id)?.expect("there");
                            tx.put(t, id, n + 1)?;
                        }
                        Ok(())
                    };
                    db.transaction(add).expect("commits in the end");
                }
            });
        }
    });
    let sums = [1, 2].map(|id| db.get(&t, id).expect("reads"));
    assert_eq!(sums, [Some(400), Some(400)]);
}

#[test]
fn serializable_transactions_do_not_pass_each_other() {
    let db = memory();
    let t = db.table(&TableDefinition::<u32, i64>::new("t")).expect("a table");
    db.transaction(|tx| tx.insert(&t, 1, 0)).expect("inserts");
    let add = || {
        let mut tx = db.begin_at(Isolation::Serializable);
        let n = tx.get(&t, 1)?.expect("there");
        tx.put(&t, 1, n + 1)?;
        tx.commit()
    };
    std::thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                for _ in 0..100 {
                    while let Err(e) = add() {
                        assert!(matches!(e, Error::Deadlock), "{e}");
                    }
                }
            });
        }
    });
    assert_eq!(db.get(&t, 1).expect("reads"), Some(200));
}

#[test]
fn tables_are_kept_and_checked() {
    let folder = Folder::new("kept");
    let db = Database::open(&folder.0).expect("opens");
    let users = some_users(&db);
    assert!(Database::open(&folder.0).is_err(), "one process has it at a time");
    let busy = db.clone().close();
    assert!(matches!(busy, Err(Error::Unsupported(_))), "{busy:?}");
    drop(users);
    db.close().expect("closes");

    // Without an index that was there it is kept; one that was not there is built.
    const NOW: TableDefinition<u64, User> =
        TableDefinition::new("users").index("by_age_alone", &[1]);
    let db = Database::builder().durability(Durability::Write).open(&folder.0).expect("opens");
    let users = db.table(&NOW).expect("the table");
    let by_age = users.index::<Option<i64>>("by_age_alone").expect("was built");
    assert_eq!(ids(db.snapshot().range_by(&by_age, Some(0)..)), [3, 1]);
    assert!(users.index::<String>("by_name").is_ok());
    let other = db.table(&TableDefinition::<u64, i64>::new("users")).map(drop);
    assert!(matches!(other, Err(Error::Unsupported(_))), "{other:?}");
    let other = db.table(&TableDefinition::<i64, User>::new("users")).map(drop);
    assert!(matches!(other, Err(Error::Unsupported(_))), "{other:?}");
    let changed = TableDefinition::<u64, User>::new("users").index("by_name", &[0]);
    assert!(matches!(db.table(&changed).map(drop), Err(Error::Unsupported(_))));

    // A handle of a table that is gone is no handle of the next one.
    assert!(db.drop_table("users").expect("drops"));
    assert!(!db.drop_table("users").expect("there is none"));
    let gone = db.begin().insert(&users, 1, ("x", None));
    assert!(gone.is_err());
    let users = db.table(&USERS).expect("made again");
    assert_eq!(db.snapshot().range(&users, ..).count(), 0);
}

#[test]
fn commits_survive_a_handle_that_was_forgotten() {
    let folder = Folder::new("forgotten");
    let db = Database::open(&folder.0).expect("opens");
    let users = some_users(&db);
    let mut open = db.begin();
    open.remove(&users, 1).expect("removes");
    // Handles go in any order, with a transaction that nobody has ended.
    drop((db, users));
    drop(open);
    let db = Database::open(&folder.0).expect("opens");
    let users = db.table(&USERS).expect("the table");
    assert_eq!(ids(db.snapshot().range(&users, ..)), [1, 2, 3]);
}

/// Rows that stand in their leaf and rows whose text is in chains of pages become each other, by calls that wait for nothing and by those that
/// do; transactions are rolled back in part and as a whole.
#[test]
fn rows_grow_and_shrink_over_the_length_of_a_leaf() {
    const TEXTS: TableDefinition<u64, (u64, String)> =
        TableDefinition::new("texts").index("by_number", &[0]);
    let db = memory();
    let texts = db.table(&TEXTS).expect("a table");
    let by_number = texts.index::<u64>("by_number").expect("there");
    let mut there: BTreeMap<u64, (u64, String)> = BTreeMap::new();
    let mut seed = 7u64;
    let mut below = |n: u64| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) % n
    };
    for round in 0..150 {
        let mut now = there.clone();
        let mut tx = db.begin();
        let mut marked = None;
        for step in 0..20 {
            if step == 10 {
                marked = Some((tx.mark(), now.clone()));
            }
            let (key, length) = (below(30), [0, 10, 3000, 9000, 40_000][below(5) as usize]);
            let value = (below(5), "x".repeat(length));
            if below(4) == 0 {
                assert_eq!(tx.remove(&texts, key).expect("removes"), now.remove(&key));
            } else {
                let before = tx.put(&texts, key, (value.0, &value.1)).expect("puts");
                assert_eq!(before, now.insert(key, value), "round {round}, step {step}");
            }
        }
        match (below(4), marked) {
            (0, _) => tx.rollback().expect("rolls back"),
            (1, Some((mark, then))) => {
                tx.back_to(mark).expect("goes back");
                tx.commit().expect("commits");
                there = then;
            }
            _ => {
                tx.commit().expect("commits");
                there = now;
            }
        }
        let all: BTreeMap<_, _> =
            db.snapshot().range(&texts, ..).map(|row| row.expect("reads")).collect();
        assert!(all == there, "round {round}");
        let listed = db.snapshot().range_by(&by_number, ..).count();
        assert_eq!(listed, there.len(), "round {round}: the index");
    }
    db.close().expect("closes");
}

/// Rows that are lent are those that are given, over many leaves, with rows of the walk's own transaction and of others among them.
#[test]
fn rows_are_lent_as_they_are_given() {
    let db = memory();
    let t = db.table(&TableDefinition::<u32, (i64, String)>::new("t")).expect("a table");
    let mut there = BTreeMap::new();
    let mut tx = db.begin();
    for id in (0..4000).step_by(2) {
        let text = "x".repeat(if id == 900 { 20_000 } else { id as usize % 90 });
        tx.insert(&t, id, (id.into(), &text)).expect("inserts");
        there.insert(id, (i64::from(id), text));
    }
    tx.commit().expect("commits");
    let mut other = db.begin();
    other.insert(&t, 3999, (0, "unseen")).expect("inserts");
    for isolation in
        [Isolation::ReadUncommitted, Isolation::ReadCommitted, Isolation::RepeatableRead]
    {
        let (mut tx, mut now) = (db.begin_at(isolation), there.clone());
        if isolation == Isolation::ReadUncommitted {
            now.insert(3999, (0, "unseen".into()));
        }
        for id in (100..3000).step_by(7) {
            match now.remove(&id) {
                Some(before) => assert_eq!(tx.remove(&t, id).expect("removes"), Some(before)),
                None => {
                    tx.put(&t, id, (1, "new")).expect("puts");
                    now.insert(id, (1, "new".into()));
                }
            }
        }
        for (from, to) in [(0, 4000), (0, 1), (899, 902), (1000, 1100), (3998, 4000), (7, 7)] {
            let want: Vec<_> = now.range(from..to).map(|(k, v)| (*k, v.clone())).collect();
            let given: Vec<_> = tx.range(&t, from..to).map(|row| row.expect("reads")).collect();
            assert!(given == want, "{isolation:?} {from}..{to}");
            let (mut walk, mut lent) = (t.cursor(from..to), Vec::new());
            while let Some((id, (n, text))) = walk.lend(&mut tx).expect("reads") {
                lent.push((id, (n, text.to_owned())));
            }
            assert!(lent == want, "{isolation:?} {from}..{to}");
            assert!(walk.lend(&mut tx).expect("reads").is_none());
        }
        for id in [0, 100, 105, 112, 900, 901, 3999] {
            let want = now.get(&id).map(|(n, text)| (*n, text.len()));
            let lent = tx.get_with(&t, id, |(n, text)| (n, text.len())).expect("reads");
            assert_eq!(lent, want, "{isolation:?} {id}");
        }
        tx.rollback().expect("rolls back");
    }
    other.rollback().expect("rolls back");
    // What is lent is a copy: the program may call the database meanwhile.
    let lent = db.get_with(&t, 2, |(n, text)| {
        assert!(db.update(&t, 2, |(n, text)| (n + 1, text)).expect("writes"));
        assert_eq!(db.get_with(&t, 900, |v| v.1.len()).expect("reads"), Some(20_000));
        (n, text.len())
    });
    assert_eq!(lent.expect("reads"), Some((2, 2)));
    assert_eq!(db.get(&t, 2).expect("reads").map(|v| v.0), Some(3));
    assert_eq!(db.get_with(&t, 1, |_| ()).expect("reads"), None);
}

/// A leaf that was filled last, or read just now, may be split and merged away by others before it is written.
#[test]
fn leaves_that_are_remembered_may_go() {
    let db = memory();
    let t = db.table(&TableDefinition::<u64, (i64, String)>::new("t")).expect("a table");
    let text = "a text that makes leaves of some dozen rows".repeat(3);
    std::thread::scope(|s| {
        for part in 0..3u64 {
            let (db, t, text) = (&db, &t, text.as_str());
            s.spawn(move || {
                for round in 0..6 {
                    let keys = (0..400).map(|n| part * 1_000_000 + n);
                    for key in keys.clone() {
                        db.insert(t, key, (0, text)).expect("a new row");
                    }
                    for key in keys.clone().rev() {
                        assert!(db.update(t, key, |(n, text)| (n + 1, text)).expect("writes"));
                    }
                    let own = db
                        .snapshot()
                        .range(t, part * 1_000_000..(part + 1) * 1_000_000)
                        .map(|row| row.expect("reads").1.0)
                        .sum::<i64>();
                    assert_eq!(own, 400, "part {part}, round {round}");
                    db.transaction(|tx| {
                        keys.clone().try_for_each(|key| tx.remove(t, key).map(drop))
                    })
                    .expect("removes");
                }
            });
        }
    });
    assert_eq!(db.snapshot().range(&t, ..).count(), 0);
    drop(t);
    db.close().expect("closes");
}
