//! Character sets, engines, sessions, variables and status as tables.

use super::cells::{BIGINT, INT, LONGTEXT, NAME, Row, UINT, c, i, n, os, s, text, u, yes_no};
use super::virtual_table;
use crate::account::Privileges;
use crate::context::VirtualTable;
use crate::context::{Reads, TableReads};
use crate::processes::processes;
use crate::value::{Collation, Value};

pub fn all() -> Vec<&'static dyn VirtualTable> {
    vec![
        &CharacterSets,
        &Collations,
        &CollationApplicability,
        &Engines,
        &PersistedVariables,
        &Keywords,
        &Plugins,
        &Processlist,
        &FailedLogins,
        &UserPrivileges,
        &SchemaPrivileges,
        &TablePrivileges,
        &GlobalVariables,
        &SessionVariables,
        &GlobalStatus,
        &SessionStatus,
    ]
}

virtual_table!(
    CharacterSets,
    "information_schema",
    "CHARACTER_SETS",
    (None, None),
    [
        n("CHARACTER_SET_NAME", text(64)),
        n("DEFAULT_COLLATE_NAME", text(64)),
        n("DESCRIPTION", text(2048)),
        n("MAXLEN", INT)
    ],
    |cx, _| crate::value::CHARSETS
        .iter()
        .map(|cs| vec![
            s(cs.name()),
            s(cx.reads.vars.default_of(*cs).name()),
            s(cs.description()),
            i(cs.max_char_bytes() as i64)
        ])
        .collect()
);

virtual_table!(
    Collations,
    "information_schema",
    "COLLATIONS",
    (None, None),
    [
        n("COLLATION_NAME", text(64)),
        n("CHARACTER_SET_NAME", text(64)),
        n("ID", BIGINT),
        n("IS_DEFAULT", text(3)),
        n("IS_COMPILED", text(3)),
        n("SORTLEN", INT),
        n("PAD_ATTRIBUTE", text(9))
    ],
    |cx, _| all_collations().into_iter().map(|c| collation_row(c, cx.reads)).collect()
);

virtual_table!(
    CollationApplicability,
    "information_schema",
    "COLLATION_CHARACTER_SET_APPLICABILITY",
    (None, None),
    [n("COLLATION_NAME", text(64)), n("CHARACTER_SET_NAME", text(64))],
    |_, _| all_collations().into_iter().map(|c| vec![s(c.name()), s(c.charset().name())]).collect()
);

virtual_table!(
    PersistedVariables,
    "performance_schema",
    "persisted_variables",
    (None, None),
    [n("VARIABLE_NAME", text(64)), c("VARIABLE_VALUE", text(1024))],
    |cx, _| {
        let all = cx.reads.shared.persisted.list();
        all.into_iter().map(|(name, v)| vec![s(name), s(v.value)]).collect()
    }
);

virtual_table!(
    Engines,
    "information_schema",
    "ENGINES",
    (None, None),
    [
        n("ENGINE", text(64)),
        n("SUPPORT", text(8)),
        n("COMMENT", text(80)),
        c("TRANSACTIONS", text(3)),
        c("XA", text(3)),
        c("SAVEPOINTS", text(3))
    ],
    |_, _| vec![vec![
        s("InnoDB"),
        s("DEFAULT"),
        s("Weir's own engine, under the name that clients expect"),
        yes_no(true),
        yes_no(true),
        yes_no(true)
    ]]
);

virtual_table!(
    Processlist,
    "information_schema",
    "PROCESSLIST",
    (None, None),
    [
        n("ID", BIGINT),
        n("USER", text(32)),
        n("HOST", text(261)),
        c("DB", text(64)),
        n("COMMAND", text(16)),
        n("TIME", INT),
        c("STATE", text(64)),
        c("INFO", LONGTEXT)
    ],
    |cx, _| {
        let all = cx.access.clone().global().intersects(Privileges::PROCESS);
        processes(cx.reads.shared)
            .into_iter()
            .filter(|p| all || p.user == cx.reads.conn.user)
            .map(|p| {
                vec![
                    i(p.id as i64),
                    s(p.user),
                    s(p.host),
                    os(p.db),
                    s(p.command),
                    i(p.time as i64),
                    s(p.state),
                    os(p.info),
                ]
            })
            .collect()
    }
);

