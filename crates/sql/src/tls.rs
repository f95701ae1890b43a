//! What statements know of encrypted connections. The cryptography is the server's.

use std::sync::Arc;

/// What a connection's two ends agreed on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsSession {
    /// `TLSv1.3`.
    pub version: &'static str,
    /// By OpenSSL's name.
    pub cipher: &'static str,
    /// What the server offered, separated by colons.
    pub ciphers: Arc<str>,
    /// The client's certificate, which was verified.
    pub certificate: Option<ClientCertificate>,
}

/// Names as OpenSSL writes them in one line: `/C=SE/O=Example/CN=client`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCertificate {
    pub subject: String,
    pub issuer: String,
}

/// The server's certificates, for ALTER INSTANCE RELOAD TLS and SHOW STATUS.
pub trait TlsControl: Send + Sync {
    /// Reads the files again for connections to come. An error leaves everything as it was, or, when it is not to be `rolled_back`, switches
    /// encryption off.
    fn reload(&self, rolled_back: bool) -> Result<(), String>;

    /// Status variables of what is in force, by name.
    fn status(&self) -> Vec<(&'static str, String)>;
}

/// REQUIRE of an account: what a connection must have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Require {
    #[default]
    Nothing,
    /// Encryption.
    Ssl,
    /// A certificate that the server's authorities signed.
    X509,
    /// Such a certificate, with what is not empty here.
    Specific { cipher: String, issuer: String, subject: String },
}

impl Require {
    pub fn is_met_by(&self, tls: Option<&TlsSession>) -> bool {
        let certificate = tls.and_then(|t| t.certificate.as_ref());
        match self {
            Require::Nothing => true,
            Require::Ssl => tls.is_some(),
            Require::X509 => certificate.is_some(),
            Require::Specific { cipher, issuer, subject } => {
                let is = |wanted: &str, is: &str| wanted.is_empty() || wanted == is;
                // MySQL wants a certificate even where the cipher alone is named.
                let (Some(tls), Some(c)) = (tls, certificate) else { return false };
                is(cipher, tls.cipher) && is(issuer, &c.issuer) && is(subject, &c.subject)
            }
        }
    }

    /// As `mysql.user` has it in `ssl_type`.
    pub fn type_name(&self) -> &'static str {
        match self {
            Require::Nothing => "",
            Require::Ssl => "ANY",
            Require::X509 => "X509",
            Require::Specific { .. } => "SPECIFIED",
        }
    }

    /// Cipher, issuer, subject; empty where nothing is asked.
    pub fn texts(&self) -> [&str; 3] {
        match self {
            Require::Specific { cipher, issuer, subject } => [cipher, issuer, subject],
            _ => [""; 3],
        }
    }
}

/// As SHOW CREATE USER writes it, behind REQUIRE.
impl std::fmt::Display for Require {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Require::Specific { cipher, issuer, subject } = self else {
            return f.write_str(match self {
                Require::Nothing => "NONE",
                Require::Ssl => "SSL",
                _ => "X509",
            });
        };
        let all = [("SUBJECT", subject), ("ISSUER", issuer), ("CIPHER", cipher)];
        let given = all.iter().filter(|(_, text)| !text.is_empty());
        for (i, (word, text)) in given.enumerate() {
            let text = text.replace('\\', "\\\\").replace('\'', "\\'");
            let space = if i > 0 { " " } else { "" };
            write!(f, "{space}{word} '{text}'")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(subject: Option<&str>) -> TlsSession {
        let certificate = subject
            .map(|s| ClientCertificate { subject: s.to_owned(), issuer: "/CN=ca".to_owned() });
        TlsSession { version: "TLSv1.3", cipher: "A", ciphers: "A:B".into(), certificate }
    }

    #[test]
    fn what_each_requirement_lets_in() {
        let specific = |cipher: &str, issuer: &str, subject: &str| Require::Specific {
            cipher: cipher.to_owned(),
            issuer: issuer.to_owned(),
            subject: subject.to_owned(),
        };
        let (bare, mine) = (session(None), session(Some("/CN=me")));
        let cases = [
            (Require::Nothing, [true, true, true]),
            (Require::Ssl, [false, true, true]),
            (Require::X509, [false, false, true]),
            (specific("A", "", ""), [false, false, true]),
            (specific("B", "", ""), [false, false, false]),
            (specific("", "/CN=ca", "/CN=me"), [false, false, true]),
            (specific("", "/CN=ca", "/CN=m"), [false, false, false]),
            (specific("", "/CN=CA", ""), [false, false, false]),
        ];
        for (require, expected) in cases {
            let met = [None, Some(&bare), Some(&mine)].map(|t| require.is_met_by(t));
            assert_eq!(met, expected, "{require}");
        }
        assert_eq!(specific("A", "", "it's").to_string(), "SUBJECT 'it\\'s' CIPHER 'A'");
    }
}
