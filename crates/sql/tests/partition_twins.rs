//! A partitioned table answers as its twin without partitions does, whatever random statements do to both.
use crate::common::*;
use weir_rt::Rng;

/// A predicate over the twins' columns.
fn predicate(rng: &mut Rng) -> String {
    let n = |rng: &mut Rng| rng.below(44) as i64 - 4;
    let col = ["a", "b", "c"][rng.below(3) as usize];
    match rng.below(10) {
        8 => {
            format!("((a = {} and b = {}) or (a = {} and b > {}))", n(rng), n(rng), n(rng), n(rng))
        }
        9 => format!("(a, b) in (({}, {}), ({}, {}))", n(rng), n(rng), n(rng), n(rng)),
        0 => format!("{col} = {}", n(rng)),
        1 => format!("{col} < {}", n(rng)),
        2 => format!("{col} >= {}", n(rng)),
        3 => format!("{col} between {} and {}", n(rng), n(rng)),
        4 => format!("{col} in ({}, {}, {})", n(rng), n(rng), n(rng)),
        5 => format!("{col} is null"),
        6 => format!("a = {} and b = {}", n(rng), n(rng)),
        _ => format!("(a = {} or {col} > {})", n(rng), n(rng)),
    }
}

fn statement(rng: &mut Rng, t: &str) -> String {
    let n = |rng: &mut Rng| match rng.below(12) {
        0 => "null".to_owned(),
        _ => (rng.below(40)).to_string(),
    };
    let row = |rng: &mut Rng| format!("({}, {}, {})", rng.below(40), rng.below(40), n(rng));
    let p = predicate(rng);
    match rng.below(10) {
        0 | 1 => format!(
            "insert ignore into {t} (a, b, c) values {}, {}, {}",
            row(rng),
            row(rng),
            row(rng)
        ),
        2 => format!("replace into {t} (a, b, c) values {}, {}", row(rng), row(rng)),
        3 => format!(
            "insert into {t} (a, b, c) values {} on duplicate key update c = c + 1, b = b + 1",
            row(rng)
        ),
        4 => format!("update ignore {t} set a = a + {} where {p} order by a, b", rng.below(5)),
        5 => format!("update {t} set c = {} where {p}", n(rng)),
        6 => format!("delete from {t} where {p} order by a, b limit 3"),
        7 => format!("update {t} set b = b + 40 where {p} order by a desc, b desc"),
        _ => format!("insert into {t} (a, b, c) values {}", row(rng)),
    }
}

fn question(rng: &mut Rng, t: &str) -> String {
    let p = predicate(rng);
    match rng.below(7) {
        0 => format!("select count(*), min(a), max(b), sum(c) from {t} where {p}"),
        1 => format!("select * from {t} where {p} order by a, b"),
        2 => format!("select * from {t} where {p} order by a desc, b desc limit 5"),
        3 => format!("select c, a, b from {t} where {p} order by c, a, b limit 7"),
        4 => {
            let n = rng.below(40);
            format!(
                "select x.a, y.b, x.b, y.a from {t} x join {t} y on x.a = y.b where x.a > {n} order by 1, 2, 3, 4"
            )
        }
        5 => format!("select min(c), max(c) from {t}"),
        _ => format!("select c, count(*) from {t} where {p} group by c order by c"),
    }
}