virtual_table!(
    FailedLogins,
    "information_schema",
    "CONNECTION_CONTROL_FAILED_LOGIN_ATTEMPTS",
    (None, None),
    [n("USERHOST", text(354)), n("FAILED_ATTEMPTS", UINT)],
    |cx, _| {
        if !cx.access.clone().global().intersects(Privileges::SUPER | Privileges::CONNECTION_ADMIN)
        {
            return Vec::new();
        }
        let failed = cx.access.attempts().failed();
        failed.into_iter().map(|(who, times)| vec![s(who), u(times)]).collect()
    }
);

virtual_table!(
    UserPrivileges,
    "information_schema",
    "USER_PRIVILEGES",
    (None, None),
    [
        n("GRANTEE", text(292)),
        n("TABLE_CATALOG", text(512)),
        n("PRIVILEGE_TYPE", text(64)),
        n("IS_GRANTABLE", text(3))
    ],
    |cx, _| {
        let mut rows = Vec::new();
        for a in seen(cx).iter() {
            let grantable = a.global.contains(Privileges::GRANT_OPTION);
            let held: Vec<&str> = a.global.without(Privileges::GRANT_OPTION).names().collect();
            let held = if held.is_empty() { vec!["USAGE"] } else { held };
            rows.extend(held.into_iter().map(|p| {
                vec![s(format!("'{}'@'{}'", a.user, a.host)), s("def"), s(p), yes_no(grantable)]
            }));
        }
        rows
    }
);

virtual_table!(
    SchemaPrivileges,
    "information_schema",
    "SCHEMA_PRIVILEGES",
    (Some("TABLE_SCHEMA"), None),
    [
        n("GRANTEE", text(292)),
        n("TABLE_CATALOG", text(512)),
        n("TABLE_SCHEMA", NAME),
        n("PRIVILEGE_TYPE", text(64)),
        n("IS_GRANTABLE", text(3))
    ],
    |cx, _| {
        let mut rows = Vec::new();
        for a in seen(cx).iter() {
            for (db, held) in &a.databases {
                let grantable = held.contains(Privileges::GRANT_OPTION);
                let names = held.without(Privileges::GRANT_OPTION);
                rows.extend(names.names().map(|p| {
                    vec![
                        s(format!("'{}'@'{}'", a.user, a.host)),
                        s("def"),
                        s(db.clone()),
                        s(p),
                        yes_no(grantable),
                    ]
                }));
            }
        }
        rows
    }
);

virtual_table!(
    TablePrivileges,
    "information_schema",
    "TABLE_PRIVILEGES",
    (Some("TABLE_SCHEMA"), Some("TABLE_NAME")),
    [
        n("GRANTEE", text(292)),
        n("TABLE_CATALOG", text(512)),
        n("TABLE_SCHEMA", NAME),
        n("TABLE_NAME", NAME),
        n("PRIVILEGE_TYPE", text(64)),
        n("IS_GRANTABLE", text(3))
    ],
    |cx, _| {
        let mut rows = Vec::new();
        for a in seen(cx).iter() {
            for t in a.tables.iter() {
                let grantable = t.held.contains(Privileges::GRANT_OPTION);
                let plain = t.held.without(Privileges::GRANT_OPTION);
                let names = if plain.is_empty() { vec!["USAGE"] } else { plain.names().collect() };
                rows.extend(names.into_iter().map(|p| {
                    vec![
                        s(format!("'{}'@'{}'", a.user, a.host)),
                        s("def"),
                        s(t.schema.clone()),
                        s(t.table.clone()),
                        s(p),
                        yes_no(grantable),
                    ]
                }));
            }
        }
        rows
    }
);

