//! Letters that are several without regard to case: ß is `ss`, and ﬁ is `fi`. ICU folds the literal texts of a pattern and what is searched
//! as a whole; the library that matches folds one character to one. So a pattern gets the letters that the text has in the places of what
//! they are folded to, and the texts of its own letters in theirs.

use std::borrow::Cow;

/// Runs of a pattern where more of these letters may overlap are left as they are: each of them would double what is matched.
const MOST_OVERLAPS: usize = 6;

/// What a character is folded to.
fn folded(c: char) -> String {
    let once = |text: &str| -> String {
        text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
    };
    // The capital ß is folded by way of the small one.
    once(&once(c.encode_utf8(&mut [0; 4])))
}

/// Those of a text's characters that are folded to several, each once.
pub fn several(text: &str) -> Vec<char> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut found: Vec<char> = Vec::new();
    for c in text.chars().filter(|c| !c.is_ascii()) {
        if !found.contains(&c) && folded(c).chars().nth(1).is_some() {
            found.push(c);
        }
    }
    found
}

/// The pattern in which literal texts match what is equal to them when both are folded, as far as `letters` are concerned.
pub fn with_folds<'p>(pattern: &'p str, letters: &[char]) -> Cow<'p, str> {
    let own = several(pattern);
    if letters.is_empty() && own.is_empty() {
        return Cow::Borrowed(pattern);
    }
    let mut all = letters.to_vec();
    all.extend(own.into_iter().filter(|c| !letters.contains(c)));
    let folds: Vec<(char, Vec<char>)> =
        all.into_iter().map(|c| (c, folded(c).chars().collect())).collect();
    let mut out = String::with_capacity(pattern.len() * 2);
    let chars: Vec<char> = pattern.chars().collect();
    let mut run = String::new();
    let mut at = 0;
    while at < chars.len() {
        let len = piece(&chars[at..]);
        let literal = len == 1 && !is_special(chars[at]);
        // What is repeated stands by itself.
        let repeated = matches!(chars.get(at + len), Some('*' | '+' | '?' | '{'));
        if literal && !repeated {
            run.push(chars[at]);
        } else {
            flush(&mut run, &folds, &mut out);
            out.extend(&chars[at..at + len]);
        }
        at += len;
    }
    flush(&mut run, &folds, &mut out);
    Cow::Owned(out)
}

fn is_special(c: char) -> bool {
    "\\^$.|?*+()[]{}".contains(c)
}

/// How many characters belong together: a set, an escape, a group's head, or one.
fn piece(rest: &[char]) -> usize {
    let until = |end: &str| {
        let end: Vec<char> = end.chars().collect();
        let found = rest.windows(end.len()).position(|w| w == end);
        found.map_or(rest.len(), |n| n + end.len())
    };
    match rest {
        ['\\', 'Q', ..] => until("\\E"),
        ['\\', 'x' | 'u' | 'p' | 'P' | 'N' | 'k', '{', ..] | ['{', ..] => until("}"),
        ['\\', _, ..] => 2,
        ['(', '?', ..] => {
            2 + rest[2..]
                .iter()
                .take_while(|c| c.is_ascii_alphabetic() || "-<=!:#>".contains(**c))
                .count()
        }
        ['[', ..] => set(rest),
        _ => 1,
    }
}

/// A set in brackets, which may have sets in it.
fn set(rest: &[char]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        match rest[at] {
            '\\' => at += 1,
            '[' => depth += 1,
            ']' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    rest.len()
}

/// Writes a literal text, and forgets it.
fn flush(run: &mut String, folds: &[(char, Vec<char>)], out: &mut String) {
    // A letter of the pattern is what it is folded to; the others keep their case, which the library does not look at.
    let mut text = Vec::with_capacity(run.len());
    for c in run.drain(..) {
        match folds.iter().find(|(own, _)| *own == c) {
            Some((_, several)) => text.extend(several),
            None => text.push(c),
        }
    }
    let lower: Vec<char> =
        text.iter().flat_map(|c| folded(*c).chars().collect::<Vec<_>>()).collect();
    if lower.len() != text.len() {
        out.extend(text);
        return;
    }
    let starts: Vec<usize> = (0..lower.len())
        .filter(|at| folds.iter().any(|(_, f)| lower[*at..].starts_with(f)))
        .collect();
    let crowded =
        starts.windows(MOST_OVERLAPS).any(|w| w[MOST_OVERLAPS - 1] - w[0] < MOST_OVERLAPS);
    if crowded {
        out.extend(text);
        return;
    }
    write(&text, &lower, folds, out);
}

/// Writes what the rest of a literal text matches.
fn write(text: &[char], lower: &[char], folds: &[(char, Vec<char>)], out: &mut String) {
    let Some(first) = lower.first() else { return };
    let here: Vec<&(char, Vec<char>)> =
        folds.iter().filter(|(_, f)| f[0] == *first && lower.starts_with(f)).collect();
    let Some(longest) = here.iter().map(|(_, f)| f.len()).max() else {
        out.push(text[0]);
        return write(&text[1..], &lower[1..], folds, out);
    };
    // Letters that begin within the longest one may be there instead of it: those alternatives end where the last of them does.
    let mut end = longest;
    let mut at = 1;
    while at < end {
        for (_, f) in folds.iter().filter(|(_, f)| lower[at..].starts_with(f)) {
            end = end.max(at + f.len());
        }
        at += 1;
    }
    out.push_str("(?:");
    alternatives(&text[..end], &lower[..end], folds, String::new(), &mut true, out);
    out.push(')');
    write(&text[end..], &lower[end..], folds, out);
}

/// All ways to write a short text, one after the other.
fn alternatives(
    text: &[char],
    lower: &[char],
    folds: &[(char, Vec<char>)],
    before: String,
    first: &mut bool,
    out: &mut String,
) {
    if text.is_empty() {
        if !std::mem::take(first) {
            out.push('|');
        }
        out.push_str(&before);
        return;
    }
    let more = |c: char| before.clone() + c.encode_utf8(&mut [0; 4]);
    alternatives(&text[1..], &lower[1..], folds, more(text[0]), first, out);
    for (letter, f) in folds.iter().filter(|(_, f)| lower.starts_with(f)) {
        alternatives(&text[f.len()..], &lower[f.len()..], folds, more(*letter), first, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_are_several() {
        assert_eq!(several("Straße ﬁ é ẞ ß"), ['ß', 'ﬁ', 'ẞ']);
        assert_eq!((folded('ẞ').as_str(), folded('ŉ').as_str()), ("ss", "ʼn"));
    }

    #[test]
    fn patterns() {
        let cases = [
            ("abc", "ß", "abc"),
            ("STRASSE", "ß", "STRA(?:SS|ß)E"),
            ("ß", "", "(?:ss|ß)"),
            ("sss", "ß", "(?:sss|sß|ßs)"),
            ("s.s", "ß", "s.s"),
            ("ss+", "ß", "ss+"),
            ("[ss]s", "ß", "[ss]s"),
            ("\\Qss\\E", "ß", "\\Qss\\E"),
            ("a(SS)b", "ß", "a((?:SS|ß))b"),
            ("(?<ss>x)", "ß", "(?<ss>x)"),
        ];
        for (pattern, letters, want) in cases {
            let letters: Vec<char> = letters.chars().collect();
            assert_eq!(with_folds(pattern, &letters), want, "{pattern}");
        }
    }
}
