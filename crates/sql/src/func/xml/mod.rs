//! EXTRACTVALUE() and UPDATEXML(): XPath over fragments of XML. Variables (`$x`, `$@x`) are refused (1105).

mod document;
mod eval;
mod parse;

use super::facts::Definitions;
use super::infer;
use super::{FuncCtx, FuncDef, Out, def};
use crate::errno;
use crate::value::{Charset, Value, ValueError};
use document::{Document, Kind};
use eval::{Budget, evaluate};
use parse::Expr;

pub(super) const TABLE: &[FuncDef] = &[
    def("EXTRACTVALUE", 2, 2, infer::unknown_text, extract_value).texts(),
    def("UPDATEXML", 3, 3, infer::unknown_text, update_xml)
        .texts()
        .in_definitions(Definitions::Nowhere),
];

/// Bytes of work for each node that is looked at, so that long searches can be interrupted.
const NODE: usize = 64;

fn utf8(v: &Value<'_>) -> Option<String> {
    v.to_string_lossy()
}

fn text(cx: &FuncCtx<'_>, s: &str) -> Value<'static> {
    Value::text(Charset::Utf8mb4.convert(s.as_bytes(), cx.collation.charset()).0, cx.collation)
}

/// 1105 for what is no XPath.
fn path(text: &str) -> Result<Expr, ValueError> {
    parse::parse(text).map_err(|rest| {
        let near: String = rest.chars().take(32).collect();
        ValueError::new(errno::ER_UNKNOWN_ERROR, format!("XPATH syntax error: '{near}'"))
    })
}

/// The fragment; none, with warning 1525, where it is no XML.
fn document(cx: &mut FuncCtx<'_>, xml: &str) -> Result<Option<Document>, ValueError> {
    cx.work(xml.len())?;
    let nodes = xml.bytes().filter(|b| matches!(b, b'<' | b'=')).count();
    cx.hold_tree(2 * xml.len() + 2 * nodes * size_of::<document::Node>())?;
    match cx.looking(|look| Document::parse(xml, look))? {
        Ok(d) => Ok(Some(d)),
        Err(why) => {
            cx.warnings.warn(errno::ER_WRONG_VALUE, || format!("Incorrect XML value: '{why}'"));
            Ok(None)
        }
    }
}

/// The texts right inside the nodes that are found, with blanks between, or the value of an expression that gives no nodes.
fn extract_value(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (Some(xml), Some(xpath)) = (utf8(&args[0]), utf8(&args[1])) else { return Ok(Value::Null) };
    let e = path(&xpath)?;
    let Some(d) = document(cx, &xml)? else { return Ok(Value::Null) };
    let found = evaluate(&d, &e, &mut Budget(&mut |n| cx.work(n * NODE)))?;
    let eval::Out::Nodes(nodes) = &found else { return Ok(text(cx, &found.text(&d))) };
    let mut texts: Vec<&str> = Vec::new();
    for n in nodes {
        let node = &d.0[*n];
        match node.kind {
            Kind::Text | Kind::Attribute => texts.push(&node.value),
            _ => {
                let inner = node.children.iter().filter(|c| d.kind(**c) == Kind::Text);
                texts.extend(inner.map(|c| &d.0[*c].value[..]));
            }
        }
    }
    Ok(text(cx, &texts.join(" ")))
}

/// The fragment with one node of it replaced; as it is where none or several are found.
fn update_xml(cx: &mut FuncCtx<'_>, args: &[Value<'_>]) -> Out {
    let (Some(xml), Some(xpath), Some(new)) = (utf8(&args[0]), utf8(&args[1]), utf8(&args[2]))
    else {
        return Ok(Value::Null);
    };
    let e = path(&xpath)?;
    let Some(d) = document(cx, &xml)? else { return Ok(Value::Null) };
    let found = evaluate(&d, &e, &mut Budget(&mut |n| cx.work(n * NODE)))?;
    match &found {
        eval::Out::Nodes(nodes) if nodes.len() == 1 && nodes[0] > 0 => {
            let node = &d.0[nodes[0]];
            let all = [&xml[..node.start], &new, &xml[node.end..]].concat();
            Ok(text(cx, &all))
        }
        _ => Ok(text(cx, &xml)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use crate::value::Value;

    const X: &str = "<a>ccc<b>ddd</b><b x='1' y=\"z\">eee</b><c><d>5</d><d>6</d></c></a>";

    /// The first are from the manual.
    #[test]
    fn values() {
        let cases = [
            ("<a>ccc<b>ddd</b></a>", "/a", "ccc"),
            ("<a>ccc<b>ddd</b></a>", "/a/b", "ddd"),
            ("<a>ccc<b>ddd</b></a>", "//b", "ddd"),
            ("<a>ccc<b>ddd</b></a>", "/b", ""),
            ("<a>ccc<b>ddd</b><b>eee</b></a>", "//b", "ddd eee"),
            ("<a><b/></a>", "count(/a/b)", "1"),
            ("<a><b/></a>", "count(/b)", "0"),
            (X, "//b[2]", "eee"),
            (X, "//b[last()]/@x", "1"),
            (X, "//b[@y='z']", "eee"),
            (X, "//d[. > 5]", "6"),
            (X, "sum(//d) * 2", "22"),
            (X, "/a/*[position() = 2]", "eee"),
            (X, "//d/ancestor::a/text()", "ccc"),
            (X, "//b[1]/following-sibling::b", "eee"),
            (X, "//c/preceding-sibling::b[1]", "eee"),
            (X, "/a/b | /a/c/d", "ddd eee 5 6"),
            (X, "concat(//d[1], '-', substring('hello', 2, 3))", "5-ell"),
            (X, "string-length(//b[1]) + 1", "4"),
            (X, "not(//q) and true()", "1"),
            (X, "//descendant::d[contains(., '6')]", "6"),
            (X, "(//d)[2]", "6"),
            (X, "-3 + 5 mod 3", "-1"),
            ("<a>&lt;x&gt; <![CDATA[<y>]]></a>", "/a", "<x> <y>"),
            ("x<a/>y", "/", "x y"),
        ];
        for (xml, xpath, want) in cases {
            assert_eq!(run("EXTRACTVALUE", &[s(xml), s(xpath)]).as_deref(), Some(want), "{xpath}");
        }
        assert_eq!(run("EXTRACTVALUE", &[s("<a>c</a><b"), s("//a")]), None);
        assert_eq!(run("EXTRACTVALUE", &[Value::Null, s("//a")]), None);
        for wrong in ["", "/a/b[", "name(/a)", "//b[$x]", "/a]", "a:::b", &"(".repeat(500)] {
            let e = call("EXTRACTVALUE", &[s("<a/>"), s(wrong)]).expect_err(wrong);
            assert_eq!(
                (e.errno, e.message.starts_with("XPATH syntax error")),
                (1105, true),
                "{wrong}"
            );
        }
    }

    /// Whatever is asked fits into a session's stack, and ends.
    #[test]
    fn long_and_deep_paths() {
        let small = std::thread::Builder::new().stack_size((192 << 10) * weir_rt::STACK_SCALE);
        let asked = || {
            let deep = "<x>".repeat(90) + "t" + &"</x>".repeat(90);
            let ask = |xml: &str, xpath: &str| {
                call("EXTRACTVALUE", &[s(xml), s(xpath)]).map_err(|e| e.errno)
            };
            let sum = |n: usize| "1+".repeat(n) + "1";
            assert!(ask("<a/>", &sum(150)).is_ok());
            for (path, n) in [("1+", 200_000), ("a|", 200_000), ("1=", 5_000), ("a or ", 5_000)] {
                assert_eq!(ask("<a/>", &(path.repeat(n) + "a")).err(), Some(1105), "{path}");
            }
            for n in [15, 5_000] {
                let within = "(".repeat(n) + "1" + &")".repeat(n);
                let filters = "a[".repeat(n) + "1" + &"]".repeat(n);
                let calls = "not(".repeat(n) + "1" + &")".repeat(n);
                for path in [within, filters, calls] {
                    assert_eq!(ask("<a/>", &path).is_ok(), n < 20, "{n}");
                }
            }
            assert!(ask("<a/>", &("/a".repeat(50_000))).is_ok());
            assert!(ask(&deep, "//x//x//x//x/ancestor::x/following::x | //x = //x").is_ok());
            assert_eq!(ask(&"<x>".repeat(5_000), "/x"), Ok(Value::Null));
        };
        small.spawn(asked).expect("a thread").join().expect("no overflow");
    }

    #[test]
    fn changes() {
        let x = "<a><b>ccc</b><d></d></a>";
        let cases = [
            (x, "/a", "<e>fff</e>", "<e>fff</e>"),
            (x, "/b", "<e>fff</e>", x),
            (x, "//b", "<e>fff</e>", "<a><e>fff</e><d></d></a>"),
            ("<a><d></d><b>ccc</b><d></d></a>", "/a/d", "<e/>", "<a><d></d><b>ccc</b><d></d></a>"),
            ("<a x='1'>t</a>", "/a/@x", "y='2'", "<a y='2'>t</a>"),
        ];
        for (xml, xpath, new, want) in cases {
            assert_eq!(
                run("UPDATEXML", &[s(xml), s(xpath), s(new)]).as_deref(),
                Some(want),
                "{xpath}"
            );
        }
        assert_eq!(run("UPDATEXML", &[s("<a>"), s("/a"), s("")]), None);
    }
}
