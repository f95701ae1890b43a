//! The engine in a program of one's own: a table of accounts, a transfer, a look at the sum.
//!
//!     cargo run --release -p weir-engine --example accounts
//!
//! Run it again: the accounts are still there.

use std::error::Error;
use weir_engine::store::{Database, TableDefinition};

/// Owner and balance by number.
const ACCOUNTS: TableDefinition<u64, (String, i64)> =
    TableDefinition::new("accounts").unique("by_owner", &[0]);

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join("weir-example-accounts");
    let db = Database::open(&path)?;
    let accounts = db.table(&ACCOUNTS)?;
    if db.get(&accounts, 1)?.is_none() {
        let mut tx = db.begin();
        for (id, owner) in [(1, "Ada"), (2, "Grace"), (3, "Edsger")] {
            tx.insert(&accounts, id, (owner, 100))?;
        }
        tx.commit()?;
    }

    // Ada pays Grace 10: both rows locked, both changed, durable when this returns.
    db.transaction(|tx| {
        for (id, amount) in [(1, -10), (2, 10)] {
            let (owner, balance) = tx.get_for_update(&accounts, id)?.expect("it was inserted");
            tx.put(&accounts, id, (&owner, balance + amount))?;
        }
        Ok(())
    })?;

    let mut sum = 0;
    let by_owner = accounts.index::<String>("by_owner")?;
    for account in db.snapshot().range_by(&by_owner, ..) {
        let (_, (owner, balance)) = account?;
        println!("{owner:<8} {balance:>6}");
        sum += balance;
    }
    println!("{:<8} {sum:>6}   in {}", "sum", path.display());
    db.close()?;
    Ok(())
}
