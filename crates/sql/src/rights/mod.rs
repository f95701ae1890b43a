//! What a statement needs to be allowed: one list of [`Need`]s for each kind of statement, made from the syntax tree and
//! checked before any other error about the names in it is reported.
//!
//! `statement` has the table of kinds, `reads` finds the tables that queries and expressions name. May use the syntax
//! tree and accounts; knows no dictionary, so an answer cannot depend on which objects exist.
//!
//! Invariants:
//! - Needs are checked before names are bound: anyone who has no right on a table gets the same error whether or not there
//!   is one, 1142 for tables and 1044 for schemas.
//! - Every base table that a plan binds is covered by a need ([`cover`]); binding adds what only it knows: the tables
//!   that an UPDATE of many changes, and columns of changed tables that are read.
//! - A right on a table counts as held where it is held on some of its columns, for there binding has the columns that are used
//!   asked for beside.
//! - A plan keeps its needs, and each execution checks them again, so a REVOKE holds for cached and prepared plans.
//!
//! The numbers and privileges are those of MySQL 8.0's manual, in its descriptions of the statements. Three rules follow
//! from an object or a value that is known only later, and stand where it is known: KILL of another account's session
//! (1095, `session`), options of the account statements, and the rows that SHOW and INFORMATION_SCHEMA leave out.
//! **Tested** by `tests/rights.rs`, a row for each kind of statement, with and without each right.

mod reads;
mod statement;

pub use statement::{Me, column_rights, of_change, of_query, of_statement};

use crate::account::{Access, AccountName, GrantLevel, Privileges, check_grantable};
use crate::errno;
use crate::meta::temporary::Temporaries;
use crate::session_api::SqlError;
use crate::vars::{GlobalVars, Var};
use std::collections::HashSet;
use std::sync::Arc;
use weir_syntax::ast::TableName;

/// One right that a statement needs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Need {
    /// All of these on a table: 1142.
    Table { privileges: Privileges, schema: String, table: String },
    /// One of these on a table, or on a column of it: 1142, which calls the command `verb`.
    AnyOnTable { any_of: Privileges, verb: &'static str, schema: String, table: String },
    /// Some right on a table as a whole: 1142, which calls the command SHOW.
    Definition { schema: String, table: String },
    /// One right on each of these columns: 1143. `beside`: the list has a [`Need::Table`] for the same right on the same table, so
    /// that only anyone who holds rights on columns alone can get past that and fail here. `whole`: no statement has named them, `*` or an
    /// INSERT without a list stands for all of them: 1142.
    Columns {
        privilege: Privileges,
        schema: String,
        table: String,
        columns: Vec<Arc<str>>,
        beside: bool,
        whole: bool,
    },
    /// All of these on a schema: 1044.
    Schema { privileges: Privileges, schema: String },
    /// Anything on a schema: 1044.
    AnyOnSchema { schema: String },
    /// EXECUTE or ALTER ROUTINE on a routine: 1370.
    Routine { privilege: Privileges, procedure: bool, schema: String, routine: String },
    /// One of these on `*.*`: 1227.
    Global(Privileges),
    /// One of these on `*.*`, or `privileges` on the schema `mysql`, which stands for the tables of accounts: 1227.
    Accounts { any_of: Privileges, or_on_mysql: Privileges },
    /// FILE: 1045.
    File,
    /// What a view reads: 1356 without it. `account` is the view's definer, where it is that one's rights.
    /// `top`: the view of the statement that the view stands in, which the error names.
    InView {
        view: (String, String),
        top: (String, String),
        account: Option<(String, String)>,
        need: Box<Need>,
    },
    /// EXPLAIN of what uses a view shows what is beneath: SHOW VIEW on the view, and `need` with the rights of anyone who asks: 1345.
    ExplainView { view: (String, String), need: Option<Box<Need>> },
    /// GRANT OPTION and the privileges handed on: 1044, or 1045 on `*.*`.
    Grantable { privileges: Privileges, level: GrantLevel },
    /// XA_RECOVER_ADMIN: 1401.
    XaRecover,
    /// ROLE_ADMIN, or these roles WITH ADMIN OPTION: 1227.
    Roles(Vec<AccountName>),
}

