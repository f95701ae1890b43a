//! Certificates, keys and lists of revoked certificates from files in PEM.
//!
//! Every error names the option, the file and what is wrong with it.

use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes of a file; certificates of all public authorities have a quarter of it.
const LARGEST: u64 = 1 << 20;
/// Files of a directory.
const MOST: usize = 1000;

/// An option that names a file, and the file.
#[derive(Clone, Debug)]
pub struct Named {
    pub option: &'static str,
    pub path: PathBuf,
}

impl Named {
    fn says(&self, what: impl std::fmt::Display) -> String {
        format!("{}: '{}' {what}", self.option, self.path.display())
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        let file = std::fs::File::open(&self.path);
        let read = file.and_then(|f| f.take(LARGEST + 1).read_to_end(&mut bytes));
        read.map_err(|e| self.says(format_args!("cannot be read: {e}")))?;
        if bytes.len() as u64 > LARGEST {
            return Err(self.says(format_args!("has more than {LARGEST} bytes")));
        }
        Ok(bytes)
    }

    fn items<T: PemObject>(&self, bytes: &[u8]) -> Result<Vec<T>, String> {
        let items: Result<Vec<T>, pem::Error> = T::pem_slice_iter(bytes).collect();
        items.map_err(|e| self.says(format_args!("is no PEM file: {e}")))
    }

    /// At least one.
    pub fn certificates(&self) -> Result<Vec<CertificateDer<'static>>, String> {
        let list: Vec<CertificateDer<'static>> = self.items(&self.bytes()?)?;
        if list.is_empty() { Err(self.says("has no certificate in PEM")) } else { Ok(list) }
    }

    /// At least one.
    pub fn revocations(&self) -> Result<Vec<CertificateRevocationListDer<'static>>, String> {
        let list: Vec<CertificateRevocationListDer<'static>> = self.items(&self.bytes()?)?;
        match list.is_empty() {
            true => Err(self.says("has no list of revoked certificates in PEM")),
            false => Ok(list),
        }
    }

    pub fn key(&self) -> Result<PrivateKeyDer<'static>, String> {
        let bytes = self.bytes()?;
        let encrypted = bytes.windows(9).any(|w| w == b"ENCRYPTED");
        PrivateKeyDer::from_pem_slice(&bytes).map_err(|e| match encrypted {
            true => self.says("is encrypted, and nobody is there to say the pass phrase"),
            false => self.says(format_args!("has no private key in PEM: {e}")),
        })
    }

    /// The files of a directory, whatever their names: those that OpenSSL gives them only speed up its search.
    pub fn directory(&self) -> Result<Vec<Named>, String> {
        let unreadable = |e| self.says(format_args!("cannot be read: {e}"));
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&self.path).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            if !path.is_file() {
                continue;
            }
            if files.len() == MOST {
                return Err(self.says(format_args!("has more than {MOST} files")));
            }
            files.push(Named { option: self.option, path });
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }
}

/// A path as options give it: relative to the data directory.
pub fn resolve(datadir: &Path, option: &'static str, given: &str) -> Option<Named> {
    (!given.is_empty()).then(|| Named { option, path: datadir.join(given) })
}
