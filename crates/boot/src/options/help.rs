//! The text of --help, from the table of variables.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use weir_sql::vars::{Settable, VarType, all};

/// The text of --help.
pub fn help() -> String {
    let mut out = String::from(
        "Usage: weir serve [options]\n\n\
         Runs the server: data in ./weir-data, MySQL protocol on 127.0.0.1:3306 and on the unix socket in the data directory.\n\
         The first start makes the data directory with the account root, without password, for this machine only.\n\n\
         Options may stand on the command line (--innodb-buffer-pool-size=2G), or in a file, before any section or in [mysqld], [server], [mariadb] or [weir]:\n  \
         --defaults-file=FILE                     read options from FILE first, and from the files that it includes\n  \
         --defaults-group-suffix=TEXT             read the groups whose names end so, too: [mysqldTEXT]\n  \
         --mysql-defaults                         read MySQL's files first: /etc/my.cnf, /etc/mysql/my.cnf, $MYSQL_HOME/my.cnf, ~/.my.cnf\n  \
         --print-defaults                         print the options of files and of the command line\n  \
         --validate-config                        only look whether the options are right\n  \
         --initialize                             make a new data directory with a password that the log tells, as weir init --generate does\n  \
         --initialize-insecure                    the same without a password\n  \
         --skip-ssl                               no connection is encrypted\n  \
         --help                                   this text\n",
    );
    let mut group = "";
    for d in all().iter().filter(|d| d.is_option() && d.note.is_none()) {
        if d.group != group {
            group = d.group;
            let _ = write!(out, "\n{group}:\n");
        }
        let value = d.default.value();
        let shown = d.show(&value);
        let name = format!("--{}", d.name.replace('_', "-"));
        let running = if d.settable == Settable::AtStart { "" } else { "  [SET GLOBAL]" };
        let read = match d.policies {
            [] => String::new(),
            p => format!(" Read by the flush policies {}.", p.join(", ")),
        };
        let words = match d.ty {
            VarType::Enum(names) => format!(" One of {}.", names.join(", ")),
            _ => String::new(),
        };
        let _ = writeln!(
            out,
            "  {name:<40} {}{words}{read} Default: {}{running}",
            d.doc,
            if shown.is_empty() { "(none)" } else { &shown }
        );
    }
    out.push_str(&without_effect());
    out
}

/// The options that are taken for the sake of MySQL's option files, by what keeps them from an effect.
fn without_effect() -> String {
    let mut out = String::from(
        "\nOptions of MySQL's that are taken, shown by SHOW VARIABLES, and have no effect here (setting one is a warning):\n",
    );
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for d in all().iter().filter(|d| d.is_option()) {
        if let Some(why) = d.note {
            reasons.entry(why).or_default().push(format!("--{}", d.name.replace('_', "-")));
        }
    }
    for (why, names) in reasons.iter().filter(|(_, names)| names.len() == 1) {
        let _ = writeln!(out, "    {}: {why}", names[0]);
    }
    for (why, names) in reasons.iter().filter(|(_, names)| names.len() > 1) {
        let _ = writeln!(out, "\n  Since {why}:");
        let mut line = String::from("   ");
        for name in names {
            if line.len() + name.len() > HELP_WIDTH {
                let _ = writeln!(out, "{line}");
                line.truncate(3);
            }
            line.push(' ');
            line.push_str(name);
        }
        let _ = writeln!(out, "{line}");
    }
    out
}

/// Characters of a line of names.
const HELP_WIDTH: usize = 100;
