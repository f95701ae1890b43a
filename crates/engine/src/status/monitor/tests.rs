use super::*;
use crate::policy::SettingValue;
use crate::{Db, Options};
use std::sync::Arc;
use std::time::Duration;
use weir_disk::sim::SimDisk;
use weir_rt::sim::SimRt;

const HEADING: Heading<'static> =
    Heading { time: "2009-04-01 09:05:07", deadlock: Some("two of them\n"), thread: 9 };

/// A print under a policy, ten seconds after the first one.
fn print(policy: &str) -> String {
    let sim = SimRt::new(1);
    let rt = sim.rt();
    sim.run(async {
        let disk = Arc::new(SimDisk::new(rt.clone(), 1));
        let db = Db::open(&rt, disk, Options::default()).await.unwrap();
        db.set("weir_flush_policy", SettingValue::Str(policy.into())).await.unwrap();
        rt.sleep(Duration::from_secs(2)).await;
        db.status_text(&HEADING);
        rt.sleep(Duration::from_secs(10)).await;
        let text = db.status_text(&HEADING);
        db.shutdown().await.unwrap();
        text
    })
    .unwrap()
}

/// Its headings, in order.
fn sections(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let is_rule = |l: &str| l.len() > 2 && l.bytes().all(|b| b == b'-');
    let heads =
        lines.windows(3).filter(|w| is_rule(w[0]) && w[0] == w[2] && w[1].len() == w[0].len());
    heads.map(|w| w[1]).collect()
}

const ALL: [&str; 8] = [
    "SEMAPHORES",
    "LATEST DETECTED DEADLOCK",
    "TRANSACTIONS",
    "FILE I/O",
    "INSERT BUFFER AND ADAPTIVE HASH INDEX",
    "LOG",
    "BUFFER POOL AND MEMORY",
    "ROW OPERATIONS",
];

#[test]
fn each_build_has_its_sections_and_lines() {
    let stock = print("stock-5.0");
    assert_eq!(sections(&stock), ALL);
    assert!(stock.contains("\n090401  9:05:07 INNODB MONITOR OUTPUT\n"), "{stock}");
    assert!(
        stock.contains("\nPer second averages calculated from the last 10 seconds\n"),
        "{stock}"
    );
    assert!(stock.contains("\nLog sequence number 0 "), "{stock}");
    assert!(
        stock.contains("\nI/O thread 3 state: waiting for i/o request (write thread)\n"),
        "{stock}"
    );
    assert!(!stock.contains("I/O thread 4"), "one thread of each kind: {stock}");

    let v4 = print("google-v4");
    let mut wanted = ALL.to_vec();
    let transactions = wanted.remove(2);
    wanted.push(transactions);
    wanted.insert(0, "BACKGROUND THREAD");
    assert_eq!(sections(&v4), wanted);
    for line in [
        "Seconds in background IO thread: ",
        "Sync reads: requests ",
        "File IO statistics",
        "Ibuf read pages: ",
        "Ibuf merge: ",
        "Foreground flush margins: sync ",
        "Max checkpoint age        ",
        "Write sources: free margin ",
        "Foreground flushed dirty ",
        "Read ahead: ",
        "Pct_dirty ",
    ] {
        assert!(v4.contains(&format!("\n{line}")), "{line} {v4}");
    }
    assert!(v4.contains("(write thread) reads 0 writes "), "{v4}");
    let loops = v4.lines().find_map(|l| l.strip_prefix("srv_master_thread loops: ")).unwrap();
    let seconds: u64 = loops.split(' ').next().unwrap().parse().unwrap();
    assert!(seconds >= 1, "{loops}");

    for policy in ["xtradb-none", "xtradb-reflex", "xtradb-estimate", "xtradb-keep-average"] {
        let text = print(policy);
        for line in ["Max checkpoint age    ", "Checkpoint age target ", "Modified age          "] {
            assert!(text.contains(&format!("\n{line}")), "{line} {text}");
        }
        assert!(!text.contains("\nLog sequence number 0 "), "{text}");
    }
    assert!(print("mysql-5.5").contains("\nmerged operations:\n insert 0,"));
    let own = print("weir");
    wanted = ALL.to_vec();
    wanted.insert(7, "PAGE FLUSHING");
    assert_eq!(sections(&own), wanted);
    assert!(own.contains("\n2009-04-01 09:05:07 0x9 INNODB MONITOR OUTPUT\n"), "{own}");
}

#[test]
fn only_builds_before_5_5_knew_the_short_statement() {
    let known = |p: &&&str| is_before_5_5(p);
    let list: Vec<_> = crate::policy::NAMES.iter().filter(known).copied().collect();
    assert_eq!(
        list,
        [
            "stock-5.0",
            "google-v4",
            "mysql-5.4",
            "xtradb-none",
            "xtradb-reflex",
            "xtradb-estimate",
            "xtradb-keep-average",
            "plugin-1.0.4"
        ]
    );
}
