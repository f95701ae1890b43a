//! What the engine can be short of: why changes are delayed, and what presses the flush policy.

/// What is scarce. The order is that of the columns and of ties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Scarcity {
    #[default]
    None = 0,
    /// The redo log between checkpoint and end.
    LogAge,
    /// Frames without a page.
    FreeFrames,
    /// Dirty pages under their limit.
    DirtyLimit,
    /// Committed transactions whose old versions are not purged.
    PurgeDebt,
    /// Page writes of the device.
    Device,
}

impl Scarcity {
    pub const ALL: [Scarcity; 6] = [
        Scarcity::None,
        Scarcity::LogAge,
        Scarcity::FreeFrames,
        Scarcity::DirtyLimit,
        Scarcity::PurgeDebt,
        Scarcity::Device,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Scarcity::None => "none",
            Scarcity::LogAge => "log age",
            Scarcity::FreeFrames => "free frames",
            Scarcity::DirtyLimit => "dirty limit",
            Scarcity::PurgeDebt => "purge debt",
            Scarcity::Device => "device",
        }
    }

    /// By its number; one that is not known is not one.
    pub fn from_number(n: u8) -> Scarcity {
        Scarcity::ALL.get(usize::from(n)).copied().unwrap_or_default()
    }
}
