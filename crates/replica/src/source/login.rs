//! The login: its packets by the connection, TLS where it is wanted.

use super::{Result, Source, SourceError, Stream, Target, encrypted};
use weir_login::{Account, BASIC, Login, Protection, Step};
use weir_wire::Capabilities;

impl From<weir_login::Error> for SourceError {
    fn from(e: weir_login::Error) -> SourceError {
        SourceError::new(e.errno(), e.to_string())
    }
}

impl Source {
    pub(super) fn log_in(&mut self, target: &Target) -> Result<()> {
        let account = Account { user: &target.user, password: &target.password, database: "" };
        // Without DEPRECATE_EOF results end as those of all versions.
        let wanted = if target.tls.on { BASIC | Capabilities::SSL } else { BASIC };
        let mut login = Login::new(self.packet()?, account, wanted, protection(target))?;
        self.caps = login.capabilities();
        if target.tls.on {
            self.reply(&login.tls_request())?;
            self.encrypt(target)?;
        }
        self.reply(&login.response()?)?;
        loop {
            match login.receive(self.packet()?)? {
                Step::Send(payload) => self.reply(&payload)?,
                Step::Receive => {}
                Step::Done => return Ok(()),
            }
        }
    }

    fn encrypt(&mut self, target: &Target) -> Result<()> {
        self.stream = match self.stream.take() {
            Some(Stream::Plain(s)) => {
                Some(Stream::Encrypted(Box::new(encrypted::begin(s, target)?)))
            }
            other => other,
        };
        Ok(())
    }

    /// Sends the next packet of the dialogue.
    fn reply(&mut self, payload: &[u8]) -> Result<()> {
        self.writer.set_sequence(self.framer.sequence());
        self.writer.begin().extend_from_slice(payload);
        self.writer.end();
        self.flush()
    }
}

/// As MySQL's client has it: a key file that cannot be read counts as none.
fn protection(target: &Target) -> Protection {
    if target.tls.on {
        return Protection::Private;
    }
    let key = match target.key_file.as_str() {
        "" => None,
        file => std::fs::read(file).ok(),
    };
    Protection::Sealed { key, asks: target.asks_key }
}
