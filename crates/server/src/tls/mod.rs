//! What encrypted connections need: certificates, versions, ciphers, and what the server learns about them.
//!
//! May use: files, the TLS library, variables. The layer itself is a transport (`transport::Encrypted`).
//!
//! Invariants: a [`Context`] never changes; a reload makes another one, and connections keep theirs. Certificates are trusted by the
//! library alone: what is read of them here is shown to administrators and decides nothing.

mod files;
mod generate;
pub mod suites;
mod x509;

use crate::log;
use files::{Named, Section};
use rustls::crypto::aws_lc_rs::{Ticketer, sign::any_supported_type};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer};
use rustls::server::{NoServerSessionStorage, WebPkiClientVerifier};
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::{HandshakeKind, RootCertStore, ServerConfig, ServerConnection};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};
use weir_sql::tls::{ClientCertificate, TlsControl, TlsSession};
use weir_sql::vars::{GlobalVars, Var, VarValue};
use x509::{Certificate, Time};

/// What connections begin with until the next reload.
pub struct Context {
    pub config: Arc<ServerConfig>,
    ciphers: Arc<str>,
    certificate: Certificate,
    asks_for_certificates: bool,
    settings: Settings,
}

/// The variables, as they were when they were put into force.
#[derive(Clone, Debug, Default, PartialEq)]
struct Settings {
    ca: String,
    capath: String,
    cert: String,
    key: String,
    crl: String,
    crlpath: String,
    versions: String,
    cipher: String,
    ciphersuites: String,
    resumes: bool,
}

/// Variables whose being given keeps the server from making certificates.
const OF_FILES: [Var; 6] =
    [Var::ssl_ca, Var::ssl_capath, Var::ssl_cert, Var::ssl_key, Var::ssl_crl, Var::ssl_crlpath];

impl Settings {
    fn of(vars: &GlobalVars) -> Settings {
        Settings {
            ca: vars.text(Var::ssl_ca),
            capath: vars.text(Var::ssl_capath),
            cert: vars.text(Var::ssl_cert),
            key: vars.text(Var::ssl_key),
            crl: vars.text(Var::ssl_crl),
            crlpath: vars.text(Var::ssl_crlpath),
            versions: vars.text(Var::tls_version),
            cipher: vars.text(Var::ssl_cipher),
            ciphersuites: vars.text(Var::tls_ciphersuites),
            resumes: vars.bool(Var::ssl_session_cache_mode),
        }
    }
}

/// The server's encryption: a context, or none.
pub struct Tls {
    vars: Arc<GlobalVars>,
    datadir: PathBuf,
    current: RwLock<Option<Arc<Context>>>,
    /// Held by anyone who makes a context, until it is in force: the last RELOAD has the last word.
    changing: Mutex<()>,
}

impl Tls {
    /// At the start: makes certificates where that is asked for, and reads them. What cannot be used is a warning in the log, or an
    /// error when nobody could log in or the start insists on it.
    pub fn open(vars: &Arc<GlobalVars>, datadir: &Path) -> Result<Arc<Tls>, String> {
        vars.on_change(
            Var::tls_version,
            Box::new(|v| match v {
                VarValue::Str(list) => suites::versions(list).map(|_| ()),
                _ => Ok(()),
            }),
        );
        suites::versions(&vars.text(Var::tls_version))?;
        let tls = Tls {
            vars: vars.clone(),
            datadir: datadir.to_owned(),
            current: RwLock::default(),
            changing: Mutex::default(),
        };
        let generates = vars.bool(Var::auto_generate_certs);
        let put_up = tls.find_certificates(generates).and_then(|()| tls.build());
        match put_up {
            Ok(context) => tls.install(context),
            Err(why) => {
                let insists =
                    [Var::require_secure_transport, Var::tls_certificates_enforced_validation];
                if let Some(var) = insists.into_iter().find(|v| vars.bool(*v)) {
                    return Err(format!(
                        "cannot encrypt connections, and {} is on: {why}",
                        var.name()
                    ));
                }
                log::warning(&format!("connections are not encrypted: {why}"));
                tls.install(None);
            }
        }
        Ok(Arc::new(tls))
    }

