//! How long a statement may run: what its hint says.

use weir_syntax::ast::{self, Statement};

/// The hint `MAX_EXECUTION_TIME(n)` of a query's first block; 0 leaves the session's limit in charge.
pub fn of(stmt: &Statement) -> Option<u64> {
    let mut body = match stmt {
        Statement::Select(q) => &q.body,
        Statement::Explain(e) if e.analyze => match &e.target {
            ast::ExplainTarget::Statement(of) => return self::of(of),
            ast::ExplainTarget::Connection(_) => return None,
        },
        _ => return None,
    };
    loop {
        body = match body {
            ast::QueryBody::Select(block) => return hinted_limit(block.hints.as_deref()?),
            ast::QueryBody::SetOp { left, .. } => left,
            ast::QueryBody::Nested(q) => &q.body,
            _ => return None,
        };
    }
}

fn hinted_limit(hints: &str) -> Option<u64> {
    // Names in quotes say nothing.
    let plain: String = hints.split('`').step_by(2).collect::<Vec<_>>().join(" ");
    let hints = plain.to_ascii_uppercase();
    let given = |text: &str| {
        let number = text.trim_start().strip_prefix('(')?.split(')').next()?;
        number.trim().parse::<u32>().ok()
    };
    let n = hints.split("MAX_EXECUTION_TIME").skip(1).find_map(given)?;
    (n > 0).then_some(n.into())
}
