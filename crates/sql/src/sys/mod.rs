//! The schema `sys`: views and functions over performance_schema and information_schema that read as people want to.
//!
//! They are ordinary objects of the catalog, made by statements at a server's first start, so anyone who looks at definitions finds them
//! as he would on MySQL, and anyone who has dropped them is rid of them. Columns are those that MySQL documents, without those of which
//! nothing is measured here; the texts are our own. There is no table among them (sys_config): what it would set are user variables. All of them run with the rights of anyone who asks.
//!
//! Invariant: the version in the engine's key-value store is written when all statements have run, so an interrupted start does them
//! again; each of them may run twice.

use crate::ddl::engine_error;
use crate::session::{Instance, Session};
use crate::session_api::{Discard, SqlError};
use std::sync::Arc;
use weir_rt::Boxed;

/// Stands beside the objects; another one makes them again.
const VERSION: &[u8] = b"2.1.2-4";
const KEY: &[u8] = b"sys_schema";

const PROGRAMS: &str = include_str!("programs.sql");
const VIEWS: &str = include_str!("views.sql");

/// What makes the schema, in order.
fn statements() -> Vec<String> {
    let mut all =
        vec!["CREATE DATABASE IF NOT EXISTS sys DEFAULT CHARACTER SET utf8mb4".to_owned()];
    for text in PROGRAMS.split("\n//\n").chain(VIEWS.split("\n//\n")).map(str::trim) {
        let mut words = text.split([' ', '(']).filter(|w| !w.is_empty());
        let (kind, name) = (words.nth(1).unwrap_or(""), words.next().unwrap_or(""));
        match kind {
            "FUNCTION" | "PROCEDURE" => {
                all.push(format!("DROP {kind} IF EXISTS {name}"));
                all.push(text.to_owned());
            }
            _ => all.push(text.replacen("CREATE", "CREATE OR REPLACE", 1)),
        }
    }
    all
}

/// Makes the schema where this version of it was not made yet. Errors: those of its statements; what was made stays.
pub fn install(inst: &Arc<Instance>, id: u64) -> Boxed<'_, Result<(), SqlError>> {
    Box::pin(async move {
        let made = inst.db.meta_get(KEY).await.map_err(engine_error)?;
        if made.as_deref() == Some(VERSION) {
            return Ok(());
        }
        let mut session = Session::of_server(inst, id);
        let mut done = Ok(());
        for text in statements() {
            done = Box::pin(session.query(text.as_bytes(), &mut Discard)).await.result;
            if done.is_err() {
                break;
            }
        }
        session.close().await;
        done?;
        inst.db.meta_put(KEY, VERSION).await.map_err(engine_error)
    })
}
