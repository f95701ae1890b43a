//! LIKE: character by character, in any collation.

use super::Collation;
use std::convert::Infallible;

impl Collation {
    /// SQL LIKE: `%` any text, `_` one character, `escape` makes the next character literal. Compares character by
    /// character, so trailing spaces count.
    pub fn like(self, text: &[u8], pattern: &[u8], escape: Option<char>) -> bool {
        let Ok(is) = self.like_until(text, pattern, escape, |_| Ok::<_, Infallible>(()));
        is
    }

    /// The same for texts that may be long: `look` is told of the bytes that were compared, and may end it.
    pub fn like_until<E>(
        self,
        text: &[u8],
        pattern: &[u8],
        escape: Option<char>,
        look: impl FnMut(usize) -> Result<(), E>,
    ) -> Result<bool, E> {
        let mut esc = Vec::new();
        if let Some(c) = escape
            && !self.charset().encode(u32::from(c), &mut esc)
        {
            esc.clear();
        }
        like(self, text, pattern, &esc, look)
    }
}

/// `text LIKE pattern`, keeping only the last `%` to come back to: linear in practice, quadratic at worst.
fn like<E>(
    c: Collation,
    text: &[u8],
    pattern: &[u8],
    esc: &[u8],
    mut look: impl FnMut(usize) -> Result<(), E>,
) -> Result<bool, E> {
    // Characters compared between two looks.
    const STRIDE: usize = 16 * 1024;
    let charset = c.charset();
    let mut compared = 0;
    let (mut t, mut p) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    loop {
        if p < pattern.len() {
            let rest = &pattern[p..];
            let escaped = !esc.is_empty() && rest.starts_with(esc) && rest.len() > esc.len();
            if rest[0] == b'%' && !escaped {
                p += 1;
                back = Some((t, p));
                continue;
            }
            if t < text.len() {
                compared += 1;
                if compared == STRIDE {
                    compared = 0;
                    look(STRIDE)?;
                }
                let any = rest[0] == b'_' && !escaped;
                let at = if escaped { p + esc.len() } else { p };
                let p_len = charset.char_at(&pattern[at..]);
                let t_len = charset.char_at(&text[t..]);
                if any || same_char(c, &text[t..t + t_len], &pattern[at..at + p_len]) {
                    t += t_len;
                    p = at + p_len;
                    continue;
                }
            }
        } else if t == text.len() {
            return Ok(true);
        }
        // Mismatch: let the last `%` swallow one character more.
        match back {
            Some((from, resume)) if from < text.len() => {
                let next = from + charset.char_at(&text[from..]);
                back = Some((next, resume));
                (t, p) = (next, resume);
            }
            _ => return Ok(false),
        }
    }
}

fn same_char(c: Collation, a: &[u8], b: &[u8]) -> bool {
    if a == b || c.is_bytewise() {
        return a == b;
    }
    match c.uca() {
        Some(uca) => uca.same_char(a, b),
        None => c.next_weight(a).0 == c.next_weight(b).0,
    }
}
