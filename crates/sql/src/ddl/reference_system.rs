//! CREATE and DROP SPATIAL REFERENCE SYSTEM.
//!
//! A system that a statement has made is an object of the engine in the schema `mysql`, named by its number; one that is there from the
//! start and was dropped is an object without a definition. All of them are read when the database is opened.

use super::engine_error;
use super::refused::value_error;
use crate::context::{AdminResult, SYSTEM_SCHEMA, StatementCtx};
use crate::errno;
use crate::meta::codec::bytes::{Reader, Writer, damaged};
use crate::session_api::SqlError;
use crate::value::geo::Srs;
use crate::value::geo::srs::ReferenceSystems;
use crate::value::geo::srs_wkt::{self, Definition};
use crate::value::{Collation, SqlType};
use std::borrow::Cow;
use std::sync::Arc;
use weir_engine::{Db, Object, ObjectKind};
use weir_syntax::ast::{CreateReferenceSystem, ReferenceSystemAttribute as Attribute};

const VERSION: u8 = 1;

/// Numbers that later versions may use for systems of their own.
const RESERVED: [(u32, u32); 3] =
    [(0, 32_767), (60_000_000, 69_999_999), (2_000_000_000, 2_147_483_647)];

/// What a statement says of a system, each at most once.
struct Attributes {
    name: String,
    definition: String,
    organization: Option<(String, u32)>,
    description: Option<String>,
}

fn once<T>(to: &mut Option<T>, value: T, attribute: &str) -> Result<(), SqlError> {
    match to.replace(value) {
        Some(_) => Err(SqlError::of(errno::ER_SRS_MULTIPLE_ATTRIBUTE_DEFINITIONS, &[&attribute])),
        None => Ok(()),
    }
}

/// A text of at most so many characters, none of which is a control character.
fn checked(text: &str, attribute: &str, most: usize) -> Result<(), SqlError> {
    if text.chars().any(char::is_control) {
        return Err(SqlError::of(errno::ER_SRS_INVALID_CHARACTER_IN_ATTRIBUTE, &[&attribute]));
    }
    if text.chars().count() > most {
        let args: [&dyn std::fmt::Display; 2] = [&attribute, &most];
        return Err(SqlError::of(errno::ER_SRS_ATTRIBUTE_STRING_TOO_LONG, &args));
    }
    Ok(())
}

/// 3710 or 3711 for a name that is empty or has spaces around it.
fn name_checked(text: &str, errno: u16) -> Result<(), SqlError> {
    match text.is_empty() || text.trim() != text {
        true => Err(SqlError::of(errno, &[])),
        false => Ok(()),
    }
}

fn number(n: u64, what: &str) -> Result<u32, SqlError> {
    let function = "CREATE SPATIAL REFERENCE SYSTEM";
    u32::try_from(n).map_err(|_| SqlError::of(errno::ER_DATA_OUT_OF_RANGE, &[&what, &function]))
}

fn attributes(list: &[Attribute]) -> Result<Attributes, SqlError> {
    let (mut name, mut definition, mut organization, mut description) = (None, None, None, None);
    for attribute in list {
        match attribute {
            Attribute::Name(t) => once(&mut name, t.to_string(), "NAME")?,
            Attribute::Definition(t) => once(&mut definition, t.to_string(), "DEFINITION")?,
            Attribute::Organization(t, n) => {
                once(&mut organization, (t.to_string(), *n), "ORGANIZATION")?;
            }
            Attribute::Description(t) => once(&mut description, t.to_string(), "DESCRIPTION")?,
        }
    }
    let missing =
        |attribute: &str| SqlError::of(errno::ER_SRS_MISSING_MANDATORY_ATTRIBUTE, &[&attribute]);
    let name = name.ok_or_else(|| missing("NAME"))?;
    let definition = definition.ok_or_else(|| missing("DEFINITION"))?;
    name_checked(&name, errno::ER_SRS_NAME_CANT_BE_EMPTY_OR_WHITESPACE)?;
    checked(&name, "NAME", 80)?;
    let organization = match organization {
        None => None,
        Some((organization, n)) => {
            name_checked(&organization, errno::ER_SRS_ORGANIZATION_CANT_BE_EMPTY_OR_WHITESPACE)?;
            checked(&organization, "ORGANIZATION", 256)?;
            Some((organization, number(n, "IDENTIFIED BY")?))
        }
    };
    checked(&definition, "DEFINITION", 4096)?;
    if let Some(text) = &description {
        checked(text, "DESCRIPTION", 2048)?;
    }
    Ok(Attributes { name, definition, organization, description })
}

