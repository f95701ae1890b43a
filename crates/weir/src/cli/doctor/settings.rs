//! The settings: those that lose data, that do not fit together, or have no effect.

use super::finding::{Finding, Report};
use std::net::{IpAddr, ToSocketAddrs};
use weir_sql::vars::{GlobalVars, Var};

/// `notes`: what a start would log of them.
pub fn look(vars: &GlobalVars, notes: &[String], report: &mut Report) {
    durability(vars, report);
    redo_log(vars, report);
    reach(vars, report);
    for note in notes {
        report.add(Finding::warning(
            "settings",
            note.clone(),
            "take it out",
            "it does not do what it says",
        ));
    }
}

fn durability(vars: &GlobalVars, report: &mut Report) {
    let subject = "durability";
    let before = report.code();
    let lazy = vars.u64(Var::innodb_flush_log_at_trx_commit);
    if lazy != 1 {
        report.add(Finding::warning(
            subject,
            format!("innodb_flush_log_at_trx_commit is {lazy}"),
            "innodb_flush_log_at_trx_commit=1",
            "commits of the last second are lost when the machine stops",
        ));
    }
    if !vars.bool(Var::innodb_doublewrite) {
        report.add(Finding::warning(
            subject,
            "innodb_doublewrite is OFF",
            "innodb_doublewrite=ON, unless the device writes whole pages at once",
            "a page of which half was written when the machine stopped cannot be repaired",
        ));
    }
    if vars.u64(Var::innodb_force_recovery) > 0 {
        report.add(Finding::error(
            subject,
            format!("innodb_force_recovery is {}", vars.u64(Var::innodb_force_recovery)),
            "take it out when the data are saved",
            "it is for reading a damaged directory: recovery is left out in part",
        ));
    }
    if report.code() == before {
        report.add(Finding::fine(subject, "each commit is synced"));
    }
}

fn redo_log(vars: &GlobalVars, report: &mut Report) {
    let subject = "redo log";
    let (log, pool) =
        (vars.u64(Var::innodb_redo_log_capacity), vars.u64(Var::innodb_buffer_pool_size));
    report.add(if log < pool / 8 {
        Finding::warning(
            subject,
            format!("{} MiB for a buffer pool of {} MiB", log >> 20, pool >> 20),
            format!("--innodb-redo-log-capacity={}M", (pool / 4) >> 20),
            "pages are written again and again to keep the log's room, where a larger log lets changes of a page add up; recovery takes longer with it",
        )
    } else {
        Finding::fine(subject, format!("{} MiB for a buffer pool of {} MiB", log >> 20, pool >> 20))
    });
}

/// Who can reach the server, and what passes in the clear.
fn reach(vars: &GlobalVars, report: &mut Report) {
    let subject = "network";
    let addresses = vars.text(Var::bind_address);
    let outside = !vars.bool(Var::skip_networking) && addresses.split(',').any(is_outside);
    report.add(if outside && !vars.bool(Var::require_secure_transport) {
        Finding::warning(
            subject,
            format!("bind_address is {addresses}, and connections need not be encrypted"),
            "require_secure_transport=ON, or addresses of a network that is trusted",
            "statements and rows of clients that do not ask for TLS can be read on their way",
        )
    } else {
        Finding::fine(
            subject,
            if outside { "encrypted connections only" } else { "this machine only" },
        )
    });
    if vars.text(Var::secure_file_priv).is_empty() {
        report.add(Finding::warning(
            subject,
            "secure_file_priv is empty",
            "secure_file_priv=DIR, or NULL",
            "accounts with the FILE privilege read and write all files that the server's account can",
        ));
    }
}

fn is_outside(host: &str) -> bool {
    let host = host.trim();
    let host = if host == "*" { "0.0.0.0" } else { host };
    let Ok(mut addresses) = (host, 0).to_socket_addrs() else { return false };
    let loopback = |ip: IpAddr| ip.is_loopback();
    addresses.any(|a| !loopback(a.ip()))
}

#[cfg(test)]
mod tests {
    use super::super::finding::Level;
    use super::*;
    use weir_server::options::{self, Wanted};

    fn looked(args: &[&str]) -> Report {
        let args: Vec<String> = args.iter().map(ToString::to_string).collect();
        let Ok(Wanted::Serve(options)) = options::read(&args) else { panic!("{args:?}") };
        let vars = GlobalVars::default();
        let notes = options.apply(&vars).unwrap();
        let mut report = Report::default();
        look(&vars, &notes, &mut report);
        report
    }

    #[test]
    fn the_defaults_are_fine() {
        let r = looked(&[]);
        assert_eq!(r.code(), 0, "{}", r.text());
    }

    #[test]
    fn each_fault_is_named_with_its_way_out() {
        for (option, subject, level) in [
            ("--innodb-flush-log-at-trx-commit=2", "durability", Level::Warning),
            ("--innodb-doublewrite=OFF", "durability", Level::Warning),
            ("--innodb-force-recovery=3", "durability", Level::Error),
            ("--innodb-buffer-pool-size=8G", "redo log", Level::Warning),
            ("--bind-address=0.0.0.0", "network", Level::Warning),
            ("--secure-file-priv=", "network", Level::Warning),
            ("--query-cache-type=1", "settings", Level::Warning),
        ] {
            let r = looked(&[option]);
            let found = r.of(subject);
            let finding = found.iter().find(|f| f.level == level);
            assert!(
                finding.is_some_and(|f| !f.change.is_empty() && !f.why.is_empty()),
                "{option}: {}",
                r.text()
            );
        }
        let r = looked(&["--bind-address=*", "--require-secure-transport=ON"]);
        assert_eq!(r.code(), 0, "{}", r.text());
    }
}
