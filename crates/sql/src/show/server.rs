//! Listings about the server: variables, status, sessions, warnings, accounts, character sets.

use crate::account::{Privileges, show_create_user, show_grants};
use crate::context::{ShowResult, StatementCtx};
use crate::errno;
use crate::infoschema::cells::{
    BIGINT, INT, Row, TEXT, at, c, i, n, named, os, s, text, u, yes_no,
};
use crate::infoschema::deadlocks;
use crate::infoschema::server::{all_collations, all_status, collation_row};
use crate::processes::processes;
use crate::session_api::SqlError;
use crate::value::{Level, Value};
use crate::vars::Var;
use weir_engine::Heading;
use weir_syntax::ast::{Expr, Limit, Literal, UserSpec};

pub fn variables(global: bool, cx: &StatementCtx<'_>) -> ShowResult {
    let mut list = if global { cx.reads.vars.globals().show() } else { cx.reads.vars.show() };
    if !global {
        for (name, value) in &mut list {
            match *name {
                "warning_count" => *value = cx.reads.last_warnings.total().to_string(),
                "error_count" => *value = errors(cx).to_string(),
                _ => {}
            }
        }
    }
    let rows = list.into_iter().map(|(name, value)| vec![s(name), s(value)]).collect();
    ShowResult { columns: vec![n("Variable_name", text(64)), n("Value", text(1024))], rows }
}

pub fn status(global: bool, cx: &StatementCtx<'_>) -> ShowResult {
    let rows =
        all_status(cx.reads, global).into_iter().map(|(name, v)| vec![s(name), s(v)]).collect();
    ShowResult { columns: vec![n("Variable_name", text(64)), n("Value", text(1024))], rows }
}

pub fn processlist(full: bool, cx: &mut StatementCtx<'_>) -> ShowResult {
    let columns = vec![
        n("Id", BIGINT),
        n("User", text(32)),
        n("Host", text(261)),
        c("db", text(64)),
        n("Command", text(16)),
        n("Time", INT),
        c("State", text(64)),
        c("Info", TEXT),
    ];
    let all = cx.changes.access.global().intersects(Privileges::PROCESS);
    let me = cx.reads.conn.user.clone();
    let rows = processes(cx.reads.shared)
        .into_iter()
        .filter(|p| all || p.user == me)
        .map(|p| {
            let info = p.info.map(|t| if full { t } else { t.chars().take(100).collect() });
            vec![
                i(p.id as i64),
                s(p.user),
                s(p.host),
                os(p.db),
                s(p.command),
                i(p.time as i64),
                s(p.state),
                os(info),
            ]
        })
        .collect();
    ShowResult { columns, rows }
}

pub fn engine(name: &str, what: &str, cx: &mut StatementCtx<'_>) -> Result<ShowResult, SqlError> {
    let columns = vec![n("Type", text(10)), n("Name", text(512)), n("Status", TEXT)];
    let own = ["innodb", "all", "weir"].iter().any(|own| name.eq_ignore_ascii_case(own));
    if name.eq_ignore_ascii_case("performance_schema") && what.eq_ignore_ascii_case("status") {
        let rows = cx.reads.shared.digests.list().len();
        let row = vec![
            s("performance_schema"),
            s("events_statements_summary_by_digest.count"),
            s(rows.to_string()),
        ];
        return Ok(ShowResult { columns, rows: vec![row] });
    }
    // Other engines of MySQL's have nothing to tell there, either.
    if !own && crate::ddl::engines::is_another(name) {
        return Ok(ShowResult::new(columns));
    }
    if !own {
        return Err(SqlError::of(errno::ER_UNKNOWN_STORAGE_ENGINE, &[&name]));
    }
    if !what.eq_ignore_ascii_case("status") {
        return Ok(ShowResult::new(columns));
    }
    let text = monitor(cx);
    Ok(ShowResult { columns, rows: vec![vec![s("InnoDB"), s(""), s(text)]] })
}

/// The statement of MySQL up to 5.1 with its one column, where a build of that time is in charge.
pub fn innodb_status(
    near: &str,
    line: usize,
    cx: &mut StatementCtx<'_>,
) -> Result<ShowResult, SqlError> {
    let policy = cx.reads.vars.globals().text(Var::weir_flush_policy);
    if !weir_engine::is_before_5_5(&policy) {
        return Err(SqlError::parse(near, line));
    }
    Ok(ShowResult { columns: vec![n("Status", TEXT)], rows: vec![vec![s(monitor(cx))]] })
}

