//! A client that alone changes the rows of one table, and knows each answer before it comes.

use super::{Arena, is_forbidden, is_lost, login};
use crate::common::{
    Cell, Client, Failure, IN_TRANSACTION, Login, MORE_RESULTS, Server, cap, param, until,
};
use std::collections::BTreeMap;
use weir_rt::Rng;

type Rows = BTreeMap<i64, (i64, String)>;

const INSERT: &str = "insert into {} (id, v, s) values (?, ?, ?)";
const SELECT: &str = "select * from {} where id = ?";
const UPDATE: &str = "update {} set v = v + 1 where id between ? and ?";

pub struct Owner<'a> {
    arena: &'a Arena<'a>,
    rng: Rng,
    pub table: String,
    client: Client,
    committed: Rows,
    /// The open transaction's rows.
    open: Option<Rows>,
    saves: Vec<(String, Rows)>,
    /// Statements prepared on this connection, if they are.
    prepared: Option<[u32; 3]>,
    pub statements: u64,
}

/// What a change does: rows affected, or the error that it must end with.
type Expected = Result<Option<u64>, u16>;

impl<'a> Owner<'a> {
    pub fn new(arena: &'a Arena<'a>, n: u64, rng: Rng) -> Owner<'a> {
        let mut client = arena.server.connect(&login()).unwrap();
        let table = format!("fire.p{n}");
        client.run(&format!(
            "create table {table} (id int primary key, v int not null, s varchar(20), key v (v))"
        ));
        Owner {
            arena,
            rng,
            table,
            client,
            committed: Rows::new(),
            open: None,
            saves: Vec::new(),
            prepared: None,
            statements: 0,
        }
    }

    pub fn run(&mut self) {
        while self.arena.goes_on() {
            self.statements += 1;
            self.step();
        }
    }

    /// Ends what is open; the table's name and rows.
    pub fn settle(mut self) -> (String, String) {
        self.open = None;
        self.client = self.arena.server.connect(&login()).unwrap();
        let text = |(id, (v, s)): (&i64, &(i64, String))| format!("{id},{v},{s}");
        let rows: Vec<String> = self.committed.iter().map(text).collect();
        (self.table, rows.join(";"))
    }

    fn step(&mut self) {
        match self.rng.below(24) {
            0 => self.begin(),
            1 => self.end("commit"),
            2 => self.end("rollback"),
            3 => self.savepoint(),
            4..=6 => self.insert(),
            7 => self.replace(),
            8..=9 => self.update(),
            10 => self.delete(),
            11..=13 => self.read(),
            14 => self.read_all_columns(),
            15..=18 => self.execute(),
            19 => self.several(),
            20 => self.look_around(),
            21 if self.rng.chance(0.3) => self.define(),
            22 if self.rng.chance(0.2) => self.vanish(),
            _ => self.read_some(),
        }
    }

    fn now(&self) -> &Rows {
        self.open.as_ref().unwrap_or(&self.committed)
    }

    fn id(&mut self) -> i64 {
        self.rng.below(60) as i64
    }

    fn begin(&mut self) {
        let sql = ["begin", "start transaction", "start transaction with consistent snapshot"];
        let sql = sql[self.rng.below(3) as usize];
        match self.client.try_query(sql) {
            Ok(_) => {
                // It ends the transaction before.
                self.committed = self.now().clone();
                self.open = Some(self.committed.clone());
                self.saves.clear();
            }
            Err(e) => {
                let maybe = self.now().clone();
                self.failed(sql, e, maybe);
            }
        }
    }

    fn end(&mut self, sql: &str) {
        let next = if sql == "commit" { self.now().clone() } else { self.committed.clone() };
        match self.client.try_query(sql) {
            Ok(a) => {
                assert_eq!(a.status & IN_TRANSACTION, 0, "{sql}");
                self.committed = next;
                self.open = None;
                self.saves.clear();
            }
            Err(e) => self.failed(sql, e, next),
        }
    }

    fn savepoint(&mut self) {
        if self.open.is_none() {
            return;
        }
        if self.saves.is_empty() || self.rng.chance(0.5) {
            let name = format!("s{}", self.rng.below(3));
            let sql = format!("savepoint {name}");
            match self.client.try_query(&sql) {
                Ok(_) => {
                    self.saves.retain(|(n, _)| *n != name);
                    self.saves.push((name, self.now().clone()));
                }
                Err(e) => self.failed(&sql, e, Rows::new()),
            }
            return;
        }
        let at = self.rng.below(self.saves.len() as u64) as usize;
        let (name, rows) = self.saves[at].clone();
        let sql = format!("rollback to savepoint {name}");
        match self.client.try_query(&sql) {
            Ok(_) => {
                self.saves.truncate(at + 1);
                self.open = Some(rows);
            }
            Err(e) => self.failed(&sql, e, Rows::new()),
        }
    }

    /// Runs a change whose effect is `apply`.
    fn change(&mut self, sql: &str, apply: impl FnOnce(&mut Rows) -> Expected) {
        let mut next = self.now().clone();
        let expected = apply(&mut next);
        match (self.client.try_query(sql), expected) {
            (Ok(a), Ok(n)) => {
                if let Some(n) = n {
                    assert_eq!(a.affected, n, "{sql} on {:?}", self.now());
                }
                self.changed(a.status, next, sql);
            }
            (Ok(a), Err(e)) => panic!("{sql}: {a:?} instead of {e}"),
            (Err(e), Err(want)) if e.errno == want => {}
            (Err(e), _) => self.failed(sql, e, next),
        }
    }

    fn changed(&mut self, status: u16, next: Rows, sql: &str) {
        let open = self.open.is_some();
        assert_eq!(status & IN_TRANSACTION != 0, open, "in a transaction after {sql}?");
        match open {
            true => self.open = Some(next),
            false => self.committed = next,
        }
    }

    /// `maybe`: the rows if the statement was carried out after all, outside of a transaction or as its end.
    fn failed(&mut self, sql: &str, e: Failure, maybe: Rows) {
        if is_lost(&e) {
            let ends = self.open.is_none()
                || sql == "commit"
                || sql == "begin"
                || sql.starts_with("start");
            let mut contents = vec![self.committed.clone()];
            contents.extend(ends.then_some(maybe));
            return self.lost(sql, &contents);
        }
        match e.errno {
            // The statement is undone, the transaction is not.
            1205 | 1317 | 1412 => {}
            // The transaction is.
            1213 => {
                self.open = None;
                self.saves.clear();
            }
            n => panic!("{sql}: {e:?} (forbidden: {})", is_forbidden(n)),
        }
    }

    /// Connects again when the session is over; the table must have one of `contents`.
    fn lost(&mut self, sql: &str, contents: &[Rows]) {
        wait_for_end(self.arena.server, self.client.id);
        let flags = [cap::DEPRECATE_EOF, 0, cap::MULTI_STATEMENTS][self.rng.below(3) as usize];
        let mut have = None;
        until("the table can be read", || {
            let login = Login { flags, ..login() };
            let Ok(mut c) = self.arena.server.connect(&login) else { return false };
            let sql = format!("select id, v, s from {} order by id", self.table);
            if let Ok(a) = c.try_query(&sql) {
                have = Some(rows_of(&a.rows));
                self.client = c;
            }
            have.is_some()
        });
        let have = have.expect("it was read");
        assert!(contents.contains(&have), "after {sql} was cut off\n{have:?}\n{contents:?}");
        self.committed = have;
        self.open = None;
        self.saves.clear();
        self.prepared = None;
    }

    fn insert(&mut self) {
        let n = 1 + self.rng.below(4);
        let ignore = self.rng.chance(0.3);
        let rows: Vec<(i64, i64)> = (0..n).map(|_| (self.id(), self.rng.below(9) as i64)).collect();
        let values: Vec<String> =
            rows.iter().map(|(id, v)| format!("({id}, {v}, 'i{v}')")).collect();
        let what = if ignore { "insert ignore" } else { "insert" };
        let sql = format!("{what} into {} (id, v, s) values {}", self.table, values.join(", "));
        self.change(&sql, |t| {
            let mut n = 0;
            for (id, v) in rows {
                if t.contains_key(&id) {
                    if ignore {
                        continue;
                    }
                    return Err(1062);
                }
                t.insert(id, (v, format!("i{v}")));
                n += 1;
            }
            Ok(Some(n))
        });
    }

    fn replace(&mut self) {
        let (id, v) = (self.id(), self.rng.below(9) as i64);
        let sql = format!("replace into {} (id, v, s) values ({id}, {v}, 'r')", self.table);
        self.change(&sql, |t| {
            t.insert(id, (v, "r".into()));
            Ok(None)
        });
    }

    fn update(&mut self) {
        let (from, add) = (self.id(), 1 + self.rng.below(5) as i64);
        let to = from + self.rng.below(20) as i64;
        let sql =
            format!("update {} set v = v + {add} where id >= {from} and id < {to}", self.table);
        self.change(&sql, |t| {
            let mut n = 0;
            for (_, (v, _)) in t.range_mut(from..to) {
                *v += add;
                n += 1;
            }
            Ok(Some(n))
        });
    }

    fn delete(&mut self) {
        let v = self.rng.below(12) as i64;
        let sql = format!("delete from {} where v = {v}", self.table);
        self.change(&sql, |t| {
            let before = t.len();
            t.retain(|_, (x, _)| *x != v);
            Ok(Some((before - t.len()) as u64))
        });
    }

    /// Asks, and compares the rows as text.
    fn ask(&mut self, sql: &str, want: &[Vec<String>]) {
        match self.client.try_query(sql) {
            Ok(a) => {
                let open = self.open.is_some();
                assert_eq!(a.status & IN_TRANSACTION != 0, open, "in a transaction after {sql}?");
                let text = |c: &Option<String>| c.clone().unwrap_or_else(|| "NULL".into());
                let have: Vec<Vec<String>> =
                    a.rows.iter().map(|r| r.iter().map(text).collect()).collect();
                assert_eq!(have, want, "{sql}");
            }
            Err(e) => {
                let same = self.committed.clone();
                self.failed(sql, e, same);
            }
        }
    }

    fn read(&mut self) {
        let by_v = self.rng.chance(0.5);
        let mut want: Vec<(i64, i64, String)> =
            self.now().iter().map(|(id, (v, s))| (*id, *v, s.clone())).collect();
        if by_v {
            want.sort_by_key(|(id, v, _)| (*v, *id));
        }
        let want: Vec<Vec<String>> =
            want.into_iter().map(|(id, v, s)| vec![id.to_string(), v.to_string(), s]).collect();
        let order = if by_v { "v, id" } else { "id" };
        let lock = ["", "", " for update", " for share"][self.rng.below(4) as usize];
        self.ask(&format!("select id, v, s from {} order by {order}{lock}", self.table), &want);
    }

    fn read_some(&mut self) {
        let from = self.rng.below(12) as i64;
        let (mut n, mut sum) = (0, 0);
        for (v, _) in self.now().values().filter(|(v, _)| *v >= from) {
            n += 1;
            sum += v;
        }
        let sql =
            format!("select count(*), coalesce(sum(v), 0) from {} where v >= {from}", self.table);
        self.ask(&sql, &[vec![n.to_string(), sum.to_string()]]);
    }

    /// Columns come and go meanwhile; each row has all those of the header, and the added ones have their default.
    fn read_all_columns(&mut self) {
        let sql = format!("select * from {} order by id", self.table);
        match self.client.try_query(&sql) {
            Ok(a) => {
                assert_eq!(&a.columns[..3], ["id", "v", "s"], "{sql}");
                assert!(a.columns[3..].iter().all(|c| c.starts_with('z')), "{:?}", a.columns);
                assert_eq!(&rows_of(&a.rows), self.now(), "{sql}");
                let sevens = a.rows.iter().flat_map(|r| &r[3..]).all(|c| c.as_deref() == Some("7"));
                assert!(sevens, "{sql}: {:?}", a.rows);
            }
            Err(e) => {
                let same = self.committed.clone();
                self.failed(&sql, e, same);
            }
        }
    }

    /// One of the prepared statements, which live through changes of the definition.
    fn execute(&mut self) {
        let Some(ids) = self.prepared else { return self.prepare() };
        let (id, v) = (self.id(), self.rng.below(9) as i64);
        let mut next = self.now().clone();
        match self.rng.below(3) {
            0 => {
                let params = [param::int(id), param::int(v), param::text("p")];
                let taken = next.contains_key(&id);
                next.entry(id).or_insert((v, "p".into()));
                match self.client.execute(ids[0], &params) {
                    Ok(a) => {
                        assert!(!taken, "{id} is taken in {:?}", self.now());
                        self.changed(a.status, next, INSERT);
                    }
                    Err(e) if e.errno == 1062 => assert!(taken, "{id} in {:?}", self.now()),
                    Err(e) => self.failed(INSERT, e, next),
                }
            }
            1 => match self.client.execute(ids[1], &[param::int(id)]) {
                Ok(a) => self.compare_cells(id, &a.columns, &a.cells),
                Err(e) => self.failed(SELECT, e, next),
            },
            _ => {
                let mut n = 0;
                for (_, (v, _)) in next.range_mut(id..=id + 10) {
                    *v += 1;
                    n += 1;
                }
                match self.client.execute(ids[2], &[param::int(id), param::int(id + 10)]) {
                    Ok(a) => {
                        assert_eq!(a.affected, n, "{UPDATE} on {:?}", self.now());
                        self.changed(a.status, next, UPDATE);
                    }
                    Err(e) => self.failed(UPDATE, e, next),
                }
            }
        }
    }

    fn compare_cells(&self, id: i64, columns: &[String], cells: &[Vec<Cell>]) {
        assert_eq!(&columns[..3], ["id", "v", "s"]);
        let want: Vec<Vec<Cell>> = match self.now().get(&id) {
            None => Vec::new(),
            Some((v, s)) => {
                let mut row = vec![Cell::Int(id), Cell::Int(*v), Cell::Text(s.clone())];
                row.resize(columns.len(), Cell::Int(7));
                vec![row]
            }
        };
        assert_eq!(cells, want, "{SELECT} {id}");
    }

    fn prepare(&mut self) {
        let mut ids = [0; 3];
        for (slot, sql) in ids.iter_mut().zip([INSERT, SELECT, UPDATE]) {
            let sql = sql.replace("{}", &self.table);
            match self.client.prepare(&sql) {
                Ok((id, params, _)) => {
                    assert_eq!(params, sql.matches('?').count());
                    *slot = id;
                }
                Err(e) => {
                    let same = self.committed.clone();
                    return self.failed("prepare", e, same);
                }
            }
        }
        self.prepared = Some(ids);
    }

    /// Several statements in one text, on a connection that may.
    fn several(&mut self) {
        let id = self.id();
        let n = self.now().len().to_string();
        let sql = format!("select {id}; select count(*) from {}; select 1 from", self.table);
        self.client.send_query(&sql);
        let mut answers = Vec::new();
        loop {
            match self.client.read_answer(false) {
                Ok(a) => {
                    assert_ne!(a.status & MORE_RESULTS, 0, "the last one is broken: {sql}");
                    answers.push(a.rows[0][0].clone().unwrap_or_default());
                }
                Err(e) if e.errno == 1064 => {
                    // The first text alone is refused where several are not allowed.
                    if !answers.is_empty() {
                        assert_eq!(answers, [id.to_string(), n]);
                    }
                    return;
                }
                Err(e) => {
                    let same = self.committed.clone();
                    return self.failed("several", e, same);
                }
            }
        }
    }

    /// What only has to be well formed.
    fn look_around(&mut self) {
        const LOOKS: [&str; 8] = [
            "show processlist",
            "show create table {}",
            "show columns from {}",
            "show index from {}",
            "explain select * from {} where v = 1",
            "select table_name, table_rows from information_schema.tables where table_schema = 'fire'",
            "show engine innodb status",
            "show warnings",
        ];
        let sql = LOOKS[self.rng.below(8) as usize].replace("{}", &self.table);
        if let Err(e) = self.client.try_query(&sql) {
            let same = self.committed.clone();
            self.failed(&sql, e, same);
        }
    }

    /// A definition statement of its own ends the transaction, whether or not it succeeds.
    fn define(&mut self) {
        let sql = match self.rng.below(3) {
            0 => format!("alter table {} comment = 'fire'", self.table),
            1 => format!("truncate table {}", self.table),
            _ => format!("analyze table {}", self.table),
        };
        let kept = self.now().clone();
        let next = if sql.starts_with("trunc") { Rows::new() } else { kept.clone() };
        match self.client.try_query(&sql) {
            Ok(_) => self.committed = next,
            // Cut off before the commit, after it, or after the statement.
            Err(e) if is_lost(&e) => {
                let contents = [self.committed.clone(), kept, next];
                return self.lost(&sql, &contents);
            }
            Err(e) => {
                assert!([1205, 1317].contains(&e.errno), "{sql}: {e:?}");
                self.committed = kept;
            }
        }
        self.open = None;
        self.saves.clear();
    }

    /// Sends a statement, all of it or a part, and is gone.
    fn vanish(&mut self) {
        let (id, v) = (self.id(), self.rng.below(9) as i64);
        let sql = format!("replace into {} (id, v, s) values ({id}, {v}, 'gone')", self.table);
        let mut next = self.committed.clone();
        next.insert(id, (v, "gone".into()));
        let mut packet = ((sql.len() + 1) as u32).to_le_bytes()[..3].to_vec();
        packet.extend_from_slice(&[0, 3]);
        packet.extend_from_slice(sql.as_bytes());
        if self.rng.chance(0.3) {
            packet.truncate(self.rng.below(packet.len() as u64) as usize);
        }
        // The connection may be gone already.
        let _ = self.client.send_bytes(&packet);
        self.client.end();
        let mut contents = vec![self.committed.clone()];
        contents.extend(self.open.is_none().then_some(next));
        self.lost(&sql, &contents);
    }
}

/// Waits until a session has let go of everything.
fn wait_for_end(server: &Server, id: u32) {
    let sql = format!("select count(*) from information_schema.processlist where id = {id}");
    until("the lost session is over", || {
        let Ok(mut root) = server.connect(&Login::default()) else { return false };
        root.try_query(&sql).is_ok_and(|a| a.rows[0][0].as_deref() == Some("0"))
    });
}

fn rows_of(rows: &[Vec<Option<String>>]) -> Rows {
    let number = |c: &Option<String>| c.as_deref().and_then(|t| t.parse().ok()).expect("a number");
    rows.iter()
        .map(|r| (number(&r[0]), (number(&r[1]), r[2].clone().unwrap_or_default())))
        .collect()
}
