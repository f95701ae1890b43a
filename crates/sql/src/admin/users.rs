//! CREATE, ALTER, DROP and RENAME USER, SET PASSWORD: from the syntax tree to [`crate::account`].

use super::definers;
use super::policy;
use super::random_password::{self, Made};
use super::roles;
use super::{AdminResult, StatementCtx};
use crate::account::{AccountName, AccountOptions, Auth, AuthPlugin, Note};
use crate::errno;
use crate::session_api::SqlError;
use crate::tls::Require;
use weir_syntax::ast::{self, AuthHow, AuthSpec, Statement, UserAuth, UserOptions, UserSpec};

type Done = Result<AdminResult, SqlError>;

pub async fn run(stmt: &Statement, cx: &mut StatementCtx<'_>) -> Option<Done> {
    Some(match stmt {
        Statement::CreateUser(c) => create(c, cx).await,
        Statement::AlterUser(a) => alter(a, cx).await,
        Statement::DropUser { if_exists, users } => drop_users(*if_exists, users, cx).await,
        Statement::RenameUser(pairs) => rename(pairs, cx).await,
        Statement::SetPassword(s) => set_password(s, cx).await,
        _ => return None,
    })
}

pub(super) fn notes(list: Vec<Note>, cx: &mut StatementCtx<'_>) {
    for n in list {
        cx.changes.warnings.note(n.errno, || n.message);
    }
}

/// How an account logs in from now on, and the password that was made for it.
fn auth_of(
    a: Option<&AuthSpec>,
    cx: &StatementCtx<'_>,
) -> Result<(Auth, Option<String>), SqlError> {
    let Some(a) = a else { return Ok((Auth::None, None)) };
    if a.discard_old {
        return Ok((Auth::DiscardOld, None));
    }
    let kept = |auth| if a.retain_current { Auth::Retaining(Box::new(auth)) } else { auth };
    let plugin = a.plugin.as_ref().map(|p| AuthPlugin::by_name(p.as_str())).transpose()?;
    let auth = match &a.how {
        AuthHow::Unspecified => plugin.map_or(Auth::None, Auth::Plugin),
        AuthHow::Password(p) => Auth::Password { plugin, password: p.to_vec() },
        AuthHow::RandomPassword => {
            let made = random_password::make(cx)?;
            let password = made.clone().into_bytes();
            return Ok((kept(Auth::Password { plugin, password }), Some(made)));
        }
        AuthHow::Hash(h) => Auth::Hash {
            plugin: plugin.unwrap_or(AuthPlugin::CachingSha2),
            credential: String::from_utf8_lossy(h).into_owned(),
        },
    };
    Ok((kept(auth), None))
}

/// All options, and what they depend on.
fn options_of(o: &UserOptions, cx: &StatementCtx<'_>) -> Result<AccountOptions, SqlError> {
    let require = match &o.require {
        None => None,
        Some(ast::RequireTls::None) => Some(Require::Nothing),
        Some(ast::RequireTls::Ssl) => Some(Require::Ssl),
        Some(ast::RequireTls::X509) => Some(Require::X509),
        Some(ast::RequireTls::Specific(list)) => {
            let text = |word: &str| {
                let mut all = list.iter().filter(|(w, _)| *w == word).map(|(_, text)| text);
                let text =
                    all.next().map_or(String::new(), |t| String::from_utf8_lossy(t).into_owned());
                match all.next() {
                    None => Ok(text),
                    Some(_) => Err(SqlError::of(errno::ER_DUP_ARGUMENT, &[&word])),
                }
            };
            let (cipher, issuer) = (text("CIPHER")?, text("ISSUER")?);
            let subject = text("SUBJECT")?;
            // Empty texts ask for nothing but a certificate.
            Some(match cipher.len() + issuer.len() + subject.len() {
                0 => Require::X509,
                _ => Require::Specific { cipher, issuer, subject },
            })
        }
    };
    Ok(AccountOptions {
        locked: o.lock,
        require,
        policy: policy::change_of(o)?,
        ..policy::circumstances(cx)
    })
}

/// sha256_password works, and MySQL advises against it.
fn warn_of_sha256(users: &[(AccountName, Auth)], cx: &mut StatementCtx<'_>) {
    fn plugin_of(auth: &Auth) -> Option<AuthPlugin> {
        match auth {
            Auth::Password { plugin, .. } => *plugin,
            Auth::Hash { plugin, .. } | Auth::Plugin(plugin) => Some(*plugin),
            Auth::Retaining(auth) => plugin_of(auth),
            Auth::None | Auth::DiscardOld => None,
        }
    }
    let is_old = |(_, auth): &&(AccountName, Auth)| plugin_of(auth) == Some(AuthPlugin::Sha256);
    for _ in users.iter().filter(is_old) {
        cx.changes.warnings.warn(errno::ER_WARN_DEPRECATED_SYNTAX, || {
            "'sha256_password' is deprecated and will be removed in a future release. Please use \
             caching_sha2_password instead"
                .to_owned()
        });
    }
}

fn users_of(
    users: &[UserAuth],
    cx: &StatementCtx<'_>,
) -> Result<(Vec<(AccountName, Auth)>, Made), SqlError> {
    let mut made = Made::new();
    let mut all = Vec::with_capacity(users.len());
    for u in users {
        let name = cx.account(&u.user);
        let (auth, password) = auth_of(u.auth.as_ref(), cx)?;
        made.extend(password.map(|p| (name.clone(), p)));
        all.push((name, auth));
    }
    Ok((all, made))
}

