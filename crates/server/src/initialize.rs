//! A new data directory with a password for root, and no server: `weir init`, `--initialize`.

use crate::boot::log_as_wanted;
use crate::log;
use crate::tls::Tls;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use weir_boot::engine::{Embedding, open_directory};
use weir_boot::identity;
use weir_boot::options::ServeOptions;
use weir_boot::passwords::Hasher;
use weir_boot::unfinished::Unfinished;
use weir_rt::Rt;
use weir_sql::account::{AccountName, AccountOptions, PolicyChange};
use weir_sql::session::Instance;
use weir_sql::vars::{GlobalVars, Var};

/// What root logs in with.
pub enum RootPassword {
    Chosen(Vec<u8>),
    /// Made here. It has expired at once: root's first statement gives another one.
    Generated,
    Empty,
}

/// Characters of passwords that are made: 64, so that each byte's low bits choose one fairly, and none that a shell reads otherwise.
const CHARACTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// 120 bits.
const LENGTH: usize = 20;

/// Makes the directory and all that a first start makes. The password, where it was made here.
///
/// Nothing is left of a directory whose making fails; one whose making is ended from outside is refused by every start.
pub fn initialize(options: &ServeOptions, root: RootPassword) -> Result<Option<String>, String> {
    let vars = Arc::new(GlobalVars::default());
    let warnings = options.apply(&vars)?;
    log_as_wanted(&vars)?;
    let target = vars.text(Var::log_error);
    if target != "stderr" && !target.is_empty() {
        log::set_file(&target).map_err(|e| format!("cannot write the log '{target}': {e}"))?;
    }
    let datadir = PathBuf::from(vars.text(Var::datadir));
    log::system(&format!(
        "weir {} making a new data directory, process {}",
        env!("CARGO_PKG_VERSION"),
        std::process::id()
    ));
    warnings.iter().for_each(|w| log::warning(w));
    let unfinished = Unfinished::begin(&datadir)?;
    let rt = Rt::real();
    let fatal = Arc::new(|e: &weir_engine::Error| {
        log::error(&format!("the storage engine cannot go on: {e}"));
        std::process::exit(70);
    });
    let embedding = Embedding::new(Arc::new(log::engine), fatal);
    let db = open_directory(&rt, &datadir, &vars, options, embedding)?;
    let made = fill(&rt, &db, &vars, &datadir, root);
    let closed = rt.block_on(db.shutdown()).map_err(|e| format!("cannot close the data: {e}"));
    let password = made.and_then(|password| closed.map(|()| password))?;
    unfinished.finish()?;
    log::system("the data directory is made");
    Ok(password)
}

fn fill(
    rt: &Rt,
    db: &weir_engine::Db,
    vars: &Arc<GlobalVars>,
    datadir: &std::path::Path,
    root: RootPassword,
) -> Result<Option<String>, String> {
    let (_, not_kept) = identity::server_uuid(datadir)?;
    if let Some(why) = not_kept {
        return Err(why);
    }
    let hasher = Box::new(Hasher::new(rt.clone()));
    let inst = rt
        .block_on(Instance::open(db.clone(), vars.clone(), hasher))
        .map_err(|e| format!("cannot make the accounts: {}", e.message))?;
    let (password, made) = match root {
        RootPassword::Chosen(password) => (password, None),
        RootPassword::Generated => {
            let made = generated(rt)?;
            (made.clone().into_bytes(), Some(made))
        }
        RootPassword::Empty => {
            log::warning("root@localhost is created with an empty password");
            (Vec::new(), None)
        }
    };
    if !password.is_empty() {
        let name = AccountName::new("root", "localhost");
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let policy = PolicyChange { expire: made.is_some(), ..PolicyChange::default() };
        let options = AccountOptions { policy, now, ..AccountOptions::default() };
        rt.block_on(inst.accounts.set_password(&name, &password, false, options))
            .map_err(|e| format!("cannot set the password of root: {}", e.message))?;
    }
    rt.block_on(weir_sql::sys::install(&inst, 1))
        .map_err(|e| format!("cannot make the schema sys: {}", e.message))?;
    Tls::open(vars, datadir)?;
    Ok(made)
}

fn generated(rt: &Rt) -> Result<String, String> {
    let mut bytes = [0; LENGTH];
    rt.fill_random(&mut bytes).map_err(|e| format!("the system has no random numbers: {e}"))?;
    Ok(bytes.iter().map(|b| char::from(CHARACTERS[usize::from(b & 63)])).collect())
}
