//! What MySQL's rules ask of a function beyond its value: one row holds all of it, so that a new function has nothing to be entered
//! anywhere else. Binding, folding, EXPLAIN, the texts of views and definitions, functional keys and partitions read it here.

use super::clock::Gives;
use super::{Eval, FuncDef, Infer};

/// Functions that have rules of their own, by which the binder knows them. All others are `Other`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Id {
    Other,
    AnyValue,
    Charset,
    Coalesce,
    Collation,
    Elt,
    Field,
    FoundRows,
    Greatest,
    If,
    /// IF() whose value is not brought to its type.
    IfItself,
    Ifnull,
    IsFreeLock,
    JsonContains,
    JsonOverlaps,
    Least,
    Like,
    MakeSet,
    MemberOf,
    /// ADDTIME, SUBTIME and their like: a text gives a text.
    MovesTime,
    Nullif,
    Rand,
    Round,
    StrToDate,
    ToDays,
    ToSeconds,
    Truncate,
    UnixTimestamp,
    Version,
    WeightString,
    Year,
}

/// How an argument is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arg {
    Any,
    /// As a text: a BIT is its bytes, and a number has the digits that its column shows.
    Text,
    /// As a number: a hexadecimal literal is one, and a geometry is refused.
    Number,
    /// As a number that chooses among others: of a geometry nobody asks whether it is one.
    Choice,
    /// As the digits of a number in some base: a hexadecimal literal is a number.
    Digits,
    /// As a date or time: a JSON string is one without its quotes.
    Time,
}

/// When a function gives another value for the same arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Volatility {
    Never,
    /// With the clock or the session, but not within a statement.
    Statement,
    /// With the session's settings or state, which a statement may change.
    Session,
    /// Each time.
    Volatile,
}

/// What the collations of the arguments have to do with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Texts {
    Apart,
    /// The arguments from this one on become one text, or one of them does: COLLATE of two different collations is an error.
    Joined(u8),
    /// So many of the arguments are compared (`u8::MAX`: all of them): equal claims of different collations are an error.
    Compared(u8),
    /// All are compared as `=` compares: a literal becomes a text of the column's character set, as far as the set has it.
    ComparedInSet,
}

/// What a call is written as in the text of a view or of a definition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Call,
    /// `a is null`
    IsNull,
    /// `a % b`
    Modulo,
    /// `date + interval n day`
    PlusDays,
    MinusDays,
    /// `to_days(a) - to_days(b)`
    DaysBetween,
    /// `cast(a as date)`. MySQL writes TIME() and TIMESTAMP() as casts too; read again they would lose the fraction of a second.
    CastDate,
    /// `locate(b, a)`
    Locate,
    /// `week(date, 3)`
    Week,
    /// With a second argument of 0 where it is left out.
    WithZero,
    /// `conv(n, 10, 2)`
    Binary,
    /// `conv(n, 10, 8)`
    Octal,
}

/// Whether a functional key may be made of it without a setting deciding about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyed {
    No,
    Always,
    /// Of columns of DATE and DATETIME.
    OfDays,
}

/// What a partitioning function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Partitions {
    No,
    Numbers,
    Dates,
    /// A date, and perhaps a number.
    DateAndMode,
    Times,
    /// A column of TIMESTAMP.
    Stamp,
}

/// Which definitions may call it: of defaults, or of defaults, checks, generated columns and key parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definitions {
    Nowhere,
    Defaults,
    Anywhere,
}

/// How a constant argument bounds the length of the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Unknown,
    Left,
    Substring,
    Repeat,
    Pad,
    Spaces,
    Digest,
    Format,
}

/// How many digits of a second the result has where an argument is a constant text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fraction {
    /// Those of a date in the text, none if it is no date.
    Date,
    /// Those of a time in the text, else six.
    Time,
    /// The first argument is a date, the second a time.
    DateThenTime,
    /// The first argument is a date, others have no digits.
    DateFirst,
    /// Those of the text's type.
    OfType,
}

/// Which NULL ends the evaluation of the arguments, so that what follows is not looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nulls {
    None,
    First,
    Any,
    /// The second argument is evaluated first, and its NULL ends the call.
    Places,
    /// The first argument says which of the others are evaluated.
    Chooses,
}

impl FuncDef {
    pub(super) const fn new(
        name: &'static str,
        min_args: u8,
        max_args: u8,
        infer: Infer,
        eval: Eval,
    ) -> FuncDef {
        FuncDef {
            name,
            min_args,
            max_args,
            infer,
            eval,
            id: Id::Other,
            written_name: "",
            form: Form::Call,
            takes: &[],
            texts: Texts::Apart,
            branches: None,
            volatility: Volatility::Never,
            clock: None,
            truth: false,
            keyed: Keyed::No,
            partitions: Partitions::No,
            definitions: Definitions::Anywhere,
            length: Length::Unknown,
            fraction: Fraction::Date,
            nulls: Nulls::None,
        }
    }

