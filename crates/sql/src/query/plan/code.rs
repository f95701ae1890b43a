//! A program that was read: its instructions, the types of its variables, and the plans that were made for it.

use super::Plan;
use crate::context::{Reads, Settings, StatementCtx, lex_mode};
use crate::ddl::Env;
use crate::ddl::refused::value_error;
use crate::ddl::types::{TextDefaults, column_type};
use crate::errno;
use crate::meta::program::{ProgramMeta, object_name};
use crate::meta::schema_meta;
use crate::query::expr::BExpr;
use crate::session_api::SqlError;
use crate::value::{
    Charset, Collation, SqlMode, SqlType, StoreCtx, TypeInfo, Value, Warnings, sent,
};
use std::sync::{Arc, Mutex, PoisonError};
use weir_engine::{Object, ObjectKind};
use weir_syntax::ast::{Program, SlotKind};

/// A program that can be run.
pub struct Code {
    pub object: Arc<Object>,
    pub meta: ProgramMeta,
    pub body: Program,
    pub mode: SqlMode,
    pub collation: Collation,
    /// Of the slots.
    pub infos: Vec<TypeInfo>,
    /// For each slot that is a column of NEW or OLD, which.
    pub columns: Vec<Option<usize>>,
    /// The catalog that the columns of NEW and OLD are of; 0: there are none.
    version: u64,
    /// By instruction; the cursors are behind.
    kept: Box<[Mutex<Kept>]>,
}

/// What is kept for an instruction.
#[derive(Clone, Default)]
pub enum Kept {
    #[default]
    Nothing,
    Value(Arc<BExpr>),
    Plan(Arc<Plan>),
}

/// The program of this name, if there is one.
pub fn load(
    reads: Reads<'_>,
    kind: ObjectKind,
    schema: &str,
    name: &str,
) -> Result<Option<Arc<Code>>, SqlError> {
    match reads.db().object(kind, schema, &object_name(name)) {
        Some(o) => of_object(reads, &o).map(Some),
        None => Ok(None),
    }
}

/// The program that this object is.
pub fn of_object(reads: Reads<'_>, o: &Arc<Object>) -> Result<Arc<Code>, SqlError> {
    let version = reads.db().catalog_version();
    let known = reads.shared.programs.get::<Code>(o);
    if let Some(known) = known.filter(|c| c.version == 0 || c.version == version) {
        return Ok(known);
    }
    let code = Arc::new(read(reads, o, version)?);
    reads.shared.programs.put(o, &code);
    Ok(code)
}

fn read(reads: Reads<'_>, o: &Arc<Object>, version: u64) -> Result<Code, SqlError> {
    let meta = ProgramMeta::of(o)?;
    let mode = SqlMode(meta.mode);
    let body = meta.parse(lex_mode(meta.mode))?;
    let collation = Collation::by_name(&meta.connection).unwrap_or(Collation::Utf8mb4GeneralCi);
    let (infos, columns) = slots(reads, o, &meta, &body)?;
    let version = if meta.trigger.is_some() { version } else { 0 };
    let kept = (0..body.ops.len() + body.cursors.len()).map(|_| Mutex::default()).collect();
    let object = o.clone();
    Ok(Code { object, meta, body, mode, collation, infos, columns, version, kept })
}

type Slots = (Vec<TypeInfo>, Vec<Option<usize>>);

/// The types of a program's slots.
fn slots(
    reads: Reads<'_>,
    o: &Object,
    meta: &ProgramMeta,
    body: &Program,
) -> Result<Slots, SqlError> {
    let text = TextDefaults {
        collation: Collation::by_name(&meta.database).unwrap_or(Collation::Utf8mb4GeneralCi),
    };
    let mut ignored = Warnings::default();
    let mut env = env(reads, SqlMode(meta.mode), &mut ignored);
    let table = match &meta.trigger {
        Some(t) => Some(reads.meta().lookup(reads.db(), &o.schema, &t.table)?),
        None => None,
    };
    let (mut infos, mut columns) = (Vec::new(), Vec::new());
    for slot in &body.slots {
        let mut column = None;
        infos.push(match &slot.kind {
            SlotKind::Variable(v) => {
                let collate = v.collate.as_deref();
                let (ty, _) = column_type(slot.name.as_str(), &v.data, collate, text, &mut env)?;
                TypeInfo::column(ty, true)
            }
            SlotKind::Hidden => TypeInfo::null(),
            row @ (SlotKind::New | SlotKind::Old) => {
                let of = table.as_ref().map_or(&[][..], |t| &t.meta.columns);
                let named = |c: &crate::meta::SqlColumn| c.is_named(slot.name.as_str());
                column = of.iter().position(named);
                let Some(at) = column else {
                    let row = if *row == SlotKind::New { "NEW" } else { "OLD" };
                    return Err(SqlError::of(errno::ER_BAD_FIELD_ERROR, &[&slot.name, &row]));
                };
                TypeInfo::column(of[at].ty, true)
            }
        });
        columns.push(column);
    }
    Ok((infos, columns))
}