fn monitor(cx: &StatementCtx<'_>) -> String {
    let (db, tz) = (cx.reads.db(), cx.reads.settings.tz);
    let deadlock = deadlocks::report(cx.reads.shared, tz);
    let time = match at(db.rt().wall_micros(), tz) {
        Value::DateTime(t) => t.to_string(),
        _ => String::new(),
    };
    let thread = cx.reads.conn.id;
    let heading = Heading { time: &time, deadlock: deadlock.as_deref(), thread };
    db.status_text(&heading)
}

pub fn engines() -> ShowResult {
    let columns = vec![
        n("Engine", text(64)),
        n("Support", text(8)),
        n("Comment", text(80)),
        c("Transactions", text(3)),
        c("XA", text(3)),
        c("Savepoints", text(3)),
    ];
    ShowResult {
        columns,
        rows: vec![vec![
            s("InnoDB"),
            s("DEFAULT"),
            s("Weir's own engine, under the name that clients expect"),
            yes_no(true),
            yes_no(true),
            yes_no(true),
        ]],
    }
}

pub fn errors(cx: &StatementCtx<'_>) -> u64 {
    cx.reads.last_warnings.errors()
}

fn number(e: &Expr) -> Result<usize, SqlError> {
    match e {
        Expr::Literal(Literal::Int(n)) => Ok(*n as usize),
        _ => Err(SqlError::of(errno::ER_WRONG_ARGUMENTS, &[&"LIMIT"])),
    }
}

pub fn warnings(
    errors_only: bool,
    limit: Option<&Limit>,
    cx: &StatementCtx<'_>,
) -> Result<ShowResult, SqlError> {
    let columns = vec![n("Level", text(7)), n("Code", INT), n("Message", text(512))];
    let (skip, take) = match limit {
        None => (0, usize::MAX),
        Some(l) => (l.offset.as_ref().map_or(Ok(0), number)?, number(&l.count)?),
    };
    let rows: Vec<Row> = cx
        .reads
        .last_warnings
        .list()
        .iter()
        .filter(|w| !errors_only || w.level == Level::Error)
        .skip(skip)
        .take(take)
        .map(|w| vec![s(format!("{:?}", w.level)), i(i64::from(w.code)), s(w.message.clone())])
        .collect();
    Ok(ShowResult { columns, rows })
}

pub fn count(title: &str, n: u64) -> ShowResult {
    ShowResult { columns: vec![named(title.to_string(), BIGINT)], rows: vec![vec![u(n)]] }
}

/// SHOW GRANTS. For the current user the rights of the active roles are among them unless USING names others, as in MySQL.
pub fn grants(
    user: Option<&UserSpec>,
    using: &[UserSpec],
    cx: &mut StatementCtx<'_>,
) -> Result<ShowResult, SqlError> {
    let name = cx.account(user.unwrap_or(&UserSpec::CurrentUser));
    let accounts = cx.changes.access.accounts().clone();
    let Some(a) = accounts.get(&name.user, &name.host) else {
        return Err(SqlError::of(errno::ER_NONEXISTING_GRANT, &[&name.user, &name.host]));
    };
    let roles: Vec<_> = match user {
        None => cx.changes.access.active_roles().to_vec(),
        Some(UserSpec::CurrentUser) if using.is_empty() => {
            cx.changes.access.active_roles().to_vec()
        }
        Some(_) => using.iter().map(|u| cx.account(u)).collect(),
    };
    let used = accounts.roles_in_use(&a, &roles)?;
    let lines = show_grants(&a, &used, &accounts.policy().mandatory);
    let rows = lines.into_iter().map(|l| vec![s(l)]).collect();
    Ok(ShowResult {
        columns: vec![named(format!("Grants for {}@{}", name.user, name.host), text(1024))],
        rows,
    })
}

pub fn create_user(user: &UserSpec, cx: &mut StatementCtx<'_>) -> Result<ShowResult, SqlError> {
    let name = cx.account(user);
    let accounts = cx.changes.access.accounts().clone();
    let Some(a) = accounts.get(&name.user, &name.host) else {
        return Err(SqlError::of(errno::ER_CANNOT_USER, &[&"SHOW CREATE USER", &name]));
    };
    Ok(ShowResult {
        columns: vec![named(format!("CREATE USER for {}@{}", name.user, name.host), text(1024))],
        rows: vec![vec![s(show_create_user(&a))]],
    })
}