fn system(srid: u32, a: Attributes) -> Result<Srs, SqlError> {
    let Definition { geographic, lat_long, ellipsoid, unit, .. } =
        srs_wkt::parse(srid, &a.definition).map_err(value_error)?;
    Ok(Srs {
        srid,
        name: Cow::Owned(a.name),
        organization: a.organization.map(|(name, n)| (Cow::Owned(name), n)),
        geographic,
        lat_long,
        ellipsoid,
        unit,
        known: false,
        definition: Cow::Owned(a.definition),
        description: a.description,
    })
}

fn encode(srs: Option<&Srs>) -> Vec<u8> {
    let mut w = Writer(Vec::new());
    w.u8(VERSION);
    w.u8(u8::from(srs.is_some()));
    if let Some(srs) = srs {
        w.str(&srs.name);
        w.str(&srs.definition);
        w.u8(u8::from(srs.organization.is_some()));
        if let Some((name, n)) = &srs.organization {
            w.str(name);
            w.u32(*n);
        }
        w.u8(u8::from(srs.description.is_some()));
        if let Some(text) = &srs.description {
            w.str(text);
        }
    }
    w.0
}

fn decode(object: &Object) -> Result<(u32, Option<Arc<Srs>>), SqlError> {
    let srid: u32 = object.name.parse().map_err(|_| damaged())?;
    let mut r = Reader(&object.text);
    r.version(VERSION)?;
    if r.u8()? == 0 {
        return Ok((srid, None));
    }
    let (name, definition) = (r.str()?, r.str()?);
    let organization = if r.u8()? == 1 { Some((r.str()?, r.u32()?)) } else { None };
    let description = if r.u8()? == 1 { Some(r.str()?) } else { None };
    let srs = system(srid, Attributes { name, definition, organization, description })?;
    Ok((srid, Some(Arc::new(srs))))
}

/// Those that statements of earlier sessions have made.
pub fn load(db: &Db) -> Result<ReferenceSystems, SqlError> {
    let all = ReferenceSystems::default();
    for object in db.objects(ObjectKind::ReferenceSystem, SYSTEM_SCHEMA) {
        let (srid, now) = decode(&object)?;
        all.set(srid, now);
    }
    Ok(all)
}

/// Keeps what a system is from now on, on disk first.
async fn put(
    srid: u32,
    now: Option<Srs>,
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    let (kind, schema, name) = (ObjectKind::ReferenceSystem, SYSTEM_SCHEMA, srid.to_string());
    let db = ctx.reads.db();
    match (&now, Srs::built_in(srid)) {
        (None, None) => {
            let known: Vec<Arc<Object>> = db.object(kind, schema, &name).into_iter().collect();
            db.drop_objects(&known).await.map_err(engine_error)?;
        }
        _ => {
            let text = encode(now.as_ref());
            let object = Object { kind, schema: schema.into(), name, text };
            db.put_object(object, true).await.map_err(engine_error)?;
        }
    }
    ctx.reads.shared.reference_systems.set(srid, now.map(Arc::new));
    Ok(AdminResult::ok())
}

/// 3716 if a column has geometries of this system alone.
fn check_unused(srid: u32, ctx: &StatementCtx<'_>) -> Result<(), SqlError> {
    let db = ctx.reads.db();
    for schema in db.schemas() {
        for table in ctx.reads.meta().tables(db, &schema.name) {
            let uses =
                |ty: &SqlType| matches!(ty, SqlType::Geometry { srid: Some(n), .. } if *n == srid);
            if table.columns.iter().any(|c| uses(&c.ty)) {
                return Err(SqlError::of(errno::ER_CANT_MODIFY_SRS_USED_BY_COLUMN, &[&srid]));
            }
        }
    }
    Ok(())
}

