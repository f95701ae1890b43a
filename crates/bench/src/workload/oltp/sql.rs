//! The transactions as SQL statements, prepared once for each user.

use super::user::{Kind, Step};
use super::{Config, Mode, NonTrx, PAD, PAD_AGAIN, Path};
use crate::error::Result;
use crate::target::{Conn, Value};
use Value::{Int, Text};

pub struct SqlPath {
    conn: Conn,
    statements: Statements,
    in_transaction: bool,
    /// Ids of a range behind its first.
    rest: i64,
}

/// Those of other modes are not prepared.
#[derive(Default)]
struct Statements {
    point: u32,
    range: u32,
    sum: u32,
    order: u32,
    distinct: u32,
    update_key: u32,
    update_nokey: u32,
    delete: u32,
    insert: u32,
}

impl Statements {
    fn prepare(conn: &mut Conn, c: &Config) -> Result<Statements> {
        let t = format!("`{}`", c.table);
        let mut s = Statements::default();
        let select = if c.mode == Mode::NonTrx(NonTrx::Select) { "pad" } else { "c" };
        s.point = conn.prepare(&format!("SELECT {select} FROM {t} WHERE id=?"))?;
        if c.mode == Mode::Simple {
            return Ok(s);
        }
        if c.mode == Mode::Complex {
            s.range = conn.prepare(&format!("SELECT c FROM {t} WHERE id BETWEEN ? AND ?"))?;
            s.sum = conn.prepare(&format!("SELECT SUM(k) FROM {t} WHERE id BETWEEN ? AND ?"))?;
            s.order =
                conn.prepare(&format!("SELECT c FROM {t} WHERE id BETWEEN ? AND ? ORDER BY c"))?;
            s.distinct = conn.prepare(&format!(
                "SELECT DISTINCT c FROM {t} WHERE id BETWEEN ? AND ? ORDER BY c"
            ))?;
        }
        s.update_key = conn.prepare(&format!("UPDATE {t} SET k=k+1 WHERE id=?"))?;
        s.update_nokey = conn.prepare(&format!("UPDATE {t} SET c=? WHERE id=?"))?;
        s.delete = conn.prepare(&format!("DELETE FROM {t} WHERE id=?"))?;
        s.insert = conn.prepare(&if c.mode == Mode::Complex {
            format!("INSERT INTO {t} VALUES (?,0,' ','{PAD_AGAIN}')")
        } else {
            format!("INSERT INTO {t} (k, c, pad) VALUES (?,' ','{PAD}')")
        })?;
        Ok(s)
    }
}

impl SqlPath {
    pub fn open(mut conn: Conn, c: &Config) -> Result<SqlPath> {
        let statements = Statements::prepare(&mut conn, c)?;
        let (in_transaction, rest) = (c.in_transaction(), c.range as i64 - 1);
        Ok(SqlPath { conn, statements, in_transaction, rest })
    }

    fn other(&mut self, sql: &str, counts: &mut [u64; 3]) -> Result<()> {
        counts[2] += 1;
        self.conn.query(sql)?;
        Ok(())
    }
}

impl Path for SqlPath {
    fn run(&mut self, steps: &[Step], counts: &mut [u64; 3]) -> Result<()> {
        if self.in_transaction {
            self.other("BEGIN", counts)?;
        }
        let s = &self.statements;
        for step in steps {
            counts[step.class()] += 1;
            match step {
                Step::Point(id) => self.conn.run(s.point, &[Int(*id)])?,
                Step::Range(kind, from) => {
                    let statement = match kind {
                        Kind::Rows => s.range,
                        Kind::Sum => s.sum,
                        Kind::Order => s.order,
                        Kind::Distinct => s.distinct,
                    };
                    self.conn.run(statement, &[Int(*from), Int(from + self.rest)])?;
                }
                Step::AddToK(id) => self.conn.run(s.update_key, &[Int(*id)])?,
                Step::SetC(id, c) => self.conn.run(s.update_nokey, &[Text(c), Int(*id)])?,
                Step::Delete(id) => self.conn.run(s.delete, &[Int(*id)])?,
                Step::Insert(id) => self.conn.run(s.insert, &[Int(*id)])?,
            }
        }
        if self.in_transaction {
            self.other("COMMIT", counts)?;
        }
        Ok(())
    }

    fn undo(&mut self) -> Result<()> {
        self.conn.query("ROLLBACK")?;
        Ok(())
    }

    fn take_statements(&mut self) -> u64 {
        std::mem::take(&mut self.conn.statements)
    }
}
