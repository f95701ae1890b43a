//! TLS to a source.

use super::{Result, SourceError, Target};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, aws_lc_rs::default_provider};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore,
    SignatureScheme, StreamOwned,
};
use std::net::TcpStream;
use std::sync::Arc;

pub type Encrypted = StreamOwned<ClientConnection, TcpStream>;

/// 2026.
fn failed(why: impl std::fmt::Display) -> SourceError {
    SourceError::new(2026, format!("SSL connection error: {why}"))
}

/// The handshake happens with the first bytes.
pub fn begin(socket: TcpStream, target: &Target) -> Result<Encrypted> {
    let tls = &target.tls;
    let provider = Arc::new(default_provider());
    let builder = ClientConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .map_err(failed)?;
    let verifier: Arc<dyn ServerCertVerifier> = match tls.ca.is_empty() && tls.ca_path.is_empty() {
        true => Arc::new(Any(provider)),
        false => {
            let roots = Arc::new(authorities(target)?);
            let known = WebPkiServerVerifier::builder_with_provider(roots, provider).build();
            let known = known.map_err(failed)?;
            match tls.verifies_name {
                true => known,
                false => Arc::new(AnyName(known)),
            }
        }
    };
    let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
    let config = match tls.certificate.is_empty() {
        true => builder.with_no_client_auth(),
        false => {
            let (chain, key) = own(target)?;
            builder.with_client_auth_cert(chain, key).map_err(failed)?
        }
    };
    let name = ServerName::try_from(target.host.clone()).map_err(failed)?;
    let connection = ClientConnection::new(Arc::new(config), name).map_err(failed)?;
    Ok(StreamOwned::new(connection, socket))
}

fn certificates(file: &str) -> Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect);
    read.map_err(|e| failed(format_args!("'{file}': {e}")))
}

fn authorities(target: &Target) -> Result<RootCertStore> {
    let mut roots = RootCertStore::empty();
    let mut files = Vec::new();
    if !target.tls.ca.is_empty() {
        files.push(target.tls.ca.clone());
    }
    if !target.tls.ca_path.is_empty() {
        let entries = std::fs::read_dir(&target.tls.ca_path).map_err(failed)?;
        let paths = entries.filter_map(|e| e.ok().map(|e| e.path()));
        files.extend(paths.filter(|p| p.is_file()).map(|p| p.to_string_lossy().into_owned()));
    }
    for file in files {
        for certificate in certificates(&file)? {
            roots.add(certificate).map_err(|e| failed(format_args!("'{file}': {e}")))?;
        }
    }
    Ok(roots)
}

type Own = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn own(target: &Target) -> Result<Own> {
    let file = match target.tls.key.is_empty() {
        true => &target.tls.certificate,
        false => &target.tls.key,
    };
    let key = PrivateKeyDer::from_pem_file(file);
    let key = key.map_err(|e| failed(format_args!("'{file}': {e}")))?;
    Ok((certificates(&target.tls.certificate)?, key))
}

/// Takes every certificate: who is not told an authority wants nobody to listen, and asks not who answers, as MySQL's clients do.
#[derive(Debug)]
struct Any(Arc<CryptoProvider>);

impl ServerCertVerifier for Any {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls12_signature(message, cert, dss, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.0.signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, cert, dss, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Takes every certificate of the authority, whatever host it is of.
#[derive(Debug)]
struct AnyName(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyName {
    fn verify_server_cert(
        &self,
        end: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        match self.0.verify_server_cert(end, between, name, ocsp, now) {
            Err(rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        self.0.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
