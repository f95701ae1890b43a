//! Functions that ask the session, and those that describe a value.

use super::facts::{Definitions, Id};
use super::infer;
use super::{FuncCtx, FuncDef, Out, def, varying};
use crate::value::{TypeInfo, Value, ValueError};

/// The version of ICU whose syntax and errors regular expressions have, which is that of MySQL 8.0.36.
const ICU: &str = "73.1";

pub(super) const TABLE: &[FuncDef] = &[
    varying("DATABASE", 0, 0, schema_text, database).of_statement(),
    varying("SCHEMA", 0, 0, schema_text, database).alias_of("database").of_statement(),
    varying("USER", 0, 0, infer::system::<288>, |cx, _| Ok(name(cx.session.user()))),
    varying("SESSION_USER", 0, 0, infer::system::<288>, |cx, _| Ok(name(cx.session.user())))
        .alias_of("user"),
    varying("SYSTEM_USER", 0, 0, infer::system::<288>, |cx, _| Ok(name(cx.session.user())))
        .alias_of("user"),
    varying("CURRENT_USER", 0, 0, infer::system::<288>, |cx, _| {
        Ok(name(cx.session.current_user()))
    }),
    varying("CURRENT_ROLE", 0, 0, role_text, |cx, _| Ok(name(cx.session.current_role()))),
    varying("CONNECTION_ID", 0, 0, infer::uint::<21>, |cx, _| {
        Ok(Value::UInt(cx.session.connection_id()))
    })
    .of_statement(),
    varying("LAST_INSERT_ID", 0, 1, infer::uint::<21>, last_insert_id)
        .in_definitions(Definitions::Nowhere),
    varying("ROW_COUNT", 0, 0, infer::int::<21>, |cx, _| Ok(Value::Int(cx.session.row_count())))
        .in_definitions(Definitions::Nowhere),
    varying("FOUND_ROWS", 0, 0, infer::int::<21>, |cx, _| {
        Ok(Value::Int(cx.session.found_rows() as i64))
    })
    .id(Id::FoundRows)
    .in_definitions(Definitions::Nowhere),
    def("ICU_VERSION", 0, 0, infer::system::<60>, |_, _| Ok(name(ICU))),
    varying("VERSION", 0, 0, infer::system::<60>, |cx, _| Ok(name(cx.session.version())))
        .id(Id::Version)
        .in_definitions(Definitions::Nowhere),
    varying("RELEASE_LOCK", 1, 1, infer::int_null::<1>, |cx, a| {
        Ok(cx
            .session
            .release_lock(a[0].to_string_lossy().as_deref())?
            .map_or(Value::Null, Value::bool))
    })
    .texts()
    .in_definitions(Definitions::Nowhere),
    varying("RELEASE_ALL_LOCKS", 0, 0, infer::uint::<21>, |cx, _| {
        Ok(Value::UInt(cx.session.release_all_locks()))
    })
    .in_definitions(Definitions::Nowhere),
    varying("IS_FREE_LOCK", 1, 1, infer::int_null::<1>, |cx, a| {
        let owner = cx.session.lock_owner(a[0].to_string_lossy().as_deref())?;
        Ok(Value::bool(owner.is_none()))
    })
    .id(Id::IsFreeLock)
    .texts()
    .in_definitions(Definitions::Nowhere),
    varying("IS_USED_LOCK", 1, 1, infer::uint_null::<21>, |cx, a| {
        let owner = cx.session.lock_owner(a[0].to_string_lossy().as_deref())?;
        Ok(owner.map_or(Value::Null, Value::UInt))
    })
    .texts()
    .in_definitions(Definitions::Nowhere),
    def("CHARSET", 1, 1, infer::text::<64>, |cx, a| Ok(name(collation(cx, a).charset().name())))
        .id(Id::Charset),
    def("COLLATION", 1, 1, infer::text::<64>, |cx, a| Ok(name(collation(cx, a).name())))
        .id(Id::Collation),
    // As without MySQL's component for it: no password is strong.
    def("VALIDATE_PASSWORD_STRENGTH", 1, 1, infer::int_null::<10>, |_, a| {
        Ok(if a[0].is_null() { Value::Null } else { Value::Int(0) })
    })
    .texts(),
    def("BENCHMARK", 2, 2, infer::int_null::<1>, |_, _| {
        Err(ValueError::not_supported("BENCHMARK()"))
    }),
];

/// Names of any number of roles.
fn role_text(_: &[TypeInfo]) -> TypeInfo {
    let ty = infer::text_type(infer::UNKNOWN, infer::SYSTEM);
    TypeInfo { ty, ..infer::system::<0>(&[]) }
}

/// There may be no schema.
fn schema_text(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo { nullable: true, ..infer::system::<64>(&[]) }
}

fn name(text: impl Into<String>) -> Value<'static> {
    Value::text(text.into().into_bytes(), infer::SYSTEM)
}

fn database(cx: &mut FuncCtx<'_>, _: &[Value<'_>]) -> Out {
    Ok(cx.session.database().map_or(Value::Null, name))
}

fn last_insert_id(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let Some(v) = args.first() else { return Ok(Value::UInt(cx.session.last_insert_id())) };
    let id = v.to_u64(&mut cx.warnings);
    cx.session.set_last_insert_id(id.unwrap_or(0));
    Ok(id.map_or(Value::Null, Value::UInt))
}

/// Numbers and dates are binary here, as in MySQL's answer for them.
fn collation(_: &FuncCtx<'_>, args: &[Value<'_>]) -> crate::value::Collation {
    args[0].collation().unwrap_or(crate::value::Collation::Binary)
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    #[test]
    fn table() {
        check(&[
            ("DATABASE", &[], None),
            ("VERSION", &[], Some("8.0.36")),
            ("LAST_INSERT_ID", &[i(7)], Some("7")),
            ("CHARSET", &[s("x")], Some("utf8mb4")),
            ("COLLATION", &[i(1)], Some("binary")),
        ]);
        assert_eq!(call("BENCHMARK", &[i(1), i(1)]).expect_err("refused").errno, 1235);
    }
}
