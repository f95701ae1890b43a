//! Versions and ciphers by the names that MySQL's variables and accounts have for them, which are OpenSSL's.

use rustls::crypto::CryptoProvider;
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::version::{TLS12, TLS13};
use rustls::{
    CipherSuite, CipherSuiteCommon, ProtocolVersion, SupportedCipherSuite,
    SupportedProtocolVersion, Tls12CipherSuite,
};
use std::sync::OnceLock;

/// Records that one key of AES-GCM may encrypt in TLS 1.2, which cannot renew its keys. The library's 2^24, after which it drops what it is given to
/// send, are gone after some hours of short statements. Its nonces are the records' numbers under a fixed mask, so none comes twice, and NIST
/// SP 800-38D (8.3) allows 2^32 uses of a key even to nonces that are drawn. An observer of as many records of the greatest length has a
/// chance of about 2^-45 to tell the stream from noise (2^42 blocks, squared, over 2^129); OpenSSL has no limit at all.
const RECORDS: u64 = 1 << 32;

/// The library's suites with [`RECORDS`].
pub fn provider() -> CryptoProvider {
    static SUITES: OnceLock<Vec<Tls12CipherSuite>> = OnceLock::new();
    let mut provider = default_provider();
    let all = SUITES.get_or_init(|| with_limit(&default_provider(), RECORDS));
    replace(&mut provider, all);
    provider
}

/// Copies of the suites of TLS 1.2 whose keys may encrypt so many records, if they have a limit.
pub fn with_limit(provider: &CryptoProvider, records: u64) -> Vec<Tls12CipherSuite> {
    let copy = |suite: &SupportedCipherSuite| {
        let SupportedCipherSuite::Tls12(s) = suite else { return None };
        (s.common.confidentiality_limit < u64::MAX).then_some(Tls12CipherSuite {
            common: CipherSuiteCommon {
                suite: s.common.suite,
                hash_provider: s.common.hash_provider,
                confidentiality_limit: records,
            },
            prf_provider: s.prf_provider,
            kx: s.kx,
            sign: s.sign,
            aead_alg: s.aead_alg,
        })
    };
    provider.cipher_suites.iter().filter_map(copy).collect()
}

/// Puts them in the place of those with their names.
pub fn replace(provider: &mut CryptoProvider, suites: &'static [Tls12CipherSuite]) {
    for suite in &mut provider.cipher_suites {
        if let Some(own) = suites.iter().find(|s| s.common.suite == suite.suite()) {
            *suite = SupportedCipherSuite::Tls12(own);
        }
    }
}

pub fn version_name(v: Option<ProtocolVersion>) -> &'static str {
    match v {
        Some(ProtocolVersion::TLSv1_3) => "TLSv1.3",
        Some(ProtocolVersion::TLSv1_2) => "TLSv1.2",
        _ => "",
    }
}

pub fn cipher_name(suite: CipherSuite) -> &'static str {
    use CipherSuite as C;
    match suite {
        C::TLS13_AES_256_GCM_SHA384 => "TLS_AES_256_GCM_SHA384",
        C::TLS13_AES_128_GCM_SHA256 => "TLS_AES_128_GCM_SHA256",
        C::TLS13_CHACHA20_POLY1305_SHA256 => "TLS_CHACHA20_POLY1305_SHA256",
        C::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384 => "ECDHE-ECDSA-AES256-GCM-SHA384",
        C::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 => "ECDHE-ECDSA-AES128-GCM-SHA256",
        C::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256 => "ECDHE-ECDSA-CHACHA20-POLY1305",
        C::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 => "ECDHE-RSA-AES256-GCM-SHA384",
        C::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256 => "ECDHE-RSA-AES128-GCM-SHA256",
        C::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256 => "ECDHE-RSA-CHACHA20-POLY1305",
        _ => "",
    }
}

/// The versions of `tls_version`; none: encryption is switched off.
pub fn versions(list: &str) -> Result<Vec<&'static SupportedProtocolVersion>, String> {
    let mut versions = Vec::new();
    for name in list.split(',').map(str::trim).filter(|n| !n.is_empty()) {
        versions.push(match name.to_ascii_lowercase().as_str() {
            "tlsv1.2" => &TLS12,
            "tlsv1.3" => &TLS13,
            "tlsv1" | "tlsv1.0" | "tlsv1.1" => {
                return Err(format!(
                    "'{name}' in tls_version is not offered: it is no longer secure; TLSv1.2 and TLSv1.3 are"
                ));
            }
            _ => {
                return Err(format!(
                    "'{name}' in tls_version is no version; TLSv1.2 and TLSv1.3 are, and an empty text switches encryption off"
                ));
            }
        });
    }
    Ok(versions)
}

