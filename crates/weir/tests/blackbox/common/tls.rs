//! A client's TLS, and certificates of one's own.

use super::PATIENCE;
use super::client::{Client, Failure, Login, Pipe, cap};
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::crypto::aws_lc_rs::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion,
};
use std::net::{Shutdown, TcpStream};
use std::path::Path;
use std::sync::Arc;

impl Pipe for StreamOwned<ClientConnection, TcpStream> {
    fn end(&self) {
        let _ = self.sock.shutdown(Shutdown::Both);
    }
}

/// Whom a client trusts, and what it shows.
pub struct Trust<'a> {
    pub ca: &'a Path,
    /// Certificate and key.
    pub own: Option<(&'a Path, &'a Path)>,
    pub versions: &'a [&'static SupportedProtocolVersion],
}

pub fn tls_config(trust: &Trust<'_>) -> ClientConfig {
    let mut roots = RootCertStore::empty();
    for ca in CertificateDer::pem_file_iter(trust.ca).unwrap() {
        roots.add(ca.unwrap()).unwrap();
    }
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_protocol_versions(trust.versions)
        .unwrap()
        .with_root_certificates(roots);
    match trust.own {
        None => config.with_no_client_auth(),
        Some((cert, key)) => {
            let chain = CertificateDer::pem_file_iter(cert).unwrap().map(Result::unwrap).collect();
            config.with_client_auth_cert(chain, PrivateKeyDer::from_pem_file(key).unwrap()).unwrap()
        }
    }
}

/// Greeting, request, handshake, login.
pub fn tls_client(
    port: u16,
    login: &Login<'_>,
    config: &Arc<ClientConfig>,
) -> Result<Client, Failure> {
    let socket = TcpStream::connect(("127.0.0.1", port)).unwrap();
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket.set_nodelay(true).unwrap();
    let mut client = Client::over(Box::new(socket.try_clone().unwrap()));
    let (salt, _) = client.greeting()?;
    assert_ne!(client.offered & cap::SSL, 0, "TLS is offered");
    let flags = login.flags | cap::SSL;
    let mut request = (cap::DEFAULT | flags).to_le_bytes().to_vec();
    request.resize(32, 0);
    client.write_packet(&request)?;
    let name = ServerName::try_from("localhost").unwrap();
    let tls = ClientConnection::new(config.clone(), name).unwrap();
    client.goes_over(Box::new(StreamOwned::new(tls, socket)));
    client.answer_greeting(&Login { flags, ..*login }, salt, true)?;
    Ok(client)
}

/// An authority, and what it signs.
pub struct Certified {
    params: CertificateParams,
    key: KeyPair,
    pub pem: String,
}

fn params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(DnType::OrganizationName, "Weir");
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

pub(super) fn pem(label: &str, der: &[u8]) -> String {
    weir_server::crypto::pem(label, der)
}

impl Certified {
    pub fn authority(name: &str) -> Certified {
        let key = KeyPair::generate().unwrap();
        let mut params = params(name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages =
            vec![rcgen::KeyUsagePurpose::KeyCertSign, rcgen::KeyUsagePurpose::CrlSign];
        let pem = pem("CERTIFICATE", params.self_signed(&key).unwrap().der());
        Certified { params, key, pem }
    }

    /// Certificate and key for the server or a client.
    pub fn sign(&self, name: &str, serial: u64) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let mut params = params(name);
        params.serial_number = Some(serial.into());
        params.use_authority_key_identifier_extension = true;
        let issuer = Issuer::from_params(&self.params, &self.key);
        let certificate = params.signed_by(&key, &issuer).unwrap();
        (pem("CERTIFICATE", certificate.der()), pem("PRIVATE KEY", key.serialized_der()))
    }

    /// A list that revokes one number.
    pub fn revoke(&self, serial: u64) -> String {
        let revoked = rcgen::RevokedCertParams {
            serial_number: serial.into(),
            revocation_time: rcgen::date_time_ymd(2024, 1, 1),
            reason_code: None,
            invalidity_date: None,
        };
        let list = rcgen::CertificateRevocationListParams {
            this_update: rcgen::date_time_ymd(2024, 1, 1),
            next_update: rcgen::date_time_ymd(2100, 1, 1),
            crl_number: 1.into(),
            issuing_distribution_point: None,
            revoked_certs: vec![revoked],
            key_identifier_method: rcgen::KeyIdMethod::Sha256,
        };
        let issuer = Issuer::from_params(&self.params, &self.key);
        pem("X509 CRL", list.signed_by(&issuer).unwrap().der())
    }
}