    pub fn current(&self) -> Option<Arc<Context>> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn install(&self, context: Option<Context>) {
        let shown = VarValue::Str(if context.is_some() { "YES" } else { "DISABLED" }.into());
        self.vars.put(Var::have_ssl, shown.clone());
        self.vars.put(Var::have_openssl, shown);
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = context.map(Arc::new);
    }

    /// Without any ssl option the certificates are those of the data directory, made there if need be.
    fn find_certificates(&self, generates: bool) -> Result<(), String> {
        let given = OF_FILES.iter().any(|v| !self.vars.text(*v).is_empty());
        if given || self.vars.text(Var::tls_version).is_empty() {
            return Ok(());
        }
        generate::tidy(&self.datadir)?;
        if !generate::are_there(&self.datadir) {
            if !generates {
                return Ok(());
            }
            if let Some(name) = generate::is_any_there(&self.datadir) {
                return Err(format!(
                    "the data directory has '{name}' but not all of {}, {} and {}; complete them, or remove it and the server makes new ones",
                    generate::CA,
                    generate::SERVER_CERT,
                    generate::SERVER_KEY
                ));
            }
            generate::generate(&self.datadir, &self.vars.text(Var::hostname))?;
            log::note("made certificates in the data directory");
        }
        for (var, name) in [
            (Var::ssl_ca, generate::CA),
            (Var::ssl_cert, generate::SERVER_CERT),
            (Var::ssl_key, generate::SERVER_KEY),
        ] {
            self.vars.put(var, VarValue::Str(name.into()));
        }
        Ok(())
    }

    /// `None`: encryption is switched off, or there is no certificate to begin with.
    fn build(&self) -> Result<Option<Context>, String> {
        let settings = Settings::of(&self.vars);
        if settings.versions.is_empty() {
            return Ok(None);
        }
        if settings.cert.is_empty() && settings.key.is_empty() {
            log::warning(
                "connections are not encrypted: ssl_cert and ssl_key are empty, and the data directory has no certificates that are taken in their place",
            );
            return Ok(None);
        }
        let (context, warnings) = Context::build(&self.datadir, settings)?;
        warnings.iter().for_each(|w| log::warning(w));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        if let Err(why) = context.is_valid(Time::of_unix(now)) {
            if self.vars.bool(Var::tls_certificates_enforced_validation) {
                return Err(why);
            }
            log::warning(&why);
        } else if context.is_valid(Time::of_unix(now + SOON)).is_err() {
            let c = &context.certificate;
            log::warning(&format!(
                "ssl_cert: '{}' expires on {}: put a new one in its place, and run ALTER INSTANCE RELOAD TLS",
                context.settings.cert, c.not_after
            ));
        }
        Ok(Some(context))
    }
}

/// The server's certificate, as one finds it who has no server.
#[derive(Debug, PartialEq, Eq)]
pub enum Found {
    /// Connections are not encrypted, or a start makes the certificate.
    Nothing,
    /// Until when it is good.
    Good(String),
    EndsSoon(String),
    /// Why no connection is encrypted with it.
    Unusable(String),
}

/// Reads the certificate and its key as a start with these variables would.
pub fn look(vars: &GlobalVars, datadir: &Path) -> Found {
    let mut settings = Settings::of(vars);
    if settings.versions.is_empty() {
        return Found::Nothing;
    }
    if OF_FILES.iter().all(|v| vars.text(*v).is_empty()) {
        if !generate::are_there(datadir) {
            return Found::Nothing;
        }
        settings.ca = generate::CA.into();
        settings.cert = generate::SERVER_CERT.into();
        settings.key = generate::SERVER_KEY.into();
    }
    let context = match Context::build(datadir, settings) {
        Ok((context, _)) => context,
        Err(why) => return Found::Unusable(why),
    };
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let end = context.certificate.not_after.to_string();
    match context.is_valid(Time::of_unix(now)) {
        Err(why) => Found::Unusable(why),
        Ok(()) if context.is_valid(Time::of_unix(now + SOON)).is_err() => Found::EndsSoon(end),
        Ok(()) => Found::Good(end),
    }
}

