//! After a start: what is there is what was acknowledged, or was on its way.

use crate::client::{
    ACCOUNTS, Connection, FIRED, LOADED, ORPHANS, PARTED, READER, Stage, TOTAL, UNPAIRED, UNSUMMED,
    found_rights, found_versions, listed_of, pairs_of,
};
use crate::model::{Own, World};
use crate::scenario::Scenario;
use crate::setup::limits;

/// After a start: what is there is what was acknowledged, or was on its way.
pub async fn found(s: &Scenario, stage: &Stage) -> Result<(), String> {
    // What the crash has cut off is rolled back beside the clients; locking reads wait for it.
    let mut c = stage.connect(1, "root");
    c.ask("SET innodb_lock_wait_timeout = 1000, lock_wait_timeout = 1000").await;
    for sql in limits(s) {
        c.ask(&sql).await;
    }
    // A file that was cut short: the table is refused by now, and can be dropped.
    if let Some(e) = c.ask("DROP TABLE IF EXISTS hurt").await.error {
        return Err(format!("a damaged table cannot be dropped after the start: {e}"));
    }
    let bank = numbers(&mut c, "SELECT SUM(v), COUNT(*) FROM bank").await?;
    if bank != [(TOTAL, ACCOUNTS as i64)] {
        stage.world().fail("sums", format!("after the start the accounts are {bank:?}"));
    }
    let orphans = numbers(&mut c, ORPHANS).await?;
    if orphans != [(0, 0)] {
        stage
            .world()
            .fail("family", format!("after the start children have no parent: {orphans:?}"));
    }
    if stage.inst.db.schema("#temporary").is_some() {
        stage.world().fail("space", "temporary tables have outlived a start".into());
    }
    for k in 0..s.clients_in_all {
        c.may_fail_with = vec![1146];
        let a = c.ask(&format!("SELECT SUM(v), COUNT(*) FROM made{k}")).await;
        let whole = [vec![TOTAL.to_string(), ACCOUNTS.to_string()]];
        if a.error.is_none() && a.rows != whole {
            let what = format!("after the start a table made of a query has {:?}", a.rows);
            stage.world().fail("durability", what);
        }
    }
    let own = numbers(&mut c, "SELECT id, v FROM own ORDER BY id").await?;
    let counters = numbers(&mut c, "SELECT id, n FROM counters ORDER BY id").await?;
    let registers = numbers(&mut c, "SELECT id, v FROM reg ORDER BY id").await?;
    compare_joined(stage, &mut c).await?;
    compare_kept(stage, &mut c).await?;
    compare_branches(s, stage, &mut c).await?;
    compare_versions(stage, &mut c).await?;
    compare_rows(stage, &own, &counters, &registers);
    for k in 0..s.tables as usize {
        c.may_fail_with = vec![1146];
        let a = c.ask(&format!("SELECT * FROM d{k}")).await;
        let seen = match a.errno() {
            0 => Some(a.columns),
            1146 => None,
            e => return Err(format!("table d{k} after the start: error {e}")),
        };
        let mut w = stage.world();
        if !w.tables[k].settle(seen.clone()) {
            w.fail("durability", format!("after the start table d{k} is {seen:?}"));
        }
    }
    compare_rights(stage, &mut c).await;
    c.close().await;
    Ok(())
}

async fn numbers(c: &mut Connection, sql: &str) -> Result<Vec<(i64, i64)>, String> {
    let a = c.ask(sql).await;
    if let Some(e) = a.error {
        return Err(format!("{sql} after the start: {e}"));
    }
    let pair = |r: &Vec<String>| match r.as_slice() {
        [a, b] => Some((a.parse().ok()?, b.parse().ok()?)),
        _ => None,
    };
    let rows: Option<Vec<_>> = a.rows.iter().map(pair).collect();
    rows.ok_or(format!("{sql} after the start: {:?}", a.rows))
}

