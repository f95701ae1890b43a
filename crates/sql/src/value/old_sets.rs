//! Character sets and collations that MySQL is about to drop, and what it warns of where they are named.

use crate::errno;
use weir_engine::row::{Charset, Collation};

fn is_old(charset: Charset) -> bool {
    use Charset::{Dec8, Hp8, Macce, Macroman, Ucs2, Utf8mb3};
    matches!(charset, Utf8mb3 | Ucs2 | Macroman | Macce | Dec8 | Hp8)
}

/// `name`: as it is written.
pub fn of_charset(charset: Charset, name: &str) -> Option<(u16, String)> {
    if charset == Charset::Utf8mb3 && name.eq_ignore_ascii_case("utf8") {
        let text = "'utf8' is currently an alias for the character set UTF8MB3, but will be an alias for UTF8MB4 in a future release. Please consider using UTF8MB4 in order to be unambiguous.";
        return Some((errno::ER_DEPRECATED_UTF8_ALIAS, text.into()));
    }
    let name = charset.name();
    is_old(charset).then(|| {
        let later = "is deprecated and will be removed in a future release.";
        (errno::ER_WARN_DEPRECATED_SYNTAX, format!("'{name}' {later} Please use utf8mb4 instead"))
    })
}

pub fn of_collation(collation: Collation) -> Option<(u16, String)> {
    let charset = collation.charset();
    let (number, old, new) = match charset {
        Charset::Utf8mb3 => (errno::ER_WARN_DEPRECATED_UTF8MB3_COLLATION, "UTF8MB3", "UTF8MB4"),
        other if is_old(other) => (errno::ER_WARN_DEPRECATED_COLLATION, other.name(), "utf8mb4"),
        _ => return None,
    };
    let text = format!(
        "'{}' is a collation of the deprecated character set {old}. Please consider using {new} with an appropriate collation instead.",
        collation.name()
    );
    Some((number, text))
}
