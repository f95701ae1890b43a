//! What ICU reads otherwise than the library that matches: the replacement of REGEXP_REPLACE(), and the braces of a pattern.

use super::regexp_errors::{numbered, syntax};
use crate::value::ValueError;
use fancy_regex::{Captures, Regex};

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
                let group = match rest.peek() {
                    Some('{') => {
                        rest.next();
                        let name: String = rest.by_ref().take_while(|c| *c != '}').collect();
                        if !regex.capture_names().flatten().any(|n| n == name) {
                            return Err(numbered(3887));
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
                        groups.get(number.ok_or_else(|| numbered(3686))?)
                    }
                    _ => return Err(numbered(3887)),
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
                let end = close(at, '}').ok_or_else(|| numbered(3692))?;
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

fn check_interval(text: &str) -> Result<(), ValueError> {
    let (least, most) = match text.split_once(',') {
        Some((least, most)) => (least, Some(most).filter(|m| !m.is_empty())),
        None => (text, None),
    };
    let number = |t: &str| match t.bytes().all(|b| b.is_ascii_digit()) {
        true => t.parse::<u64>().map_err(|_| numbered(3692)),
        false => Err(numbered(3692)),
    };
    let least = number(least)?;
    match most.map(number).transpose()? {
        Some(most) if most < least => Err(numbered(3693)),
        _ => Ok(()),
    }
}
