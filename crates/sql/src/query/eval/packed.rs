//! Rows of a table, many in one piece of memory.

/// Rows in a table's layout, one behind the other.
#[derive(Default)]
pub struct PackedRows {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl PackedRows {
    pub fn row(&self, at: u32) -> &[u8] {
        let at = at as usize;
        let begin = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bytes[begin..self.ends[at]]
    }

    pub fn push(&mut self, row: &[u8]) {
        self.bytes.extend_from_slice(row);
        self.ends.push(self.bytes.len());
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    pub fn len(&self) -> u32 {
        self.ends.len() as u32
    }
}
