//! `weir migrate`: its command line.

use std::process::ExitCode;
use weir_replica::migrate::{self, Options, Outcome};
use weir_replica::source::{Target, Tls};

const HELP: &str = "\
weir migrate: moves the databases of a MySQL or MariaDB to a running Weir without a stop.

Usage: weir migrate --from=mysql://user:password@host:3306/ --to=mysql://user:password@host:3306/ [options]

  --databases=a,b    only these; all that are not the server's own otherwise
  --threads=N        connections that copy rows (4)
  --check            only tell what Weir would refuse, and why
  --no-follow        do not make a replica of the target behind the copy
  --tls              encrypt the connections to the source

First each definition of the source is tried in a scratch database of the target, and the command reports what is refused. Then all rows are copied as
they were at one moment (writers of the source wait for an instant, no longer), the target follows the source as its replica, and the
tables are compared. The switch is yours; the command ends with what to do. Nothing is changed at the source.

The source's account needs SELECT, SHOW VIEW, TRIGGER, EVENT, RELOAD, REPLICATION SLAVE, REPLICATION CLIENT; the target's needs all rights. The two servers need
server_ids of their own.

Exit code 0: done. 1: Weir refuses something, or tables differ. 2: an error. 64: the options cannot be understood.
";

pub fn main(args: &[String]) -> ExitCode {
    if args.iter().any(|a| a == "--help" || a == "-h") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let options = match parse(args) {
        Ok(o) => o,
        Err(e) => {
            eprintln!("weir migrate: {e}; see `weir migrate --help`");
            return ExitCode::from(64);
        }
    };
    match migrate::run(&options) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Trouble) => ExitCode::from(1),
        Err(e) => {
            eprintln!("weir migrate: {e}");
            ExitCode::from(2)
        }
    }
}

fn parse(args: &[String]) -> Result<Options, String> {
    let (mut from, mut to) = (None, None);
    let (mut databases, mut threads) = (Vec::new(), 4);
    let (mut check_only, mut no_follow, mut tls) = (false, false, false);
    for arg in args {
        match arg.split_once('=') {
            Some(("--from", url)) => from = Some(target(url)?),
            Some(("--to", url)) => to = Some(target(url)?),
            Some(("--databases", list)) => databases = list.split(',').map(str::to_owned).collect(),
            Some(("--threads", n)) => {
                threads = n.parse().map_err(|_| format!("'{n}' is no number of threads"))?;
            }
            _ if arg == "--check" => check_only = true,
            _ if arg == "--no-follow" => no_follow = true,
            _ if arg == "--tls" => tls = true,
            _ => return Err(format!("unknown option '{arg}'")),
        }
    }
    let (Some(mut from), Some(to)) = (from, to) else {
        return Err("it needs --from and --to".into());
    };
    from.tls.on = tls;
    Ok(Options { from, to, databases, threads, check_only, no_follow })
}

/// `mysql://user:password@host:port/`, with `%` and two digits for what has a meaning.
fn target(url: &str) -> Result<Target, String> {
    let bad =
        |why: &str| format!("'{url}': {why}; a server is named mysql://user:password@host:3306/");
    let rest =
        url.strip_prefix("mysql://").ok_or_else(|| bad("it does not begin with mysql://"))?;
    let (who, place) = rest.rsplit_once('@').unwrap_or(("root", rest));
    let (user, password) = who.split_once(':').unwrap_or((who, ""));
    let place = place.split('/').next().unwrap_or("");
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) => (host, port.parse().map_err(|_| bad("the port is no number"))?),
        None => (place, 3306),
    };
    if host.is_empty() {
        return Err(bad("it names no host"));
    }
    Ok(Target {
        host: host.to_owned(),
        port,
        user: decoded(user),
        password: decoded(password),
        bind: String::new(),
        tls: Tls::default(),
        asks_key: true,
        key_file: String::new(),
    })
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while at < bytes.len() {
        let pair = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        match pair.and_then(|p| u8::from_str_radix(p, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers() {
        let t = target("mysql://a%40b:p%3a@[::1]:33/").expect("one");
        assert_eq!((t.user.as_str(), t.password.as_str(), t.port), ("a@b", "p:", 33));
        let t = target("mysql://db").expect("one");
        assert_eq!((t.user.as_str(), t.host.as_str(), t.port), ("root", "db", 3306));
        for bad in ["db", "mysql://u@", "mysql://u@h:x/"] {
            assert!(target(bad).is_err(), "{bad}");
        }
        let args = |list: &[&str]| list.iter().map(|a| (*a).to_owned()).collect::<Vec<_>>();
        assert!(parse(&args(&["--from=mysql://a"])).is_err());
        let o = parse(&args(&["--from=mysql://a", "--to=mysql://b", "--databases=x,y", "--check"]));
        assert!(o.is_ok_and(|o| o.check_only && o.databases == ["x", "y"]));
    }
}
