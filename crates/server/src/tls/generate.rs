//! Certificates of the first start, under the names that MySQL gives them.
//!
//! An authority that signs a certificate for the server and one for clients. The keys are P-256, whose signatures cost a tenth of RSA's, and every
//! client that knows TLS 1.2 knows them. Who wants to be sure of the server gives `ca.pem` to its clients.

use crate::crypto::pem;
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, date_time_ymd,
};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

pub const CA: &str = "ca.pem";
pub const SERVER_CERT: &str = "server-cert.pem";
pub const SERVER_KEY: &str = "server-key.pem";
const CA_KEY: &str = "ca-key.pem";
const CLIENT_CERT: &str = "client-cert.pem";
const CLIENT_KEY: &str = "client-key.pem";
/// In the order in which they get their names. The server's own come last: with them the set is whole.
const ALL: [&str; 6] = [CLIENT_CERT, CLIENT_KEY, CA_KEY, CA, SERVER_KEY, SERVER_CERT];

/// Years that they are valid, as MySQL's.
const YEARS: i32 = 10;

/// Are the three files there that a server needs?
pub fn are_there(datadir: &Path) -> bool {
    [CA, SERVER_CERT, SERVER_KEY].iter().all(|name| datadir.join(name).exists())
}

/// Any of the six: somebody cares for them, and none is overwritten.
pub fn is_any_there(datadir: &Path) -> Option<&'static str> {
    ALL.into_iter().find(|name| datadir.join(name).exists())
}

/// Where a file is written before it gets its name.
fn draft(datadir: &Path, name: &str) -> PathBuf {
    datadir.join(format!("{name}.tmp"))
}

fn in_directory(e: std::io::Error) -> String {
    format!("cannot put certificates into the data directory: {e}")
}

/// Gives the drafts their names.
fn publish(datadir: &Path, names: &[&str]) -> std::io::Result<()> {
    for name in names {
        std::fs::rename(draft(datadir, name), datadir.join(name))?;
    }
    File::open(datadir)?.sync_all()
}

/// Ends what a start that was cut off has begun. Names are given when all six drafts are on the disk: so with one named, and each of the others
/// either named or a draft, the rest follows. Else drafts may be cut, and go.
pub fn tidy(datadir: &Path) -> Result<(), String> {
    let drafts: Vec<&str> = ALL.into_iter().filter(|n| draft(datadir, n).exists()).collect();
    let is_named = |name: &&str| datadir.join(name).exists();
    let is_whole = ALL.iter().all(|n| is_named(n) != drafts.contains(n));
    if is_whole && !drafts.is_empty() && drafts.len() < ALL.len() {
        return publish(datadir, &drafts).map_err(in_directory);
    }
    drafts.iter().try_for_each(|n| std::fs::remove_file(draft(datadir, n))).map_err(in_directory)
}

/// Makes all six. `host`: the name of this machine.
pub fn generate(datadir: &Path, host: &str) -> Result<(), String> {
    if let Some(name) = is_any_there(datadir) {
        return Err(format!("'{}' is there already", datadir.join(name).display()));
    }
    let failed = |e: rcgen::Error| format!("cannot make certificates: {e}");
    let ca_key = KeyPair::generate().map_err(failed)?;
    let mut params = named("CA")?;
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    let ca = params.self_signed(&ca_key).map_err(failed)?;
    let issuer = Issuer::from_params(&params, &ca_key);
    let mut server = named("Server")?;
    for name in ["localhost", "127.0.0.1", "::1", host] {
        // A machine's name need not be one that a certificate can have.
        if let Ok(with_name) = CertificateParams::new([name.to_owned()]) {
            server.subject_alt_names.extend(with_name.subject_alt_names);
        }
    }
    server.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let mut client = named("Client")?;
    client.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    let signed = |params: CertificateParams| -> Result<[String; 2], String> {
        let key = KeyPair::generate().map_err(failed)?;
        let certificate = params.signed_by(&key, &issuer).map_err(failed)?;
        Ok([pem("CERTIFICATE", certificate.der()), pem("PRIVATE KEY", key.serialized_der())])
    };
    let [server_cert, server_key] = signed(server)?;
    let [client_cert, client_key] = signed(client)?;
    const PUBLIC: u32 = 0o644;
    const SECRET: u32 = 0o600;
    for (name, text, mode) in [
        (CLIENT_CERT, client_cert, PUBLIC),
        (CLIENT_KEY, client_key, SECRET),
        (CA_KEY, pem("PRIVATE KEY", ca_key.serialized_der()), SECRET),
        (CA, pem("CERTIFICATE", ca.der()), PUBLIC),
        (SERVER_KEY, server_key, SECRET),
        (SERVER_CERT, server_cert, PUBLIC),
    ] {
        let path = draft(datadir, name);
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path);
        file.and_then(|mut f| f.write_all(text.as_bytes()).and_then(|()| f.sync_all()))
            .map_err(|e| format!("cannot write '{}': {e}", path.display()))?;
    }
    publish(datadir, &ALL).map_err(in_directory)
}