/// Seconds before the end of a certificate from which on each start and reload tells it: thirty days.
const SOON: u64 = 30 * 86_400;

impl TlsControl for Tls {
    fn reload(&self, rolled_back: bool) -> Result<(), String> {
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let built = self.find_certificates(false).and_then(|()| self.build());
        let outcome = built.as_ref().map(|_| ()).map_err(Clone::clone);
        if built.is_ok() || !rolled_back {
            self.install(built.unwrap_or_default());
        }
        if let Err(why) = &outcome {
            log::warning(&format!("the certificates are not read again: {why}"));
        }
        outcome
    }

    fn status(&self) -> Vec<(&'static str, String)> {
        let context = self.current();
        let s = context.as_ref().map(|c| c.settings.clone()).unwrap_or_default();
        let time = |of: fn(&Certificate) -> Time| {
            context.as_ref().map_or(String::new(), |c| of(&c.certificate).to_string())
        };
        // OpenSSL's SSL_VERIFY_PEER and SSL_VERIFY_CLIENT_ONCE.
        let verifies = context.as_ref().is_some_and(|c| c.asks_for_certificates);
        let mode = if verifies { "5" } else { "0" }.to_owned();
        vec![
            ("Current_tls_ca", s.ca),
            ("Current_tls_capath", s.capath),
            ("Current_tls_cert", s.cert),
            ("Current_tls_cipher", s.cipher),
            ("Current_tls_ciphersuites", s.ciphersuites),
            ("Current_tls_crl", s.crl),
            ("Current_tls_crlpath", s.crlpath),
            ("Current_tls_key", s.key),
            ("Current_tls_version", s.versions),
            ("Ssl_ctx_verify_mode", mode.clone()),
            ("Ssl_server_not_after", time(|c| c.not_after)),
            ("Ssl_server_not_before", time(|c| c.not_before)),
            ("Ssl_session_cache_mode", if s.resumes { "SERVER" } else { "OFF" }.to_owned()),
            ("Ssl_verify_mode", mode),
        ]
    }
}