async fn create(c: &ast::CreateUser, cx: &mut StatementCtx<'_>) -> Done {
    for auth in c.users.iter().filter_map(|u| u.auth.as_ref()) {
        let of_alter = [
            (auth.replace.is_some(), "REPLACE"),
            (auth.retain_current, "RETAIN CURRENT PASSWORD"),
            (auth.discard_old, "DISCARD OLD PASSWORD"),
        ];
        if let Some((_, words)) = of_alter.iter().find(|(said, _)| *said) {
            return Err(SqlError::parse(words, 1));
        }
    }
    let options = options_of(&c.options, cx)?;
    let (users, mut made) = users_of(&c.users, cx)?;
    let accounts = cx.changes.access.accounts().clone();
    let default_roles: Vec<AccountName> = c.default_roles.iter().map(|u| cx.account(u)).collect();
    accounts.check_roles_exist(&default_roles)?;
    let before = accounts.list();
    let is_new = |n: &&AccountName| !before.iter().any(|a| a.name() == **n);
    let new: Vec<AccountName> = users.iter().map(|(n, _)| n).filter(is_new).cloned().collect();
    definers::check("CREATE USER", &new, cx)?;
    let list = accounts.create_users(&users, c.if_not_exists, options).await?;
    notes(list, cx);
    warn_of_sha256(&users, cx);
    if !default_roles.is_empty() {
        // An account that was there already is left as it is.
        accounts.give_default_roles(&new, &default_roles).await?;
    }
    made.retain(|(name, _)| new.contains(name));
    Ok(random_password::answer(made))
}

async fn alter(a: &ast::AlterUser, cx: &mut StatementCtx<'_>) -> Done {
    let named: Vec<AccountName> = a.users.iter().map(|u| cx.account(&u.user)).collect();
    cx.changes.access.require_system_user_over(&named)?;
    let (users, mut made) = users_of(&a.users, cx)?;
    let options = options_of(&a.options, cx)?;
    for (name, auth) in a.users.iter().filter_map(|u| Some((&u.user, u.auth.as_ref()?))) {
        let sets = !matches!(auth.how, AuthHow::Unspecified) || auth.plugin.is_some();
        if sets {
            policy::check_current(&cx.account(name), auth.replace.as_deref(), cx)?;
        }
    }
    let accounts = cx.changes.access.accounts().clone();
    let choice = a.default_roles.as_ref().map(|choice| roles::default_choice(choice, cx));
    if let Some(choice) = &choice {
        let names: Vec<_> = users.iter().map(|(n, _)| n.clone()).collect();
        accounts.check_default_roles(&names, choice)?;
    }
    let list = accounts.alter_users(&users, a.if_exists, options).await?;
    notes(list, cx);
    for (name, _) in users.iter().filter(|(_, auth)| auth.is_set()) {
        policy::was_set(name, cx);
    }
    warn_of_sha256(&users, cx);
    if let Some(choice) = choice {
        let there = |n: &AccountName| accounts.get(&n.user, &n.host).is_some();
        let names: Vec<_> = users.into_iter().map(|(n, _)| n).filter(there).collect();
        accounts.set_default_roles(&names, &choice).await?;
    }
    made.retain(|(name, _)| accounts.get(&name.user, &name.host).is_some());
    Ok(random_password::answer(made))
}

async fn drop_users(if_exists: bool, users: &[UserSpec], cx: &mut StatementCtx<'_>) -> Done {
    let names: Vec<AccountName> = users.iter().map(|u| cx.account(u)).collect();
    cx.changes.access.require_system_user_over(&names)?;
    definers::check("DROP USER", &names, cx)?;
    let list = cx.changes.access.accounts().clone().drop_users(&names, if_exists).await?;
    notes(list, cx);
    Ok(AdminResult::ok())
}

async fn rename(pairs: &[(UserSpec, UserSpec)], cx: &mut StatementCtx<'_>) -> Done {
    let pairs: Vec<_> = pairs.iter().map(|(a, b)| (cx.account(a), cx.account(b))).collect();
    let named: Vec<AccountName> = pairs.iter().flat_map(|(a, b)| [a.clone(), b.clone()]).collect();
    cx.changes.access.require_system_user_over(&named)?;
    definers::check("RENAME USER", &named, cx)?;
    cx.changes.access.accounts().clone().rename_users(&pairs).await?;
    Ok(AdminResult::ok())
}

async fn set_password(s: &ast::SetPassword, cx: &mut StatementCtx<'_>) -> Done {
    let name = cx.account(s.user.as_ref().unwrap_or(&UserSpec::CurrentUser));
    cx.changes.access.require_system_user_over(std::slice::from_ref(&name))?;
    policy::check_current(&name, s.replace.as_deref(), cx)?;
    let options = policy::circumstances(cx);
    let (password, made) = match &s.password {
        Some(p) => (p.to_vec(), Made::new()),
        None => {
            let made = random_password::make(cx)?;
            (made.clone().into_bytes(), vec![(name.clone(), made)])
        }
    };
    cx.changes
        .access
        .accounts()
        .clone()
        .set_password(&name, &password, s.retain_current, options)
        .await?;
    policy::was_set(&name, cx);
    Ok(random_password::answer(made))
}
