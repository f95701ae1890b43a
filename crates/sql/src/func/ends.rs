//! Test: a call that takes long ends when its statement must, and a result is charged before it is made.

use super::testing::{i, s};
use super::{EvalCtx, lookup};
use crate::errno;
use crate::memory::{Account, ServerMemory, SessionMemory};
use crate::value::geo::{Coord, Geometry, Shape};
use crate::value::{NoSession, SessionInfo, Value, ValueError};
use crate::vars::GlobalVars;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// A session that is killed while its statement runs, at the second look, or that may have so much memory.
struct Watched {
    looks: AtomicU32,
    memory: Option<Arc<SessionMemory>>,
}

impl SessionInfo for Watched {
    fn database(&self) -> Option<String> {
        None
    }
    fn user(&self) -> String {
        String::new()
    }
    fn current_user(&self) -> String {
        String::new()
    }
    fn connection_id(&self) -> u64 {
        0
    }
    fn last_insert_id(&self) -> u64 {
        0
    }
    fn set_last_insert_id(&self, _: u64) {}
    fn row_count(&self) -> i64 {
        -1
    }
    fn found_rows(&self) -> u64 {
        0
    }
    fn version(&self) -> String {
        NoSession.version()
    }
    fn clock_micros(&self) -> i64 {
        0
    }
    fn random(&self) -> u64 {
        0
    }
    fn stopped(&self) -> Option<ValueError> {
        let before = self.looks.fetch_add(1, Ordering::Relaxed);
        let killed = self.memory.is_none() && before > 0;
        killed.then(|| ValueError::new(errno::ER_QUERY_INTERRUPTED, "interrupted"))
    }
    fn memory(&self) -> Account<'_> {
        self.memory.as_ref()
    }
}

fn errno(session: &Watched, name: &str, args: &[Value<'_>]) -> Option<u16> {
    let mut cx = EvalCtx::new(session);
    cx.max_packet = 1 << 30;
    let f = lookup(name).unwrap_or_else(|| panic!("{name} is not there"));
    (f.eval)(&mut cx, args).err().map(|e| e.errno)
}

#[test]
fn a_killed_statement_ends_within_a_function() {
    const N: usize = 400_000;
    let json = format!("[{}1]", "1,".repeat(N));
    let objects = format!("{{\"a\":[{}1]}}", "{\"b\":\"x\"},".repeat(N / 4));
    let xml = format!("<r>{}</r>", "<a>x</a>".repeat(N / 4));
    let wkt = format!("LINESTRING({}2 2)", "1 1,".repeat(N));
    let geojson =
        format!("{{\"type\":\"LineString\",\"coordinates\":[{}[2,2]]}}", "[1,1],".repeat(N));
    let (a, list) = ("a".repeat(N), "x,".repeat(N));
    let around = |lat: f64| {
        let corner = |n: usize| Coord { x: n as f64 / 1e4, y: lat };
        let line = Shape::LineString((0..N).map(corner).collect());
        Value::Bytes(Geometry { srid: 4326, shape: line }.to_stored().into())
    };
    let cases: [(&str, Vec<Value<'_>>); 29] = [
        ("ST_LENGTH", vec![around(10.0)]),
        ("ST_DISTANCE", vec![around(10.0), around(40.0)]),
        ("ST_INTERSECTS", vec![around(10.0), around(40.0)]),
        ("JSON_VALID", vec![s(&json)]),
        ("JSON_EXTRACT", vec![s(&json), s("$[1]")]),
        ("JSON_TYPE", vec![s(&objects)]),
        ("JSON_LENGTH", vec![s(&objects)]),
        ("JSON_KEYS", vec![s(&objects)]),
        ("JSON_CONTAINS", vec![s(&objects), s("1")]),
        ("JSON_SET", vec![s(&objects), s("$.a"), i(1)]),
        ("JSON_SEARCH", vec![s(&objects), s("one"), s("y")]),
        ("JSON_MERGE_PATCH", vec![s(&objects), s(&objects)]),
        ("JSON_PRETTY", vec![s(&json)]),
        ("EXTRACTVALUE", vec![s(&xml), s("/r/a")]),
        ("UPDATEXML", vec![s(&xml), s("/r"), s("x")]),
        ("ST_GEOMFROMTEXT", vec![s(&wkt)]),
        ("ST_GEOMFROMGEOJSON", vec![s(&geojson)]),
        ("REGEXP_LIKE", vec![s(&a), s("b")]),
        ("REGEXP_LIKE", vec![s(&a), s("(?=.*b)a")]),
        ("REGEXP_LIKE", vec![s(&a), s("(a)\\\\1b")]),
        ("REGEXP_INSTR", vec![s(&a), s("(?<!b)c")]),
        ("REGEXP_REPLACE", vec![s(&a), s("(?=a)a"), s("b")]),
        ("FIND_IN_SET", vec![s("z"), s(&list)]),
        ("REPLACE", vec![s(&a), s("a"), s("bb")]),
        ("INSTR", vec![s(&a), s("ab")]),
        ("LIKE", vec![s(&a), s("%a%b")]),
        ("SUBSTRING_INDEX", vec![s(&list), s(","), i(-100_000_000)]),
        ("COMPRESS", vec![s(&a)]),
        ("AES_ENCRYPT", vec![s(&a), s("k")]),
    ];
    let wrong = cases.iter().filter(|(name, args)| {
        let session = Watched { looks: AtomicU32::new(0), memory: None };
        errno(&session, name, args) != Some(1317)
    });
    let wrong: Vec<_> = wrong.map(|(name, _)| name).collect();
    assert!(wrong.is_empty(), "{wrong:?} did not look whether they must end");
}

#[test]
fn a_result_is_charged_before_it_is_made() {
    const LIMIT: u64 = 4 << 20;
    let vars = Arc::new(GlobalVars::default());
    let (tenth, hundredth) = ("x".repeat(400_000), "x".repeat(40_000));
    let long = "y".repeat(1000);
    let all = |n: i64| vec![s(&hundredth), i(n)];
    let cases: [(&str, Vec<Value<'_>>); 8] = [
        ("REPEAT", all(200)),
        ("LPAD", vec![s("x"), i(8 << 20), s("y")]),
        ("RPAD", vec![s("x"), i(8 << 20), s("y")]),
        ("SPACE", vec![i(8 << 20)]),
        ("REPLACE", vec![s(&hundredth), s("x"), s(&long)]),
        ("CONCAT", vec![s(&tenth); 20]),
        ("CONCAT_WS", vec![s(&tenth); 20]),
        ("EXPORT_SET", vec![i(5), s(&tenth), s(&tenth)]),
    ];
    for (name, args) in cases {
        let memory = SessionMemory::new(Arc::new(ServerMemory::new(vars.clone())));
        memory.set_limit(LIMIT);
        let session = Watched { looks: AtomicU32::new(0), memory: Some(memory) };
        assert_eq!(errno(&session, name, &args), Some(4082), "{name}");
    }
}
