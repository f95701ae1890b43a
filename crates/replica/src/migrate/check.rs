//! What Weir refuses of the source's definitions: each is made in a scratch database of the target, which goes again.

use super::schema::{self, Object};
use super::{Done, name, rows};
use crate::source::Source;

/// An object that Weir refuses.
pub struct Refused {
    pub what: String,
    pub why: String,
}

const SCRATCH: &str = "weir_migrate_check";

pub fn run(from: &mut Source, to: &mut Source, databases: &[String]) -> Done<Vec<Refused>> {
    let mut refused = Vec::new();
    for d in databases {
        if !rows(to, &format!("SHOW DATABASES LIKE {}", super::literal(d)))?.is_empty()
            && !schema::tables(to, d)?.is_empty()
        {
            let why = "the target has it already, with tables: drop it there first".to_owned();
            refused.push(Refused { what: format!("database {}", name(d)), why });
            continue;
        }
        in_scratch(from, to, d, &mut refused)?;
    }
    Ok(refused)
}

fn in_scratch(
    from: &mut Source,
    to: &mut Source,
    database: &str,
    refused: &mut Vec<Refused>,
) -> Done<()> {
    let ask = |to: &mut Source, sql: &str| to.query(sql).map(drop).map_err(super::told);
    ask(to, &format!("DROP DATABASE IF EXISTS {SCRATCH}"))?;
    ask(to, &format!("CREATE DATABASE {SCRATCH}"))?;
    ask(to, "SET foreign_key_checks = 0")?;
    for t in schema::tables(from, database)? {
        ask(to, &format!("USE {SCRATCH}"))?;
        let create = schema::create_table(from, &t)?;
        if let Err(e) = to.query(&create) {
            refused.push(Refused { what: format!("table {}", t.full()), why: e.to_string() });
        }
    }
    let told =
        |o: &Object| format!("{} {}.{}", o.kind.to_lowercase(), name(database), name(&o.name));
    let objects = schema::objects(from, database)?;
    for (o, why) in schema::make_all(to, objects, Some(SCRATCH))? {
        refused.push(Refused { what: told(&o), why });
    }
    ask(to, &format!("DROP DATABASE IF EXISTS {SCRATCH}"))
}

pub fn tell(refused: &[Refused]) {
    match refused.is_empty() {
        true => println!("Weir takes all definitions"),
        false => println!("Weir refuses {} of the source's objects:", refused.len()),
    }
    for r in refused {
        println!("  {}: {}", r.what, r.why);
        println!("      change it at the source, or leave it out");
    }
}
