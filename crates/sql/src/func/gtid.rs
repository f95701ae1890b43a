//! Sets of global transaction identifiers: `uuid:1-5:9,uuid:3`. This server gives its transactions none; a replica knows those of its
//! source, and tools compute with them.

use super::infer;
use super::{FuncDef, def};
use crate::errno;
use crate::value::{Value, ValueError};
use weir_binlog::{Gtid, GtidSet};

pub(super) const TABLE: &[FuncDef] = &[
    def("GTID_SUBSET", 2, 2, infer::int_null::<21>, |_, a| {
        let Some((a, b)) = both(a)? else { return Ok(Value::Null) };
        Ok(Value::bool(a.is_subset(&b)))
    })
    .truth(),
    def("GTID_SUBTRACT", 2, 2, infer::long_text, |cx, a| {
        let Some((a, b)) = both(a)? else { return Ok(Value::Null) };
        Ok(Value::text(a.minus(&b).to_string().into_bytes(), cx.collation))
    }),
];

fn both(args: &[Value<'_>]) -> Result<Option<(GtidSet, GtidSet)>, ValueError> {
    let (Some(a), Some(b)) = (args[0].to_string_lossy(), args[1].to_string_lossy()) else {
        return Ok(None);
    };
    Ok(Some((parse(&a)?, parse(&b)?)))
}

/// Errors: 1772 for what is no set.
pub fn parse(list: &str) -> Result<GtidSet, ValueError> {
    let wrong = |_| ValueError::of(errno::ER_MALFORMED_GTID_SET_SPECIFICATION, &[&list]);
    list.parse().map_err(wrong)
}

/// Whether a text is a set of identifiers.
pub fn is_set(text: &str) -> bool {
    parse(text).is_ok()
}

/// Whether a text is the identifier of one transaction: `uuid:number`.
pub fn is_one(text: &str) -> bool {
    text.parse::<Gtid>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;

    const A: &str = "3E11FA47-71CA-11E1-9E33-C80AA9429562";
    const B: &str = "2174b383-5441-11e8-b90a-c80aa9429562";

    #[test]
    fn sets() {
        let of = |uuid: &str, rest: &str| format!("{uuid}:{rest}");
        let cases = [
            (of(A, "23"), of(A, "21-57"), "1", ""),
            (of(A, "21-57"), of(A, "20-25"), "0", "26-57"),
            (of(A, "23-25"), of(A, "24"), "0", "23:25"),
            (of(A, "1:3:2"), of(B, "1"), "0", "1-3"),
            (String::new(), of(B, "1"), "1", ""),
        ];
        for (a, b, subset, left) in cases {
            let args = [s(&a), s(&b)];
            assert_eq!(run("GTID_SUBSET", &args).as_deref(), Some(subset), "{a} {b}");
            let left = match left {
                "" => String::new(),
                l => of(&A.to_ascii_lowercase(), l),
            };
            assert_eq!(run("GTID_SUBTRACT", &args), Some(left), "{a} {b}");
        }
        assert_eq!(run("GTID_SUBSET", &[crate::value::Value::Null, s("")]), None);
        for wrong in ["x", A, &of(A, ""), &of(A, "0"), &of(A, "1-")] {
            let e = call("GTID_SUBSET", &[s(wrong), s("")]).expect_err("malformed");
            assert_eq!(e.errno, 1772, "{wrong}");
        }
    }
}