virtual_table!(
    Keywords,
    "information_schema",
    "KEYWORDS",
    (None, None),
    [c("WORD", text(31)), c("RESERVED", INT)],
    |_, _| {
        let words = super::keywords::all();
        words.into_iter().map(|(word, reserved)| vec![s(word), i(i64::from(reserved))]).collect()
    }
);

/// Name, type, what it is: of the plugins, none of which comes from a library.
pub const PLUGINS: [[&str; 3]; 6] = [
    ["InnoDB", "STORAGE ENGINE", "Supports transactions, row-level locking, and foreign keys"],
    ["mysql_native_password", "AUTHENTICATION", "Native MySQL authentication"],
    ["caching_sha2_password", "AUTHENTICATION", "Caching sha2 authentication"],
    ["sha256_password", "AUTHENTICATION", "SHA256 password authentication"],
    ["rpl_semi_sync_source", "REPLICATION", "Source-side semi-synchronous replication."],
    ["rpl_semi_sync_replica", "REPLICATION", "Replica-side semi-synchronous replication."],
];

virtual_table!(
    Plugins,
    "information_schema",
    "PLUGINS",
    (None, None),
    [
        n("PLUGIN_NAME", text(64)),
        n("PLUGIN_VERSION", text(20)),
        n("PLUGIN_STATUS", text(10)),
        n("PLUGIN_TYPE", text(80)),
        n("PLUGIN_TYPE_VERSION", text(20)),
        c("PLUGIN_LIBRARY", text(64)),
        c("PLUGIN_LIBRARY_VERSION", text(20)),
        c("PLUGIN_AUTHOR", text(64)),
        c("PLUGIN_DESCRIPTION", LONGTEXT),
        c("PLUGIN_LICENSE", text(80)),
        n("LOAD_OPTION", text(64)),
    ],
    |_, _| {
        let row = |[name, kind, what]: [&'static str; 3]| {
            let mut row: Row = [name, "1.0", "ACTIVE", kind, "80036.0"].map(s).into();
            row.extend([Value::Null, Value::Null, s("Weir"), s(what), s("Apache-2.0"), s("FORCE")]);
            row
        };
        PLUGINS.into_iter().map(row).collect()
    }
);

/// Accounts that the session may look at: all, or its own.
pub(super) fn seen(cx: TableReads<'_>) -> Vec<std::sync::Arc<crate::account::Account>> {
    let mut access = cx.access.clone();
    let all = access.on_database("mysql").contains(Privileges::SELECT);
    let list = access.accounts().list();
    list.iter()
        .filter(|a| {
            all || (a.user == cx.reads.conn.account_user && a.host == cx.reads.conn.account_host)
        })
        .cloned()
        .collect()
}

fn pairs(list: impl IntoIterator<Item = (String, String)>) -> Vec<Row> {
    list.into_iter().map(|(name, v)| vec![s(name), s(v)]).collect()
}

virtual_table!(
    GlobalVariables,
    "performance_schema",
    "global_variables",
    (None, None),
    [n("VARIABLE_NAME", text(64)), c("VARIABLE_VALUE", text(1024))],
    |cx, _| pairs(cx.reads.vars.globals().show().into_iter().map(|(n, v)| (n.to_string(), v)))
);
virtual_table!(
    SessionVariables,
    "performance_schema",
    "session_variables",
    (None, None),
    [n("VARIABLE_NAME", text(64)), c("VARIABLE_VALUE", text(1024))],
    |cx, _| pairs(cx.reads.vars.show().into_iter().map(|(n, v)| (n.to_string(), v)))
);
virtual_table!(
    GlobalStatus,
    "performance_schema",
    "global_status",
    (None, None),
    [n("VARIABLE_NAME", text(64)), c("VARIABLE_VALUE", text(1024))],
    |cx, _| pairs(all_status(cx.reads, true))
);
virtual_table!(
    SessionStatus,
    "performance_schema",
    "session_status",
    (None, None),
    [n("VARIABLE_NAME", text(64)), c("VARIABLE_VALUE", text(1024))],
    |cx, _| pairs(all_status(cx.reads, false))
);

