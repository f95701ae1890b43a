//! Stored programs: procedures, functions, triggers. A body is kept as a list of instructions, not as a tree: the parser knows all
//! names and labels of a body when it has read it, so it resolves them, and anyone who runs the body needs one loop over the list.
//!
//! Invariants: a local variable, a parameter and a column of NEW or OLD is a slot, and an expression names it as
//! [`Expr::Param`](super::Expr::Param) with the slot's number; targets of jumps are places in [`Program::ops`].

use super::{
    DataType, Definer, Expr, Ident, IntoVar, Query, RoutineKind, SelectInto, Statement, TableName,
};

/// The body of a stored program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    pub ops: Vec<Op>,
    /// Parameters first, in their order; then local variables, and columns of NEW and OLD.
    pub slots: Vec<SlotDef>,
    pub cursors: Vec<CursorDef>,
    pub handlers: Vec<HandlerDef>,
    /// The first of each that makes a body one that a function or trigger cannot have.
    pub uses: ProgramUses,
    /// The texts of definition statements, by their instructions in order: a binary log has them as texts.
    pub definitions: Vec<(u32, Box<str>)>,
}

impl Program {
    /// The text of the definition statement that is this instruction.
    pub fn definition_at(&self, op: u32) -> Option<&str> {
        let at = self.definitions.binary_search_by_key(&op, |(at, _)| *at).ok()?;
        Some(&self.definitions[at].1)
    }

    /// Whether SET gives this slot a value.
    pub fn sets(&self, slot: u32) -> bool {
        self.ops.iter().any(|op| matches!(op, Op::Set { slot: s, .. } if *s == slot))
    }

    /// Whether an instruction may give this slot a value.
    pub fn may_set(&self, slot: u32) -> bool {
        let one = |op: &Op| match op {
            Op::Set { slot: s, .. } => *s == slot,
            Op::Fetch { into, .. } => into.contains(&slot),
            Op::Run(statement) => statement_may_set(statement, slot),
            _ => false,
        };
        self.ops.iter().any(one)
    }
}

fn statement_may_set(s: &Statement, slot: u32) -> bool {
    match s {
        // They read variables.
        Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) | Statement::Do(_) => {
            false
        }
        Statement::Signal(_) => false,
        Statement::Select(q) => match &q.into {
            Some(SelectInto::Vars(to)) => to.contains(&IntoVar::Slot(slot)),
            _ => false,
        },
        Statement::Call { args, .. } => args.contains(&Expr::Param(slot)),
        // GET DIAGNOSTICS does, and SET may.
        _ => true,
    }
}

/// What a body does that not every kind of program may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramUses {
    /// Sends rows to the client.
    pub results: bool,
    /// Ends the transaction, by its nature or implicitly.
    pub commits: bool,
    /// SET autocommit.
    pub autocommit: bool,
    /// PREPARE, EXECUTE, DEALLOCATE.
    pub prepares: bool,
    /// FLUSH or RESET, by its name.
    pub flushes: Option<&'static str>,
    pub returns: bool,
}

/// What a slot is for.
#[derive(Clone, Debug, PartialEq)]
pub enum SlotKind {
    /// A parameter or local variable of this type.
    Variable(Box<VarType>),
    /// A column of the row before or after the change.
    Old,
    New,
    /// The operand of a CASE, of whatever type it has.
    Hidden,
}

/// The type of a variable, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct VarType {
    pub data: DataType,
    pub collate: Option<Box<str>>,
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotDef {
    pub name: Ident,
    pub kind: SlotKind,
    /// A column of NEW or OLD is looked at, and one of NEW is assigned.
    pub read: bool,
    pub set: bool,
}

/// A cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct CursorDef {
    pub name: Ident,
    pub query: Box<Query>,
}

/// What a handler takes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    Errno(u16),
    State([u8; 5]),
    Warning,
    NotFound,
    Exception,
}

/// A handler.
#[derive(Clone, Debug, PartialEq)]
pub struct HandlerDef {
    pub exit: bool,
    pub conditions: Vec<Condition>,
    /// Its first instruction.
    pub entry: u32,
    /// Where the block ends that it belongs to.
    pub leaves_to: u32,
    /// The cursors of that block and of those in it begin here: they are closed when the block is left.
    pub cursors: u32,
}

