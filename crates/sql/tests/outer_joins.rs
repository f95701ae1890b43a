//! Joins within joins, against a reference that computes them as the standard defines them: from the inside out, one whole relation after
//! the other.
use crate::common::*;
use weir_rt::Rng;

type Row = Vec<Option<i64>>;

enum Tree {
    Table { number: usize, alias: String },
    Join { outer: Option<bool>, left: Box<Tree>, right: Box<Tree>, on: Cond },
}

enum Cond {
    /// Columns by their place in the joined row.
    Same(usize, usize),
    Is(usize, i64),
    Less(usize, i64),
    Null(usize, bool),
    And(Box<Cond>, Box<Cond>),
    Or(Box<Cond>, Box<Cond>),
}

impl Cond {
    fn draw(rng: &mut Rng, width: usize, depth: u32) -> Cond {
        let column = |rng: &mut Rng| rng.below(width as u64) as usize;
        match rng.below(if depth < 2 { 8 } else { 6 }) {
            0 | 1 => Cond::Same(column(rng), column(rng)),
            2 => Cond::Is(column(rng), rng.below(4) as i64),
            3 => Cond::Less(column(rng), rng.below(4) as i64),
            4 => Cond::Null(column(rng), true),
            5 => Cond::Null(column(rng), false),
            n => {
                let a = Box::new(Cond::draw(rng, width, depth + 1));
                let b = Box::new(Cond::draw(rng, width, depth + 1));
                if n == 6 { Cond::And(a, b) } else { Cond::Or(a, b) }
            }
        }
    }

    /// Three-valued: `None` is unknown.
    fn holds(&self, row: &Row) -> Option<bool> {
        match self {
            Cond::Same(a, b) => Some(row[*a]? == row[*b]?),
            Cond::Is(a, n) => Some(row[*a]? == *n),
            Cond::Less(a, n) => Some(row[*a]? < *n),
            Cond::Null(a, is) => Some(row[*a].is_none() == *is),
            Cond::And(a, b) => match (a.holds(row), b.holds(row)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            },
            Cond::Or(a, b) => match (a.holds(row), b.holds(row)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            },
        }
    }

    fn sql(&self, names: &[String]) -> String {
        match self {
            Cond::Same(a, b) => format!("{} = {}", names[*a], names[*b]),
            Cond::Is(a, n) => format!("{} = {n}", names[*a]),
            Cond::Less(a, n) => format!("{} < {n}", names[*a]),
            Cond::Null(a, is) => format!("{} is {}null", names[*a], if *is { "" } else { "not " }),
            Cond::And(a, b) => format!("({} and {})", a.sql(names), b.sql(names)),
            Cond::Or(a, b) => format!("({} or {})", a.sql(names), b.sql(names)),
        }
    }
}

impl Tree {
    fn draw(rng: &mut Rng, tables: usize, next: &mut usize) -> Tree {
        if tables == 1 {
            *next += 1;
            return Tree::Table { number: rng.below(4) as usize, alias: format!("x{next}") };
        }
        let left = 1 + rng.below(tables as u64 - 1) as usize;
        let (l, r) = (Tree::draw(rng, left, next), Tree::draw(rng, tables - left, next));
        let outer = [None, Some(true), Some(true), Some(false)][rng.below(4) as usize];
        let on = Cond::draw(rng, l.names().len() + r.names().len(), 0);
        Tree::Join { outer, left: Box::new(l), right: Box::new(r), on }
    }

    fn names(&self) -> Vec<String> {
        match self {
            Tree::Table { alias, .. } => ["a", "b"].map(|c| format!("{alias}.{c}")).to_vec(),
            Tree::Join { left, right, .. } => [left.names(), right.names()].concat(),
        }
    }

    fn sql(&self) -> String {
        match self {
            Tree::Table { number, alias } => format!("t{number} {alias}"),
            Tree::Join { outer, left, right, on } => {
                let kind = match outer {
                    None => "join",
                    Some(true) => "left join",
                    Some(false) => "right join",
                };
                let right = match **right {
                    Tree::Table { .. } => right.sql(),
                    Tree::Join { .. } => format!("({})", right.sql()),
                };
                format!("{} {kind} {right} on {}", left.sql(), on.sql(&self.names()))
            }
        }
    }

    fn rows(&self, tables: &[Vec<Row>]) -> Vec<Row> {
        let Tree::Join { outer, left, right, on } = self else {
            let Tree::Table { number, .. } = self else { unreachable!("a tree is one of two") };
            return tables[*number].clone();
        };
        let (l, r) = (left.rows(tables), right.rows(tables));
        let (lw, rw) = (left.names().len(), right.names().len());
        let mut out = Vec::new();
        let (mut of_left, mut of_right) = (vec![false; l.len()], vec![false; r.len()]);
        for (i, x) in l.iter().enumerate() {
            for (k, y) in r.iter().enumerate() {
                let row = [&x[..], &y[..]].concat();
                if on.holds(&row) == Some(true) {
                    (of_left[i], of_right[k]) = (true, true);
                    out.push(row);
                }
            }
        }
        let alone = |rows: &[Row], met: &[bool]| -> Vec<Row> {
            rows.iter().zip(met).filter(|(_, met)| !**met).map(|(r, _)| r.clone()).collect()
        };
        match outer {
            Some(true) => {
                out.extend(alone(&l, &of_left).into_iter().map(|x| [x, vec![None; rw]].concat()))
            }
            Some(false) => {
                out.extend(alone(&r, &of_right).into_iter().map(|y| [vec![None; lw], y].concat()))
            }
            None => {}
        }
        out
    }
}