pub fn charsets(cx: &StatementCtx<'_>) -> ShowResult {
    let columns = vec![
        n("Charset", text(64)),
        n("Description", text(2048)),
        n("Default collation", text(64)),
        n("Maxlen", INT),
    ];
    let rows = crate::value::CHARSETS
        .iter()
        .map(|cs| {
            vec![
                s(cs.name()),
                s(cs.description()),
                s(cx.reads.vars.default_of(*cs).name()),
                i(cs.max_char_bytes() as i64),
            ]
        })
        .collect();
    ShowResult { columns, rows }
}

pub fn collations(cx: &StatementCtx<'_>) -> ShowResult {
    let columns = vec![
        n("Collation", text(64)),
        n("Charset", text(64)),
        n("Id", BIGINT),
        n("Default", text(3)),
        n("Compiled", text(3)),
        n("Sortlen", INT),
        n("Pad_attribute", text(9)),
    ];
    let mut list = all_collations();
    list.sort_by_key(|c| c.name());
    ShowResult { columns, rows: list.into_iter().map(|c| collation_row(c, cx.reads)).collect() }
}

pub fn plugins() -> ShowResult {
    let columns = vec![
        n("Name", text(64)),
        n("Status", text(10)),
        n("Type", text(80)),
        c("Library", text(64)),
        n("License", text(80)),
    ];
    let row = |[name, kind, _]: [&str; 3]| {
        vec![s(name), s("ACTIVE"), s(kind), Value::Null, s("Apache-2.0")]
    };
    ShowResult { columns, rows: crate::infoschema::server::PLUGINS.map(row).into() }
}

pub fn privileges() -> ShowResult {
    let columns = vec![n("Privilege", text(64)), n("Context", text(64)), n("Comment", text(256))];
    let mut rows: Vec<Row> = PRIVILEGES.iter().map(|row| row.map(s).into()).collect();
    let dynamic = Privileges::dynamic();
    rows.extend(dynamic.names().map(|name| vec![s(name), s("Server Admin"), s("")]));
    ShowResult { columns, rows }
}

/// The static privileges as MySQL lists them: name, what they are granted on, and what for. Clients go by the second.
const PRIVILEGES: [[&str; 3]; 33] = [
    ["Alter", "Tables", "To alter the table"],
    ["Alter routine", "Functions,Procedures", "To alter or drop stored functions/procedures"],
    ["Create", "Databases,Tables,Indexes", "To create new databases and tables"],
    ["Create routine", "Databases", "To use CREATE FUNCTION/PROCEDURE"],
    ["Create role", "Server Admin", "To create new roles"],
    ["Create temporary tables", "Databases", "To use CREATE TEMPORARY TABLE"],
    ["Create view", "Tables", "To create new views"],
    ["Create user", "Server Admin", "To create new users"],
    ["Delete", "Tables", "To delete existing rows"],
    ["Drop", "Databases,Tables", "To drop databases, tables, and views"],
    ["Drop role", "Server Admin", "To drop roles"],
    ["Event", "Server Admin", "To create, alter, drop and execute events"],
    ["Execute", "Functions,Procedures", "To execute stored routines"],
    ["File", "File access on server", "To read and write files on the server"],
    [
        "Grant option",
        "Databases,Tables,Functions,Procedures",
        "To give to other users those privileges you possess",
    ],
    ["Index", "Tables", "To create or drop indexes"],
    ["Insert", "Tables", "To insert data into tables"],
    ["Lock tables", "Databases", "To use LOCK TABLES (together with SELECT privilege)"],
    ["Process", "Server Admin", "To view the plain text of currently executing queries"],
    ["Proxy", "Server Admin", "To make proxy user possible"],
    ["References", "Databases,Tables", "To have references on tables"],
    ["Reload", "Server Admin", "To reload or refresh tables, logs and privileges"],
    ["Replication client", "Server Admin", "To ask where the slave or master servers are"],
    ["Replication slave", "Server Admin", "To read binary log events from the master"],
    ["Select", "Tables", "To retrieve rows from table"],
    ["Show databases", "Server Admin", "To see all databases with SHOW DATABASES"],
    ["Show view", "Tables", "To see views with SHOW CREATE VIEW"],
    ["Shutdown", "Server Admin", "To shut down the server"],
    ["Super", "Server Admin", "To use KILL thread, SET GLOBAL, CHANGE MASTER, etc."],
    ["Trigger", "Tables", "To use triggers"],
    ["Create tablespace", "Server Admin", "To create/alter/drop tablespaces"],
    ["Update", "Tables", "To update existing rows"],
    ["Usage", "Server Admin", "No privileges - allow connect only"],
];
