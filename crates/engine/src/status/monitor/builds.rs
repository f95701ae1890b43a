//! What the monitors of published builds printed otherwise, a row for each flush policy that is one's.

/// Properties of a build's print. All false is the print of MySQL 5.0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// Positions of the log as two numbers of 32 bits.
    pub halves: bool,
    /// Numbers of transactions as two numbers of 32 bits; otherwise in hexadecimal, as from the plugin to 5.5.
    pub split_ids: bool,
    /// BACKGROUND THREAD.
    pub background: bool,
    /// The additions of Google's v4 patch.
    pub google: bool,
    /// Limits and ages of the checkpoint, as XtraDB printed them.
    pub ages: bool,
    /// The old part of the list, as the plugin and the builds made from it printed it.
    pub old_pages: bool,
    /// 5.5: operations of the change buffer by kind, pages read ahead.
    pub merged_operations: bool,
    /// The list of transactions stands at the end, where it may be cut off.
    pub transactions_last: bool,
}

const MYSQL_50: Build = Build {
    halves: true,
    split_ids: true,
    background: false,
    google: false,
    ages: false,
    old_pages: false,
    merged_operations: false,
    transactions_last: false,
};
const GOOGLE_V4: Build =
    Build { background: true, google: true, transactions_last: true, ..MYSQL_50 };
const PLUGIN: Build =
    Build { halves: false, split_ids: false, background: true, old_pages: true, ..MYSQL_50 };
const XTRADB: Build = Build { ages: true, ..PLUGIN };
const MYSQL_55: Build = Build { merged_operations: true, ..PLUGIN };

const BUILDS: &[(&str, Build)] = &[
    ("stock-5.0", MYSQL_50),
    ("google-v4", GOOGLE_V4),
    ("mysql-5.4", MYSQL_50),
    ("xtradb-none", XTRADB),
    ("xtradb-reflex", XTRADB),
    ("xtradb-estimate", XTRADB),
    ("xtradb-keep-average", XTRADB),
    ("plugin-1.0.4", PLUGIN),
    ("mysql-5.5", MYSQL_55),
];

/// `None`: Weir's own form, in the order of MySQL 8.0.
pub fn of(policy: &str) -> Option<&'static Build> {
    BUILDS.iter().find(|b| b.0 == policy).map(|b| &b.1)
}

/// Whether the policy's build knew `SHOW INNODB STATUS`: MySQL 5.5 took it away.
pub fn is_before_5_5(policy: &str) -> bool {
    of(policy).is_some_and(|b| !b.merged_operations)
}
