//! Where the records of TLS begin and end in a stream of bytes, which the library keeps to itself.
//!
//! A record is a header of five bytes and a body (RFC 8446, 5.1): its type, two bytes of version, the body's length. Headers are never
//! encrypted.

const HEADER: usize = 5;
const ALERT: u8 = 21;
const DATA: u8 = 23;

/// One direction of a connection.
#[derive(Debug, Default)]
pub struct Records {
    header: [u8; HEADER],
    /// Bytes of the header that have passed; all of them: the body follows.
    have: usize,
    /// Bytes of the body that are still to come.
    left: usize,
    /// Alerts whose type is to be seen: those of TLS 1.2. TLS 1.3 hides it.
    pub alerts: u64,
    /// Records of data, and whatever TLS 1.3 hides among them.
    pub data: u64,
}

impl Records {
    pub fn pass(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.have < HEADER {
                let n = bytes.len().min(HEADER - self.have);
                self.header[self.have..self.have + n].copy_from_slice(&bytes[..n]);
                self.have += n;
                bytes = &bytes[n..];
                if self.have == HEADER {
                    self.left = usize::from(u16::from_be_bytes([self.header[3], self.header[4]]));
                    self.alerts += u64::from(self.header[0] == ALERT);
                    self.data += u64::from(self.header[0] == DATA);
                }
            } else {
                let n = bytes.len().min(self.left);
                self.left -= n;
                bytes = &bytes[n..];
            }
            if self.have == HEADER && self.left == 0 {
                self.have = 0;
            }
        }
    }

    /// A record has begun and not ended.
    pub fn is_cut(&self) -> bool {
        self.have > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_in_pieces_of_every_length() {
        let stream = [&[23, 3, 3, 1, 0][..], &[9; 256], &[23, 3, 3, 0, 0], &[22, 3, 3, 0, 1, 21]];
        let stream = stream.concat();
        for piece in 1..=stream.len() {
            let mut r = Records::default();
            let mut passed = 0;
            for bytes in stream.chunks(piece) {
                r.pass(bytes);
                passed += bytes.len();
                let at_an_end = [0, 261, 266, 272].contains(&passed);
                assert_eq!(r.is_cut(), !at_an_end, "{passed} in pieces of {piece}");
            }
            assert_eq!((r.alerts, r.data), (0, 2));
            r.pass(&[ALERT, 3, 3, 0, 2]);
            assert!(r.alerts == 1 && r.is_cut());
            r.pass(&[1, 0]);
            assert!(r.alerts == 1 && !r.is_cut());
        }
    }
}
