//! Commands that ask about tables and the server, and no statement answers.

use super::Connection;
use crate::sink::column;
use weir_sql::session_api::Sessions;
use weir_sql::status::Stat;
use weir_wire::response;

impl Connection {
    /// COM_FIELD_LIST: the columns of a table, with their defaults.
    pub(super) fn field_list(&mut self, table: &[u8]) {
        let name = self.session.text_of_client(table).replace('`', "``");
        let sql = format!("SELECT * FROM `{name}`");
        match self.server.rt.block_on(self.session.prepare(sql.as_bytes())) {
            Ok(i) => {
                self.session.close_statement(i.id);
                for c in &i.columns {
                    self.conn.out.packet(|buf| response::put_field(buf, &column(c)));
                }
                self.end();
            }
            Err(e) => self.error(&e),
        }
    }

    /// COM_DEBUG, for `mysqladmin debug`: who is there and what they do, in the error log.
    pub(super) fn debug(&mut self) {
        self.log_command("Debug", b"");
        self.session.count_command(Stat::Com_admin_commands);
        if let Err(refused) = self.session.may_debug() {
            return self.error(&refused);
        }
        crate::log::system(&format!(
            "asked by connection {}: {}",
            self.entry.id,
            self.statistics()
        ));
        for one in self.server.registry.list() {
            let line = format!(
                "connection {} of {}@{}: {} for {} s, {} {}",
                one.id,
                one.user,
                one.host,
                one.command,
                one.time,
                one.state,
                one.info.unwrap_or_default()
            );
            crate::log::system(line.trim_end());
        }
        self.end();
    }

    /// The end of an answer that is neither rows nor counts.
    pub(super) fn end(&mut self) {
        let (caps, status) = (self.caps, self.status());
        let ok = response::Ok { status, ..response::Ok::default() };
        self.conn.out.packet(|buf| response::put_end_of_rows(buf, caps, &ok));
    }

    /// COM_STATISTICS, for `mysqladmin status`.
    pub(super) fn statistics(&self) -> String {
        let inst = &self.server.inst;
        let up = ((self.server.rt.wall_micros() as i64 - inst.started_micros) / 1_000_000).max(0);
        let n = |s| inst.status.get(s);
        let rate = n(Stat::Questions) as f64 / (up.max(1)) as f64;
        format!(
            "Uptime: {up}  Threads: {}  Questions: {}  Slow queries: {}  Opens: 0  Flush tables: 0  Open tables: 0  Queries per second avg: {rate:.3}",
            self.server.registry.len(),
            n(Stat::Questions),
            n(Stat::Slow_queries)
        )
    }
}