    pub(super) const fn id(mut self, id: Id) -> FuncDef {
        self.id = id;
        self
    }

    /// MySQL knows it by another name, in lower case.
    pub(super) const fn alias_of(mut self, name: &'static str) -> FuncDef {
        self.written_name = name;
        self
    }

    pub(super) const fn written(mut self, form: Form) -> FuncDef {
        self.form = form;
        self
    }

    /// How each argument is read; the last kind is that of all further ones.
    pub(super) const fn takes(mut self, takes: &'static [Arg]) -> FuncDef {
        self.takes = takes;
        self
    }

    pub(super) const fn numbers(self) -> FuncDef {
        self.takes(&[Arg::Number])
    }

    pub(super) const fn texts(self) -> FuncDef {
        self.takes(&[Arg::Text])
    }

    pub(super) const fn times(self) -> FuncDef {
        self.takes(&[Arg::Time])
    }

    pub(super) const fn joins(mut self, from: u8) -> FuncDef {
        self.texts = Texts::Joined(from);
        self
    }

    pub(super) const fn compares(mut self) -> FuncDef {
        self.texts = Texts::Compared(u8::MAX);
        self
    }

    pub(super) const fn compares_two(mut self) -> FuncDef {
        self.texts = Texts::Compared(2);
        self
    }

    pub(super) const fn compares_in_set(mut self) -> FuncDef {
        self.texts = Texts::ComparedInSet;
        self
    }

    /// Its type is that of all arguments from this one on.
    pub(super) const fn branches(mut self, from: u8) -> FuncDef {
        self.branches = Some(from);
        self
    }

    /// It gives a value of its own for each session or time.
    pub(super) const fn of_session(mut self) -> FuncDef {
        self.volatility = Volatility::Session;
        self.definitions = Definitions::Defaults;
        self
    }

    pub(super) const fn of_statement(mut self) -> FuncDef {
        self.volatility = Volatility::Statement;
        self.definitions = Definitions::Defaults;
        self
    }

    pub(super) const fn volatile(mut self) -> FuncDef {
        self.volatility = Volatility::Volatile;
        self.definitions = Definitions::Defaults;
        self
    }

    /// It reads the clock, at the start of the statement.
    pub(super) const fn clock(mut self, gives: Gives) -> FuncDef {
        self.clock = Some(gives);
        self.of_statement()
    }

    pub(super) const fn truth(mut self) -> FuncDef {
        self.truth = true;
        self
    }

    pub(super) const fn keyed(mut self) -> FuncDef {
        self.keyed = Keyed::Always;
        self
    }

    pub(super) const fn keyed_by_days(mut self) -> FuncDef {
        self.keyed = Keyed::OfDays;
        self
    }

    pub(super) const fn partitions(mut self, of: Partitions) -> FuncDef {
        self.partitions = of;
        self
    }

    pub(super) const fn in_definitions(mut self, where_: Definitions) -> FuncDef {
        self.definitions = where_;
        self
    }

    pub(super) const fn length(mut self, length: Length) -> FuncDef {
        self.length = length;
        self
    }

    pub(super) const fn fraction(mut self, fraction: Fraction) -> FuncDef {
        self.fraction = fraction;
        self
    }

    pub(super) const fn nulls(mut self, nulls: Nulls) -> FuncDef {
        self.nulls = nulls;
        self
    }

    /// How the argument at that place is read.
    pub fn arg(&self, at: usize) -> Arg {
        self.takes.get(at).or(self.takes.last()).copied().unwrap_or(Arg::Any)
    }

    /// The same arguments always give the same result, so that constants fold.
    pub fn is_pure(&self) -> bool {
        self.volatility == Volatility::Never
    }

    /// It gives another value each time it is asked, within one statement too.
    pub fn draws(&self) -> bool {
        self.volatility == Volatility::Volatile
    }

    /// It has one value in a statement where its arguments have.
    pub fn is_settled_in_statement(&self) -> bool {
        matches!(self.volatility, Volatility::Never | Volatility::Statement)
    }

    /// Its argument is a number of digits of a second, which a date does not have.
    pub fn has_digits(&self) -> bool {
        self.clock.is_some_and(|gives| gives != Gives::Date)
    }

    /// The name that MySQL shows, in lower case.
    pub fn shown(&self) -> String {
        match self.written_name {
            "" => self.name.to_ascii_lowercase(),
            name => name.to_owned(),
        }
    }
}
