//! Functions of the language itself: the binder makes something else of them than a call, so that they have no row among the others.

/// Which one it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Special {
    Benchmark,
    Coercibility,
    GetLock,
    Grouping,
    LoadFile,
    NameConst,
    Sleep,
    Wait(WaitFor),
}

/// What a function waits for until a replica's applier has done it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitFor {
    /// WAIT_FOR_EXECUTED_GTID_SET(set[, seconds])
    Gtids,
    /// SOURCE_POS_WAIT(file, position[, seconds[, channel]])
    SourcePosition,
    /// The same under its old name.
    MasterPosition,
}

impl WaitFor {
    /// The name in lower case, and how many arguments there are at least and at most.
    pub fn shape(self) -> (&'static str, usize, usize) {
        match self {
            WaitFor::Gtids => ("wait_for_executed_gtid_set", 1, 2),
            WaitFor::SourcePosition => ("source_pos_wait", 2, 4),
            WaitFor::MasterPosition => ("master_pos_wait", 2, 4),
        }
    }
}

/// The name in lower case; whether its name is shown in upper case in views.
const SPECIAL: [(&str, Special); 10] = [
    ("benchmark", Special::Benchmark),
    ("coercibility", Special::Coercibility),
    ("get_lock", Special::GetLock),
    ("grouping", Special::Grouping),
    ("load_file", Special::LoadFile),
    ("master_pos_wait", Special::Wait(WaitFor::MasterPosition)),
    ("name_const", Special::NameConst),
    ("sleep", Special::Sleep),
    ("source_pos_wait", Special::Wait(WaitFor::SourcePosition)),
    ("wait_for_executed_gtid_set", Special::Wait(WaitFor::Gtids)),
];

/// The special function of that name, in any case.
pub fn lookup(name: &str) -> Option<Special> {
    SPECIAL.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, s)| *s)
}

impl Special {
    /// The name that MySQL shows in a view.
    pub fn shown(self) -> &'static str {
        match self {
            Special::NameConst => "NAME_CONST",
            _ => SPECIAL.iter().find(|(_, s)| *s == self).map_or("", |(name, _)| name),
        }
    }

    /// It waits, locks, reads a file or takes its time: no definition may call it.
    pub fn is_disallowed_in_definitions(self) -> bool {
        !matches!(self, Special::Coercibility | Special::Grouping)
    }
}
