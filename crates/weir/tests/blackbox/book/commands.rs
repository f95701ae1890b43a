//! What documents write on a command line is what the command line knows.

use super::pages::{code, documents, name, root};
use std::collections::BTreeMap;
use std::process::Command;

/// Commands and how they are asked for their options. `serve` and `simulate` are not on the page: the options of the one are variables,
/// and those of the other are for engineers of the engine.
const COMMANDS: [(&str, &str, bool); 13] = [
    ("serve", "--help", false),
    ("init", "--help", true),
    ("doctor", "--help", true),
    ("backup", "--help", true),
    ("restore", "--help", true),
    ("check", "--help", true),
    ("salvage", "--help", true),
    ("dump", "--help", true),
    ("load", "--help", true),
    ("migrate", "--help", true),
    ("bench", "help", true),
    ("reproduce", "help", true),
    ("simulate", "--help", false),
];

fn help(command: &str, how: &str) -> String {
    let out = Command::new(env!("CARGO_BIN_EXE_weir")).args([command, how]).output().unwrap();
    assert!(out.status.success(), "weir {command} {how}: {out:?}");
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn the_page_of_commands_is_what_help_says() {
    let path = root().join("docs/book/src/reference/commands.md");
    let mut want = String::from(
        "<!-- Made from the texts of `--help` by the black-box tests of weir; do not edit. -->\n\n\
         # Commands\n\n\
         The options of `weir serve` are the [variables](variables.md) that can be set as an *option*. `weir simulate` searches the engine for \
         faults; `weir simulate --help` describes it.\n",
    );
    for (command, how, _) in COMMANDS.iter().filter(|(.., listed)| *listed) {
        want += &format!("\n## weir {command}\n\n```text\n{}\n```\n", help(command, how).trim());
    }
    if std::env::var_os("WEIR_WRITE_DOCS").is_some() {
        std::fs::write(path, want).unwrap();
        return;
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == want,
        "{} is stale: WEIR_WRITE_DOCS=1 cargo test -p weir --test blackbox book:: writes it again",
        path.display()
    );
}

/// The command of Weir that a line of a shell calls, with its options' names: `weir serve --port=1`, also by way of `cargo run`.
fn called(line: &str) -> Vec<(String, Vec<String>)> {
    let mut all = Vec::new();
    let line = line.split(" # ").next().unwrap_or_default();
    for part in line.split(['|', ';']).flat_map(|p| p.split("&&")) {
        let words: Vec<&str> = part.split_whitespace().collect();
        let binary = |w: &&str| *w == "weir" || w.ends_with("/weir") && !w.contains('=');
        let at = match words.iter().position(binary) {
            Some(at)
                if words[..at].iter().all(|w| matches!(*w, "sudo" | "$") || w.contains('=')) =>
            {
                at
            }
            // Of the examples and other packages each has options of its own.
            _ if words.starts_with(&["cargo", "run"]) => {
                match words.iter().position(|w| *w == "--") {
                    Some(at) if words[2..at].iter().all(|w| *w == "--release") => at,
                    _ => continue,
                }
            }
            _ => continue,
        };
        let Some(command) = words.get(at + 1) else { continue };
        let options = words[at + 2..].iter().map(|w| w.trim_matches(['`', '\'', '"', '[', ']']));
        let options = options.filter(|w| w.starts_with("--") && w.len() > 2);
        let options = options.map(|w| w.split('=').next().unwrap_or_default().to_owned()).collect();
        all.push(((*command).to_owned(), options));
    }
    all
}

/// Options that `weir bench sysbench` takes from sysbench, whose names are not ours.
fn is_of_sysbench(command: &str, line: &str) -> bool {
    command == "bench" && line.contains("bench sysbench")
}

/// Names that `--help` has; the server also takes a variable by its short form for a switch that is off.
fn knows(text: &str, option: &str) -> bool {
    let plain = option.replace('_', "-");
    let stem = ["--skip-", "--loose-"].iter().find_map(|p| plain.strip_prefix(p));
    let forms = [plain.clone(), stem.map_or(plain.clone(), |s| format!("--{s}"))];
    let edge = |c: char| !(c.is_ascii_alphanumeric() || c == '-');
    forms.iter().any(|form| {
        text.match_indices(form.as_str())
            .any(|(at, _)| text[at + form.len()..].chars().next().is_none_or(edge))
    })
}

#[test]
fn commands_in_documents_have_options_that_there_are() {
    let texts: BTreeMap<&str, String> =
        COMMANDS.iter().map(|(c, how, _)| (*c, help(c, how))).collect();
    let server = &texts["serve"];
    let (mut seen, mut wrong) = (0, Vec::new());
    for path in documents() {
        for line in code(&std::fs::read_to_string(&path).unwrap()) {
            for (command, options) in called(&line) {
                let Some(own) = texts.get(command.as_str()) else {
                    if !matches!(command.as_str(), "help" | "version" | "<command>" | "COMMAND") {
                        wrong.push(format!("{}: weir {command}", name(&path)));
                    }
                    continue;
                };
                if is_of_sysbench(&command, &line) {
                    continue;
                }
                seen += options.len();
                // These two take the server's options as well.
                let also = matches!(command.as_str(), "init" | "doctor");
                let unknown =
                    options.iter().filter(|o| !(knows(own, o) || also && knows(server, o)));
                wrong.extend(unknown.map(|o| format!("{}: weir {command} {o}", name(&path))));
            }
        }
    }
    assert!(wrong.is_empty(), "not in the command line: {wrong:#?}");
    assert!(seen > 60, "only {seen} options found");
}

#[test]
fn commands_are_found_in_lines_of_a_shell() {
    let of = |line: &str| called(line);
    let one = |c: &str, o: &[&str]| (c.to_owned(), o.iter().map(|o| (*o).to_owned()).collect());
    assert_eq!(
        of("weir serve --port=1 --skip-ssl # so"),
        [one("serve", &["--port", "--skip-ssl"])]
    );
    assert_eq!(of("cargo run --release -- serve --datadir=/d"), [one("serve", &["--datadir"])]);
    assert_eq!(of("weir backup --to=- | ssh h 'cat > f'"), [one("backup", &["--to"])]);
    assert_eq!(of("sudo ./target/release/weir check d"), [one("check", &[])]);
    assert_eq!(of("apt install weir"), []);
    assert!(knows("  --weir-http-port  (--http-port)", "--http_port"));
    assert!(!knows("  --ports", "--port"));
    assert!(knows("  --ssl  ", "--skip-ssl"));
}