/// Whether nothing that is computed with the system changes.
fn computes_alike(old: &Srs, new: &Srs) -> bool {
    let shift = |s: &Srs| srs_wkt::parse(s.srid, &s.definition).ok().and_then(|d| d.shift);
    let none =
        |shift: &Option<Vec<f64>>| shift.as_ref().is_none_or(|s| s.iter().all(|x| *x == 0.0));
    let (a, b) = (shift(old), shift(new));
    (old.geographic, old.lat_long, old.ellipsoid, old.unit)
        == (new.geographic, new.lat_long, new.ellipsoid, new.unit)
        && (a == b || (none(&a) && none(&b)))
}

/// 1062 for a name, or a number of an organization, that another system has.
fn check_unique(new: &Srs, ctx: &StatementCtx<'_>) -> Result<(), SqlError> {
    let same =
        |a: &str, b: &str| Collation::Utf8mb40900AiCi.compare(a.as_bytes(), b.as_bytes()).is_eq();
    let taken = |entry: String, key: &str| {
        let key = format!("st_spatial_reference_systems.{key}");
        Err(SqlError::of(errno::ER_DUP_ENTRY, &[&entry, &key]))
    };
    for other in ctx.reads.shared.reference_systems.all() {
        if other.srid == new.srid {
            continue;
        }
        if same(&other.name, &new.name) {
            return taken(format!("1-{}", new.name), "SRS_NAME");
        }
        if let (Some((a, n)), Some((b, m))) = (&other.organization, &new.organization)
            && n == m
            && same(a, b)
        {
            return taken(format!("1-{b}-{m}"), "ORGANIZATION_AND_ID");
        }
    }
    Ok(())
}

pub async fn create(
    c: &CreateReferenceSystem,
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    let attributes = attributes(&c.attributes)?;
    let srid = number(c.srid, "SRID")?;
    if srid == 0 {
        return Err(SqlError::of(errno::ER_CANT_MODIFY_SRID_0, &[]));
    }
    let old = ctx.reads.shared.reference_systems.get(srid);
    if old.is_some() && c.if_not_exists {
        let text = SqlError::of(errno::ER_WARN_SRS_ID_ALREADY_EXISTS, &[&srid]).message;
        ctx.changes.warnings.warn(errno::ER_WARN_SRS_ID_ALREADY_EXISTS, || text);
        return Ok(AdminResult::ok());
    }
    if old.is_some() && !c.or_replace {
        return Err(SqlError::of(errno::ER_SRS_ID_ALREADY_EXISTS, &[&srid]));
    }
    let new = system(srid, attributes)?;
    check_unique(&new, ctx)?;
    if let Some(old) = old
        && !computes_alike(&old, &new)
    {
        check_unused(srid, ctx)?;
    }
    if let Some((from, to)) = RESERVED.iter().find(|(from, to)| (*from..=*to).contains(&srid)) {
        let text = SqlError::of(errno::ER_WARN_RESERVED_SRID_RANGE, &[from, to]).message;
        ctx.changes.warnings.warn(errno::ER_WARN_RESERVED_SRID_RANGE, || text);
    }
    put(srid, Some(new), ctx).await
}

pub async fn drop(
    srid: u64,
    if_exists: bool,
    ctx: &mut StatementCtx<'_>,
) -> Result<AdminResult, SqlError> {
    let srid = u32::try_from(srid).map_err(|_| {
        let function = "DROP SPATIAL REFERENCE SYSTEM";
        SqlError::of(errno::ER_DATA_OUT_OF_RANGE, &[&"SRID", &function])
    })?;
    if srid == 0 {
        return Err(SqlError::of(errno::ER_CANT_MODIFY_SRID_0, &[]));
    }
    if ctx.reads.shared.reference_systems.get(srid).is_none() {
        if !if_exists {
            return Err(SqlError::of(errno::ER_SRS_NOT_FOUND, &[&srid]));
        }
        let text = SqlError::of(errno::ER_WARN_SRS_NOT_FOUND, &[&srid]).message;
        ctx.changes.warnings.warn(errno::ER_WARN_SRS_NOT_FOUND, || text);
        return Ok(AdminResult::ok());
    }
    check_unused(srid, ctx)?;
    put(srid, None, ctx).await
}