/// Checks needs in order and reports the first that is missing.
pub fn check(needs: &[Need], access: &mut Access) -> Result<(), SqlError> {
    needs.iter().try_for_each(|need| match need {
        Need::Table { privileges, schema, table } => {
            access.require_table_or_columns(*privileges, schema, table)
        }
        Need::AnyOnTable { any_of, verb, schema, table } => {
            access.require_any_on_table(*any_of, verb, schema, table)
        }
        Need::Definition { schema, table } => access.require_definition(schema, table),
        Need::Columns { beside: true, .. } if !access.has_columns() => Ok(()),
        Need::Columns { privilege, schema, table, columns, whole, .. } => {
            access.require_columns(*privilege, schema, table, columns, *whole)
        }
        Need::Schema { privileges, schema } => access.require_database(*privileges, schema),
        Need::AnyOnSchema { schema } => access.require_visible(schema),
        Need::Routine { privilege, procedure, schema, routine } => {
            access.require_routine(*privilege, *procedure, schema, routine)
        }
        Need::Global(any_of) => access.require_any_global(*any_of),
        Need::Accounts { any_of, or_on_mysql } => {
            if access.on_database("mysql").contains(*or_on_mysql) {
                return Ok(());
            }
            access.require_any_global(*any_of)
        }
        Need::File => access.require_file(),
        Need::InView { top, account, need, .. } => in_view(top, account.as_ref(), need, access),
        Need::ExplainView { view, need } => explain_view(view, need.as_deref(), access),
        Need::Grantable { privileges, level } => check_grantable(access, *privileges, level),
        Need::XaRecover => access.require_xa_recover(),
        Need::Roles(roles) => access.require_role_admin(roles),
    })
}

fn in_view(
    view: &(String, String),
    account: Option<&(String, String)>,
    need: &Need,
    access: &mut Access,
) -> Result<(), SqlError> {
    let Some((user, host)) = account else {
        return check(std::slice::from_ref(need), access).map_err(|_| view_invalid(view));
    };
    let Some(definer) = access.accounts().get(user, host) else {
        // The name of a definer is for those to know who could be anyone.
        if !access.global().contains(Privileges::SUPER) {
            return Err(access.denied());
        }
        return Err(SqlError::of(errno::ER_NO_SUCH_USER, &[&user, &host]));
    };
    let mut of_definer = access.accounts().access(&definer, host);
    check(std::slice::from_ref(need), &mut of_definer).map_err(|_| view_invalid(view))
}

fn explain_view(
    (schema, name): &(String, String),
    need: Option<&Need>,
    access: &mut Access,
) -> Result<(), SqlError> {
    access
        .require_table(Privileges::SHOW_VIEW, schema, name)
        .and_then(|()| need.map_or(Ok(()), |n| check(std::slice::from_ref(n), access)))
        .map_err(|_| SqlError::of(errno::ER_VIEW_NO_EXPLAIN, &[]))
}

/// What EXPLAIN of a statement asks for beside the statement's own rights: of each view in it. What is written through a view
/// is asked of the view's definer alone.
pub fn to_explain(of_views: &[Need]) -> Vec<Need> {
    let reads = |need: &Need| match need {
        Need::Table { privileges, .. } => privileges.contains(Privileges::SELECT),
        Need::AnyOnTable { any_of, .. } => any_of.contains(Privileges::SELECT),
        Need::Columns { privilege, .. } => *privilege == Privileges::SELECT,
        _ => false,
    };
    let shown = |need: &Need| match need {
        Need::InView { view, need, .. } => {
            let need = reads(need).then(|| need.clone());
            Some(Need::ExplainView { view: view.clone(), need })
        }
        _ => None,
    };
    of_views.iter().filter_map(shown).collect()
}

/// 1356.
pub fn view_invalid((schema, name): &(String, String)) -> SqlError {
    crate::meta::view::invalid(schema, name)
}

/// What binding found out, added to what the syntax tree said.
#[derive(Clone, Default)]
pub struct BoundUses {
    /// Base tables that the plan names, with what is done to them where the syntax tree does not say it.
    pub tables: Vec<(String, String, Privileges)>,
    /// Columns that are read or written, in the order in which they are met.
    columns: Vec<ColumnUse>,
}

/// One right that is needed on columns of one table.
#[derive(Clone)]
struct ColumnUse {
    schema: String,
    table: String,
    privilege: Privileges,
    /// Nobody has named them.
    whole: bool,
    /// Some more than once: looking for each where it is met would cost the square of a wide table.
    columns: Vec<Arc<str>>,
}

impl BoundUses {
    pub fn table(&mut self, schema: &str, table: &str, privileges: Privileges) {
        let known = |(s, t, p): &(String, String, Privileges)| {
            s == schema && t == table && *p == privileges
        };
        if !self.tables.iter().any(known) {
            self.tables.push((schema.into(), table.into(), privileges));
        }
    }