/// Leaves the suites that the two lists name, in their order; an empty list leaves all of its version. Gives warnings about names that
/// are not known.
pub fn restrict(
    provider: &mut CryptoProvider,
    ssl_cipher: &str,
    tls_ciphersuites: &str,
) -> Result<Vec<String>, String> {
    let mut warnings = Vec::new();
    let mut chosen = Vec::new();
    for (variable, list, version) in
        [("tls_ciphersuites", tls_ciphersuites, &TLS13), ("ssl_cipher", ssl_cipher, &TLS12)]
    {
        let all = provider.cipher_suites.iter().copied().filter(|s| s.version() == version);
        let all: Vec<SupportedCipherSuite> = all.collect();
        let names: Vec<&str> = list.split([':', ',', ' ']).filter(|n| !n.is_empty()).collect();
        if names.is_empty() {
            chosen.extend(all);
            continue;
        }
        let before = chosen.len();
        for name in names {
            let known = all.iter().find(|s| cipher_name(s.suite()).eq_ignore_ascii_case(name));
            match known {
                Some(suite) if !chosen.contains(suite) => chosen.push(*suite),
                Some(_) => {}
                None => warnings.push(format!("{variable}: the cipher '{name}' is not offered")),
            }
        }
        if chosen.len() == before {
            return Err(format!("{variable} names no cipher that is offered: '{list}'"));
        }
    }
    provider.cipher_suites = chosen;
    Ok(warnings)
}

/// As `Ssl_cipher_list` shows them.
pub fn names(provider: &CryptoProvider) -> String {
    let names: Vec<_> = provider.cipher_suites.iter().map(|s| cipher_name(s.suite())).collect();
    names.join(":")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_tls_1_2_last_longer_and_no_other_suite_changes() {
        let (ours, theirs) = (provider(), default_provider());
        assert_eq!(ours.cipher_suites, theirs.cipher_suites);
        let limit = |s: &SupportedCipherSuite| match s {
            SupportedCipherSuite::Tls12(s) => Some(s.common.confidentiality_limit),
            SupportedCipherSuite::Tls13(_) => None,
        };
        for (our, their) in ours.cipher_suites.iter().zip(&theirs.cipher_suites) {
            match limit(their) {
                Some(n) if n < u64::MAX => assert_eq!(limit(our), Some(RECORDS), "{our:?}"),
                other => assert_eq!(limit(our), other, "{our:?}"),
            }
        }
    }

    #[test]
    fn every_suite_of_the_library_has_a_name() {
        for suite in default_provider().cipher_suites {
            assert_ne!(cipher_name(suite.suite()), "", "{suite:?}");
        }
    }

    #[test]
    fn versions_by_name() {
        assert_eq!(versions("tlsv1.3").unwrap(), [&TLS13]);
        assert_eq!(versions("TLSv1.2, TLSv1.3").unwrap(), [&TLS12, &TLS13]);
        assert_eq!(versions("").unwrap().len(), 0);
        assert!(versions("TLSv1.1,TLSv1.2").unwrap_err().contains("no longer secure"));
        assert!(versions("SSLv3").unwrap_err().contains("no version"));
    }

    #[test]
    fn ciphers_by_name() {
        let mut p = default_provider();
        let warnings = restrict(&mut p, "ECDHE-RSA-AES128-GCM-SHA256:AES128-SHA", "").unwrap();
        assert_eq!(warnings, ["ssl_cipher: the cipher 'AES128-SHA' is not offered"]);
        assert!(names(&p).ends_with(":ECDHE-RSA-AES128-GCM-SHA256"));
        assert_eq!(p.cipher_suites.len(), 4);
        let mut p = default_provider();
        restrict(&mut p, "", "TLS_AES_128_GCM_SHA256:TLS_AES_128_GCM_SHA256").unwrap();
        assert_eq!(p.cipher_suites.iter().filter(|s| s.version() == &TLS13).count(), 1);
        assert!(restrict(&mut default_provider(), "HIGH:!aNULL", "").is_err());
    }
}