/// How the types of variables are read.
pub fn env<'e>(reads: Reads<'e>, mode: SqlMode, warnings: &'e mut Warnings) -> Env<'e> {
    Env {
        mode,
        refuses_engines: false,
        skips_indexes: false,
        requires_key: false,
        generates_key: false,
        tz: reads.settings.tz,
        now_micros: 0,
        collation: reads.settings.collation,
        utf8mb4: reads.settings.utf8mb4,
        table: String::new(),
        reads,
        warnings,
    }
}

/// The collation of a schema, which parameters and variables without one have.
pub fn schema_collation(reads: Reads<'_>, schema: &str) -> Collation {
    let known = reads.db().schema(schema);
    known.map_or(Collation::Utf8mb4GeneralCi, |s| schema_meta(&s).collation)
}

/// 1305.
pub fn does_not_exist(what: &str, schema: &str, name: &str) -> SqlError {
    let dot = if schema.is_empty() { "" } else { "." };
    SqlError::new(errno::ER_SP_DOES_NOT_EXIST, format!("{what} {schema}{dot}{name} does not exist"))
}

/// A value as a variable or column of this type keeps it.
pub fn convert(
    v: Value<'static>,
    ty: SqlType,
    name: &str,
    mode: SqlMode,
    cx: &mut StatementCtx<'_>,
) -> Result<Value<'static>, SqlError> {
    if v.is_null() || ty == SqlType::Null {
        return Ok(v);
    }
    let settings = cx.reads.settings;
    let now = cx.reads.eval(cx.now_micros).now_micros;
    let mut sx = StoreCtx {
        column: name,
        table: None,
        row: 1,
        strict: mode.strict(),
        mode,
        tz: settings.tz,
        now_micros: now,
        warnings: cx.changes.warnings,
        session: None,
    };
    let stored = ty.store(&v, &mut sx).map_err(value_error)?;
    Ok(ty.load(stored.as_ref(), settings.tz).into_owned())
}

impl Code {
    /// `schema.name`, as errors tell it.
    pub fn full_name(&self) -> String {
        format!("{}.{}", self.object.schema, self.meta.name)
    }

    pub fn schema(&self) -> &str {
        &self.object.schema
    }

    /// The session's settings as the program sees them.
    pub fn settings(&self, of: &Settings) -> Settings {
        Settings {
            mode: self.mode,
            lex_mode: lex_mode(self.mode.0),
            collation: self.collation,
            client: Charset::by_name(&self.meta.client).filter(|c| sent::client(*c).is_some()),
            // The limit is one of statements that clients send.
            max_execution: 0,
            ..of.clone()
        }
    }

    /// A value as the variable keeps it: converted as an assignment to a column would.
    pub fn stored(
        &self,
        slot: u32,
        v: Value<'static>,
        cx: &mut StatementCtx<'_>,
    ) -> Result<Value<'static>, SqlError> {
        self.stored_under(self.mode, slot, v, cx)
    }

    /// The same under the modes of anyone who gives the value.
    pub fn stored_under(
        &self,
        mode: SqlMode,
        slot: u32,
        v: Value<'static>,
        cx: &mut StatementCtx<'_>,
    ) -> Result<Value<'static>, SqlError> {
        let name = self.body.slots[slot as usize].name.as_str();
        convert(v, self.infos[slot as usize].ty, name, mode, cx)
    }

    /// A function's value in the function's type.
    pub fn returned(
        &self,
        v: Value<'static>,
        cx: &mut StatementCtx<'_>,
    ) -> Result<Value<'static>, SqlError> {
        match &self.meta.returns {
            Some((_, c)) => convert(v, c.ty, &format!("{}()", self.object.name), self.mode, cx),
            None => Ok(v),
        }
    }

    pub fn keep(&self, at: usize, kept: Kept) {
        if let Some(place) = self.kept.get(at) {
            *place.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        }
    }

    /// Nothing for a place that is not one: what is run there is bound again each time.
    pub fn kept(&self, at: usize) -> Kept {
        let place = self.kept.get(at);
        place.map_or(Kept::Nothing, |p| p.lock().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

/// 1318.
pub fn check_count(code: &Code, given: usize) -> Result<(), SqlError> {
    let wanted = code.meta.params.len();
    if wanted == given {
        return Ok(());
    }
    let what = if code.meta.returns.is_some() { "FUNCTION" } else { "PROCEDURE" };
    let name = code.full_name();
    Err(SqlError::of(errno::ER_SP_WRONG_NO_OF_ARGS, &[&what, &name, &wanted, &given]))
}