    /// `whole`: it is one of all columns, none of which the statement names.
    pub fn column(
        &mut self,
        (schema, table): (&str, &str),
        privilege: Privileges,
        column: &Arc<str>,
        whole: bool,
    ) {
        let same = |u: &&mut ColumnUse| {
            u.schema == schema && u.table == table && u.privilege == privilege && u.whole == whole
        };
        match self.columns.iter_mut().find(same) {
            Some(known) => known.columns.push(column.clone()),
            None => self.columns.push(ColumnUse {
                schema: schema.into(),
                table: table.into(),
                privilege,
                whole,
                columns: vec![column.clone()],
            }),
        }
    }

    /// The needs for columns; `has_table` tells whether a right on a table is asked for beside.
    fn column_needs(self, has_table: impl Fn(&str, &str, Privileges) -> bool) -> Vec<Need> {
        let need = |mut u: ColumnUse| {
            let mut met = HashSet::new();
            u.columns.retain(|c| met.insert(c.clone()));
            Need::Columns {
                beside: has_table(&u.schema, &u.table, u.privilege),
                privilege: u.privilege,
                whole: u.whole,
                schema: u.schema,
                table: u.table,
                columns: u.columns,
            }
        };
        self.columns.into_iter().map(need).collect()
    }

    /// What a view reads, to be asked with the rights that it has.
    pub fn in_view(self) -> Vec<Need> {
        self.column_needs(|_, _, _| false)
    }
}

/// Whether a need is one of the table of this name.
pub fn is_of(need: &Need, name: &TableName, database: Option<&str>) -> bool {
    match need {
        Need::Table { schema, table, .. }
        | Need::AnyOnTable { schema, table, .. }
        | Need::Definition { schema, table } => {
            let own = name.schema.as_ref().map(|s| s.as_str()).or(database);
            table == name.name.as_str() && own == Some(schema.as_str())
        }
        _ => false,
    }
}

/// Temporary tables ask for no right: anyone who has made one may do everything with it.
pub fn spare_temporary(needs: &mut Vec<Need>, own: &Temporaries) {
    if own.is_empty() {
        return;
    }
    needs.retain(|n| match n {
        Need::Table { schema, table, .. }
        | Need::AnyOnTable { schema, table, .. }
        | Need::Definition { schema, table }
        | Need::Columns { schema, table, .. } => !own.has(schema, table),
        _ => true,
    });
}

/// Completes the needs of a statement by what its binding used.
pub fn cover(needs: &mut Vec<Need>, uses: BoundUses) {
    let holds = |needs: &[Need], s: &str, t: &str, wanted: Privileges| {
        needs.iter().any(|n| match n {
            Need::Table { privileges, schema, table } => {
                schema == s && table == t && privileges.contains(wanted)
            }
            _ => false,
        })
    };
    let BoundUses { tables, columns } = uses;
    for (schema, table, privileges) in tables {
        let named = |n: &Need| match n {
            Need::Table { schema: s, table: t, .. }
            | Need::AnyOnTable { schema: s, table: t, .. } => {
                s.eq_ignore_ascii_case(&schema) && t.eq_ignore_ascii_case(&table)
            }
            _ => false,
        };
        let is_named = needs.iter().any(named);
        debug_assert!(is_named, "`{schema}`.`{table}` was bound but not seen in the syntax tree");
        if privileges.is_empty() && is_named {
            continue;
        }
        let privileges = if privileges.is_empty() { Privileges::SELECT } else { privileges };
        if !holds(needs, &schema, &table, privileges) {
            needs.push(Need::Table { privileges, schema, table });
        }
    }
    let columns = BoundUses { tables: Vec::new(), columns };
    let of_columns = columns.column_needs(|s, t, privilege| holds(needs, s, t, privilege));
    needs.extend(of_columns);
}

/// 1290 for anyone who may not write tables that others see. CONNECTION_ADMIN and SUPER pass `read_only`, and nobody passes
/// `super_read_only`, but the applier of a replica.
pub fn check_writable(vars: &GlobalVars, access: &mut Access) -> Result<(), SqlError> {
    if !vars.is_read_only() || access.is_of_replica() {
        return Ok(());
    }
    let option = match vars.bool(Var::super_read_only) {
        true => "--super-read-only",
        false => "--read-only",
    };
    let passes = Privileges::SUPER | Privileges::CONNECTION_ADMIN;
    if option == "--read-only" && access.require_any_global(passes).is_ok() {
        return Ok(());
    }
    Err(SqlError::of(errno::ER_OPTION_PREVENTS_STATEMENT, &[&option]))
}
