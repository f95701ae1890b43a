//! Command lines of these commands: `--name=value`, `--name value`, switches.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use weir_server::backup::Key;

/// What a command line says. A name that ends in `!` takes no value, one that ends in `?` may have one behind `=`, the empty name is what
/// stands alone.
#[derive(Debug, Default)]
pub struct Call(HashMap<String, String>);

impl Call {
    pub fn of(args: &[String], known: &[&str]) -> Result<Call, String> {
        let mut call = Call::default();
        let mut it = args.iter();
        while let Some(arg) = it.next() {
            let Some(rest) = arg.strip_prefix("--") else {
                if !known.contains(&"") || call.0.contains_key("") {
                    return Err(format!("'{arg}' is no option"));
                }
                call.0.insert(String::new(), arg.clone());
                continue;
            };
            let (name, given) = match rest.split_once('=') {
                Some((n, v)) => (n, Some(v.to_string())),
                None => (rest, None),
            };
            let is = |end: &str| known.iter().any(|k| k.strip_suffix(end) == Some(name));
            let value = if is("!") {
                match given {
                    None => String::new(),
                    Some(_) => return Err(format!("--{name} takes no value")),
                }
            } else if is("?") {
                given.unwrap_or_default()
            } else if known.contains(&name) && !name.is_empty() {
                let value = given.or_else(|| it.next().cloned()).filter(|v| !v.is_empty());
                value.ok_or_else(|| format!("--{name} needs a value"))?
            } else {
                return Err(format!("there is no option '--{name}'"));
            };
            if call.0.insert(name.into(), value).is_some() {
                return Err(format!("--{name} is given twice"));
            }
        }
        Ok(call)
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub fn need(&self, name: &str) -> Result<&str, String> {
        self.get(name).ok_or_else(|| format!("--{name} is missing"))
    }

    pub fn path(&self, name: &str) -> Option<PathBuf> {
        self.get(name).map(PathBuf::from)
    }

    pub fn key(&self) -> Result<Option<Key>, String> {
        self.get("key-file").map(|p| Key::read(Path::new(p))).transpose()
    }
}

/// A number of bytes, with K, M or G behind it.
pub fn bytes(text: &str) -> Option<u64> {
    let (digits, shift) = match text.as_bytes().last()? | 0x20 {
        b'k' => (&text[..text.len() - 1], 10),
        b'm' => (&text[..text.len() - 1], 20),
        b'g' => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift).filter(|n| *n > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(args: &[&str]) -> Result<Call, String> {
        let known = ["", "to", "compress?", "quiet!"];
        Call::of(&args.iter().map(ToString::to_string).collect::<Vec<_>>(), &known)
    }

    #[test]
    fn values_stand_behind_an_equals_sign_or_alone() {
        let c = of(&["dir", "--to=x", "--quiet", "--compress"]).unwrap();
        assert_eq!((c.get(""), c.get("to"), c.get("compress")), (Some("dir"), Some("x"), Some("")));
        assert!(c.has("quiet") && c.need("to").is_ok() && c.need("nothing").is_err());
        assert_eq!(of(&["--to", "y", "--compress=9"]).unwrap().get("compress"), Some("9"));
        for bad in [
            &["--to"][..],
            &["--to="],
            &["--quiet=1"],
            &["--x"],
            &["--to=a", "--to=b"],
            &["a", "b"],
            &["--="],
        ] {
            assert!(of(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!((bytes("7"), bytes("2k"), bytes("3M")), (Some(7), Some(2048), Some(3 << 20)));
        for bad in ["", "0", "k", "-1", "1T", "99999999999999999999", "99999999999999G"] {
            assert_eq!(bytes(bad), None, "{bad}");
        }
    }
}