fn shown(rows: Vec<Row>) -> Vec<String> {
    let cell = |v: &Option<i64>| v.map_or("NULL".to_owned(), |n| n.to_string());
    let mut rows: Vec<String> =
        rows.iter().map(|r| r.iter().map(cell).collect::<Vec<_>>().join("|")).collect();
    rows.sort_unstable();
    rows
}

#[test]
fn joins_of_joins_are_those_of_the_reference() {
    with_server(3, |server| async move {
        let mut c = server.client();
        let mut rng = Rng::new(26_11);
        let value =
            |rng: &mut Rng| [None, Some(0), Some(1), Some(2), Some(3)][rng.below(5) as usize];
        let mut tables: Vec<Vec<Row>> = Vec::new();
        for (n, key) in ["", ", key (a)", ", key (b)", ", key (a, b)"].into_iter().enumerate() {
            c.rows(&format!("create table t{n} (a int, b int{key})")).await;
            let rows: Vec<Row> =
                (0..4 - n % 2).map(|_| vec![value(&mut rng), value(&mut rng)]).collect();
            for row in &rows {
                let sql = |v: &Option<i64>| v.map_or("null".to_owned(), |n| n.to_string());
                c.rows(&format!("insert into t{n} values ({}, {})", sql(&row[0]), sql(&row[1])))
                    .await;
            }
            tables.push(rows);
        }
        for round in 0..600 {
            let size = 2 + rng.below(5) as usize;
            let tree = Tree::draw(&mut rng, size, &mut 0);
            let names = tree.names();
            let filter = (rng.below(2) == 0).then(|| Cond::draw(&mut rng, names.len(), 0));
            let mut rows = tree.rows(&tables);
            if let Some(f) = &filter {
                rows.retain(|r| f.holds(r) == Some(true));
            }
            // Answers of thousands of rows say no more than those of hundreds.
            if rows.len() > 400 {
                continue;
            }
            let filter = filter.map_or(String::new(), |f| format!(" where {}", f.sql(&names)));
            let sql = format!("select {} from {}{filter}", names.join(", "), tree.sql());
            let line = c.ask(&sql).await.line();
            let mut got: Vec<String> = if line.is_empty() {
                Vec::new()
            } else {
                line.split("; ").map(str::to_owned).collect()
            };
            got.sort_unstable();
            assert_eq!(got, shown(rows), "round {round}\n{sql}");
        }
        c.0.close().await;
    });
}

/// A row that is asked for without another one is refused by the first that is found, and the plan says so.
#[test]
fn one_row_refuses() {
    with_server(1, |server| async move {
        let mut c = server.client();
        c.all(&[
            "create table t (id int primary key)",
            "create table u (id int primary key, t int, n int, k int not null, key (t))",
            "insert into t values (1), (2), (3), (4)",
            "insert into u with recursive r as (select 1 i union all select i + 1 from r where i < 400) \
             select i, if(i < 390, 1, 2), nullif(i % 3, 0), i from r",
            "insert into u values (1000, 3, null, 5)",
            "analyze table t, u",
        ])
        .await;
        let read = "show session status like 'Handler_read_next'";
        let told = |s: String| s.rsplit('|').next().and_then(|n| n.parse::<u64>().ok());
        let before = told(c.rows(read).await).expect("a counter");
        c.check(&[(
            "select t.id from t left join u force index (t) on u.t = t.id where u.id is null",
            "4",
        )])
        .await;
        let after = told(c.rows(read).await).expect("a counter");
        assert!(after - before < 40, "{before} {after}");
        c.check(&[
            // The condition of the join counts, and a column that may be NULL says nothing.
            ("select t.id from t left join u on u.t = t.id and u.n = 1 where u.k is null", "3; 4"),
            ("select t.id, count(*) from t left join u on u.t = t.id where u.n is null group by t.id", "1|129; 2|4; 3|1; 4|1"),
            ("select t.id from t left join u on u.t = t.id where u.id is null and t.id > 1", "4"),
            ("select t.id from t left join u on u.t = t.id where u.id is null or u.k = 5 order by 1", "1; 3; 4"),
            ("select t.id from t left join (u join t v on v.id = u.n) on u.t = t.id where v.id is null", "3; 4"),
            ("select t.id from t left join u on u.t = t.id left join u x on x.id = u.id where x.id is null", "4"),
        ])
        .await;
        let plan = "explain select t.id from t left join u on u.t = t.id where u.id is null";
        let says = c.rows(plan).await;
        assert!(says.contains("Not exists"), "{says}");
        let plan = "explain select t.id from t left join u on u.t = t.id where u.n is null";
        let says = c.rows(plan).await;
        assert!(!says.contains("Not exists"), "{says}");
        let plan =
            "explain format=tree select t.id from t left join u on u.t = t.id where u.id is null";
        let says = c.rows(plan).await;
        assert!(says.contains("antijoin"), "{says}");
    });
}