/// One instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// A statement of its own.
    Run(Box<Statement>),
    /// `value` none: the default of a variable without one. `resume`: where a CONTINUE handler goes on when the value of a CASE fails.
    Set {
        slot: u32,
        value: Option<Expr>,
        resume: Option<u32>,
    },
    Jump(u32),
    /// `resume`: where a CONTINUE handler goes on when the condition itself fails.
    JumpUnless {
        condition: Expr,
        to: u32,
        resume: u32,
    },
    /// A CASE without a fitting branch and without ELSE.
    CaseNotFound,
    /// A block begins whose handlers are these.
    EnterHandlers {
        first: u32,
        count: u32,
    },
    /// The innermost such blocks end.
    LeaveHandlers(u32),
    /// The end of a handler's body.
    EndHandler(u32),
    Open(u32),
    Fetch {
        cursor: u32,
        into: Vec<u32>,
    },
    Close(u32),
    /// A block ends: its cursors, from the first of them on.
    CloseCursors(u32),
    Return(Expr),
}

/// IN, OUT, INOUT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamMode {
    In,
    Out,
    InOut,
}

/// What a routine says of its use of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DataAccess {
    #[default]
    ContainsSql,
    NoSql,
    ReadsSql,
    ModifiesSql,
}

/// Characteristics of a routine; none: not said.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Characteristics {
    pub comment: Option<Box<str>>,
    pub deterministic: Option<bool>,
    pub access: Option<DataAccess>,
    pub invoker: Option<bool>,
}

/// CREATE PROCEDURE and CREATE FUNCTION.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateRoutine {
    /// Procedure or function.
    pub kind: RoutineKind,
    pub definer: Option<Definer>,
    pub if_not_exists: bool,
    pub name: TableName,
    /// One for each of the first slots of the body.
    pub params: Vec<ParamMode>,
    /// What stands between the parentheses, as written.
    pub params_text: Box<str>,
    pub returns: Option<VarType>,
    pub characteristics: Characteristics,
    pub body: Program,
    pub body_text: Box<str>,
}

/// ALTER PROCEDURE and ALTER FUNCTION.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterRoutine {
    pub kind: RoutineKind,
    pub name: TableName,
    pub characteristics: Characteristics,
}

/// INSERT, UPDATE, DELETE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TriggerEvent {
    Insert,
    Update,
    Delete,
}

/// CREATE TRIGGER.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateTrigger {
    pub definer: Option<Definer>,
    pub if_not_exists: bool,
    pub name: TableName,
    pub before: bool,
    pub event: TriggerEvent,
    pub table: TableName,
    /// FOLLOWS (true) or PRECEDES another one.
    pub order: Option<(bool, Ident)>,
    pub body: Program,
    pub body_text: Box<str>,
}

/// SIGNAL and RESIGNAL.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    pub resignal: bool,
    /// A state, or of a named condition for an error number that number: SIGNAL takes conditions of states alone.
    pub state: Option<[u8; 5]>,
    pub items: Vec<(SignalItem, Expr)>,
}

/// What SIGNAL can say of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignalItem {
    ClassOrigin,
    SubclassOrigin,
    ConstraintCatalog,
    ConstraintSchema,
    ConstraintName,
    CatalogName,
    SchemaName,
    TableName,
    ColumnName,
    CursorName,
    MessageText,
    MysqlErrno,
}

/// GET DIAGNOSTICS.
#[derive(Clone, Debug, PartialEq)]
pub struct GetDiagnostics {
    pub stacked: bool,
    pub what: Diagnostics,
}

/// What GET DIAGNOSTICS asks for, and where it goes.
#[derive(Clone, Debug, PartialEq)]
pub enum Diagnostics {
    Statement(Vec<(IntoVar, StatementItem)>),
    Condition(Expr, Vec<(IntoVar, ConditionItem)>),
}

/// NUMBER and ROW_COUNT.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementItem {
    Number,
    RowCount,
}

/// An item of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionItem {
    State,
    Of(SignalItem),
}
