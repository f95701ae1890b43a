//! Global values that are computed when they are read.

use super::{GlobalVars, GtidsFn, Var, VarValue};

impl GlobalVars {
    /// Where `weir_pressure` is read: a variable that nobody sets.
    pub fn read_pressure_by(&self, read: impl Fn() -> u16 + Send + Sync + 'static) {
        // An engine has one.
        let _ = self.pressure.set(Box::new(read));
    }

    /// Where `gtid_executed` and `gtid_purged` are read while there is a binary log, which gets what the variables have of other servers'
    /// transactions. The flag asks for the second.
    pub fn read_gtids_by(&self, read: GtidsFn) {
        // A server has one log.
        let _ = self.gtids.set(read);
    }

    /// Transactions of other servers, which channels have applied.
    pub fn gtids_of_others(&self) -> weir_binlog::GtidSet {
        match self.stored(Var::gtid_executed) {
            VarValue::Str(text) => text.parse().unwrap_or_default(),
            _ => Default::default(),
        }
    }

    pub(super) fn gtids(&self, var: Var) -> VarValue {
        let VarValue::Str(others) = self.stored(var) else { return VarValue::Str("".into()) };
        match self.gtids.get() {
            Some(read) => VarValue::Str(read(var == Var::gtid_purged, &others).into()),
            None => VarValue::Str(others),
        }
    }

    pub(super) fn pressure(&self) -> VarValue {
        VarValue::UInt(self.pressure.get().map_or(0, |read| read()).into())
    }
}
