//! Time to parse and to normalise a few statements; with a file name, parses its lines instead
//! and prints those that fail.

use std::hint::black_box;
use std::time::Instant;

use weir_syntax::parse::{NormalizedBuf, ParseOptions, normalize, parse_normalized, parse_one};

const STATEMENTS: [&str; 7] = [
    "SELECT c FROM sbtest1 WHERE id=528374",
    "SELECT c FROM sbtest1 WHERE id BETWEEN 499 AND 598",
    "SELECT DISTINCT c FROM sbtest1 WHERE id BETWEEN 550 AND 649 ORDER BY c",
    "UPDATE sbtest1 SET k=k+1 WHERE id=498",
    "INSERT INTO sbtest1 (id, k, c, pad) VALUES (449, 504, '38754112152-30109388681-73565717892', \
     '27529208576-86571619087')",
    "SELECT s_quantity, s_data, s_dist_01 FROM stock WHERE s_i_id = 8712 AND s_w_id = 3 FOR UPDATE",
    "BEGIN",
];

fn main() {
    if let Some(path) = std::env::args().nth(1) {
        return parse_lines(&path);
    }
    let opts = ParseOptions::default();
    let mut buf = NormalizedBuf::default();
    const ROUNDS: u32 = 200_000;
    for sql in STATEMENTS {
        let start = Instant::now();
        for _ in 0..ROUNDS {
            black_box(parse_one(black_box(sql.as_bytes()), &opts).is_ok());
        }
        let parse = start.elapsed() / ROUNDS;
        let start = Instant::now();
        for _ in 0..ROUNDS {
            black_box(normalize(black_box(sql.as_bytes()), &opts.sql_mode, &mut buf));
        }
        println!("parse {parse:>8.0?}  normalise {:>8.0?}  {sql:.60}", start.elapsed() / ROUNDS);
    }
}

fn parse_lines(path: &str) {
    let text = std::fs::read(path).expect("the file named on the command line is readable");
    let opts = ParseOptions { allow_params: true, ..Default::default() };
    let mut buf = NormalizedBuf::default();
    let (mut good, mut bad) = (0, 0);
    for line in text.split(|&b| b == b'\n').filter(|line| !line.is_empty()) {
        match parse_one(line, &opts) {
            Ok(_) => good += 1,
            Err(e) => {
                bad += 1;
                println!("{}\n    {}", String::from_utf8_lossy(line), e.message);
            }
        }
        if normalize(line, &opts.sql_mode, &mut buf).is_some()
            && let Err(e) = parse_normalized(line, &opts)
        {
            println!("NORMALISED {}\n    {}", String::from_utf8_lossy(line), e.message);
        }
    }
    println!("{good} parsed, {bad} failed");
}