/// Counters of the server and of the engine, and how the connection is compressed and encrypted, by name. Not `global`: those that MySQL keeps
/// for each session are the session's.
pub fn all_status(reads: Reads<'_>, global: bool) -> Vec<(String, String)> {
    let mut list: Vec<(String, String)> = reads
        .work
        .show(global)
        .into_iter()
        .map(|(name, v)| (name.to_string(), v.to_string()))
        .collect();
    list.extend(reads.db().status().into_iter().map(|(name, v)| (name.to_string(), v.to_string())));
    list.push(("Weir_pressure_cause".into(), reads.db().pressure().cause.name().into()));
    let (algorithm, level) = reads.conn.compression.unwrap_or_default();
    let on = if reads.conn.compression.is_some() { "ON" } else { "OFF" };
    list.push(("Compression".into(), on.into()));
    list.push(("Compression_algorithm".into(), algorithm.into()));
    list.push(("Compression_level".into(), level.to_string()));
    list.extend(tls_status(reads));
    let modes = crate::metrics::semi_sync_modes(reads.shared);
    list.extend(modes.map(|(name, on)| (name.into(), if on { "ON" } else { "OFF" }.into())));
    let others = crate::metrics::others(reads.shared);
    list.extend(others.map(|(def, v)| (def.name.to_string(), v.to_string())));
    list.extend(NEVER.iter().map(|name| (name.to_string(), "0".to_string())));
    list.sort();
    list
}

/// What monitors reckon with and what never happens here: there is no key cache of MyISAM, no thread that
/// takes long to begin and is listed.
const NEVER: [&str; 8] = [
    "Key_blocks_not_flushed",
    "Key_blocks_unused",
    "Key_blocks_used",
    "Key_read_requests",
    "Key_reads",
    "Key_write_requests",
    "Key_writes",
    "Slow_launch_threads",
];

/// How this connection is encrypted, whichever variables are asked for, and with what others will be.
fn tls_status(reads: Reads<'_>) -> Vec<(String, String)> {
    let tls = reads.conn.tls.as_deref();
    let ciphers = tls.map_or(String::new(), |t| t.ciphers.to_string());
    let mut list = vec![
        ("Ssl_cipher".to_string(), tls.map_or("", |t| t.cipher).to_string()),
        ("Ssl_cipher_list".to_string(), ciphers),
        ("Ssl_version".to_string(), tls.map_or("", |t| t.version).to_string()),
    ];
    if let Some(control) = reads.shared.tls.get() {
        list.extend(control.status().into_iter().map(|(name, v)| (name.to_string(), v)));
    }
    list
}

/// All collations, by id.
pub fn all_collations() -> Vec<Collation> {
    crate::value::ALL_COLLATIONS.to_vec()
}

/// A row of SHOW COLLATION and of INFORMATION_SCHEMA.COLLATIONS.
pub fn collation_row(c: Collation, reads: Reads<'_>) -> Row {
    // Bytes that a sort key has for each of the text, as MySQL gives them.
    let sort_length = match (c.uca(), c.pad_space()) {
        _ if c == Collation::Gb18030ChineseCi => 2,
        _ if c == Collation::Tis620ThaiCi => 4,
        _ if c == Collation::Latin1German2Ci => 2,
        (None, _) => 1,
        (Some(_), true) => 8,
        (Some(_), false) => 0,
    };
    vec![
        s(c.name()),
        s(c.charset().name()),
        i(i64::from(c.id())),
        s(if reads.vars.default_of(c.charset()) == c { "Yes" } else { "" }),
        s("Yes"),
        i(sort_length),
        s(if c.pad_space() { "PAD SPACE" } else { "NO PAD" }),
    ]
}
