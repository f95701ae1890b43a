//! Functions of monitoring: units for people, digests of statements, numbers of threads, short unique numbers.

use super::facts::Definitions;
use super::infer;
use super::{FuncCtx, FuncDef, Out, def, varying};
use crate::errno;
use crate::value::{SqlType, TypeInfo, Value, ValueError};
use sha2::{Digest as _, Sha256};
use weir_syntax::parse::{ParseOptions, digest};

pub(super) const TABLE: &[FuncDef] = &[
    def("FORMAT_BYTES", 1, 1, unit_text, |cx, a| scaled(cx, a, &BYTES)),
    def("FORMAT_PICO_TIME", 1, 1, unit_text, |cx, a| scaled(cx, a, &PICOSECONDS)),
    varying("MYSQL_QUERY_ATTRIBUTE_STRING", 1, 1, infer::unknown_text, |cx, a| {
        let Some(name) = a[0].to_string_lossy() else { return Ok(Value::Null) };
        let found = cx.session.query_attribute(name.as_bytes());
        Ok(found.map_or(Value::Null, |text| Value::text(text, cx.collation)))
    }),
    varying("PS_CURRENT_THREAD_ID", 0, 0, infer::uint_null::<21>, |cx, _| {
        Ok(Value::UInt(cx.session.connection_id()))
    })
    .in_definitions(Definitions::Anywhere),
    varying("PS_THREAD_ID", 1, 1, infer::uint_null::<21>, thread_of)
        .in_definitions(Definitions::Anywhere),
    varying("STATEMENT_DIGEST", 1, 1, infer::text_null::<64>, |cx, a| {
        Ok(digest_text(cx, a)?.map_or(Value::Null, |t| ascii(cx, digest_hash(&t))))
    })
    .texts(),
    varying("STATEMENT_DIGEST_TEXT", 1, 1, infer::unknown_text, |cx, a| {
        Ok(digest_text(cx, a)?.map_or(Value::Null, |t| ascii(cx, t)))
    })
    .texts(),
    varying("UUID_SHORT", 0, 0, infer::uint::<21>, |cx, _| {
        Ok(Value::UInt(cx.session.short_uuid()))
    })
    .volatile(),
];

/// Bytes of tokens that a digest takes in at most: the default of `max_digest_length`.
pub const MAX_DIGEST_LENGTH: usize = 1024;

/// A digest: the SHA-256 of its text, in hexadecimal.
pub fn digest_hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|b| format!("{b:02x}")).collect()
}

fn ascii(cx: &FuncCtx<'_>, text: String) -> Value<'static> {
    Value::text(text.into_bytes(), cx.collation)
}

fn unit_text(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::varchar(11, infer::SYSTEM), true)
}

/// Units of one quantity: each with how many of the smallest it is, the smallest last.
struct Units {
    larger: &'static [(f64, &'static str)],
    smallest: &'static str,
    /// Digits that a number without a unit is padded to.
    width: usize,
}

const BYTES: Units = Units {
    larger: &[
        (1_152_921_504_606_846_976.0, "EiB"),
        (1_125_899_906_842_624.0, "PiB"),
        (1_099_511_627_776.0, "TiB"),
        (1_073_741_824.0, "GiB"),
        (1_048_576.0, "MiB"),
        (1024.0, "KiB"),
    ],
    smallest: "bytes",
    width: 4,
};

const PICOSECONDS: Units = Units {
    larger: &[
        (86.4e15, "d"),
        (3.6e15, "h"),
        (60e12, "min"),
        (1e12, "s"),
        (1e9, "ms"),
        (1e6, "us"),
        (1e3, "ns"),
    ],
    smallest: "ps",
    width: 3,
};

fn scaled(cx: &mut FuncCtx<'_>, args: &[Value<'_>], units: &Units) -> Out {
    let Some(n) = args[0].to_f64(&mut cx.warnings) else { return Ok(Value::Null) };
    let text = match units.larger.iter().find(|(one, _)| n.abs() >= *one) {
        None => format!("{:>width$} {}", n as i64, units.smallest, width = units.width),
        Some((one, unit)) => {
            let n = n / one;
            match n.abs() >= 100_000.0 {
                true => format!("{} {unit}", exponential(n)),
                false => format!("{n:.2} {unit}"),
            }
        }
    };
    Ok(Value::text(text.into_bytes(), infer::SYSTEM))
}

/// Two digits behind the point, and an exponent of at least two with its sign, as C's %.2e has it.
fn exponential(n: f64) -> String {
    let text = format!("{n:.2e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// Threads of performance_schema have the numbers of their connections.
fn thread_of(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let id = args[0].to_u64(&mut cx.warnings);
    Ok(id.filter(|id| cx.session.is_connected(*id)).map_or(Value::Null, Value::UInt))
}

/// Errors: 3676 for what is not one statement.
fn digest_text(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Result<Option<String>, ValueError> {
    let Some(sql) = args[0].to_bytes() else { return Ok(None) };
    cx.work(sql.len())?;
    let opts = ParseOptions {
        sql_mode: cx.mode.of_lexer(),
        allow_params: true,
        ..ParseOptions::default()
    };
    let refused = |why: &str| ValueError::of(errno::ER_PARSE_ERROR_IN_DIGEST_FN, &[&why]);
    let parsed = digest::parse_with_digest(&sql, &opts, MAX_DIGEST_LENGTH, None);
    let (first, text) = parsed.map_err(|e| refused(&e.message))?;
    let rest = &sql[first.consumed.min(sql.len())..];
    if !rest.trim_ascii().is_empty() {
        return Err(refused("more than one statement"));
    }
    Ok(Some(text))
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;

    #[test]
    fn quantities() {
        check(&[
            ("FORMAT_BYTES", &[i(512)], Some(" 512 bytes")),
            ("FORMAT_BYTES", &[i(1024)], Some("1.00 KiB")),
            ("FORMAT_BYTES", &[Value::UInt(u64::MAX)], Some("16.00 EiB")),
            ("FORMAT_BYTES", &[i(-2_097_152)], Some("-2.00 MiB")),
            ("FORMAT_BYTES", &[Value::Double(1e30)], Some("8.67e+11 EiB")),
            ("FORMAT_BYTES", &[Value::Null], None),
            ("FORMAT_PICO_TIME", &[i(3501)], Some("3.50 ns")),
            ("FORMAT_PICO_TIME", &[i(188_732_396_662_000)], Some("3.15 min")),
            ("FORMAT_PICO_TIME", &[i(35)], Some(" 35 ps")),
        ]);
    }

    #[test]
    fn digests() {
        check(&[
            (
                "STATEMENT_DIGEST_TEXT",
                &[s("select *, 1 from mytable where cola = 10 and colb in (1,2)")],
                Some("SELECT * , ? FROM `mytable` WHERE `cola` = ? AND `colb` IN (...)"),
            ),
            ("STATEMENT_DIGEST_TEXT", &[Value::Null], None),
        ]);
        let a = run("STATEMENT_DIGEST", &[s("select 1")]);
        assert_eq!(a, run("STATEMENT_DIGEST", &[s("SELECT   -25;")]));
        assert_eq!(a.map(|t| t.len()), Some(64));
        for wrong in ["", "selec 1", "select 1; select 2"] {
            assert_eq!(call("STATEMENT_DIGEST", &[s(wrong)]).expect_err(wrong).errno, 3676);
        }
    }
}
