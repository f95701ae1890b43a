//! The live page: one file, put together of its parts, that asks nobody but this server.

use super::response::Response;
use crate::crypto;
use std::borrow::Cow;
use std::sync::OnceLock;

const HTML: &str = include_str!("page.html");
const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

struct Page {
    text: String,
    policy: String,
}

/// The page, and the policy that lets it run this script and no other.
fn made() -> &'static Page {
    static PAGE: OnceLock<Page> = OnceLock::new();
    PAGE.get_or_init(|| {
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; connect-src 'self'; img-src data:; base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'",
            crypto::sha256_base64(SCRIPT.as_bytes()),
            crypto::sha256_base64(STYLE.as_bytes()),
        );
        Page { text: HTML.replace("{style}", STYLE).replace("{script}", SCRIPT), policy }
    })
}

pub fn page() -> Response {
    let page = made();
    Response {
        policy: Cow::Borrowed(&page.policy),
        ..Response::ok("text/html; charset=utf-8", page.text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_whole_and_asks_nobody_else() {
        let page = made();
        assert!(page.text.contains("<script>") && !page.text.contains("{script}"));
        assert!(!page.text.contains("{style}"));
        for elsewhere in ["http://", "https://", "//cdn", "@import", "innerHTML", "eval("] {
            // Names of XML namespaces would be the exception; there are none.
            assert!(!page.text.contains(elsewhere), "{elsewhere}");
        }
        assert!(!SCRIPT.contains("</script") && !STYLE.contains("</style"));
    }
}