/// A certificate of ten years from today, by the name that MySQL gives to the role.
fn named(role: &str) -> Result<CertificateParams, String> {
    let mut params = CertificateParams::default();
    let version = weir_sql::vars::SERVER_VERSION;
    let name = format!("MySQL_Server_{version}_Auto_Generated_{role}_Certificate");
    // The common name has 64 characters at most (RFC 5280, upper bounds).
    let name: String = name.chars().take(64).collect();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, name);
    params.use_authority_key_identifier_extension = role != "CA";
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (year, month, day) = super::x509::Time::of_unix(now).date();
    // The last day of February does not come each year.
    let day = day.min(28);
    params.not_before = date_time_ymd(i32::from(year), month, day);
    params.not_after = date_time_ymd(i32::from(year) + YEARS, month, day);
    Ok(params)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tls::x509::Certificate;
    use rustls::pki_types::CertificateDer;
    use rustls::pki_types::pem::PemObject;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn six_files_and_no_second_time() {
        let dir = std::env::temp_dir().join(format!("weir-certs-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        assert!(is_any_there(&dir).is_none());
        generate(&dir, "a machine's odd name").unwrap();
        assert!(are_there(&dir));
        for name in ALL {
            let mode = std::fs::metadata(dir.join(name)).unwrap().permissions().mode() & 0o777;
            assert_eq!(mode & 0o077 == 0, name.ends_with("-key.pem"), "{name} {mode:o}");
        }
        let read = |name: &str| {
            let der = CertificateDer::from_pem_file(dir.join(name)).unwrap();
            Certificate::read(&der).unwrap()
        };
        let (ca, server, client) = (read(CA), read(SERVER_CERT), read(CLIENT_CERT));
        assert!(ca.is_self_issued() && server.issuer == ca.subject && client.issuer == ca.subject);
        assert!(server.subject.starts_with("/CN=MySQL_Server_8.0"), "{}", server.subject);
        let before = std::fs::read(dir.join(SERVER_CERT)).unwrap();
        assert!(generate(&dir, "h").unwrap_err().contains("client-cert.pem"));
        assert_eq!(before, std::fs::read(dir.join(SERVER_CERT)).unwrap());
        // A start that was cut off between two names is ended, one that was cut off before the first is forgotten.
        for cut in 0..=ALL.len() {
            for name in &ALL[cut..] {
                std::fs::rename(dir.join(name), draft(&dir, name)).unwrap();
            }
            tidy(&dir).unwrap();
            assert!(ALL.iter().all(|n| !draft(&dir, n).exists()), "{cut}");
            match cut {
                0 => {
                    assert!(is_any_there(&dir).is_none());
                    generate(&dir, "h").unwrap();
                }
                _ => assert!(ALL.iter().all(|n| dir.join(n).exists()), "{cut}"),
            }
        }
        // Somebody's own file beside drafts that may be cut.
        std::fs::remove_file(dir.join(CA)).unwrap();
        std::fs::rename(dir.join(SERVER_CERT), draft(&dir, SERVER_CERT)).unwrap();
        tidy(&dir).unwrap();
        assert!(!draft(&dir, SERVER_CERT).exists() && !dir.join(SERVER_CERT).exists());
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
