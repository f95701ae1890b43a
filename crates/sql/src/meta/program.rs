//! What is stored of a procedure, function, trigger or event: its text, and what the text meant when it was defined.

use super::SqlColumn;
use super::codec::bytes::{Reader, Writer, damaged};
use super::codec::column::{get_column, put_column};
use super::event::{self, EventMeta};
use crate::session_api::SqlError;
use crate::value::{Charset, sent};
use weir_engine::{Object, ObjectKind};
use weir_syntax::ast::{DataAccess, ParamMode, Program, RoutineKind, Statement, TriggerEvent};
use weir_syntax::lex::SqlMode as LexMode;
use weir_syntax::parse::{ParseOptions, parse_one};

const VERSION: u8 = 2;

/// A stored program as it was defined. Its object has the name in lower case, as names of programs differ by more than case.
#[derive(Debug, Clone, PartialEq)]
pub struct ProgramMeta {
    /// As written.
    pub name: String,
    /// User and host.
    pub definer: (String, String),
    /// SQL SECURITY INVOKER.
    pub invoker: bool,
    /// The `sql_mode` it was defined under, and runs under.
    pub mode: u64,
    /// `character_set_client` and `collation_connection` of anyone who defined it, and the schema's collation.
    pub client: String,
    pub connection: String,
    pub database: String,
    /// Microseconds since 1970 UTC.
    pub created: i64,
    pub modified: i64,
    pub body: String,
    pub comment: String,
    pub deterministic: bool,
    pub access: DataAccess,
    pub params_text: String,
    /// Parameters, with the types that they have.
    pub params: Vec<(ParamMode, SqlColumn)>,
    /// The type of a function's value, and how it is written.
    pub returns: Option<(String, SqlColumn)>,
    pub trigger: Option<TriggerMeta>,
    pub event: Option<EventMeta>,
}

/// What a trigger is fired by.
#[derive(Debug, Clone, PartialEq)]
pub struct TriggerMeta {
    pub table: String,
    pub before: bool,
    pub event: TriggerEvent,
    /// Its place among those for the same event, from 1.
    pub order: u32,
}

/// The name of a program's object.
pub fn object_name(name: &str) -> String {
    name.to_lowercase()
}

/// The kind of a program's object.
pub fn object_kind(kind: RoutineKind) -> ObjectKind {
    match kind {
        RoutineKind::Procedure => ObjectKind::Procedure,
        RoutineKind::Function => ObjectKind::Function,
        RoutineKind::Trigger => ObjectKind::Trigger,
        RoutineKind::Event => ObjectKind::Event,
    }
}

impl TriggerMeta {
    pub fn event_text(&self) -> &'static str {
        match self.event {
            TriggerEvent::Insert => "INSERT",
            TriggerEvent::Update => "UPDATE",
            TriggerEvent::Delete => "DELETE",
        }
    }

    /// In the order of listings: INSERT, UPDATE, DELETE, and BEFORE before AFTER.
    pub fn place(&self) -> (u8, bool, u64) {
        let event = match self.event {
            TriggerEvent::Insert => 0,
            TriggerEvent::Update => 1,
            TriggerEvent::Delete => 2,
        };
        (event, !self.before, self.order.into())
    }

    pub fn timing_text(&self) -> &'static str {
        if self.before { "BEFORE" } else { "AFTER" }
    }
}

impl ProgramMeta {
    pub fn of(o: &Object) -> Result<ProgramMeta, SqlError> {
        decode(&o.text)
    }

