//! What ICU reads otherwise than the library that matches: the replacement of REGEXP_REPLACE(), the braces of a pattern, and its
//! classes of characters by name, which are Unicode's.

use super::regexp_errors::{numbered, syntax};
use crate::errno;
use crate::value::ValueError;
use fancy_regex::{Captures, Regex};
use std::borrow::Cow;
use std::fmt::Write;

/// The replacement with the groups of a match in it: `$1` takes as many digits as there may be groups, `${name}` is one by its name, and
/// a backslash quotes what follows. 3887 and 3686.
pub fn expand(
    regex: &Regex,
    groups: &Captures<'_, str>,
    to: &str,
    out: &mut String,
) -> Result<(), ValueError> {
    let mut rest = to.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => out.extend(rest.next()),
            '$' => {
                let group =
                    match rest.peek() {
                        Some('{') => {
                            rest.next();
                            let name: String = rest.by_ref().take_while(|c| *c != '}').collect();
                            if !regex.capture_names().flatten().any(|n| n == name) {
                                return Err(numbered(errno::ER_REGEXP_INVALID_CAPTURE_GROUP_NAME));
                            }
                            groups.name(&name)
                        }
                        Some('0'..='9') => {
                            let mut number: Option<usize> = None;
                            while let Some(digit) = rest.peek().and_then(|c| c.to_digit(10)) {
                                let longer = number.unwrap_or(0) * 10 + digit as usize;
                                if longer >= groups.len() {
                                    break;
                                }
                                number = Some(longer);
                                rest.next();
                            }
                            groups.get(number.ok_or_else(|| {
                                numbered(errno::ER_REGEXP_INDEX_OUTOFBOUNDS_ERROR)
                            })?)
                        }
                        _ => return Err(numbered(errno::ER_REGEXP_INVALID_CAPTURE_GROUP_NAME)),
                    };
                out.push_str(group.map_or("", |m| m.as_str()));
            }
            c => out.push(c),
        }
    }
    Ok(())
}

/// 3688, 3692 and 3693 for braces that are no interval behind something to repeat.
pub fn check_braces(pattern: &str) -> Result<(), ValueError> {
    let chars: Vec<char> = pattern.chars().collect();
    let close = |from: usize, c: char| chars[from..].iter().position(|x| *x == c).map(|n| from + n);
    let (mut at, mut depth) = (0, 0);
    // Nothing stands before what follows: it begins a pattern, a group or an alternative.
    let mut begins = true;
    while at < chars.len() {
        let first = std::mem::take(&mut begins);
        match chars[at] {
            '\\' if chars.get(at + 1) == Some(&'Q') => {
                let end = chars[at..].windows(2).position(|w| w == ['\\', 'E']);
                at = end.map_or(chars.len(), |n| at + n + 1);
            }
            '\\' => {
                at += 1;
                // A property or a character by its name or number.
                let named = matches!(chars.get(at), Some('x' | 'u' | 'p' | 'P' | 'N'));
                if named && chars.get(at + 1) == Some(&'{') {
                    at = close(at, '}').unwrap_or(at);
                }
            }
            '[' => depth += 1,
            ']' if depth > 0 => depth -= 1,
            '{' | '}' if depth > 0 => {}
            '}' => return Err(syntax(at + 1)),
            '{' if first => return Err(syntax(at + 1)),
            '{' => {
                let end = close(at, '}').ok_or_else(|| numbered(errno::ER_REGEXP_BAD_INTERVAL))?;
                let inside: String = chars[at + 1..end].iter().collect();
                check_interval(&inside)?;
                at = end;
            }
            '(' | '|' if depth == 0 => begins = true,
            _ => {}
        }
        at += 1;
    }
    Ok(())
}

/// The pattern with `[:alpha:]` and its kin as sets of Unicode's properties: the library's own are ASCII's.
/// 3685 for a name that Unicode does not know.
pub fn with_unicode_classes(pattern: &str) -> Result<Cow<'_, str>, ValueError> {
    if !pattern.contains("[:") {
        return Ok(Cow::Borrowed(pattern));
    }
    let (mut out, mut rest) = (String::with_capacity(pattern.len() + 16), pattern);
    while let Some(c) = rest.chars().next() {
        let quoted = match rest.strip_prefix("\\Q") {
            Some(inside) => inside.find("\\E").map_or(rest.len(), |end| end + 4),
            None if c == '\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            None => 0,
        };
        let taken = match class_name(rest) {
            Some(name) if quoted == 0 => {
                let (not, name) = name.strip_prefix('^').map_or(("", name), |name| ("^", name));
                let _ = write!(out, "[{not}{}]", properties(name)?);
                name.len() + not.len() + 4
            }
            _ => {
                let taken = quoted.max(c.len_utf8());
                out.push_str(&rest[..taken]);
                taken
            }
        };
        rest = &rest[taken..];
    }
    Ok(Cow::Owned(out))
}

/// What stands between `[:` and `:]` at the beginning of `text`.
fn class_name(text: &str) -> Option<&str> {
    let inside = text.strip_prefix("[:")?;
    let name = &inside[..inside.find(":]")?];
    let fits = |c: char| c.is_ascii_alphanumeric() || "^_- =<>".contains(c);
    name.chars().all(fits).then_some(name)
}

/// What belongs to a class, as ICU has it: POSIX names by Unicode's recommendation for them, any other by the property of that name.
fn properties(name: &str) -> Result<Cow<'static, str>, ValueError> {
    let set = match &*name.to_ascii_lowercase() {
        "alpha" => r"\p{Alphabetic}",
        "lower" => r"\p{Lowercase}",
        "upper" => r"\p{Uppercase}",
        "digit" => r"\p{Nd}",
        "alnum" => r"\p{Alphabetic}\p{Nd}",
        "punct" => r"\p{P}",
        "space" => r"\p{White_Space}",
        "blank" => r"\p{Zs}\t",
        "cntrl" => r"\p{Cc}",
        "xdigit" => r"\p{Nd}\p{Hex_Digit}",
        "word" => r"\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}",
        "ascii" => r"\x00-\x7F",
        "graph" => r"[^\p{White_Space}\p{Cc}\p{Cn}]",
        "print" => r"\p{Zs}[^\p{White_Space}\p{Cc}\p{Cn}]",
        _ => {
            let property = format!("\\p{{{name}}}");
            return match Regex::new(&property) {
                Ok(_) => Ok(Cow::Owned(property)),
                Err(_) => Err(numbered(errno::ER_REGEXP_ILLEGAL_ARGUMENT)),
            };
        }
    };
    Ok(Cow::Borrowed(set))
}

fn check_interval(text: &str) -> Result<(), ValueError> {
    let (least, most) = match text.split_once(',') {
        Some((least, most)) => (least, Some(most).filter(|m| !m.is_empty())),
        None => (text, None),
    };
    let number = |t: &str| match t.bytes().all(|b| b.is_ascii_digit()) {
        true => t.parse::<u64>().map_err(|_| numbered(errno::ER_REGEXP_BAD_INTERVAL)),
        false => Err(numbered(errno::ER_REGEXP_BAD_INTERVAL)),
    };
    let least = number(least)?;
    match most.map(number).transpose()? {
        Some(most) if most < least => Err(numbered(errno::ER_REGEXP_MAX_LT_MIN)),
        _ => Ok(()),
    }
}
