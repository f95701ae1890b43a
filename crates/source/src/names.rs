//! The names of the files, and the index that lists them.

use weir_disk::{Disk, IoBuf, Mode, OpenOptions};
use weir_engine::Result;

/// The names that begin with the base name of `log_bin`.
#[derive(Clone, Debug)]
pub struct Names(String);

/// What a start must know of the files, whatever their names are.
pub const STATE: &str = "binlog.state";

/// The largest number of a file, as in MySQL.
pub const NUMBER_MAX: u32 = 0x7FFF_FFFF;

impl Names {
    pub fn new(base: &str) -> Names {
        Names(base.to_owned())
    }

    pub fn file(&self, number: u32) -> String {
        format!("{}.{number:06}", self.0)
    }

    pub fn index(&self) -> String {
        format!("{}.index", self.0)
    }

    pub fn base(&self) -> &str {
        &self.0
    }

    /// A transaction that was too long for the redo log.
    pub fn spilled(&self, number: u64) -> String {
        format!("{}.spilled.{number}", self.0)
    }

    /// The number of a log file, from its name as clients write it or as the index has it.
    pub fn number(&self, name: &str) -> Option<u32> {
        let name = name.strip_prefix("./").unwrap_or(name);
        let digits = name.strip_prefix(&self.0)?.strip_prefix('.')?;
        let all = digits.len() >= 6 && digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse().ok().filter(|n| all && (1..=NUMBER_MAX).contains(n))
    }

    pub fn is_spilled(&self, name: &str) -> bool {
        let rest = name.strip_prefix(&self.0).and_then(|r| r.strip_prefix(".spilled."));
        rest.is_some_and(|r| r.parse::<u64>().is_ok())
    }

    pub fn index_text(&self, numbers: &[u32]) -> String {
        numbers.iter().map(|n| format!("./{}\n", self.file(*n))).collect()
    }

    pub fn read_index(&self, text: &str) -> Vec<u32> {
        text.lines().filter_map(|l| self.number(l.trim())).collect()
    }
}

/// Puts a small file in the place of the one of this name, durably: a crash leaves the old one or the new one.
pub async fn replace(disk: &dyn Disk, name: &str, bytes: &[u8]) -> Result<()> {
    let fresh = format!("{name}.new");
    let how = OpenOptions { create: true, create_new: false, mode: Mode::Buffered };
    let file = disk.open(&fresh, how).await?;
    file.truncate(0).await?;
    file.write(0, IoBuf::of(bytes)).await.1?;
    file.sync().await?;
    disk.rename(&fresh, name).await?;
    disk.sync_dir("").await?;
    Ok(())
}

/// A small file; `None` where it is not there.
pub async fn read(disk: &dyn Disk, name: &str) -> Result<Option<Vec<u8>>> {
    if !disk.exists(name).await? {
        return Ok(None);
    }
    let how = OpenOptions { create: false, create_new: false, mode: Mode::Buffered };
    let file = disk.open(name, how).await?;
    let len = file.len().await?;
    let (bytes, done) = file.read(0, IoBuf::new(len as usize)).await;
    done?;
    Ok(Some(bytes.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers() {
        let n = Names::new("binlog");
        assert_eq!(
            (n.file(7).as_str(), n.file(1_234_567).as_str()),
            ("binlog.000007", "binlog.1234567")
        );
        for (name, number) in [
            ("binlog.000007", Some(7)),
            ("./binlog.1234567", Some(1_234_567)),
            ("binlog.7", None),
            ("binlog.000000", None),
            ("binlog.index", None),
            ("other.000001", None),
            ("binlog.9999999999", None),
        ] {
            assert_eq!(n.number(name), number, "{name}");
        }
        assert!(n.is_spilled("binlog.spilled.12") && !n.is_spilled("binlog.spilled.x"));
        assert_eq!(n.read_index(&n.index_text(&[3, 4])), [3, 4]);
    }
}
