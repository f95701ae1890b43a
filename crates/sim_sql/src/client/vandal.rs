//! Somebody outside cuts a table's file short in the middle of a transaction that has changed it.
//!
//! What cannot be undone must not keep anybody: ROLLBACK answers, DROP TABLE removes the table, the others do not notice.

use super::{Connection, Stage};
use std::time::Duration;

/// Virtual time for a rollback that cannot be done, and for the DROP behind it.
const LIMIT: Duration = Duration::from_secs(200);
/// What a statement on such a table may hear: storage error, key file, table full, tablespace missing, table corrupt.
const DAMAGED: [u16; 7] = [1030, 1034, 1114, 1146, 1812, 1877, 1194];

pub async fn cut_a_file(stage: Stage, frames: u64, page_size: usize, drops: bool) {
    let mut c = stage.connect(900, "root");
    c.ask("SET innodb_lock_wait_timeout = 400, lock_wait_timeout = 400").await;
    if filled(&mut c, frames, page_size).await {
        // The changed pages do not fit into the pool: most have gone home.
        let changed = c.ask("UPDATE hurt SET v = v + 1").await.error.is_none();
        let file = stage.inst.db.table("s", "hurt").map(|t| t.space.path().to_string());
        if let (true, Some(path)) = (changed, file) {
            if let Some(bytes) = stage.disk.content(&path) {
                stage.disk.set_content(&path, bytes[..bytes.len().min(2 * page_size)].to_vec());
            }
            c.may_fail_with = DAMAGED.to_vec();
            c.ask("SELECT COUNT(v) FROM hurt WHERE pad > 'x'").await;
            if drops {
                drop_it(&stage, &mut c).await;
            }
        }
    }
    c.close().await;
}

/// A table somewhat larger than the pool.
async fn filled(c: &mut Connection, frames: u64, page_size: usize) -> bool {
    c.may_fail_with = DAMAGED.to_vec();
    c.ask("DROP TABLE IF EXISTS hurt").await;
    let width = page_size / 3;
    c.may_fail_with = vec![1050];
    let create = format!("CREATE TABLE hurt (id INT PRIMARY KEY, v INT, pad VARCHAR({width}))");
    if c.ask(&create).await.error.is_some() {
        return false;
    }
    for batch in 0..(frames + 60) / 8 {
        let rows: Vec<String> = (0..16)
            .map(|i| format!("({}, 0, REPEAT('x', {}))", batch * 16 + i, width - 40))
            .collect();
        let sql = format!("INSERT INTO hurt VALUES {}", rows.join(", "));
        if c.ask(&sql).await.error.is_some() {
            return false;
        }
    }
    c.ask("BEGIN").await.error.is_none()
}

async fn drop_it(stage: &Stage, c: &mut Connection) {
    let begun = stage.rt().now();
    c.may_fail_with = DAMAGED.to_vec();
    c.ask("ROLLBACK").await;
    c.may_fail_with = DAMAGED.to_vec();
    let a = c.ask("DROP TABLE hurt").await;
    let took = Duration::from_nanos(stage.rt().now() - begun);
    if took > LIMIT || !matches!(a.errno(), 0 | 1317 | 1146) && stage.engine_works() {
        let heard = a.error.map_or("success".to_string(), |e| e.to_string());
        let what = format!(
            "a table whose file was cut short is rolled back and dropped in {} s: {heard}",
            took.as_secs()
        );
        stage.world().fail("liveness", what);
    }
}
