//! The target as a replica of the source, its lag, and the comparison of both.

use super::copy::{Begun, place};
use super::schema::{self, Table};
use super::{Done, Options, Outcome, Progress, literal, rows, told, value};
use crate::source::Source;
use std::time::{Duration, Instant};

/// How long the target may take to come to where the source is, when they are compared.
const CATCH_UP: Duration = Duration::from_secs(600);
/// A table that changes while it is compared is compared again so often.
const TRIES: usize = 5;

pub fn run(
    o: &Options,
    from: &mut Source,
    to: &mut Source,
    databases: &[String],
    begun: &Begun,
) -> Done<Outcome> {
    start(o, to, begun)?;
    let progress = Progress::new();
    let here = place(from)?;
    wait_for(to, &here, &progress)?;
    println!("the target follows and has caught up; comparing");
    let different = compare_all(from, to, databases, &progress)?;
    for t in &different {
        println!("differs: {t}");
    }
    if !different.is_empty() {
        return Ok(Outcome::Trouble);
    }
    tell_switch(o, from, to)?;
    Ok(Outcome::Done)
}

fn start(o: &Options, to: &mut Source, begun: &Begun) -> Done<()> {
    let f = &o.from;
    let how = match begun.gtids.is_empty() {
        true => {
            let at = (literal(&begun.file), begun.offset);
            let at = format!("SOURCE_LOG_FILE = {}, SOURCE_LOG_POS = {}", at.0, at.1);
            let logged =
                value(to, "SELECT @@global.log_replica_updates AND @@global.gtid_mode = 'ON'")?;
            // What the target logs needs identifiers there, which the source does not give.
            match logged == "1" {
                true => format!("{at}, ASSIGN_GTIDS_TO_ANONYMOUS_TRANSACTIONS = LOCAL"),
                false => at,
            }
        }
        false => {
            let set = format!("SET GLOBAL gtid_purged = {}", literal(&format!("+{}", begun.gtids)));
            to.query(&set).map_err(told)?;
            "SOURCE_AUTO_POSITION = 1".into()
        }
    };
    let tls = if f.tls.on { "SOURCE_SSL = 1, " } else { "" };
    let sql = format!(
        "CHANGE REPLICATION SOURCE TO SOURCE_HOST = {}, SOURCE_PORT = {}, SOURCE_USER = {}, SOURCE_PASSWORD = {}, GET_SOURCE_PUBLIC_KEY = 1, SOURCE_CONNECT_RETRY = 5, {tls}{how}",
        literal(&f.host),
        f.port,
        literal(&f.user),
        literal(&f.password)
    );
    to.query(&sql).map_err(told)?;
    to.query("START REPLICA").map(drop).map_err(told)
}

/// Columns of SHOW REPLICA STATUS: the threads, the place, the errors and the lag, by their places among the 60.
fn status(to: &mut Source) -> Done<Vec<String>> {
    rows(to, "SHOW REPLICA STATUS")?.into_iter().next().ok_or("the target is no replica".into())
}

fn wait_for(to: &mut Source, here: &Begun, progress: &Progress) -> Done<()> {
    let begun = Instant::now();
    loop {
        let s = status(to)?;
        for (at, what) in [(35, "receiving"), (37, "applying")] {
            if !s[at].is_empty() && (at == 37 || s[10] == "No") {
                return Err(format!("the target has stopped {what}: {}", s[at]));
            }
        }
        let offset: u64 = s[21].parse().unwrap_or(0);
        // By identifiers where there are some: a target that had nothing to apply has no place yet.
        let set = literal(&here.gtids);
        if !here.gtids.is_empty()
            && value(to, &format!("SELECT GTID_SUBSET({set}, @@global.gtid_executed)"))? == "1"
        {
            return Ok(());
        }
        if (s[9].as_str(), offset) >= (here.file.as_str(), here.offset) {
            return Ok(());
        }
        progress.show(&format!(
            "following: at {} {offset} of {} {}, {} seconds behind",
            s[9], here.file, here.offset, s[32]
        ));
        if begun.elapsed() > CATCH_UP && !progress.terminal {
            return Err(format!("the target is still at {} {offset}", s[9]));
        }
        std::thread::sleep(Duration::from_millis(500));
    }
}

fn compare_all(
    from: &mut Source,
    to: &mut Source,
    databases: &[String],
    progress: &Progress,
) -> Done<Vec<String>> {
    let mut different = Vec::new();
    let mut count = 0;
    for d in databases {
        for t in schema::tables(from, d)? {
            progress.show(&format!("comparing {}", t.full()));
            count += 1;
            if !is_equal(from, to, &t, progress)? {
                different.push(t.full());
            }
        }
    }
    progress.end();
    println!("{} of {count} tables are equal", count - different.len());
    Ok(different)
}

/// Compares the sums of a table at one place of the log, again when the source has moved meanwhile.
fn is_equal(from: &mut Source, to: &mut Source, t: &Table, progress: &Progress) -> Done<bool> {
    let columns = schema::columns(from, t)?;
    let all: Vec<String> =
        columns.iter().map(|c| format!("COALESCE({}, '\\\\N')", c.read)).collect();
    let sql = format!(
        "SELECT COUNT(*), COALESCE(SUM(CRC32(CONCAT_WS('#', {}))), 0) FROM {}",
        all.join(", "),
        t.full()
    );
    for _ in 0..TRIES {
        let theirs = rows(from, &sql)?;
        let here = place(from)?;
        wait_for(to, &here, progress)?;
        if rows(to, &sql)? == theirs {
            return Ok(true);
        }
        // A quiet source has nothing that could explain it.
        let still = place(from)?.offset == here.offset && rows(from, &sql)? == theirs;
        if still && rows(to, &sql)? != theirs {
            return Ok(false);
        }
    }
    Ok(false)
}

fn tell_switch(o: &Options, from: &mut Source, to: &mut Source) -> Done<()> {
    let behind = status(to)?[32].clone();
    let maria = value(from, "SELECT VERSION()")?.to_ascii_lowercase().contains("mariadb");
    let stop = if maria { "SET GLOBAL read_only = 1" } else { "SET GLOBAL super_read_only = 1" };
    println!("the target follows, {behind} seconds behind. Accounts are not copied. To switch:");
    println!("  1. at the source ({}): {stop}", super::place(&o.from));
    println!(
        "  2. at the target: SHOW REPLICA STATUS, until Seconds_Behind_Source is 0 and its place is the source's"
    );
    println!("  3. at the target: STOP REPLICA; RESET REPLICA ALL; and send the clients there");
    Ok(())
}