impl Context {
    fn build(datadir: &Path, settings: Settings) -> Result<(Context, Vec<String>), String> {
        let named = |option, given: &str| files::resolve(datadir, option, given);
        let (Some(cert), Some(key)) =
            (named("ssl_cert", &settings.cert), named("ssl_key", &settings.key))
        else {
            return Err("ssl_cert and ssl_key belong together, and one of them is empty".into());
        };
        let mut provider = suites::provider();
        let versions = suites::versions(&settings.versions)?;
        let mut warnings =
            suites::restrict(&mut provider, &settings.cipher, &settings.ciphersuites)?;
        let ciphers = suites::names(&provider).into();
        let provider = Arc::new(provider);
        let (certified, certificate) = certified(&cert, &key)?;
        let authorities = both::<CertificateDer>(
            named("ssl_ca", &settings.ca),
            named("ssl_capath", &settings.capath),
        )?;
        let mut roots = RootCertStore::empty();
        for (file, ders) in &authorities {
            for der in ders.iter().cloned() {
                if Certificate::read(&der).is_some_and(|c| c.is_self_issued()) {
                    log::note(&format!("CA certificate {} is self signed.", file.path.display()));
                }
                // Bundles have old ones that nobody meets.
                if let Err(e) = roots.add(der) {
                    warnings.push(
                        file.says(format_args!("has a certificate that cannot be used: {e}")),
                    );
                }
            }
        }
        if roots.is_empty() && !authorities.is_empty() {
            return Err("ssl_ca and ssl_capath have no certificate that can be used".into());
        }
        let lists = both::<CertificateRevocationListDer>(
            named("ssl_crl", &settings.crl),
            named("ssl_crlpath", &settings.crlpath),
        )?;
        let revoked: Vec<_> = lists.into_iter().flat_map(|(_, ders)| ders).collect();
        let asks_for_certificates = !roots.is_empty();
        let config = ServerConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&versions)
            .map_err(|e| format!("the ciphers do not fit to tls_version: {e}"))?;
        let config = if asks_for_certificates {
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
                .with_crls(revoked)
                .enforce_revocation_expiration()
                .allow_unauthenticated()
                .build()
                .map_err(|e| format!("ssl_ca and ssl_crl cannot be used: {e}"))?;
            config.with_client_cert_verifier(verifier)
        } else {
            if !revoked.is_empty() {
                warnings.push("ssl_crl has no effect without ssl_ca".into());
            }
            config.with_no_client_auth()
        };
        let mut config = config.with_cert_resolver(Arc::new(SingleCertAndKey::from(certified)));
        // State goes to the client, sealed: the server keeps none for those that do not come again.
        config.session_storage = Arc::new(NoServerSessionStorage {});
        config.send_tls13_tickets = usize::from(settings.resumes);
        if settings.resumes {
            config.ticketer = Ticketer::new().map_err(|e| format!("no key for tickets: {e}"))?;
        }
        let config = Arc::new(config);
        Ok((Context { config, ciphers, certificate, asks_for_certificates, settings }, warnings))
    }

    fn is_valid(&self, now: Time) -> Result<(), String> {
        let c = &self.certificate;
        let cert = &self.settings.cert;
        if now < c.not_before {
            Err(format!("ssl_cert: '{cert}' is not valid before {}", c.not_before))
        } else if now > c.not_after {
            Err(format!("ssl_cert: '{cert}' is not valid any more since {}", c.not_after))
        } else {
            Ok(())
        }
    }

    /// What a connection that shook hands has.
    pub fn session(&self, connection: &ServerConnection) -> TlsSession {
        let suite = connection.negotiated_cipher_suite();
        let certificate = connection.peer_certificates().and_then(|chain| chain.first());
        let certificate = certificate.and_then(|der| Certificate::read(der));
        TlsSession {
            version: suites::version_name(connection.protocol_version()),
            cipher: suite.map_or("", |s| suites::cipher_name(s.suite())),
            ciphers: self.ciphers.clone(),
            certificate: certificate
                .map(|c| ClientCertificate { subject: c.subject, issuer: c.issuer }),
        }
    }
}

/// Whether an earlier connection's keys were taken up.
pub fn is_resumed(connection: &ServerConnection) -> bool {
    connection.handshake_kind() == Some(HandshakeKind::Resumed)
}

/// What is in a file, and in those files of a directory that have any of it.
fn both<T: Section>(
    file: Option<Named>,
    directory: Option<Named>,
) -> Result<Vec<(Named, Vec<T>)>, String> {
    let mut all = Vec::new();
    if let Some(file) = file {
        let sections = file.sections()?;
        all.push((file, sections));
    }
    for file in directory.map_or(Ok(Vec::new()), |d| d.directory())? {
        let sections = file.sections_if_any()?;
        if !sections.is_empty() {
            all.push((file, sections));
        }
    }
    Ok(all)
}

/// The server's certificate with its key, which must belong together.
fn certified(cert: &Named, key: &Named) -> Result<(CertifiedKey, Certificate), String> {
    let chain: Vec<CertificateDer<'static>> = cert.sections()?;
    let unreadable = || format!("ssl_cert: '{}' has no readable certificate", cert.path.display());
    let certificate =
        chain.first().and_then(|der| Certificate::read(der)).ok_or_else(unreadable)?;
    let signer = any_supported_type(&key.key()?)
        .map_err(|e| format!("ssl_key: the key of '{}' cannot be used: {e}", key.path.display()))?;
    // The library compares them too, but only for certificates of version 3.
    if signer.public_key().is_some_and(|public| public.as_ref() != certificate.key) {
        return Err(format!(
            "ssl_key: '{}' is not the key of the certificate '{}'",
            key.path.display(),
            cert.path.display()
        ));
    }
    Ok((CertifiedKey::new(chain, signer), certificate))
}
