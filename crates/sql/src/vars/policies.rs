//! Flush policies by the variables that they read.

pub(super) const V4: &[&str] = &["google-v4"];
pub(super) const V5_4: &[&str] = &["mysql-5.4"];
pub(super) const XTRADB: &[&str] =
    &["xtradb-none", "xtradb-reflex", "xtradb-estimate", "xtradb-keep-average"];
pub(super) const ADAPTIVE_CHECKPOINT: &[&str] =
    &["google-v4", "xtradb-none", "xtradb-reflex", "xtradb-estimate", "xtradb-keep-average"];
pub(super) const CLEANERS: &[&str] = &["mysql-5.6", "mysql-8.0", "mariadb-10.6"];
pub(super) const FLUSH_SYNC: &[&str] = &["mysql-8.0", "mariadb-10.6"];
pub(super) const CHANGE_BUFFER: &[&str] = &["weir", "mysql-5.6", "mysql-8.0", "mariadb-10.6"];
pub(super) const ADAPTIVE_FLUSHING: &[&str] =
    &["plugin-1.0.4", "mysql-5.5", "mysql-5.6", "mysql-8.0", "mariadb-10.6"];
pub(super) const CAPACITY_MAX: &[&str] = &["weir", "mysql-5.6", "mysql-8.0", "mariadb-10.6"];
pub(super) const IDLE: &[&str] = &["weir", "mysql-8.0"];
pub(super) const IO_CAPACITY: &[&str] = &[
    "weir",
    "google-v4",
    "mysql-5.4",
    "xtradb-none",
    "xtradb-reflex",
    "xtradb-estimate",
    "xtradb-keep-average",
    "plugin-1.0.4",
    "mysql-5.5",
    "mysql-5.6",
    "mysql-8.0",
    "mariadb-10.6",
];
pub(super) const THRESHOLD: &[&str] = &["plugin-1.0.4", "mysql-5.5"];
pub(super) const IO_THREADS: &[&str] = &[
    "google-v4",
    "mysql-5.4",
    "xtradb-none",
    "xtradb-reflex",
    "xtradb-estimate",
    "xtradb-keep-average",
    "plugin-1.0.4",
    "mysql-5.5",
    "mysql-5.6",
    "mysql-8.0",
    "mariadb-10.6",
];
/// All but Weir's own, which is the first.
pub(super) const BUILDS: &[&str] = match weir_engine::policy::NAMES {
    [_, builds @ ..] => builds,
    [] => &[],
};
pub(super) const LOG_RESERVE: &[&str] = &[
    "stock-5.0",
    "google-v4",
    "mysql-5.4",
    "xtradb-none",
    "xtradb-reflex",
    "xtradb-estimate",
    "xtradb-keep-average",
    "plugin-1.0.4",
    "mysql-5.5",
    "mysql-5.6",
    "mysql-8.0",
];
