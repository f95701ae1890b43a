//! Which compression a connection has: what the variable allows, the greeting offers and the client asks for.

use crate::auth::Refused;
use weir_sql::errno;
use weir_sql::session_api::SqlError;
use weir_sql::vars::{GlobalVars, Var};
use weir_wire::Capabilities;
use weir_wire::compress::{Algorithm, ZSTD_LEVELS};

const ZLIB: &str = "zlib";
const ZSTD: &str = "zstd";
const UNCOMPRESSED: &str = "uncompressed";

fn allows(list: &str, name: &str) -> bool {
    list.split(',').any(|n| n.eq_ignore_ascii_case(name))
}

/// The flags of a greeting.
pub fn offered(vars: &GlobalVars) -> Capabilities {
    let list = vars.text(Var::protocol_compression_algorithms);
    let mut flags = Capabilities::OFFERED;
    flags.set(Capabilities::COMPRESS, allows(&list, ZLIB));
    flags.set(Capabilities::ZSTD_COMPRESSION, allows(&list, ZSTD));
    flags
}

/// What a client gets; `None`: its connection is not compressed. As in MySQL zlib goes before zstd when a client can both.
pub fn choose(
    vars: &GlobalVars,
    caps: Capabilities,
    zstd_level: Option<u8>,
) -> Result<Option<Algorithm>, Refused> {
    if caps.has(Capabilities::COMPRESS) {
        return Ok(Some(Algorithm::Zlib));
    }
    if caps.has(Capabilities::ZSTD_COMPRESSION) {
        return match zstd_level {
            Some(level) if ZSTD_LEVELS.contains(&level) => Ok(Some(Algorithm::Zstd(level))),
            other => Err(Refused::Sql(wrong_level(other.unwrap_or(0)))),
        };
    }
    let list = vars.text(Var::protocol_compression_algorithms);
    if allows(&list, UNCOMPRESSED) {
        return Ok(None);
    }
    let text = format!(
        "Invalid compression algorithm '{UNCOMPRESSED}' of the client: protocol_compression_algorithms allows '{list}'."
    );
    Err(Refused::Sql(SqlError::new(errno::ER_WRONG_COMPRESSION_ALGORITHM_CLIENT, text)))
}

fn wrong_level(level: u8) -> SqlError {
    let (least, most) = (ZSTD_LEVELS.start(), ZSTD_LEVELS.end());
    let text = format!(
        "Invalid compression level {level} of the client for algorithm '{ZSTD}': it is from {least} to {most}."
    );
    SqlError::new(errno::ER_WRONG_COMPRESSION_LEVEL_CLIENT, text)
}

/// As SHOW STATUS has it.
pub fn told(algorithm: Algorithm) -> (&'static str, u8) {
    (algorithm.name(), algorithm.level())
}
