//! sysbench 0.4.12's command line for its OLTP test: `weir bench sysbench --test=oltp --num-threads=16 ... run`.
//!
//! Published results name that program by its whole line. Here the line is turned into the words of `weir bench oltp`: what names the
//! server becomes a target, the options of the test keep their names, and what is not given has sysbench's default. One option is not
//! sysbench's: `--each=innodb_flush_log_at_trx_commit=1,0` makes a run with each value of a variable and sets the reports side by side.

use crate::error::{Error, Result};

/// What sysbench takes where the line does not say.
const HOST: &str = "localhost";
const PORT: &str = "3306";
const USER: &str = "sbtest";
const SCHEMA: &str = "sbtest";
const REQUESTS: &str = "10000";

/// Options that say where the server is.
#[derive(Default)]
struct Server {
    host: Option<String>,
    port: Option<String>,
    user: Option<String>,
    password: Option<String>,
    schema: Option<String>,
    socket: Option<String>,
}

impl Server {
    fn target(&self) -> Result<String> {
        let or =
            |given: &Option<String>, default: &str| encode(given.as_deref().unwrap_or(default));
        let port = self.port.as_deref().unwrap_or(PORT);
        if port.parse::<u16>().is_err() {
            return Err(Error::other(format!("--mysql-port={port}: a port from 0 to 65535")));
        }
        let host = self.host.as_deref().unwrap_or(HOST);
        let socket = self.socket.as_ref().map(|s| format!("?socket={}", encode(s)));
        Ok(format!(
            "mysql://{}:{}@{host}:{port}/{}{}",
            or(&self.user, USER),
            or(&self.password, ""),
            or(&self.schema, SCHEMA),
            socket.unwrap_or_default()
        ))
    }
}

/// Bytes that mean something in a target's address.
fn encode(text: &str) -> String {
    let one = |b: u8| match b {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(b).to_string(),
        _ => format!("%{b:02X}"),
    };
    text.bytes().map(one).collect()
}

/// A line of sysbench's in the words of `weir bench oltp`.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    pub verb: String,
    pub options: Vec<String>,
    /// A variable of the server, and its values: a run with each of them. This option is not sysbench's.
    pub each: Option<(String, Vec<String>)>,
}

/// `name=value,value`.
fn each(text: &str) -> Result<(String, Vec<String>)> {
    let bad = || Error::other(format!("--each={text}: name=value,value"));
    let (name, values) = text.split_once('=').ok_or_else(bad)?;
    let values: Vec<String> = values.split(',').map(|v| v.trim().to_string()).collect();
    if name.is_empty() || values.len() < 2 || values.iter().any(String::is_empty) {
        return Err(bad());
    }
    Ok((name.to_string(), values))
}

/// Reads a line of sysbench's.
pub fn translate(line: &[String]) -> Result<Line> {
    let (mut server, mut test, mut verb) = (Server::default(), None, None);
    let mut by = None;
    let mut options = Vec::new();
    for word in line {
        let Some(option) = word.strip_prefix("--") else {
            if let Some(first) = verb.replace(word.clone()) {
                return Err(Error::other(format!(
                    "sysbench does one thing: '{first}' or '{word}'"
                )));
            }
            continue;
        };
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let value = || Some(value.to_string());
        match name.replace('_', "-").as_str() {
            "test" => test = value(),
            "each" => by = Some(each(value().as_deref().unwrap_or_default())?),
            "mysql-host" => server.host = value(),
            "mysql-port" => server.port = value(),
            "mysql-user" => server.user = value(),
            "mysql-password" => server.password = value(),
            "mysql-db" => server.schema = value(),
            "mysql-socket" => server.socket = value(),
            "db-driver" if value().as_deref() == Some("mysql") => {}
            "db-driver" => return Err(Error::other(format!("'{word}': mysql is the only one"))),
            _ => options.push(word.clone()),
        }
    }
    match test.as_deref() {
        Some("oltp") => {}
        Some(other) => {
            let text = format!("--test={other}: oltp is the only one of sysbench's tests here");
            return Err(Error::other(text));
        }
        None => return Err(Error::other("sysbench needs --test=oltp")),
    }
    let verb = verb.filter(|v| ["prepare", "run", "cleanup"].contains(&v.as_str()));
    let verb = verb.ok_or_else(|| Error::other("sysbench ... prepare, run or cleanup"))?;
    let has = |name: &str| options.iter().any(|o| o.replace('_', "-").starts_with(name));
    let (requests, threads) = (has("--max-requests"), has("--num-threads"));
    if !requests {
        options.push(format!("--max-requests={REQUESTS}"));
    }
    if !threads {
        options.push("--num-threads=1".into());
    }
    options.push(format!("--target={}", server.target()?));
    if by.is_some() && verb != "run" {
        return Err(Error::other(format!("--each is for run, and this is {verb}")));
    }
    Ok(Line { verb, options, each: by })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Result<(String, Vec<String>)> {
        let words: Vec<String> = text.split_whitespace().map(String::from).collect();
        translate(&words).map(|l| (l.verb, l.options))
    }

    #[test]
    fn a_published_line_as_it_stands() {
        let (verb, options) = line(
            "--num-threads=16 --max-requests=10000 --test=oltp --oltp-table-size=500000 --oltp-test-mode=complex \
             --mysql-db=dbtest --mysql-user=dbtest --mysql-password=dbtest run",
        )
        .unwrap();
        assert_eq!(verb, "run");
        assert_eq!(
            options,
            [
                "--num-threads=16",
                "--max-requests=10000",
                "--oltp-table-size=500000",
                "--oltp-test-mode=complex",
                "--target=mysql://dbtest:dbtest@localhost:3306/dbtest",
            ]
        );
    }

    #[test]
    fn defaults_and_signs_in_names() {
        let (verb, options) = line(
            "--test=oltp --db-driver=mysql --mysql-host=10.0.0.7 --mysql_port=3390 --mysql-user=a@b \
             --mysql-password=p:/w --mysql-socket=/tmp/x.sock prepare",
        )
        .unwrap();
        let target = "--target=mysql://a%40b:p%3A%2Fw@10.0.0.7:3390/sbtest?socket=%2Ftmp%2Fx.sock";
        assert_eq!(verb, "prepare");
        assert_eq!(options, ["--max-requests=10000", "--num-threads=1", target]);
    }

    #[test]
    fn what_it_does_not_do_is_named() {
        for (text, want) in [
            ("--test=oltp --each=x run", "name=value,value"),
            ("--test=oltp --each=x=1 run", "name=value,value"),
            ("--test=oltp --each=x=1,,2 run", "name=value,value"),
            ("--test=oltp --each=x=1,2 prepare", "this is prepare"),
            ("run", "--test=oltp"),
            ("--test=cpu run", "--test=cpu"),
            ("--test=oltp", "prepare, run or cleanup"),
            ("--test=oltp help", "prepare, run or cleanup"),
            ("--test=oltp run prepare", "one thing"),
            ("--test=oltp --db-driver=pgsql run", "pgsql"),
            ("--test=oltp --mysql-port=99999 run", "--mysql-port=99999"),
        ] {
            let e = line(text).unwrap_err().to_string();
            assert!(e.contains(want), "{text}: {e}");
        }
    }
}
