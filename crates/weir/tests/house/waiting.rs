//! In the engine one loop tries, waits and tries again: `mtr::drive`. An operation of its own making would have to remember what the
//! driver never forgets: the grant before the first latch, nothing held while a lock is waited for, KILL, the pins.

use crate::source;

const DRIVER: &str = "mtr/drive.rs";

/// What only the driver calls to wait for what an attempt lacks, with other files that may, and why.
const WAITS: &[(&str, &[&str])] = &[
    // The pool's own readers wait as the driver does, for one page and without an attempt.
    (".load_soon(", &["pool/load.rs"]),
    (".wait_for_latch(", &[]),
    (".frame_free(", &["pool/load.rs"]),
    (".read_ends(", &[]),
    // The two waits of a latch that are no session's: of the page cleaner, and of recovery, which nobody waits beside.
    (".latch_free(", &["pool/flush.rs", "pool/mod.rs", "recovery/apply.rs"]),
    (".log.grant(", &[]),
    (".log.grant_now(", &[]),
    ("users::before_change(", &[]),
    ("users::free_margin(", &[]),
    ("Work::new(", &[]),
    // What a transaction needs besides: the driver calls it, through `Waiter::meet`.
    (".wait_lock(", &["txn/step.rs"]),
    ("undo::next_page(", &["txn/step.rs"]),
];

fn program(s: &source::Source) -> String {
    s.lines.iter().flat_map(|l| l.chars()).filter(|c| !c.is_whitespace()).collect()
}

#[test]
fn one_loop_of_the_engine_waits_between_attempts() {
    let sources = source::of("engine");
    let text = |path: &str| {
        let s = sources.iter().find(|s| s.path == path);
        program(s.unwrap_or_else(|| panic!("there is no engine/src/{path}")))
    };
    for s in sources.iter().filter(|s| s.path != DRIVER) {
        let text = program(s);
        for (call, others) in WAITS {
            assert!(
                !text.contains(call) || others.contains(&s.path.as_str()),
                "{} calls {call}..): an operation says what one attempt does, and {DRIVER} waits",
                s.name()
            );
        }
    }
    for (call, others) in WAITS {
        assert!(
            text(DRIVER).contains(call) || others.iter().any(|f| text(f).contains(call)),
            "nobody calls {call}..) any more: take it out of WAITS"
        );
        for file in *others {
            assert!(text(file).contains(call), "{file} does not call {call}..) any more");
        }
    }
}

/// What a loop of its own would need of a `Work` is private to the driver's file, so the compiler keeps operations from it.
#[test]
fn nobody_else_can_wait_with_a_work() {
    let sources = source::of("engine");
    let driver = program(sources.iter().find(|s| s.path == DRIVER).expect("the driver"));
    for method in ["fnnew(", "fnready(", "fnis_ready(", "fnsettle(", "fnlet_go(", "fnwait<"] {
        assert!(driver.contains(method), "{DRIVER} has no {method}..) any more");
        for public in ["pub", "pub(super)", "pub(crate)"] {
            let open = [format!("{public}{method}"), format!("{public}async{method}")];
            assert!(!open.iter().any(|o| driver.contains(o)), "{method}..) is not private");
        }
    }
}
