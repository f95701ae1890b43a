//! Who gets in the owners' way without touching their rows: definitions that change, and KILL.

use super::{Arena, OWNERS, is_lost};
use crate::common::{Client, Login};
use std::time::Duration;
use weir_rt::Rng;

fn connect(arena: &Arena<'_>) -> Option<Client> {
    arena.server.connect(&Login { database: "fire", ..Login::default() }).ok()
}

/// Changes the definitions of the owners' tables; columns that it adds are named `z` and a number, and hold 7.
pub fn definitions(arena: &Arena<'_>, mut rng: Rng) {
    const CHANGES: [&str; 11] = [
        "alter table {} add column z# int not null default 7",
        "alter table {} drop column z#",
        "alter table {} add index x# (v, id)",
        "alter table {} drop index x#",
        "alter table {} force",
        "optimize table {}",
        "analyze table {}",
        "analyze table {} update histogram on v auto update",
        "analyze table {} drop histogram on v",
        "check table {}",
        "rename table {} to fire.away, fire.away to {}",
    ];
    let mut client = None;
    while arena.goes_on() {
        let Some(c) = &mut client else {
            client = connect(arena);
            continue;
        };
        let change = CHANGES[rng.below(CHANGES.len() as u64) as usize];
        let table = format!("fire.p{}", rng.below(OWNERS));
        let sql = change.replace("{}", &table).replace('#', &rng.below(3).to_string());
        match c.try_query(&sql) {
            Ok(a) if sql.starts_with("check") => {
                let status = a.rows.last().and_then(|r| r[3].clone());
                assert_eq!(status.as_deref(), Some("OK"), "{sql}: {:?}", a.rows);
            }
            Ok(_) => {}
            Err(e) if is_lost(&e) => client = None,
            // The column or index is there, or is not; the table is in use; KILL.
            Err(e) => {
                assert!([1060, 1061, 1091, 1205, 1213, 1317].contains(&e.errno), "{sql}: {e:?}")
            }
        }
        std::thread::sleep(Duration::from_millis(rng.below(20)));
    }
}

/// Kills statements and connections, no matter who's, now and then.
pub fn killer(arena: &Arena<'_>, mut rng: Rng) {
    let mut client = None;
    while arena.goes_on() {
        std::thread::sleep(Duration::from_millis(10 + rng.below(60)));
        let Some(c) = &mut client else {
            client = connect(arena);
            continue;
        };
        let list = "select id from information_schema.processlist where id <> connection_id()";
        let ids: Vec<String> = match c.try_query(list) {
            Ok(a) => a.rows.iter().filter_map(|r| r[0].clone()).collect(),
            Err(_) => {
                client = None;
                continue;
            }
        };
        if ids.is_empty() {
            continue;
        }
        let id = &ids[rng.below(ids.len() as u64) as usize];
        let what = if rng.chance(0.8) { "query " } else { "" };
        if let Err(e) = c.try_query(&format!("kill {what}{id}")) {
            assert!(is_lost(&e) || e.errno == 1094, "{e:?}");
        }
    }
}
