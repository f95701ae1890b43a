//! Certificates, keys and lists of revoked certificates from files in PEM.
//!
//! Every error names the option, the file and what is wrong with it.

use rustix::fs::OFlags;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, CertificateRevocationListDer, PrivateKeyDer};
use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
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

/// A kind of what files in PEM have.
pub trait Section: PemObject {
    const NAME: &'static str;
}

impl Section for CertificateDer<'static> {
    const NAME: &'static str = "certificate";
}

impl Section for CertificateRevocationListDer<'static> {
    const NAME: &'static str = "list of revoked certificates";
}

impl Named {
    pub fn says(&self, what: impl std::fmt::Display) -> String {
        format!("{}: '{}' {what}", self.option, self.path.display())
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        let unreadable = |e| self.says(format_args!("cannot be read: {e}"));
        // A pipe without a writer would keep a statement for ever.
        let mut options = OpenOptions::new();
        let options = options.read(true).custom_flags(OFlags::NONBLOCK.bits() as i32);
        let file = options.open(&self.path).map_err(unreadable)?;
        if !file.metadata().map_err(unreadable)?.is_file() {
            return Err(self.says("is no regular file"));
        }
        let mut bytes = Vec::new();
        file.take(LARGEST + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > LARGEST {
            return Err(self.says(format_args!("has more than {LARGEST} bytes")));
        }
        Ok(bytes)
    }

    /// At least one.
    pub fn sections<T: Section>(&self) -> Result<Vec<T>, String> {
        let list = self.sections_if_any()?;
        match list.is_empty() {
            true => Err(self.says(format_args!("has no {} in PEM", T::NAME))),
            false => Ok(list),
        }
    }

    /// A directory has other files too: none need be in this one.
    pub fn sections_if_any<T: Section>(&self) -> Result<Vec<T>, String> {
        let items: Result<Vec<T>, pem::Error> = T::pem_slice_iter(&self.bytes()?).collect();
        items.map_err(|e| self.says(format_args!("is no PEM file: {e}")))
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
