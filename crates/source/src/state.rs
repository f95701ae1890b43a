//! What a start must know of the files: how far they are safe, and what the bytes behind that depend on.

use crate::names::{STATE, read, replace};
use crate::record::sum_of;
use weir_binlog::GtidSet;
use weir_disk::Disk;
use weir_engine::{Error, Lsn, Result};

/// The files as of one moment, which is durable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The base name of the files.
    pub base: String,
    /// Records of groups that end at or below this LSN are in the files.
    pub lsn: Lsn,
    /// The file that is written to, and how far; number 0: no file was begun yet.
    pub number: u32,
    pub position: u64,
    /// Events of the file have checksums.
    pub checksum: bool,
    /// The number of the last transaction in the file.
    pub sequence: i64,
    pub executed: GtidSet,
    pub purged: GtidSet,
}

const HEAD: &str = "weir binary log 1";

impl State {
    fn text(&self) -> String {
        let line = |set: &GtidSet| set.to_string().replace('\n', "");
        let body = format!(
            "{HEAD}\nbase {}\nlsn {}\nfile {}\nposition {}\nchecksum {}\nsequence {}\nexecuted {}\npurged {}\n",
            self.base,
            self.lsn,
            self.number,
            self.position,
            u8::from(self.checksum),
            self.sequence,
            line(&self.executed),
            line(&self.purged),
        );
        let sum = sum_of(body.as_bytes());
        format!("{body}crc {sum:08x}\n")
    }

    fn parse(text: &str) -> Option<State> {
        let (body, sum) = text.strip_suffix('\n')?.rsplit_once("crc ")?;
        if u32::from_str_radix(sum, 16).ok()? != sum_of(body.as_bytes()) {
            return None;
        }
        let mut lines = body.lines();
        if lines.next()? != HEAD {
            return None;
        }
        let mut value = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        Some(State {
            base: value("base")?.to_owned(),
            lsn: value("lsn")?.parse().ok()?,
            number: value("file")?.parse().ok()?,
            position: value("position")?.parse().ok()?,
            checksum: value("checksum")? == "1",
            sequence: value("sequence")?.parse().ok()?,
            executed: value("executed")?.parse().ok()?,
            purged: value("purged")?.parse().ok()?,
        })
    }

    pub async fn save(&self, disk: &dyn Disk) -> Result<()> {
        replace(disk, STATE, self.text().as_bytes()).await
    }

    /// `None`: there is no log. Damage is an error: which numbers of transactions were given would not be known.
    pub async fn load(disk: &dyn Disk) -> Result<Option<State>> {
        let Some(bytes) = read(disk, STATE).await? else { return Ok(None) };
        let text = String::from_utf8_lossy(&bytes);
        State::parse(&text).map(Some).ok_or_else(|| Error::Corrupt {
            what: format!(
                "the state of the binary log cannot be read; put it back, or remove '{STATE}' and the files of the log to begin a new one, \
                 whose replicas must be made again"
            ),
            place: format!("'{STATE}'"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_comes_back_and_damage_is_seen() {
        let set =
            "3e11fa47-71ca-11e1-9e33-c80aa9429562:1-3:5,2174b383-5441-11e8-b90a-c80aa9429562:1";
        let state = State {
            base: "binlog".into(),
            lsn: 1 << 40,
            number: 3,
            position: 157,
            checksum: true,
            sequence: 9,
            executed: set.parse().expect("a set"),
            purged: GtidSet::default(),
        };
        let text = state.text();
        assert_eq!(State::parse(&text), Some(state));
        assert_eq!(State::parse(&State::default().text()), Some(State::default()));
        for at in 0..text.len() {
            let mut damaged = text.clone().into_bytes();
            damaged[at] ^= 1;
            assert_eq!(State::parse(&String::from_utf8_lossy(&damaged)), None, "byte {at}");
            assert_eq!(State::parse(&text[..at]), None, "cut at {at}");
        }
    }
}
