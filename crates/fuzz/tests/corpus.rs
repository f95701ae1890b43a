//! Every target over its corpus and some thousand mutations of it. `WEIR_FUZZ=100` takes a hundred times as many;
//! what fails is written to `fuzz/artifacts/<target>/`, from where it goes to the corpus.

use std::path::PathBuf;
use weir_fuzz::{TARGETS, mutate::mutate};
use weir_rt::Rng;

/// Stack of a session's thread: what a statement may use.
const STACK: usize = 512 * 1024;
const MUTATIONS: u64 = 3000;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz")
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let dir = root().join("corpus").join(target);
    let mut names: Vec<_> = std::fs::read_dir(&dir)
        .unwrap_or_else(|e| panic!("{}: {e}", dir.display()))
        .map(|f| f.unwrap().path())
        .collect();
    names.sort();
    names.iter().map(|f| std::fs::read(f).unwrap()).collect()
}

fn run(name: &'static str) {
    let target = TARGETS.iter().find(|t| t.0 == name).expect("a target").1;
    let more = std::env::var("WEIR_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let seed = std::env::var("WEIR_SEED").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    let inputs = corpus(name);
    assert!(!inputs.is_empty(), "no corpus for {name}");
    let all = move || {
        let try_one = |bytes: &[u8]| {
            if let Err(e) = std::panic::catch_unwind(|| target(bytes)) {
                let dir = root().join("artifacts").join(name);
                let file = dir.join("failed");
                std::fs::create_dir_all(&dir).and_then(|()| std::fs::write(&file, bytes)).unwrap();
                eprintln!(
                    "the input is in {}: {:?}",
                    file.display(),
                    String::from_utf8_lossy(bytes)
                );
                std::panic::resume_unwind(e);
            }
        };
        inputs.iter().for_each(|i| try_one(i));
        let mut rng = Rng::new(seed);
        for _ in 0..MUTATIONS * more {
            let mut pick = || &inputs[rng.below(inputs.len() as u64) as usize];
            let (a, b) = (pick(), pick());
            try_one(&mutate(&mut rng, a, b));
        }
    };
    std::thread::Builder::new().stack_size(STACK).spawn(all).unwrap().join().unwrap();
}

#[test]
fn page() {
    run("page");
}

#[test]
fn redo() {
    run("redo");
}

#[test]
fn log() {
    run("log");
}

#[test]
fn row() {
    run("row");
}

#[test]
fn packet() {
    run("packet");
}

#[test]
fn sql() {
    run("sql");
}
