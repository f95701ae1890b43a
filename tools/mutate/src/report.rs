//! The table by room, and the survivors.

use crate::scratch::Scratch;
use crate::{Cover, Mutant, ROOMS, mutants, read_cover, verdicts};

/// Why a mutant that nobody caught may be innocent, as far as a program can tell.
fn kind(m: &Mutant, engine: &Cover, sql: &Cover) -> &'static str {
    if !engine.reaches(m) && !sql.reaches(m) {
        "not reached"
    } else if engine.seeds(m).is_empty() && sql.seeds(m).is_empty() {
        "no difference"
    } else {
        "survived"
    }
}

const JUDGES: [&str; 5] =
    ["simulator", "unit tests", "engine tests", "sql storey", "simulator, long"];
const KINDS: [&str; 3] = ["not reached", "no difference", "survived"];

pub fn print(s: &Scratch) -> Result<(), String> {
    let (all, known) = (mutants(s)?, verdicts(s));
    let (engine, sql) = (read_cover(s, "engine"), read_cover(s, "sql"));
    println!(
        "| room | mutants | judged | {} | {} | by time or memory |",
        JUDGES.join(" | "),
        KINDS.join(" | ")
    );
    println!("|---{}|", "|--:".repeat(JUDGES.len() + KINDS.len() + 3));
    for room in ROOMS.iter().map(Some).chain([None]) {
        let here: Vec<&Mutant> =
            all.iter().filter(|m| room.is_none_or(|r| m.room() == *r)).collect();
        let judged: Vec<_> = here.iter().filter_map(|m| Some((*m, known.get(&m.key())?))).collect();
        let mut cells = vec![here.len(), judged.len()];
        cells.extend(JUDGES.map(|j| judged.iter().filter(|x| x.1.0 == j).count()));
        let left: Vec<_> = judged.iter().filter(|x| x.1.0.is_empty()).collect();
        cells.extend(KINDS.map(|k| left.iter().filter(|x| kind(x.0, &engine, &sql) == k).count()));
        let bounded = |said: &str| said.starts_with("time:") || said.starts_with("memory:");
        cells.push(judged.iter().filter(|x| bounded(&x.1.1)).count());
        let cells: Vec<String> = cells.iter().map(usize::to_string).collect();
        println!("| {} | {} |", room.unwrap_or(&"all"), cells.join(" | "));
    }
    for k in KINDS {
        println!("\n{k}:");
        for m in all.iter().filter(|m| known.get(&m.key()).is_some_and(|v| v.0.is_empty())) {
            if kind(m, &engine, &sql) == k {
                let name = m.path.rsplit("src/").next().unwrap_or("");
                let n = engine.seeds(m).len();
                println!(
                    "  {} {name}:{}:{} {} ({}, {n} seeds): {}",
                    m.id, m.line, m.column, m.function, m.operator, m.what
                );
            }
        }
    }
    Ok(())
}
