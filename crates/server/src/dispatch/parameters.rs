//! Parameters and attributes of statements, as they come.

use super::Connection;
use weir_sql::errno;
use weir_sql::session_api::{ParamValue, SqlError};
use weir_sql::status::Stat;
use weir_sql::vars::Var;
use weir_wire::Capabilities;
use weir_wire::params::{self, Clock, Date, Param};

impl Connection {
    pub(super) fn long_data(&mut self, id: u32, param: u16, data: &[u8]) {
        self.session.count_command(Stat::Com_stmt_send_long_data);
        // This command has no answer: an error is reported at the execution.
        let max = self.server.inst.vars.u64(Var::max_allowed_packet) as usize;
        let count = self.session.param_count(id);
        let Some(b) = self.bound.get_mut(&id) else { return };
        if count.is_none_or(|n| usize::from(param) >= n) {
            b.refused =
                Some(SqlError::of(errno::ER_WRONG_ARGUMENTS, &[&"mysqld_stmt_send_long_data"]));
            return;
        }
        let have = b.long.entry(param).or_default();
        if have.len() + data.len() > max {
            b.refused = Some(SqlError::new(
                errno::ER_UNKNOWN_ERROR,
                "Parameter of prepared statement which is set through mysql_send_long_data() is longer than 'max_allowed_packet' bytes",
            ));
            return;
        }
        if let Err(over) = b.held.grow(Some(self.session.memory()), data.len()) {
            b.refused = Some(over.into());
            return;
        }
        have.extend_from_slice(data);
    }

    /// Takes the attributes that stand before a statement's text, for the statement to ask for. None: they cannot be taken, which was
    /// told.
    pub(super) fn take_attributes<'p>(&mut self, body: &'p [u8]) -> Option<&'p [u8]> {
        if !self.caps.has(Capabilities::QUERY_ATTRIBUTES) {
            return Some(body);
        }
        let taken = params::attributes(body).map_err(|_| malformed()).and_then(|(list, text)| {
            let list = list.into_iter().map(|(n, p)| (n, value(p))).collect();
            self.session.set_attributes(list).map(|()| text)
        });
        taken.map_err(|e| self.error(&e)).ok()
    }
}

pub(super) fn malformed() -> SqlError {
    SqlError::of(errno::ER_MALFORMED_PACKET, &[])
}

pub(super) fn value(p: Param<'_>) -> ParamValue {
    match p {
        Param::Null | Param::Long => ParamValue::Null,
        Param::Int(v) => ParamValue::Int(v),
        Param::UInt(v) => ParamValue::UInt(v),
        Param::Float(v) => ParamValue::Float(v),
        Param::Double(v) => ParamValue::Double(v),
        Param::Bytes(b) => ParamValue::Bytes(b.to_vec()),
        Param::Blob(b) => ParamValue::Blob(b.to_vec()),
        Param::Decimal(b) => ParamValue::Decimal(b.to_vec()),
        Param::Date(d) => ParamValue::Date { year: d.year, month: d.month, day: d.day },
        Param::DateTime(d, c) => date_time(d, c, None),
        Param::DateTimeAt(d, c, zone) => date_time(d, c, Some(zone)),
        Param::Time { negative, days, clock } => ParamValue::Time {
            negative,
            hours: days.saturating_mul(24).saturating_add(clock.hour.into()),
            minutes: clock.minute,
            seconds: clock.second,
            micros: clock.micros,
        },
    }
}

fn date_time(d: Date, c: Clock, zone: Option<i16>) -> ParamValue {
    ParamValue::DateTime {
        year: d.year,
        month: d.month,
        day: d.day,
        hour: c.hour,
        minute: c.minute,
        second: c.second,
        micros: c.micros,
        zone,
    }
}
