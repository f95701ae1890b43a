//! Changes of a document as `binlog_row_value_options = PARTIAL_JSON` logs them.

use crate::errno;
use crate::session_api::SqlError;
use crate::value::ValueError;
use crate::value::json::logged::from_logged;
use crate::value::json::{Dom, Json, Leg, Path, place_mut};
use weir_binlog::value::{JsonDiff, JsonOp};
use weir_engine::row::Datum;

/// The document behind the changes. Errors: 13146's sister 3903, the changes do not fit the document.
pub fn changed(old: Datum<'_>, diffs: &[JsonDiff<'_>]) -> Result<Json<'static>, SqlError> {
    let wrong = || {
        SqlError::new(
            errno::ER_INVALID_JSON_VALUE_FOR_FUNC_INDEX,
            "Couldn't apply JSON diff: a path of it is not in the document",
        )
    };
    let bytes = old.as_bytes().ok_or_else(wrong)?;
    let mut doc = Json::from_bytes(bytes).view().to_dom();
    for diff in diffs {
        let path = Path::parse(diff.path).map_err(|_| wrong())?;
        if path.is_wild() {
            return Err(wrong());
        }
        let value = || from_logged(diff.value);
        let done = match diff.op {
            JsonOp::Replace => place_mut(&mut doc, &path.legs).map(|at| *at = value()),
            JsonOp::Insert => insert(&mut doc, &path, value()),
            JsonOp::Remove => remove(&mut doc, &path),
        };
        done.ok_or_else(wrong)?;
    }
    let shown = |e: ValueError| SqlError::new(e.errno, e.message);
    doc.check_depth().map_err(shown)?;
    doc.to_json().map_err(shown)
}

fn insert(doc: &mut Dom, path: &Path, value: Dom) -> Option<()> {
    let (last, parent) = path.legs.split_last()?;
    match (last, place_mut(doc, parent)?) {
        (Leg::Member(name), Dom::Object(members)) => Dom::put(members, name, value),
        (Leg::Cell(c), Dom::Array(list)) => list.insert(c.position(list.len()), value),
        _ => return None,
    }
    Some(())
}