    pub fn access_text(&self) -> &'static str {
        match self.access {
            DataAccess::ContainsSql => "CONTAINS SQL",
            DataAccess::NoSql => "NO SQL",
            DataAccess::ReadsSql => "READS SQL DATA",
            DataAccess::ModifiesSql => "MODIFIES SQL DATA",
        }
    }

    pub fn security_text(&self) -> &'static str {
        if self.invoker { "INVOKER" } else { "DEFINER" }
    }

    /// The statement that defines it, as SHOW CREATE tells it.
    pub fn text(&self, quote: impl Fn(&str) -> String, literal: impl Fn(&str) -> String) -> String {
        let definer = format!("DEFINER={}@{}", quote(&self.definer.0), quote(&self.definer.1));
        let name = quote(&self.name);
        if let Some(t) = &self.trigger {
            let (when, event, table) = (t.timing_text(), t.event_text(), quote(&t.table));
            let body = &self.body;
            return format!(
                "CREATE {definer} TRIGGER {name} {when} {event} ON {table} FOR EACH ROW {body}"
            );
        }
        if let Some(e) = &self.event {
            let comment = match self.comment.as_str() {
                "" => String::new(),
                text => format!(" COMMENT {}", literal(text)),
            };
            let (schedule, body) = (e.text(), &self.body);
            return format!("CREATE {definer} EVENT {name} {schedule}{comment} DO {body}");
        }
        let (word, returns) = match &self.returns {
            Some((text, _)) => ("FUNCTION", format!(" RETURNS {text}")),
            None => ("PROCEDURE", String::new()),
        };
        let mut out = format!("CREATE {definer} {word} {name}({}){returns}\n", self.params_text);
        if self.access != DataAccess::ContainsSql {
            out.push_str(&format!("    {}\n", self.access_text()));
        }
        if self.deterministic {
            out.push_str("    DETERMINISTIC\n");
        }
        if self.invoker {
            out.push_str("    SQL SECURITY INVOKER\n");
        }
        if !self.comment.is_empty() {
            out.push_str(&format!("    COMMENT {}\n", literal(&self.comment)));
        }
        out + &self.body
    }

    /// The body's instructions.
    pub fn parse(&self, lex_mode: LexMode) -> Result<Program, SqlError> {
        let quote = |name: &str| format!("`{}`", name.replace('`', "``"));
        // Comments are left out: how they are quoted depends on the mode.
        let text =
            ProgramMeta { comment: String::new(), ..self.clone() }.text(quote, |_| String::new());
        // The body is kept as it was lexed, so it is read as its client's text once more.
        let client = Charset::by_name(&self.client).and_then(sent::client);
        let options =
            ParseOptions { sql_mode: lex_mode, client, stored: true, ..Default::default() };
        let parsed = parse_one(text.as_bytes(), &options)
            .map_err(|e| SqlError::new(e.errno, e.message.to_string()))?;
        match parsed.stmt {
            Statement::CreateRoutine(r) => Ok(r.body),
            Statement::CreateTrigger(t) => Ok(t.body),
            Statement::DefineEvent(e) => {
                let none = || SqlError::internal("the stored text of an event has no body");
                e.body.map(|b| b.0).ok_or_else(none)
            }
            _ => Err(SqlError::internal("the stored text of a program is none")),
        }
    }

    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        let mut w = Writer(vec![VERSION]);
        w.u8(u8::from(self.invoker) | u8::from(self.deterministic) << 1);
        w.u8(match self.access {
            DataAccess::ContainsSql => 0,
            DataAccess::NoSql => 1,
            DataAccess::ReadsSql => 2,
            DataAccess::ModifiesSql => 3,
        });
        w.u64(self.mode);
        w.u64(self.created as u64);
        w.u64(self.modified as u64);
        let texts = [
            &self.name,
            &self.definer.0,
            &self.definer.1,
            &self.client,
            &self.connection,
            &self.database,
            &self.body,
            &self.comment,
            &self.params_text,
        ];
        texts.into_iter().for_each(|t| w.str(t));
        w.count(self.params.len());
        for (mode, column) in &self.params {
            w.u8(match mode {
                ParamMode::In => 0,
                ParamMode::Out => 1,
                ParamMode::InOut => 2,
            });
            put_column(&mut w, column);
        }
        w.u8(u8::from(self.returns.is_some()));
        if let Some((text, column)) = &self.returns {
            w.str(text);
            put_column(&mut w, column);
        }
        w.u8(u8::from(self.trigger.is_some()));
        if let Some(t) = &self.trigger {
            w.str(&t.table);
            w.u8(u8::from(t.before));
            w.u8(match t.event {
                TriggerEvent::Insert => 0,
                TriggerEvent::Update => 1,
                TriggerEvent::Delete => 2,
            });
            w.u32(t.order);
        }
        w.u8(u8::from(self.event.is_some()));
        if let Some(e) = &self.event {
            event::put(&mut w, e);
        }
        w.0
    }
}

fn decode(bytes: &[u8]) -> Result<ProgramMeta, SqlError> {
    let mut r = Reader(bytes);
    r.version(VERSION)?;
    let bits = r.u8()?;
    let access = match r.u8()? {
        0 => DataAccess::ContainsSql,
        1 => DataAccess::NoSql,
        2 => DataAccess::ReadsSql,
        3 => DataAccess::ModifiesSql,
        _ => return Err(damaged()),
    };
    let (mode, created, modified) = (r.u64()?, r.u64()? as i64, r.u64()? as i64);
    let name = r.str()?;
    let definer = (r.str()?, r.str()?);
    let (client, connection, database) = (r.str()?, r.str()?, r.str()?);
    let (body, comment, params_text) = (r.str()?, r.str()?, r.str()?);
    let params = r.list(|r| {
        let mode = match r.u8()? {
            0 => ParamMode::In,
            1 => ParamMode::Out,
            2 => ParamMode::InOut,
            _ => return Err(damaged()),
        };
        Ok((mode, get_column(r)?))
    })?;
    let returns = match r.u8()? {
        0 => None,
        _ => Some((r.str()?, get_column(&mut r)?)),
    };
    let trigger = match r.u8()? {
        0 => None,
        _ => Some(get_trigger(&mut r)?),
    };
    let event = match r.u8()? {
        0 => None,
        _ => Some(event::get(&mut r)?),
    };
    if !r.0.is_empty() {
        return Err(damaged());
    }
    Ok(ProgramMeta {
        name,
        definer,
        invoker: bits & 1 != 0,
        deterministic: bits & 2 != 0,
        mode,
        client,
        connection,
        database,
        created,
        modified,
        body,
        comment,
        access,
        params_text,
        params,
        returns,
        trigger,
        event,
    })
}

fn get_trigger(r: &mut Reader<'_>) -> Result<TriggerMeta, SqlError> {
    let (table, before) = (r.str()?, r.u8()? != 0);
    let event = match r.u8()? {
        0 => TriggerEvent::Insert,
        1 => TriggerEvent::Update,
        2 => TriggerEvent::Delete,
        _ => return Err(damaged()),
    };
    Ok(TriggerMeta { table, before, event, order: r.u32()? })
}