fn ways() -> Vec<String> {
    let some = (0..3000).map(|n| n.to_string());
    let (even, odd): (Vec<String>, Vec<String>) =
        some.partition(|n| n.ends_with(['0', '2', '4', '6', '8']));
    let listed = format!(
        "list columns (a) (partition p0 values in ({}), partition p1 values in ({}))",
        even.join(", "),
        odd.join(", ")
    );
    let written = [
        "range (a) (partition p0 values less than (10), partition p1 values less than (20), partition p2 values less than (30), partition p3 values less than maxvalue)",
        "range columns (a, b) (partition p0 values less than (10, 5), partition p1 values less than (10, maxvalue), partition p2 values less than (25, 20), partition p3 values less than (maxvalue, maxvalue))",
        "hash (a + b) partitions 5",
        "linear hash (a) partitions 6",
        "key (b) partitions 3",
        "key () partitions 4",
        "range (a div 7 + b) (partition p0 values less than (10), partition p1 values less than (60), partition p2 values less than maxvalue)",
        "list (a mod 5) (partition p0 values in (0, 3), partition p1 values in (1), partition p2 values in (2, 4, null))",
        "range (a) subpartition by hash (b) subpartitions 3 (partition p0 values less than (15), partition p1 values less than (30), partition p2 values less than maxvalue)",
        "list (a mod 3) subpartition by linear key (b, a) subpartitions 5 (partition p0 values in (0, null), partition p1 values in (1), partition p2 values in (2))",
        "range columns (a, b) subpartition by linear hash (a + b) (partition p0 values less than (10, 5) (subpartition s0, subpartition s1, subpartition s2), \
         partition p1 values less than (maxvalue, maxvalue) (subpartition s3, subpartition s4, subpartition s5))",
        &listed,
    ];
    written.map(str::to_owned).to_vec()
}

/// By a primary key, by hidden row ids, and with a unique key beside the primary one.
const SHAPES: [&str; 3] = [
    "(a int, b int, c int, primary key (a, b), key (c), key (b, c))",
    "(a int, b int, c int, unique key (a, b), key (c), key (b, c))",
    "(a int, b int, c int, id int auto_increment, primary key (a, b, id), unique key (b, a), key (c), key (id))",
];

/// Triggers that change other columns than the statement does, and the partition: always to places that no row leaves, so that nothing
/// depends on the order of the rows.
async fn give_triggers(c: &mut Client, t: &str) {
    for sql in [
        format!("create table log_{t} (was int, now int)"),
        format!(
            "create trigger bu_{t} before update on {t} for each row set new.a = if(new.c is null and new.a < 1000, new.a + 1000, new.a)"
        ),
        format!(
            "create trigger bi_{t} before insert on {t} for each row set new.c = if(new.c > 30, null, new.c)"
        ),
        format!(
            "create trigger au_{t} after update on {t} for each row insert into log_{t} values (old.a, new.a)"
        ),
        format!(
            "create trigger ad_{t} after delete on {t} for each row insert into log_{t} values (old.a, null)"
        ),
    ] {
        c.rows(&sql).await;
    }
}

async fn compare(c: &mut Client, what: &str, one: &str, many: &str) {
    let (a, b) = (c.ask(one).await, c.ask(many).await);
    assert_eq!(
        (a.affected, a.line()),
        (b.affected, b.line().replace("many", "one")),
        "{what}: {many}"
    );
}

async fn twins(server: &Server, way: &str, shape: &str, triggers: bool, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut c = server.client();
    c.rows(&format!("create table one {shape}")).await;
    c.rows(&format!("create table many {shape} partition by {way}")).await;
    if triggers {
        give_triggers(&mut c, "one").await;
        give_triggers(&mut c, "many").await;
    }
    for step in 0..100 {
        let what = format!("{way}, {shape}, triggers {triggers}: step {step}");
        let mut twin = rng.clone();
        let (one, many) = (statement(&mut rng, "one"), statement(&mut twin, "many"));
        compare(&mut c, &what, &one, &many).await;
        let mut twin = rng.clone();
        let (one, many) = (question(&mut rng, "one"), question(&mut twin, "many"));
        compare(&mut c, &what, &one, &many).await;
    }
    let all = "select * from one order by a, b";
    compare(&mut c, way, all, &all.replace("one", "many")).await;
    if triggers {
        let log = "select count(*), sum(was), sum(now) from log_one";
        compare(&mut c, way, log, &log.replace("one", "many")).await;
    }
    assert_eq!(c.rows("check table many").await, "test.many|check|status|OK");
    c.0.close().await;
}

#[test]
fn twins_answer_alike() {
    for (n, way) in ways().iter().enumerate() {
        for (m, shape) in SHAPES.iter().enumerate() {
            // The columns of KEY () are those of a primary key that a unique one need not have.
            if way.starts_with("key ()") && m > 0 {
                continue;
            }
            let seed = (n * SHAPES.len() + m) as u64;
            with_server(seed + 1, |server| async move {
                twins(&server, way, shape, seed % 2 == 1, seed + 7).await;
                drop(server);
            });
        }
    }
}
