//! RANDOM PASSWORD: a password that the server makes and shows once, in the answer of the statement that sets it.

use crate::account::AccountName;
use crate::context::{AdminResult, ShowResult, StatementCtx, VirtualColumn};
use crate::ddl::refused::value_error;
use crate::infoschema::cells::{INT, c, i, s, text};
use crate::session_api::SqlError;
use crate::vars::Var;

/// Characters of such passwords: none that a shell's or SQL's double quotes would make something else of.
const CHARACTERS: &[u8] =
    b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-*/.,:;_@#%()[]{}<>=?~^&|";

/// The passwords that a statement has made, with their accounts.
pub type Made = Vec<(AccountName, String)>;

/// As many characters as `generated_random_password_length` says. Errors: 1105, if the system has no random bytes.
pub fn make(cx: &StatementCtx<'_>) -> Result<String, SqlError> {
    let length = cx.reads.vars.u64(Var::generated_random_password_length) as usize;
    // Bytes from here on would make the first characters likelier than the last.
    let fair = 256 - 256 % CHARACTERS.len();
    let mut password = String::with_capacity(length);
    while password.len() < length {
        let mut bytes = [0; 64];
        cx.reads.session.fill_random(&mut bytes).map_err(value_error)?;
        let usable = bytes.iter().map(|b| usize::from(*b)).filter(|b| *b < fair);
        let characters = usable.map(|b| char::from(CHARACTERS[b % CHARACTERS.len()]));
        password.extend(characters.take(length - password.len()));
    }
    Ok(password)
}

/// The statement's answer: the passwords, if it has made any.
pub fn answer(made: Made) -> AdminResult {
    if made.is_empty() {
        return AdminResult::ok();
    }
    let columns: Vec<VirtualColumn> = vec![
        c("user", text(32)),
        c("host", text(255)),
        c("generated password", text(255)),
        c("auth_factor", INT),
    ];
    let row = |(name, password): (AccountName, String)| {
        vec![s(name.user), s(name.host), s(password), i(1)]
    };
    AdminResult::Rows(ShowResult { rows: made.into_iter().map(row).collect(), columns })
}