fn compare_rows(
    stage: &Stage,
    own: &[(i64, i64)],
    counters: &[(i64, i64)],
    registers: &[(i64, i64)],
) {
    let mut w = stage.world();
    let counts = (own.len(), counters.len(), registers.len());
    let want = (w.own.len(), w.counters.len(), w.registers.len());
    if counts != want {
        return w
            .fail("durability", format!("after the start {counts:?} rows instead of {want:?}"));
    }
    for (no, (_, v)) in own.iter().enumerate() {
        let known = w.own[no].clone();
        if *v != known.acknowledged && !known.maybe.contains(v) {
            let last = known.acknowledged;
            w.fail(
                "durability",
                format!("row {no} is {v} after the start, acknowledged was {last}"),
            );
        }
        w.own[no] = Own { acknowledged: *v, maybe: Vec::new() };
    }
    for (no, (_, n)) in counters.iter().enumerate() {
        let known = w.counters[no];
        if !(known.acknowledged..=known.begun).contains(n) {
            let what = format!("counter {no} is {n} after the start, known was {known:?}");
            w.fail("durability", what);
        }
        (w.counters[no].acknowledged, w.counters[no].begun) = (*n, *n);
    }
    let values: Vec<i64> = registers.iter().map(|r| r.1).collect();
    if let Err(what) = w.registers.recovered(&values) {
        w.fail("durability", format!("after the start {what}"));
    }
}

/// Rights as they are shown after a start.
async fn compare_rights(stage: &Stage, c: &mut Connection) {
    let a = c.ask(&format!("SHOW GRANTS FOR {READER}@localhost")).await;
    let found = found_rights(&a.rows);
    let mut w = stage.world();
    if a.error.is_none() && !w.rights.settle(found.clone()) {
        w.fail("durability", format!("after the start somebody has the rights {found:?}"));
    }
}

/// Tables that change together, and what events have done.
async fn compare_joined(stage: &Stage, c: &mut Connection) -> Result<(), String> {
    for sql in [UNPAIRED, UNSUMMED] {
        let rows = numbers(c, sql).await?;
        if rows != [(0, 0)] {
            stage.world().fail("joined", format!("after the start {sql}: {rows:?}"));
        }
    }
    let a = c.ask(FIRED).await;
    let mut w = stage.world();
    if let Err(what) = w.fired(&a.rows, i64::MAX) {
        w.fail("events", format!("after the start {what}"));
    }
    // Each life has a clock of its own, so that a time of the last one says nothing.
    w.events.values_mut().for_each(|e| e.at = 0);
    Ok(())
}

/// Rows with one writer each.
async fn compare_kept(stage: &Stage, c: &mut Connection) -> Result<(), String> {
    for (sql, table) in [(PARTED, "parted"), (LOADED, "loaded")] {
        let a = c.ask(sql).await;
        if let Some(e) = a.error {
            return Err(format!("{sql} after the start: {e}"));
        }
        let found = pairs_of(&a);
        let mut w = stage.world();
        let World { parted, loaded, .. } = &mut *w;
        let kept = if table == "parted" { parted } else { loaded };
        let all_once = found.len() == a.rows.len();
        let compared = kept.recovered(found).and(match all_once {
            true => Ok(()),
            false => Err("a key is there twice".to_string()),
        });
        if let Err(what) = compared {
            w.fail("durability", format!("after the start table {table}: {what}"));
        }
    }
    Ok(())
}

/// What is prepared, and what was decided.
async fn compare_branches(s: &Scenario, stage: &Stage, c: &mut Connection) -> Result<(), String> {
    let listed = c.ask("XA RECOVER").await;
    if let Some(e) = listed.error {
        return Err(format!("XA RECOVER after the start: {e}"));
    }
    let rows = numbers(c, "SELECT id, v FROM xa ORDER BY id").await?;
    for no in 0..s.clients_in_all as usize {
        let mine = listed_of(&listed.rows, no);
        let of = |id: usize| rows.get(id).map_or(-1, |r| r.1);
        let mut w = stage.world();
        let compared = w.branches[no].recovered(&mine, [of(2 * no), of(2 * no + 1)]);
        if let Err(what) = compared {
            w.fail("durability", format!("after the start {what}"));
        }
    }
    Ok(())
}

/// Views, programs, triggers, events.
async fn compare_versions(stage: &Stage, c: &mut Connection) -> Result<(), String> {
    let found = found_versions(c).await?;
    let mut w = stage.world();
    for (at, seen) in found.into_iter().enumerate() {
        if !w.versions[at].settle(seen) {
            w.fail("durability", format!("after the start definition {at} says {seen:?}"));
        }
    }
    Ok(())
}
