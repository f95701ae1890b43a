//! Accounts that stored programs and views run as: who makes, drops or renames one is warned, or refused.

use super::StatementCtx;
use crate::account::{AccountName, Privileges};
use crate::errno;
use crate::meta::program::ProgramMeta;
use crate::meta::view::ViewMeta;
use crate::session_api::SqlError;
use weir_engine::{Object, ObjectKind};

/// What there is with a definer, in MySQL's order.
const KINDS: [(&[ObjectKind], &str); 4] = [
    (&[ObjectKind::Event], "an event"),
    (&[ObjectKind::View], "a view"),
    (&[ObjectKind::Procedure, ObjectKind::Function], "a stored routine"),
    (&[ObjectKind::Trigger], "a trigger"),
];

/// 4005 for each kind of thing that an account is the definer of. For anyone who may not name another definer it is an error, 4006.
pub fn check(
    operation: &str,
    accounts: &[AccountName],
    cx: &mut StatementCtx<'_>,
) -> Result<(), SqlError> {
    let may = cx.changes.access.global().contains(Privileges::SUPER);
    for name in accounts {
        let shown = format!("'{}'@'{}'", name.user, name.host);
        for (kinds, what) in KINDS {
            if !is_definer(name, kinds, cx) {
                continue;
            }
            if !may {
                let text = format!(
                    "Operation {operation} failed for {shown} as it is referenced as a definer account in {what}."
                );
                let errno = errno::ER_CANNOT_USER_REFERENCED_AS_DEFINER;
                return Err(SqlError::new(errno, text));
            }
            let text = format!("User {shown} is referenced as a definer account in {what}.");
            cx.changes.warnings.warn(errno::ER_USER_REFERENCED_AS_DEFINER, || text);
        }
    }
    Ok(())
}

fn is_definer(name: &AccountName, kinds: &[ObjectKind], cx: &StatementCtx<'_>) -> bool {
    let db = cx.reads.db();
    let of = |o: &Object| match o.kind {
        ObjectKind::View => ViewMeta::of(o).ok().map(|v| v.definer),
        _ => ProgramMeta::of(o).ok().map(|p| p.definer),
    };
    let is = |o: &Object| {
        of(o).is_some_and(|(user, host)| user == name.user && host.eq_ignore_ascii_case(&name.host))
    };
    db.schemas()
        .iter()
        .flat_map(|s| kinds.iter().flat_map(|k| db.objects(*k, &s.name)))
        .any(|o| is(&o))
}
