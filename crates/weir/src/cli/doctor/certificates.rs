//! The certificate of encrypted connections: whether it can be used, and for how long.

use super::finding::{Finding, Report};
use std::path::Path;
use weir_server::tls::{self, Found};
use weir_sql::vars::GlobalVars;

pub fn look(datadir: &Path, vars: &GlobalVars, report: &mut Report) {
    let subject = "certificate";
    report.add(match tls::look(vars, datadir) {
        Found::Nothing => return,
        Found::Good(end) => Finding::fine(subject, format!("it is good until {end}")),
        Found::EndsSoon(end) => Finding::warning(
            subject,
            format!("it expires on {end}"),
            "put a new one in its place, and run ALTER INSTANCE RELOAD TLS",
            "clients that check certificates do not connect afterwards",
        ),
        Found::Unusable(why) => Finding::error(
            subject,
            why,
            "correct ssl_cert, ssl_key and ssl_ca, or the files' rights",
            "connections are not encrypted, and with require_secure_transport the server does not start",
        ),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_sql::vars::{Var, VarValue};

    fn found(vars: &GlobalVars) -> u8 {
        let mut report = Report::default();
        look(Path::new("/no/such/directory"), vars, &mut report);
        report.code()
    }

    #[test]
    fn a_certificate_that_cannot_be_read_is_an_error() {
        let vars = GlobalVars::default();
        assert_eq!(found(&vars), 0, "a start makes one");
        vars.put(Var::ssl_cert, VarValue::Str("/no/such/cert.pem".into()));
        vars.put(Var::ssl_key, VarValue::Str("/no/such/key.pem".into()));
        assert_eq!(found(&vars), 2);
        vars.put(Var::tls_version, VarValue::Str("".into()));
        assert_eq!(found(&vars), 0);
    }
}
