//! How near each mechanism comes to that of the builds: the table in `docs/flush.md`, which a test holds to this one, and this one to the
//! mechanisms that the policies name.

use super::{Mechanism, Replacement, Settings, named};

/// The columns; `xtradb-*` are all alike.
const BUILDS: [&str; 9] = [
    "stock-5.0",
    "google-v4",
    "mysql-5.4",
    "xtradb-*",
    "plugin-1.0.4",
    "mysql-5.5",
    "mysql-5.6",
    "mysql-8.0",
    "mariadb-10.6",
];

/// A mechanism, a letter for each build (e: exact, n: near, a: absent, -: the build had none) and what is not as it was.
type Row = (&'static str, &'static str, &'static str);

const ROWS: [Row; 17] = [
    (
        "Rhythm, amounts and comparisons of the background",
        "eeeeenenn",
        "the plugin's samples are taken at steps; pages behind an LSN come from ages by interval; in all builds, where a step without sleep \
         found nothing to do, 1 ms passes",
    ),
    (
        "Sessions at the limits of the redo log",
        "eeeeeeenn",
        "the asynchronous checkpoint is written by a task; 8.0 and MariaDB wait for the checkpoint in one go",
    ),
    ("Dirty limit held by sessions", "-e-------", ""),
    (
        "One batch of a kind, a second refused",
        "eeeeeenee",
        "in 5.6 and later with one pool instead of instances",
    ),
    (
        "Free margin, batches near eviction",
        "nnnnnnnnn",
        "after a page was made, whichever session changes something next looks at the margin first; after the ten \
         rounds of a search for a frame and the sleep of half a second come ten more; v4's `innodb_free_list_target` is not read; a page flushed alone by a 5.6 session is not",
    ),
    (
        "Replacement: a list with an old part of 3/8",
        "eeeennaaa",
        "the plugin made pages young by a quarter of the pool and, like 5.5, had `innodb_old_blocks_pct` and `_time`, not read; later: Weir's queues",
    ),
    (
        "Neighbours",
        "eeeennnnn",
        "by `innodb_flush_neighbors`, where the first builds always wrote the area, and their profiles do; 5.5 stopped at the number asked for",
    ),
    (
        "Requests of up to 64 adjacent pages, a thread each",
        "nnnnnaaaa",
        "the threads share one array; the lowest address goes first, or what has waited 2 s, of the whole array; with native asynchronous I/O (5.5 and \
         later) the device's queue joins pages, in 5.5 before it",
    ),
    (
        "Slots: who finds the array full waits",
        "eeeeenaaa",
        "a quarter of the pool's pages at most, but 16 in the smallest, since what is posted is a copy; 5.5 and later wait for a batch, not for a slot of the system's queue",
    ),
    (
        "`innodb_doublewrite=0`: writes nobody waits for, files synced by checkpoints",
        "nnnnnnaaa",
        "the log is forced once for up to 128 pages, not for each; later builds: each portion of a batch is synced",
    ),
    (
        "Pages latched while they are written",
        "eeeeeeaaa",
        "later builds: what is written is a copy, and its page can be changed meanwhile",
    ),
    ("Doublewrite", "nnnnnnnnn", "an area of 128 pages in a file of its own, written in one go"),
    (
        "Pending I/O and I/Os of a round",
        "nnnnnnnaa",
        "what Weir's own tasks read is among those pending",
    ),
    (
        "Linear and random read-ahead",
        "nnnnnnaaa",
        "whether a tree goes on in the next extent is seen by two adjacent pages that share a fence, not by the links of the border page; a task looks and finds the frames, not the session; the built-in InnoDB counts pages in whatever order they were used, as it did; later builds: Weir's",
    ),
    (
        "Insert buffer",
        "nnnnnnnnn",
        "the table above; a tree for each index, outside of the list of replacement's order, where all count as one size with one limit, and entries are as \
         large as those of the insert buffer, which carried their types and the page's number, in pages of 4 KiB and more",
    ),
    (
        "Merges at random places, as many at once as threads read; of what is read; entries of pages in memory past the buffer",
        "nnnnnnnnn",
        "a move is of one leaf, where the builds took up to eight of an aligned area; who reads a leaf asks for its move and does not wait for it",
    ),
    (
        "Purge and dropped tables in the master, pool instances",
        "aaaaaaaaa",
        "tasks of their own; one pool",
    ),
];

fn word(letter: char) -> &'static str {
    match letter {
        'e' => "exact",
        'n' => "near",
        'a' => "absent",
        _ => "",
    }
}

fn table() -> String {
    let mut out =
        format!("| | {} | not as it was |\n", BUILDS.map(|b| format!("`{b}`")).join(" | "));
    out += &format!("|---|{}---|\n", "---|".repeat(BUILDS.len()));
    for (what, how, note) in ROWS {
        let cells: Vec<_> = how.chars().map(word).collect();
        out += &format!("| {what} | {} | {note} |\n", cells.join(" | "));
    }
    out
}

fn letter(what: &str, build: usize) -> char {
    let row = ROWS.iter().find(|r| r.0.starts_with(what)).expect("a row of the table");
    row.1.chars().nth(build).expect("a letter for each build")
}

#[test]
fn the_documentation_has_the_table() {
    let docs = include_str!("../../../../docs/flush.md");
    assert!(docs.contains(&table()), "docs/flush.md must have this table:\n{}", table());
}

#[test]
fn the_table_is_what_policies_run_on() {
    for (i, build) in BUILDS.iter().enumerate() {
        let name = if *build == "xtradb-*" { "xtradb-none" } else { build };
        let policy = named(name).expect("listed");
        let m: Mechanism = policy.mechanism(&Settings::default());
        let here = |what: &str, there: bool| {
            assert_eq!(letter(what, i) != 'a', there, "{what}, {build}");
        };
        here("Replacement", m.replacement == Replacement::Midpoint);
        here("`innodb_doublewrite=0`", m.posts);
        here("Pages latched", m.latches_written);
        here("Slots", m.posts);
        here("Linear and random", m.ahead.is_on());
        here("Requests", m.merge > 0 && m.in_flight < 256);
        let merging = policy.buffer_rules(&Settings::default(), 1000).merging;
        here("Merges at random", merging.at_random && merging.on_read && merging.past_resident);
    }
}

#[test]
fn each_row_has_a_letter_for_each_build() {
    for (what, how, note) in ROWS {
        assert_eq!(how.len(), BUILDS.len(), "{what}");
        assert!(how.chars().all(|c| "ena-".contains(c)), "{what}");
        assert!(!note.is_empty() || !how.contains(['n', 'a']), "{what} says what is not as it was");
    }
}
