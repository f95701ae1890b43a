//! What a statement of the source is run under: the variables that its event carries.

use super::Applier;
use super::failure::Stop;
use crate::store::{ask, quoted};
use weir_binlog::query::{Query, Settings, UserValue, UserVar, flag2};
use weir_sql::value::Collation;

/// Bits of `sql_mode` that MySQL 8.0 has. Those of MariaDB that are not among them have no meaning here.
const MODES: u64 = 0xEFFC_00EF;
/// MySQL's last one, which is another one in MariaDB.
const TIME_TRUNCATE_FRACTIONAL: u64 = 1 << 32;

/// The last text by which the session's variables were set, so that statements of the same kind set them once.
#[derive(Default)]
pub struct Kept(String);

impl Applier<'_> {
    /// Sets what the event says. `seconds`: the time of the event. `mariadb`, `old`: the source's defaults of collations are others.
    pub fn set_up(&mut self, q: &Query<'_>, seconds: u32, mariadb: bool) -> Result<(), Stop> {
        let lasting = lasting(&q.settings, mariadb);
        if self.settings.0 != lasting {
            self.own(&lasting)?;
            self.settings.0 = lasting;
        }
        let micros = q.settings.micros.unwrap_or(0);
        self.own(&format!("SET timestamp = {seconds}.{micros:06}"))?;
        let schema = String::from_utf8_lossy(q.schema).into_owned();
        let schema = crate::lock(&self.channel.state).filters.rewritten(&schema).to_owned();
        if !schema.is_empty() && self.session.database() != schema {
            // A statement that makes the database, or whose database is gone, needs none.
            _ = self.shared.rt.block_on(self.session.init_db(&schema));
        }
        Ok(())
    }

    pub fn own(&mut self, sql: &str) -> Result<(), Stop> {
        ask(self.shared, &mut self.session, sql).map(drop).map_err(Stop::own)
    }

    pub fn set_user_var(&mut self, v: &UserVar<'_>) -> Result<(), Stop> {
        let name = String::from_utf8_lossy(v.name).replace('`', "``");
        let value = match &v.value {
            UserValue::Null => "NULL".into(),
            UserValue::Real(x) => format!("{x:e}"),
            UserValue::Int { value, unsigned: true } => (*value as u64).to_string(),
            UserValue::Int { value, .. } => value.to_string(),
            UserValue::Decimal(text) => text.clone(),
            UserValue::Text { bytes, collation } => {
                let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
                let known = u16::try_from(*collation).ok().and_then(Collation::by_id);
                match known {
                    Some(c) if !c.is_binary() => {
                        format!("_{} x'{hex}' COLLATE {}", c.charset().name(), c.name())
                    }
                    _ => format!("x'{hex}'"),
                }
            }
        };
        self.own(&format!("SET @`{name}` = {value}"))
    }
}

/// The SET of what holds for many statements.
fn lasting(s: &Settings<'_>, mariadb: bool) -> String {
    let mut set: Vec<String> = Vec::new();
    if let Some(mode) = s.sql_mode {
        let extra = if mariadb { 0 } else { TIME_TRUNCATE_FRACTIONAL };
        set.push(format!("sql_mode = {}", mode & (MODES | extra)));
    }
    let flag = |bit| s.flag(bit).map(u8::from);
    if let Some(off) = flag(flag2::NO_FOREIGN_KEY_CHECKS) {
        set.push(format!("foreign_key_checks = {}", 1 - off));
    }
    if let Some(off) = flag(flag2::RELAXED_UNIQUE_CHECKS) {
        set.push(format!("unique_checks = {}", 1 - off));
    }
    if let Some(on) = flag(flag2::AUTO_IS_NULL) {
        set.push(format!("sql_auto_is_null = {on}"));
    }
    if let Some((client, connection, server)) = s.charset {
        let by_id = |id: u16| Collation::by_id(id).unwrap_or(Collation::Utf8mb4GeneralCi);
        set.push(format!("character_set_client = {}", by_id(client).charset().name()));
        set.push(format!("collation_connection = {}", by_id(connection).name()));
        set.push(format!("collation_server = {}", by_id(server).name()));
    }
    // Servers before MySQL 8.0.11 and MariaDB do not say it, and have the older one.
    let utf8mb4 = s.default_utf8mb4.and_then(Collation::by_id);
    let utf8mb4 = utf8mb4.unwrap_or(Collation::Utf8mb4GeneralCi);
    set.push(format!("default_collation_for_utf8mb4 = {}", utf8mb4.name()));
    if let Some(zone) = s.time_zone {
        set.push(format!("time_zone = {}", quoted(&String::from_utf8_lossy(zone))));
    }
    let (increment, offset) = s.auto_increment.unwrap_or((1, 1));
    set.push(format!("auto_increment_increment = {}", increment.max(1)));
    set.push(format!("auto_increment_offset = {}", offset.max(1)));
    if let Some(names) = s.lc_time_names.filter(|n| *n > 0) {
        set.push(format!("lc_time_names = {names}"));
    }
    // A source says in its text which primary keys it has made.
    set.push("sql_generate_invisible_primary_key = 0".into());
    let explicit = s.explicit_defaults.unwrap_or(!mariadb);
    set.push(format!("explicit_defaults_for_timestamp = {}", u8::from(explicit)));
    format!("SET {}", set.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_event_carries_is_set() {
        let s = Settings {
            flags2: Some(flag2::NO_FOREIGN_KEY_CHECKS),
            sql_mode: Some(1_168_113_696 | 1 << 32 | 0x100),
            charset: Some((255, 255, 8)),
            time_zone: Some(b"+01:00"),
            default_utf8mb4: Some(255),
            ..Settings::default()
        };
        let text = lasting(&s, false);
        for part in [
            "sql_mode = 5463080992",
            "foreign_key_checks = 0, unique_checks = 1, sql_auto_is_null = 0",
            "character_set_client = utf8mb4, collation_connection = utf8mb4_0900_ai_ci, collation_server = latin1_swedish_ci",
            "default_collation_for_utf8mb4 = utf8mb4_0900_ai_ci",
            "time_zone = CONVERT(x'2b30313a3030' USING utf8mb4)",
            "explicit_defaults_for_timestamp = 1",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert!(lasting(&s, true).contains("sql_mode = 1168113696,"));
    }
}
