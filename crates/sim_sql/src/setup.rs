//! The tables and accounts of a new world, and the variables that no start remembers.

use crate::client::{
    ACCOUNTS, FAMILY, JOINED, REGISTERS, Stage, VERSIONS, parted_table, reader_tables,
};
use crate::model::{Branch, Own, Registers, Rights, Timeline};
use crate::scenario::Scenario;

/// The world's tables and accounts, when no life has come to the end of making them.
pub async fn make(s: &Scenario, stage: &Stage) -> Result<(), String> {
    let mut c = stage.connect(1, "root");
    let values = |n: u64, v: &str| -> String {
        (0..n).map(|i| format!("({i}, {v})")).collect::<Vec<_>>().join(", ")
    };
    // Values that no transaction writes: those are moments, which are positive.
    let first: Vec<i64> = (0..REGISTERS as i64).map(|i| -1 - i).collect();
    let registers: Vec<String> =
        first.iter().enumerate().map(|(i, v)| format!("({i}, {v}, {i})")).collect();
    let mut all = vec![
        "DROP DATABASE IF EXISTS s".to_string(),
        "CREATE DATABASE s".into(),
        "USE s".into(),
        "CREATE TABLE bank (id INT PRIMARY KEY, v BIGINT NOT NULL)".into(),
        "CREATE TABLE own (id INT PRIMARY KEY, v BIGINT NOT NULL)".into(),
        "CREATE TABLE counters (id INT PRIMARY KEY, n BIGINT NOT NULL)".into(),
        "CREATE TABLE reg (id INT PRIMARY KEY, v BIGINT NOT NULL, u INT NOT NULL UNIQUE)".into(),
        "CREATE TABLE u (id INT PRIMARY KEY, k INT UNIQUE)".into(),
        "CREATE TABLE bulk (id INT PRIMARY KEY, pad VARCHAR(2000))".into(),
        format!("INSERT INTO bank VALUES {}", values(ACCOUNTS, "1000")),
        format!("INSERT INTO own VALUES {}", values(s.clients_in_all, "0")),
        format!("INSERT INTO counters VALUES {}", values(s.clients_in_all + 1, "0")),
        format!("INSERT INTO reg VALUES {}", registers.join(", ")),
        "CREATE TABLE xa (id INT PRIMARY KEY, v BIGINT NOT NULL)".into(),
        format!("INSERT INTO xa VALUES {}", values(2 * s.clients_in_all, "0")),
        "CREATE TABLE loaded (id INT PRIMARY KEY, v BIGINT NOT NULL)".into(),
        "CREATE TABLE tagged (id INT PRIMARY KEY AUTO_INCREMENT, tag BIGINT)".into(),
        "CREATE TABLE fired (id BIGINT, KEY (id))".into(),
        parted_table(s.seed),
    ];
    all.extend(FAMILY.iter().chain(&JOINED).map(|sql| (*sql).to_string()));
    all.extend(reader_tables());
    all.extend((0..s.tables).map(|k| format!("CREATE TABLE d{k} (id INT PRIMARY KEY, c0 INT)")));
    all.extend((0..s.bystanders).map(|k| format!("CREATE TABLE b{k} (id INT PRIMARY KEY, a INT)")));
    for sql in limits(s).iter().chain(&all) {
        if let Some(e) = c.ask(sql).await.error {
            return Err(format!("{sql}: {e}"));
        }
    }
    begin(s, stage, &first);
    // What says to the lives to come that all is made: a crash may follow it at once, so that the model is there before.
    let sql = "CREATE TABLE ready (id INT PRIMARY KEY)";
    if let Some(e) = c.ask(sql).await.error {
        return Err(format!("{sql}: {e}"));
    }
    c.close().await;
    Ok(())
}

/// The model of a world in which nothing has happened yet.
fn begin(s: &Scenario, stage: &Stage, first: &[i64]) {
    let mut w = stage.world();
    let columns = Some(vec!["id".to_string(), "c0".into()]);
    w.tables = vec![Timeline::starting_with(columns); s.tables as usize];
    w.rights = Timeline::starting_with(Rights::from(["SELECT"]));
    w.own = vec![Own::default(); s.clients_in_all as usize];
    w.counters = vec![Default::default(); s.clients_in_all as usize + 1];
    w.versions = vec![Timeline::starting_with(None); VERSIONS];
    w.branches = vec![Branch::default(); s.clients_in_all as usize];
    w.registers = Registers::starting_with(first);
}

/// Variables that no start remembers.
pub fn limits(s: &Scenario) -> Vec<String> {
    let mut all = vec![
        "SET GLOBAL local_infile = ON".into(),
        // Somebody has a role's rights as soon as it is granted and a session begins.
        "SET GLOBAL activate_all_roles_on_login = ON".into(),
    ];
    if s.tight {
        all.push("SET GLOBAL connection_memory_limit = 2097152".into());
    }
    all
}
