//! The corpus, precedence, errors, limits, and round trips through the printer.

mod refused;

use proptest::prelude::*;

use super::*;
use crate::ast::*;

const CORPUS: &str = include_str!("../../testdata/statements.txt");

fn opts() -> ParseOptions {
    ParseOptions { allow_params: true, ..Default::default() }
}

fn parse(sql: &str) -> Result<Parsed, ParseError> {
    parse_one(sql.as_bytes(), &opts())
}

fn expr(sql: &str) -> Expr {
    parse_expr(sql.as_bytes(), &opts()).unwrap_or_else(|e| panic!("{sql}: {e}"))
}

fn statement(sql: &str) -> Statement {
    parse(sql).unwrap_or_else(|e| panic!("{sql}: {e}")).stmt
}

fn message(sql: &str) -> String {
    parse(sql).expect_err(sql).message.into()
}

#[test]
fn corpus() {
    let mut wrong = Vec::new();
    for line in CORPUS.lines().filter(|l| !l.starts_with('#')) {
        let (expect, sql) = line.split_once('|').expect("expectation, bar, statement");
        let result = parse(sql);
        if result.is_ok() != (expect == "ok") {
            wrong.push(format!("{expect}: {sql}\n    {result:?}"));
        }
        // A key means that the statement with parameters is grammatical too.
        let mut buf = NormalizedBuf::default();
        if normalize(sql.as_bytes(), &opts().sql_mode, &mut buf).is_some() && result.is_ok() {
            let slots = parse_normalized(sql.as_bytes(), &opts());
            let count = slots.map(|p| p.params as usize);
            assert_eq!(count, Ok(buf.literals.len()), "{sql}");
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What a view keeps of a query is the whole query.
#[test]
fn printed_queries_parse_back() {
    let more = "ok|select * from json_table('[1, {\"a\": [2]}]', '$[*]' columns (n for ordinality, \
        a int unsigned path '$.a' default '7' on empty error on error, e int exists path '$.b', \
        c varchar(20) character set latin1 path '$.c' null on empty, d decimal(5,2) path '$.d', \
        nested path '$.a[*]' columns (b json path '$', nested path '$.c[*]' columns (x enum('p','q') path '$')))) as j";
    let mut seen = 0;
    for line in CORPUS.lines().chain([more]).filter(|l| l.starts_with("ok|")) {
        let sql = &line[3..];
        let Ok(Parsed { stmt: Statement::Select(query), .. }) = parse(sql) else { continue };
        if query.into.is_some() {
            continue;
        }
        let text = query.to_string();
        let Statement::Select(back) = statement(&text) else { panic!("{text}") };
        assert_eq!(without_texts(&back), without_texts(&query), "{sql}\n{text}");
        seen += 1;
    }
    assert!(seen > 100, "{seen} queries");
}

/// The tree, except for the texts that columns are named by, and for a space in front of a parenthesis, which is not printed.
fn without_texts(query: &Query) -> String {
    let tree = format!("{query:?}").replace(", apart: true", ", apart: false");
    let mut pieces = tree.split(", text: \"");
    let mut out = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let mut escaped = false;
        let end = piece.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        out.push_str(&piece[end.expect("the text ends") + 1..]);
    }
    out
}

/// With its literals put back, a normalised statement is the statement.
#[test]
fn normalised_statements_are_equivalent() {
    let mut buf = NormalizedBuf::default();
    let mut seen = 0;
    for line in CORPUS.lines() {
        let Some(("ok", sql)) = line.split_once('|') else { continue };
        let mode = SqlMode::default();
        if normalize(sql.as_bytes(), &mode, &mut buf).is_none() {
            continue;
        }
        let slots = parse_normalized(sql.as_bytes(), &opts()).expect(sql);
        let mut text = format!("{:?}", slots.stmt);
        for (i, slot) in buf.literals.iter().enumerate() {
            let value = Expr::Literal(slot.value(sql.as_bytes(), &mode, None).expect(sql));
            let value = match slot.negative {
                true => Expr::Unary { op: UnaryOp::Neg, expr: Box::new(value) },
                false => value,
            };
            text = text.replace(&format!("Param({i})"), &format!("{value:?}"));
        }
        assert_eq!(text, format!("{:?}", statement(sql)), "{sql}");
        seen += usize::from(!buf.literals.is_empty());
    }
    assert!(seen > 50, "{seen}");
}

/// The tree with all its parentheses.
fn shape(e: &Expr) -> String {
    match e {
        Expr::Binary { op, left, right } => {
            format!("({} {} {})", shape(left), op.text(), shape(right))
        }
        Expr::Unary { op, expr } => format!("({op:?} {})", shape(expr)),
        Expr::Is { expr, test, negated } => {
            format!("({} IS{} {test:?})", shape(expr), if *negated { " NOT" } else { "" })
        }
        Expr::Like { expr, pattern, .. } => format!("({} LIKE {})", shape(expr), shape(pattern)),
        Expr::Regexp { expr, pattern, .. } => {
            format!("({} REGEXP {})", shape(expr), shape(pattern))
        }
        Expr::Between { expr, low, high, .. } => {
            format!("({} BETWEEN {} AND {})", shape(expr), shape(low), shape(high))
        }
        Expr::InList { expr, list, .. } => {
            format!("({} IN {})", shape(expr), list.iter().map(shape).collect::<Vec<_>>().join(","))
        }
        Expr::AssignVar { name, value } => format!("(@{name} := {})", shape(value)),
        Expr::Collate { expr, collation } => format!("({} COLLATE {collation})", shape(expr)),
        Expr::DateArith { date, amount, .. } => {
            format!("({} + INTERVAL {})", shape(date), shape(amount))
        }
        other => other.to_string().replace('`', ""),
    }
}

#[test]
fn precedence() {
    for (sql, expect) in [
        ("b AND c XOR d", "((b AND c) XOR d)"),
        ("a OR b XOR c AND d", "(a OR (b XOR (c AND d)))"),
        ("b & c << d", "(b & (c << d))"),
        ("e * f ^ g", "(e * (f ^ g))"),
        ("a | b & c << d + e * f ^ g", "(a | (b & (c << (d + (e * (f ^ g))))))"),
        ("a || b && c", "(a OR (b AND c))"),
        ("BINARY a = b", "((Binary a) = b)"),
        ("a LIKE b = c", "((a LIKE b) = c)"),
        ("a = b LIKE c", "(a = (b LIKE c))"),
        ("@a := b = c", "(@a := (b = c))"),
        ("!a = b", "((Bang a) = b)"),
        ("NOT a = b", "(Not (a = b))"),
        ("NOT a AND b", "((Not a) AND b)"),
        ("NOT a IN (b)", "(Not (a IN b))"),
        ("a MOD b", "(a % b)"),
        ("a DIV b % c", "((a DIV b) % c)"),
        ("a - b - c", "((a - b) - c)"),
        ("- a ^ b", "((Neg a) ^ b)"),
        ("-a COLLATE x", "(Neg (a COLLATE x))"),
        ("a = b = c", "((a = b) = c)"),
        ("a = b IS NULL", "((a = b) IS Null)"),
        ("a IS NULL = b", "((a IS Null) = b)"),
        ("a = b IS NOT TRUE", "((a = b) IS NOT True)"),
        ("a BETWEEN b AND c AND d", "((a BETWEEN b AND c) AND d)"),
        ("a BETWEEN b AND c = d", "((a BETWEEN b AND c) = d)"),
        ("a BETWEEN b + 1 AND c LIKE d", "(a BETWEEN (b + 1) AND (c LIKE d))"),
        ("a + b IN (c)", "((a + b) IN c)"),
        ("a REGEXP b | c", "(a REGEXP (b | c))"),
        ("a + INTERVAL b DAY - c", "((a + INTERVAL b) - c)"),
        ("a * b + INTERVAL c + d DAY > e", "(((a * b) + INTERVAL (c + d)) > e)"),
        ("a < b OR c >= d AND e <> f", "((a < b) OR ((c >= d) AND (e <> f)))"),
        ("1--1", "(1 - (Neg 1))"),
        ("1 /*!99999 +1 */", "1"),
        ("1 /*!80036 +1 */", "(1 + 1)"),
    ] {
        assert_eq!(shape(&expr(sql)), expect, "{sql}");
    }
}

#[test]
fn modes() {
    let mode = |set: fn(&mut SqlMode)| {
        let mut opts = opts();
        set(&mut opts.sql_mode);
        opts
    };
    let concat = mode(|m| m.pipes_as_concat = true);
    let e = parse_expr(b"-a || b ^ c LIKE d || e", &concat).unwrap();
    assert_eq!(shape(&e), "((((Neg a) || b) ^ c) LIKE (d || e))");
    let high = mode(|m| m.high_not_precedence = true);
    assert_eq!(shape(&parse_expr(b"NOT a = b", &high).unwrap()), "((Bang a) = b)");
    let ansi = mode(|m| m.ansi_quotes = true);
    assert_eq!(shape(&parse_expr(b"\"a\" = 'b'", &ansi).unwrap()), "(a = 'b')");
    let space = mode(|m| m.ignore_space = true);
    assert!(parse_one(b"SELECT COUNT (*) FROM t", &space).is_ok());
    assert!(parse_one(b"SELECT avg(distinct a), AVG(a) FROM t", &space).is_ok());
    assert!(parse_one(b"SELECT abs(distinct a) FROM t", &space).is_err());
}

#[test]
fn details_survive() {
    let Statement::Show(show) = statement("SHOW TABLE STATUS LIKE 't'") else { panic!() };
    assert_eq!(show.filter, Some(ShowFilter::Like(b"t"[..].into())));
    let Statement::SetTransaction(set) =
        statement("SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED")
    else {
        panic!()
    };
    assert_eq!(set.scope, Some(VarScope::Session));
    assert_eq!(set.isolation, Some(IsolationLevel::ReadCommitted));
    let Statement::Select(query) = statement("SELECT a + 1, 'x' 'y', `b` AS c FROM t, u") else {
        panic!()
    };
    let select = query.as_select().unwrap();
    let texts: Vec<_> = select
        .items
        .iter()
        .map(|item| match item {
            SelectItem::Expr { text, .. } => text.to_string(),
            SelectItem::Wildcard { .. } => "*".to_string(),
        })
        .collect();
    assert_eq!(texts, ["a + 1", "x", "`b`"]);
    assert_eq!(select.from.len(), 2);
    let Statement::Select(query) = statement("SELECT _latin1'\\'x', 18446744073709551616") else {
        panic!()
    };
    let SelectItem::Expr { expr, .. } = &query.as_select().unwrap().items[0] else { panic!() };
    let charset = Some("latin1".into());
    let bytes = b"'x"[..].into();
    assert_eq!(*expr, Expr::Literal(Literal::Str { bytes, charset, national: false }));
    // Bytes that are not UTF-8 are fine inside strings, not in names.
    assert!(parse_one(b"SELECT '\xff\xfe'", &opts()).is_ok());
    assert_eq!(parse_one(b"SELECT `\xff`", &opts()).unwrap_err().errno, 1300);
}

#[test]
fn joins() {
    let from = |sql: &str| {
        let Statement::Select(query) = statement(sql) else { panic!() };
        let text = query.to_string().replace('`', "");
        text.split_once(" FROM ").map(|(_, from)| from.to_string()).unwrap_or_default()
    };
    assert_eq!(
        from("select 1 from a left join b left join c on x on y"),
        "a LEFT JOIN (b LEFT JOIN c ON x) ON y"
    );
    assert_eq!(from("select 1 from a join b left join c on x"), "a JOIN b LEFT JOIN c ON x");
    assert_eq!(from("select 1 from a join b join c on x on y"), "a JOIN (b JOIN c ON x) ON y");
    assert_eq!(from("select 1 from a join b on x join c on y"), "a JOIN b ON x JOIN c ON y");
    assert_eq!(from("select 1 from dual"), "");
}

#[test]
fn several_statements() {
    let sql = b"select 1; select 2 ; ";
    let first = parse_one(sql, &opts()).unwrap();
    assert_eq!((first.consumed, first.last), (9, false));
    let second = parse_one(&sql[9..], &opts()).unwrap();
    assert!(second.last);
    for rest in ["", "--", " -- x", "/* x */ # y"] {
        let parsed = parse_one(format!("select 1;{rest}").as_bytes(), &opts()).unwrap();
        assert_eq!((parsed.alone, parsed.last), (true, rest.is_empty()), "{rest}");
    }
    for rest in [";", " select 2", "-- x\n;", "/* x", "--x"] {
        assert!(
            !parse_one(format!("select 1;{rest}").as_bytes(), &opts()).unwrap().alone,
            "{rest}"
        );
    }
    for text in ["", " \n", ";", " ; ", "/* x */; ;"] {
        let empty = parse(text).unwrap_err();
        assert_eq!((empty.errno, &*empty.message), (1065, "Query was empty"), "{text}");
    }
    for text in ["--", " /* nothing */ ", "# x\n", "/* x */ ;", "-- x; select 1"] {
        assert_eq!(parse(text).unwrap().stmt, Statement::Comment, "{text}");
    }
    // Semicolons inside a body do not end the statement.
    let body = parse("create procedure p() begin select 1; select 2; end").unwrap();
    assert!(body.last);
    assert_eq!(parse("select ?, ? from t where a = ?").unwrap().params, 3);
    assert!(parse_one(b"select ?", &ParseOptions::default()).is_err());
}

#[test]
fn error_texts() {
    let prefix = "You have an error in your SQL syntax; check the manual that corresponds to your \
                  MySQL server version for the right syntax to use near ";
    assert_eq!(message("SELEC 1"), format!("{prefix}'SELEC 1' at line 1"));
    assert_eq!(message("select 1\nfrom\nwhere"), format!("{prefix}'where' at line 3"));
    assert_eq!(message("select"), format!("{prefix}'' at line 1"));
    let long = format!("select 1 from t x y {}", "z".repeat(100));
    assert_eq!(message(&long), format!("{prefix}'y {}' at line 1", "z".repeat(78)));
    assert_eq!(message("select 1 from (select 1)"), "Every derived table must have its own alias");
}

/// Runs on a stack as small as a session's.
fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(test).unwrap();
    thread.join().unwrap();
}

#[test]
fn deep_nesting_is_refused() {
    on_small_stack(|| {
        let n = 10_000;
        for (open, middle, close) in [
            ("(", "1", ")"),
            ("-", "1", ""),
            ("NOT ", "1", ""),
            ("f(", "1", ")"),
            ("(SELECT ", "1", ")"),
            ("CASE WHEN ", "1", " THEN 1 END"),
            ("@a := ", "1", ""),
            ("a BETWEEN 1 AND ", "1", ""),
            ("INTERVAL 1 DAY + ", "a", ""),
            ("BINARY ", "1", ""),
            ("EXISTS (SELECT 1 FROM (SELECT 1) t WHERE ", "1", ")"),
        ] {
            let sql = format!("SELECT {}{middle}{}", open.repeat(n), close.repeat(n));
            assert_eq!(parse(&sql).unwrap_err().errno, 1436, "{open}");
        }
        let from = format!("SELECT 1 FROM {}t{}", "(".repeat(n), ")".repeat(n));
        assert_eq!(parse(&from).unwrap_err().errno, 1436);
        let chain = format!("SELECT 1{}", " + 1".repeat(n));
        assert_eq!(parse(&chain).unwrap_err().errno, 1436);
        // Each level alone is short; the tree of all is not.
        let mut sql = "1".to_string();
        for _ in 0..40 {
            sql = format!("f(({sql}){}, 1)", " - 1".repeat(100));
        }
        assert_eq!(parse(&format!("SELECT {sql}")).unwrap_err().errno, 1436);
        let many = format!("INSERT INTO t VALUES (1 + 1){}", ", (1 + 1, -(2))".repeat(n));
        drop(parse(&many).unwrap());
        let excepts = format!("SELECT 1{}", " EXCEPT SELECT 2".repeat(n));
        assert_eq!(parse(&excepts).unwrap_err().errno, 1436);
        let joins = format!("SELECT 1 FROM t{}", " JOIN t".repeat(n));
        assert_eq!(parse(&joins).unwrap_err().errno, 1436);
    });
}

#[test]
fn reasonable_nesting_is_accepted() {
    on_small_stack(|| {
        let sql = format!("SELECT {}1{}", "(".repeat(40), ")".repeat(40));
        parse(&sql).unwrap();
        let sql = format!("SELECT {}1{}", "(SELECT ".repeat(20), ")".repeat(20));
        parse(&sql).unwrap();
        // What programs generate: long lists of alternatives become shallow trees.
        let sql = format!("SELECT 1 FROM t WHERE a = 0{}", " OR a = 1".repeat(20_000));
        drop(parse(&sql).unwrap());
        let sql = format!("SELECT 1{}", " UNION ALL SELECT 2".repeat(5_000));
        drop(parse(&sql).unwrap());
    });
}

#[test]
fn printing_queries() {
    for sql in [
        "WITH RECURSIVE `c` (`n`) AS (SELECT 1 UNION ALL SELECT `n` + 1 FROM `c`) SELECT * FROM `c`",
        "SELECT DISTINCT `t`.*, count(*) AS `x` FROM `t` AS `u` USE INDEX (`k`) JOIN (`v`, `w`) \
         USING (`a`) WHERE `a` IN (SELECT 1) GROUP BY `b` WITH ROLLUP HAVING `x` > 1 \
         ORDER BY `x` DESC LIMIT 3 OFFSET 4 FOR UPDATE SKIP LOCKED",
        "(SELECT 1) UNION (SELECT 2 LIMIT 1) ORDER BY 1",
        "SELECT row_number() OVER (`w` PARTITION BY `a`) FROM `t` WINDOW `w` AS ()",
    ] {
        let tree = statement(sql);
        let Statement::Select(query) = &tree else { panic!() };
        let again = statement(&query.to_string());
        let Statement::Select(again) = &again else { panic!() };
        assert_eq!(query.to_string(), again.to_string());
    }
}

fn any_expr() -> impl Strategy<Value = Expr> {
    let column = |table: Option<&str>, name: &str| {
        Expr::Column(ColumnRef {
            schema: None,
            table: table.map(Ident::new),
            column: Ident::new(name),
        })
    };
    let leaf = prop_oneof![
        any::<u64>().prop_map(Expr::int),
        "\\PC{0,6}".prop_map(|s| Expr::string(s.as_bytes())),
        Just(Expr::Literal(Literal::Null)),
        Just(Expr::Literal(Literal::Bool(true))),
        Just(Expr::Literal(Literal::Decimal("1.50".into()))),
        Just(Expr::Literal(Literal::Hex { bytes: [1, 255][..].into(), charset: None })),
        Just(column(None, "a")),
        Just(column(Some("t"), "select")),
        Just(Expr::UserVar(Ident::new("v`w"))),
    ];
    leaf.prop_recursive(5, 40, 3, |inner| {
        let op = prop::sample::select(vec![
            BinaryOp::Or,
            BinaryOp::Xor,
            BinaryOp::And,
            BinaryOp::Eq,
            BinaryOp::NullSafeEq,
            BinaryOp::Ge,
            BinaryOp::BitOr,
            BinaryOp::BitAnd,
            BinaryOp::BitXor,
            BinaryOp::Shl,
            BinaryOp::Add,
            BinaryOp::Sub,
            BinaryOp::Mul,
            BinaryOp::IntDiv,
            BinaryOp::SoundsLike,
        ]);
        let unary = prop::sample::select(vec![
            UnaryOp::Neg,
            UnaryOp::Plus,
            UnaryOp::BitNot,
            UnaryOp::Not,
            UnaryOp::Bang,
            UnaryOp::Binary,
        ]);
        let test = prop::sample::select(vec![IsTest::Null, IsTest::True, IsTest::Unknown]);
        let pair = (inner.clone(), inner.clone());
        let operators = prop_oneof![
            4 => (op, pair.clone()).prop_map(|(op, (left, right))| {
                // The parser flattens AND, OR and XOR, so a right operand of the same kind
                // would come back on the left.
                let same = matches!(&right, Expr::Binary { op: inner, .. } if *inner == op);
                let logical = matches!(op, BinaryOp::Or | BinaryOp::Xor | BinaryOp::And);
                let right = match same && logical {
                    true => Expr::Unary { op: UnaryOp::Bang, expr: Box::new(right) },
                    false => right,
                };
                Expr::Binary { op, left: Box::new(left), right: Box::new(right) }
            }),
            1 => (unary, inner.clone())
                .prop_map(|(op, expr)| Expr::Unary { op, expr: Box::new(expr) }),
            1 => (test, any::<bool>(), inner.clone())
                .prop_map(|(test, negated, e)| Expr::Is { expr: Box::new(e), test, negated }),
            1 => (pair.clone(), any::<bool>()).prop_map(|((e, p), negated)| Expr::Like {
                expr: Box::new(e),
                pattern: Box::new(p),
                escape: None,
                negated,
            }),
            1 => (pair.clone(), inner.clone()).prop_map(|((e, low), high)| Expr::Between {
                expr: Box::new(e),
                low: Box::new(low),
                high: Box::new(high),
                negated: false,
            }),
        ];
        let others = prop_oneof![
            pair.clone().prop_map(|(e, one)| Expr::InList {
                expr: Box::new(e),
                list: vec![one],
                negated: true,
            }),
            pair.clone().prop_map(|(a, b)| Expr::Row(vec![a, b])),
            pair.clone().prop_map(|(a, b)| Expr::Case {
                operand: None,
                whens: vec![(a, b)],
                else_: None,
            }),
            pair.clone().prop_map(|(date, amount)| Expr::DateArith {
                date: Box::new(date),
                amount: Box::new(amount),
                unit: TimeUnit::DaySecond,
                subtract: true,
            }),
            inner
                .clone()
                .prop_map(|e| Expr::AssignVar { name: Ident::new("x"), value: Box::new(e) }),
            inner.clone().prop_map(|e| Expr::Collate {
                expr: Box::new(e),
                collation: Ident::new("utf8mb4_bin"),
            }),
            inner.prop_map(|e| Expr::Cast {
                expr: Box::new(e),
                to: Box::new(CastType::Signed),
                array: false,
            }),
        ];
        prop_oneof![operators, others]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn printed_expressions_parse_back(e in any_expr()) {
        let text = e.to_string();
        let back = parse_expr(text.as_bytes(), &opts());
        prop_assert_eq!(back, Ok(e), "{}", text);
    }

    #[test]
    fn bytes_never_panic(sql in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse_one(&sql, &opts());
        let mut buf = NormalizedBuf::default();
        let _ = normalize(&sql, &SqlMode::default(), &mut buf);
    }

    #[test]
    fn shuffled_words_never_panic(picks in prop::collection::vec(any::<prop::sample::Index>(), 0..40)) {
        let words: Vec<&str> = CORPUS.split_ascii_whitespace().collect();
        let sql: Vec<&str> = picks.iter().map(|i| *i.get(&words)).collect();
        let sql = sql.join(" ");
        let _ = parse(&sql);
        let _ = parse_normalized(sql.as_bytes(), &opts());
    }

    #[test]
    fn cut_statements_never_panic(line in any::<prop::sample::Index>(), at in any::<prop::sample::Index>()) {
        let lines: Vec<&str> = CORPUS.lines().collect();
        let sql = line.get(&lines).split_once('|').map_or("", |(_, sql)| sql);
        let cut = if sql.is_empty() { 0 } else { at.index(sql.len()) };
        let bytes = &sql.as_bytes()[..cut];
        let _ = parse_one(bytes, &opts());
        let mut buf = NormalizedBuf::default();
        let _ = normalize(bytes, &SqlMode::default(), &mut buf);
    }
}
