//! Numbers, texts and lists as bytes: little-endian, texts behind their length.

use crate::session_api::SqlError;
use crate::value::Collation;

pub fn damaged() -> SqlError {
    SqlError::internal("damaged table or schema metadata in the data dictionary")
}

pub struct Writer(pub Vec<u8>);

impl Writer {
    pub fn u8(&mut self, v: u8) {
        self.0.push(v);
    }
    pub fn u16(&mut self, v: u16) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    pub fn u32(&mut self, v: u32) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    pub fn u64(&mut self, v: u64) {
        self.0.extend_from_slice(&v.to_le_bytes());
    }
    /// Lists here are bounded by the column limit (4,095) and the key limit (64).
    pub fn count(&mut self, n: usize) {
        self.u16(n as u16);
    }
    pub fn bytes(&mut self, b: &[u8]) {
        self.u32(b.len() as u32);
        self.0.extend_from_slice(b);
    }
    pub fn str(&mut self, s: &str) {
        self.bytes(s.as_bytes());
    }
}

pub struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn take(&mut self, n: usize) -> Result<&'a [u8], SqlError> {
        if self.0.len() < n {
            return Err(damaged());
        }
        let (head, tail) = self.0.split_at(n);
        self.0 = tail;
        Ok(head)
    }
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], SqlError> {
        self.take(N)?.try_into().map_err(|_| damaged())
    }
    pub fn u8(&mut self) -> Result<u8, SqlError> {
        Ok(self.array::<1>()?[0])
    }
    pub fn u16(&mut self) -> Result<u16, SqlError> {
        Ok(u16::from_le_bytes(self.array()?))
    }
    pub fn u32(&mut self) -> Result<u32, SqlError> {
        Ok(u32::from_le_bytes(self.array()?))
    }
    pub fn u64(&mut self) -> Result<u64, SqlError> {
        Ok(u64::from_le_bytes(self.array()?))
    }
    pub fn bytes(&mut self) -> Result<&'a [u8], SqlError> {
        let n = self.u32()? as usize;
        self.take(n)
    }
    pub fn str(&mut self) -> Result<String, SqlError> {
        let bytes = self.bytes()?;
        std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| damaged())
    }
    /// The version of the bytes, from 1 to the newest that is known.
    pub fn version(&mut self, newest: u8) -> Result<u8, SqlError> {
        match self.u8()? {
            0 => Err(damaged()),
            known if known <= newest => Ok(known),
            newer => Err(SqlError::internal(format!(
                "table metadata of format {newer} was written by a newer version"
            ))),
        }
    }
    pub fn collation(&mut self) -> Result<Collation, SqlError> {
        Collation::by_id(self.u16()?).ok_or_else(damaged)
    }
    pub fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, SqlError>,
    ) -> Result<Vec<T>, SqlError> {
        let n = self.u16()?;
        (0..n).map(|_| item(self)).collect()
    }
}

pub fn flags(bits: &[(bool, u8)]) -> u8 {
    bits.iter().filter(|(on, _)| *on).fold(0, |all, (_, bit)| all | bit)
}
