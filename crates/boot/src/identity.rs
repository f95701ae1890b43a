//! `auto.cnf` in the data directory: the name by which monitors and replicas know this server among all others (`server_uuid`). It is made
//! by the first start, as MySQL makes it; a copy of a data directory gets another one if the file is removed.

use std::io::Write;
use std::path::Path;

const NAME: &str = "auto.cnf";
const KEY: &str = "server-uuid";

/// The server's UUID. One that cannot be kept is good until the stop: nothing in the data depends on it, so a directory that is not to be
/// written is no reason not to start.
///
/// Errors: a file that says none.
pub fn server_uuid(datadir: &Path) -> Result<(String, Option<String>), String> {
    uuid_of(datadir, true)
}

/// The same for a program that has the database inside it. Nothing names it in a log, so the file is not waited for: a power failure soon
/// after the first opening may leave the file empty, and the next opening draws another name.
pub fn program_uuid(datadir: &Path) -> Result<(String, Option<String>), String> {
    uuid_of(datadir, false)
}

fn uuid_of(datadir: &Path, durable: bool) -> Result<(String, Option<String>), String> {
    let path = datadir.join(NAME);
    let shown = path.display();
    match std::fs::read_to_string(&path) {
        Ok(text) if text.bytes().all(|b| b == 0) => drawn_and_kept(datadir, durable),
        Ok(text) => match written(&text) {
            Some(uuid) => Ok((uuid, None)),
            None => Err(format!(
                "the file '{shown}' has no line {KEY}=UUID; correct it, or remove it, and the server gets a new one"
            )),
        },
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => drawn_and_kept(datadir, durable),
        Err(e) => Err(format!("cannot read '{shown}': {e}")),
    }
}

fn drawn_and_kept(datadir: &Path, durable: bool) -> Result<(String, Option<String>), String> {
    let uuid = drawn()?;
    let shown = datadir.join(NAME).display().to_string();
    let kept = keep(datadir, &uuid, durable);
    Ok((uuid, kept.err().map(|e| format!("cannot write '{shown}': {e}"))))
}

/// Drawn by the kernel, which is the machine's source of such numbers.
fn drawn() -> Result<String, String> {
    let uuid = std::fs::read_to_string("/proc/sys/kernel/random/uuid")
        .map_err(|e| format!("cannot draw a UUID for this server: {e}"))?;
    Ok(uuid.trim().to_owned())
}

fn keep(datadir: &Path, uuid: &str, durable: bool) -> std::io::Result<()> {
    let draft = datadir.join(format!("{NAME}.tmp"));
    let mut file = std::fs::File::create(&draft)?;
    file.write_all(format!("[auto]\n{KEY}={uuid}\n").as_bytes())?;
    if durable {
        file.sync_all()?;
    }
    std::fs::rename(&draft, datadir.join(NAME))?;
    if durable {
        std::fs::File::open(datadir)?.sync_all()?;
    }
    Ok(())
}

fn written(text: &str) -> Option<String> {
    let value = text.lines().find_map(|l| {
        let (key, value) = l.split_once('=')?;
        (key.trim().replace('_', "-") == KEY).then_some(value.trim())
    })?;
    let is_uuid = value.len() == 36
        && value.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        });
    is_uuid.then(|| value.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_keeps_its_name() {
        let dir = std::env::temp_dir().join(format!("weir-identity-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let (first, told) = server_uuid(&dir).unwrap();
        assert!(told.is_none() && written(&format!("[auto]\nserver-uuid={first}")).is_some());
        assert_eq!(server_uuid(&dir).unwrap().0, first);
        std::fs::write(
            dir.join(NAME),
            "[auto]\nserver_uuid = 12345678-ABCD-1234-abcd-1234567890ab\n",
        )
        .unwrap();
        assert_eq!(server_uuid(&dir).unwrap().0, "12345678-abcd-1234-abcd-1234567890ab");
        std::fs::write(dir.join(NAME), "[auto]\nserver-uuid=nonsense\n").unwrap();
        assert!(server_uuid(&dir).unwrap_err().contains("has no line"));
        for lost in [&b""[..], &[0; 56]] {
            std::fs::write(dir.join(NAME), lost).unwrap();
            let again = program_uuid(&dir).unwrap().0;
            assert_eq!(server_uuid(&dir).unwrap().0, again);
        }
        std::fs::remove_file(dir.join(NAME)).unwrap();
        assert_ne!(server_uuid(&dir).unwrap().0, first);
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