fn remove(doc: &mut Dom, path: &Path) -> Option<()> {
    let (last, parent) = path.legs.split_last()?;
    match (last, place_mut(doc, parent)?) {
        (Leg::Member(name), Dom::Object(members)) => Dom::take(members, name).map(drop),
        (Leg::Cell(c), Dom::Array(list)) => c.within(list.len()).map(|at| drop(list.remove(at))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binlog::json_changes::of;
    use crate::value::json::Key;
    use crate::value::{Date, Decimal};
    use weir_binlog::encode;
    use weir_binlog::table_map::ColumnType;
    use weir_binlog::value::{self, Value};
    use weir_rt::Rng;
    use weir_wire::Reader;

    fn bytes(dom: &Dom) -> Vec<u8> {
        dom.to_json().unwrap().as_bytes().to_vec()
    }

    /// What a replica makes of the changes.
    fn made(old: &[u8], changes: &[u8]) -> Vec<u8> {
        let mut event = Vec::new();
        encode::document_changes(changes, &mut event);
        let mut r = Reader::new(&event);
        let read = value::decode(&mut r, &ColumnType::Json { length: 4 }, true).unwrap();
        let Value::JsonDiff(diffs) = read else { panic!("changes: {read:?}") };
        assert!(r.is_empty());
        changed(Datum::Bytes(old), &diffs).unwrap().as_bytes().to_vec()
    }

    fn parsed(text: &str) -> Vec<u8> {
        crate::value::json::parse(text.as_bytes()).unwrap().to_json().unwrap().as_bytes().to_vec()
    }

    fn paths(old: &str, new: &str) -> Option<Vec<String>> {
        let (old, new) = (parsed(old), parsed(new));
        let changes = of(&old, &new)?;
        assert_eq!(made(&old, &changes), new);
        let mut event = Vec::new();
        encode::document_changes(&changes, &mut event);
        let mut r = Reader::new(&event);
        let Ok(Value::JsonDiff(diffs)) =
            value::decode(&mut r, &ColumnType::Json { length: 4 }, true)
        else {
            panic!("changes")
        };
        let told = |d: &JsonDiff<'_>| format!("{:?} {}", d.op, String::from_utf8_lossy(d.path));
        Some(diffs.iter().map(told).collect())
    }

    #[test]
    fn what_is_in_the_path_alone_is_logged() {
        let long = "x".repeat(200);
        let doc =
            |rest: &str| format!(r#"{{"pad": "{long}", "a": [1, 2, 3, {{"b c": 4}}]{rest}}}"#);
        let old = doc("");
        let to = |new: &str| paths(&old, new);
        assert_eq!(to(&old), Some(vec![]));
        assert_eq!(to(&doc(r#", "z": 1"#)), Some(vec!["Insert $.z".into()]));
        assert_eq!(paths(&doc(r#", "z": 1"#), &old), Some(vec!["Remove $.z".into()]));
        let inside = old.replace("4}", "5}");
        assert_eq!(to(&inside), Some(vec![r#"Replace $.a[3]."b c""#.into()]));
        assert_eq!(to(&old.replace("1, 2, ", "")), Some(vec!["Remove $.a[0]".into(); 2]));
        assert_eq!(to(&old.replace("2, ", "2, 7, 8, ")), {
            Some(vec!["Insert $.a[2]".into(), "Insert $.a[3]".into()])
        });
        // Another type at the place is a replacement; another whole document is no change.
        assert_eq!(
            to(&old.replace("[1, 2, 3,", "[1, \"2\", 3,")),
            Some(vec!["Replace $.a[1]".into()])
        );
        assert_eq!(to("1"), None);
        assert_eq!(to("[]"), None);
        // It is shorter whole.
        assert_eq!(paths(r#"{"abcdefghij": 1}"#, r#"{"k": 2}"#), None);
    }

    fn drawn(rng: &mut Rng, left: u64) -> Dom {
        match rng.below(if left == 0 { 9 } else { 13 }) {
            0 => Dom::Null,
            1 => Dom::Bool(rng.below(2) == 0),
            2 => Dom::Int(rng.below(5) as i64 - 2),
            3 => Dom::UInt(rng.below(1 << 40)),
            4 => Dom::Double([0.0, -0.0, 1.5, 1e300][rng.below(4) as usize]),
            5 => {
                let text = ["1.0", "1.00", "0.1"][rng.below(3) as usize];
                Dom::Decimal(Box::new(Decimal::parse(text.as_bytes()).value.unwrap()))
            }
            6 => Dom::Opaque(252, vec![7; rng.below(4) as usize].into()),
            7 => Dom::Date(Date::new(2026, 11, rng.below(28) as u8 + 1)),
            8 => Dom::str("xyz".repeat(rng.below(80) as usize).as_bytes()),
            9 | 10 => Dom::Array((0..rng.below(6)).map(|_| drawn(rng, left - 1)).collect()),
            _ => {
                let names = ["a", "b", "long name", "", "\"", "ä", "0"];
                let member = |rng: &mut Rng| {
                    let name = names[rng.below(names.len() as u64) as usize];
                    (name.as_bytes().into(), drawn(rng, left - 1))
                };
                Dom::object((0..rng.below(6)).map(|_| member(rng)).collect())
            }
        }
    }

    /// A document that is like another one in most places.
    fn altered(d: &Dom, rng: &mut Rng) -> Dom {
        if rng.below(8) == 0 {
            return drawn(rng, 2);
        }
        match d {
            Dom::Array(list) => {
                let mut out: Vec<Dom> = Vec::new();
                for e in list {
                    match rng.below(8) {
                        0 => {}
                        1 => out.extend([drawn(rng, 1), e.clone()]),
                        2 => out.push(altered(e, rng)),
                        _ => out.push(e.clone()),
                    }
                }
                Dom::Array(out)
            }
            Dom::Object(members) => {
                let kept = members.iter().filter(|_| true).map(|(n, e)| match rng.below(4) {
                    0 => (n.clone(), altered(e, rng)),
                    _ => (n.clone(), e.clone()),
                });
                let mut all: Vec<(Key, Dom)> = kept.collect();
                if rng.below(3) == 0 && !all.is_empty() {
                    all.remove(rng.below(all.len() as u64) as usize);
                }
                if rng.below(3) == 0 {
                    all.push((b"new"[..].into(), drawn(rng, 1)));
                }
                Dom::object(all)
            }
            other => other.clone(),
        }
    }

    #[test]
    fn a_replica_has_the_same_bytes() {
        let mut rng = Rng::new(39);
        let mut shorter = 0;
        for _ in 0..4000 {
            let old = drawn(&mut rng, 4);
            let new = altered(&old, &mut rng);
            let (old, new) = (bytes(&old), bytes(&new));
            let Some(changes) = of(&old, &new) else { continue };
            assert_eq!(made(&old, &changes), new);
            shorter += 1;
        }
        assert!(shorter > 1000, "{shorter} of 4000 were shorter as changes");
    }
}
