//! `weir init`: a new data directory in which root has a password from the first moment on.

use std::io::Read;
use std::process::ExitCode;
use weir_server::initialize::{RootPassword, initialize};
use weir_server::options::{self, ServeOptions, Wanted};

const HELP: &str = "\
Usage: weir init --datadir=DIR (--generate | --password-file=FILE | --no-password) [options of weir serve]

Makes a new data directory, in an empty directory or one that does not exist, and starts no server.

  --generate             root gets a password that is printed once; it has to be changed at the first login
  --password-file=FILE   root gets the password that is the file's first line; - is standard input
  --no-password          root has no password, and the server then listens on this machine only

Options of the server that a directory keeps, such as --innodb-page-size, and --defaults-file=FILE are taken as by weir serve.
The server takes MySQL's --initialize (as --generate, with the password in the log) and --initialize-insecure (as --no-password).

Exit codes: 0 made; 2 not made, and nothing is left; 64 the options cannot be understood.
";

/// Bytes of a password; MySQL's clients send no longer ones.
const PASSWORD_MAX: u64 = 256;

/// Where the password comes from.
#[derive(Debug, PartialEq, Eq)]
enum Source {
    Generate,
    File(String),
    Nowhere,
}

/// This command's own options, and those of the server.
fn of(args: &[String]) -> Result<(Source, Vec<String>), String> {
    let mut sources = Vec::new();
    let mut rest = Vec::new();
    let mut it = args.iter();
    while let Some(a) = it.next() {
        match a.as_str() {
            "--generate" => sources.push(Source::Generate),
            "--no-password" => sources.push(Source::Nowhere),
            "--password-file" => match it.next() {
                Some(file) => sources.push(Source::File(file.clone())),
                None => return Err("--password-file needs a file".into()),
            },
            _ => match a.strip_prefix("--password-file=") {
                Some(file) => sources.push(Source::File(file.into())),
                None => rest.push(a.clone()),
            },
        }
    }
    match <[Source; 1]>::try_from(sources) {
        Ok([source]) => Ok((source, rest)),
        Err(_) => Err(
            "one of --generate, --password-file=FILE and --no-password says what root logs in with"
                .into(),
        ),
    }
}

fn password_of(file: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = match file {
        "-" => std::io::stdin().take(PASSWORD_MAX + 2).read_to_end(&mut bytes),
        _ => {
            std::fs::File::open(file).and_then(|f| f.take(PASSWORD_MAX + 2).read_to_end(&mut bytes))
        }
    };
    read.map_err(|e| format!("cannot read the password from '{file}': {e}"))?;
    let line = bytes.split(|b| *b == b'\n').next().unwrap_or_default();
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    match line.len() as u64 {
        0 => Err(format!(
            "the first line of '{file}' is empty; --no-password makes a root without one"
        )),
        n if n > PASSWORD_MAX => {
            Err(format!("the password in '{file}' has more than {PASSWORD_MAX} bytes"))
        }
        _ => Ok(line.to_vec()),
    }
}

fn made(options: &ServeOptions, source: &Source) -> Result<(), String> {
    let root = match source {
        Source::Generate => RootPassword::Generated,
        Source::File(file) => RootPassword::Chosen(password_of(file)?),
        Source::Nowhere => RootPassword::Empty,
    };
    if let Some(password) = initialize(options, root)? {
        println!(
            "root@localhost has the password {password} and has to change it at the first login"
        );
    }
    Ok(())
}

pub fn main(args: &[String]) -> ExitCode {
    if args.is_empty() || args.iter().any(|a| a == "--help" || a == "-h" || a == "-?") {
        print!("{HELP}");
        return ExitCode::SUCCESS;
    }
    let read = of(args).and_then(|(source, rest)| match options::read(&rest)? {
        Wanted::Serve(options) => Ok((source, options)),
        _ => Err("such an option belongs to weir serve".into()),
    });
    let (source, options) = match read {
        Ok(read) => read,
        Err(e) => {
            eprintln!("weir init: {e}; `weir init --help` lists the options");
            return ExitCode::from(64);
        }
    };
    match made(&options, &source) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("weir init: {e}");
            ExitCode::from(2)
        }
    }
}

/// `weir serve --initialize` and `--initialize-insecure`: the log tells the password, as MySQL's does.
pub fn as_mysql(options: &ServeOptions, insecure: bool) -> Result<(), String> {
    let root = if insecure { RootPassword::Empty } else { RootPassword::Generated };
    if let Some(password) = initialize(options, root)? {
        weir_server::log::system(&format!(
            "A temporary password is generated for root@localhost: {password}"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_source_of_the_password() {
        let of = |list: &[&str]| of(&list.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(
            of(&["--datadir=x", "--generate"]),
            Ok((Source::Generate, vec!["--datadir=x".into()]))
        );
        assert_eq!(of(&["--password-file", "f"]), Ok((Source::File("f".into()), Vec::new())));
        for bad in
            [&[][..], &["--generate", "--no-password"], &["--password-file"], &["--datadir=x"]]
        {
            assert!(of(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn the_first_line_is_the_password() {
        let file = std::env::temp_dir().join(format!("weir-password-{}", std::process::id()));
        let read = |text: &[u8]| {
            std::fs::write(&file, text).unwrap();
            password_of(file.to_str().unwrap()).ok()
        };
        assert_eq!(read(b"secret\nx").as_deref(), Some(&b"secret"[..]));
        assert_eq!(read(b"secret\r\n").as_deref(), Some(&b"secret"[..]));
        assert_eq!((read(b""), read(b"\nx"), read(&[b'x'; 300])), (None, None, None));
        assert_eq!(read(&[b'x'; 256]).map(|p| p.len()), Some(256));
        std::fs::remove_file(&file).unwrap();
    }
}
