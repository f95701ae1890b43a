//! CREATE EVENT and ALTER EVENT.

use super::{Definer, Expr, Program, TableName, TimeUnit};

/// ON SCHEDULE.
#[derive(Clone, Debug, PartialEq)]
pub enum EventSchedule {
    At(Expr),
    Every { amount: Expr, unit: TimeUnit, starts: Option<Expr>, ends: Option<Expr> },
}

/// ENABLE and its like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventStatus {
    Enabled,
    Disabled,
    /// DISABLE ON REPLICA.
    ReplicaSideDisabled,
}

/// CREATE EVENT, or ALTER EVENT; what was not said is `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct DefineEvent {
    pub alter: bool,
    pub definer: Option<Definer>,
    pub if_not_exists: bool,
    pub name: TableName,
    pub schedule: Option<EventSchedule>,
    /// ON COMPLETION PRESERVE.
    pub preserve: Option<bool>,
    pub rename: Option<TableName>,
    pub status: Option<EventStatus>,
    pub comment: Option<Box<str>>,
    /// Instructions and text.
    pub body: Option<(Program, Box<str>)>,
}
