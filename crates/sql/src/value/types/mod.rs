//! SQL types and their parameters, SHOW CREATE text, and the type of expressions. What else there is to know about a type stands
//! in one table ([`Facts`]).

mod facts;
mod members;
pub mod protocol;

pub use facts::{Class, Facts};
pub use members::{Members, without_spaces};

use self::protocol::column_flag;
use super::geo::GeoKind;
use weir_engine::row::{Collation, PhysType};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum IntKind {
    Tiny,
    Small,
    Medium,
    Int,
    Big,
}

impl IntKind {
    pub fn bytes(self) -> u8 {
        match self {
            IntKind::Tiny => 1,
            IntKind::Small => 2,
            IntKind::Medium => 3,
            IntKind::Int => 4,
            IntKind::Big => 8,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            IntKind::Tiny => "tinyint",
            IntKind::Small => "smallint",
            IntKind::Medium => "mediumint",
            IntKind::Int => "int",
            IntKind::Big => "bigint",
        }
    }

    pub fn range(self, unsigned: bool) -> (i128, i128) {
        let bits = u32::from(self.bytes()) * 8;
        if unsigned {
            (0, (1i128 << bits) - 1)
        } else {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        }
    }

    /// Digits and sign of the longest value.
    pub fn display_width(self, unsigned: bool) -> u32 {
        match (self, unsigned) {
            (IntKind::Tiny, false) => 4,
            (IntKind::Tiny, true) => 3,
            (IntKind::Small, false) => 6,
            (IntKind::Small, true) => 5,
            (IntKind::Medium, false) => 9,
            (IntKind::Medium, true) => 8,
            (IntKind::Int, false) => 11,
            (IntKind::Int, true) => 10,
            (IntKind::Big, _) => 20,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LobKind {
    Tiny,
    Normal,
    Medium,
    Long,
}

impl LobKind {
    pub fn max_bytes(self) -> u32 {
        match self {
            LobKind::Tiny => 255,
            LobKind::Normal => 65_535,
            LobKind::Medium => 16_777_215,
            LobKind::Long => u32::MAX,
        }
    }
}

/// A column's or expression's type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SqlType {
    /// The type of a bare NULL.
    Null,
    /// `width` is the display width where one was given; it matters for zerofill and tinyint(1), and is what an expression says of
    /// the longest number that it gives.
    Int {
        kind: IntKind,
        unsigned: bool,
        zerofill: bool,
        width: Option<u8>,
    },
    Decimal {
        precision: u8,
        scale: u8,
        unsigned: bool,
        zerofill: bool,
    },
    /// `digits`: FLOAT(m,d). With [`NOT_FIXED`] as d the m is all that is said, as of an expression.
    Float {
        unsigned: bool,
        zerofill: bool,
        digits: Option<(u8, u8)>,
    },
    Double {
        unsigned: bool,
        zerofill: bool,
        digits: Option<(u8, u8)>,
    },
    /// CHAR(n), or BINARY(n) when the collation is `binary`.
    Char {
        chars: u32,
        collation: Collation,
    },
    /// VARCHAR(n), or VARBINARY(n) when the collation is `binary`.
    Varchar {
        chars: u32,
        collation: Collation,
    },
    /// The TEXT family, or the BLOB family when the collation is `binary`.
    Text {
        kind: LobKind,
        collation: Collation,
    },
    Date,
    Time {
        fsp: u8,
    },
    DateTime {
        fsp: u8,
    },
    Timestamp {
        fsp: u8,
    },
    Year,
    /// BIT(n): a number that is shown as its bytes.
    Bit {
        bits: u8,
    },
    /// Stored as the place of the member, from 1; 0 is the empty text that a bad value became.
    Enum {
        members: Members,
        collation: Collation,
    },
    /// Stored as a bit for each member.
    Set {
        members: Members,
        collation: Collation,
    },
    /// A document in its binary form.
    Json,
    /// A geometry in its binary form; `srid`: the only one that the column takes.
    Geometry {
        kind: GeoKind,
        srid: Option<u32>,
    },
}

/// `decimals` of a double without a fixed number of them.
pub const NOT_FIXED: u8 = 31;

impl SqlType {
    pub const BIGINT: SqlType = SqlType::int(IntKind::Big, false);
    pub const UBIGINT: SqlType = SqlType::int(IntKind::Big, true);
    pub const INT: SqlType = SqlType::int(IntKind::Int, false);
    /// What comparisons give: an integer one digit wide.
    pub const BOOL: SqlType =
        SqlType::Int { kind: IntKind::Big, unsigned: false, zerofill: false, width: Some(1) };
    pub const DOUBLE: SqlType = SqlType::Double { unsigned: false, zerofill: false, digits: None };
    pub const FLOAT: SqlType = SqlType::Float { unsigned: false, zerofill: false, digits: None };

    /// What most functions that give an integer say of it: a character more than the longest BIGINT has.
    pub const LONG_INT: SqlType = SqlType::wide_int(21, false);
    pub const LONG_UINT: SqlType = SqlType::wide_int(21, true);
    /// What keeps the elements of an array, for a multi-valued index.
    pub const LIST: SqlType = SqlType::Text { kind: LobKind::Medium, collation: Collation::Binary };
    /// What most functions that give a double say of it: a character more than a column has.
    pub const LONG_DOUBLE: SqlType = SqlType::wide_double(23);
    pub const LONG_FLOAT: SqlType =
        SqlType::Float { unsigned: false, zerofill: false, digits: Some((23, NOT_FIXED)) };

    pub const fn int(kind: IntKind, unsigned: bool) -> SqlType {
        SqlType::Int { kind, unsigned, zerofill: false, width: None }
    }

    /// An integer of an expression, of which so many characters are known to suffice.
    pub const fn wide_int(width: u8, unsigned: bool) -> SqlType {
        SqlType::Int { kind: IntKind::Big, unsigned, zerofill: false, width: Some(width) }
    }

    /// A double of an expression, without a fixed number of places.
    pub const fn wide_double(width: u8) -> SqlType {
        SqlType::Double { unsigned: false, zerofill: false, digits: Some((width, NOT_FIXED)) }
    }

    /// Digits of FLOAT(m,d) and DOUBLE(m,d), where their number is fixed.
    pub fn fixed_digits(&self) -> Option<(u8, u8)> {
        match *self {
            SqlType::Float { digits, .. } | SqlType::Double { digits, .. } => {
                digits.filter(|(_, d)| *d < NOT_FIXED)
            }
            _ => None,
        }
    }

    pub const fn decimal(precision: u8, scale: u8) -> SqlType {
        SqlType::Decimal { precision, scale, unsigned: false, zerofill: false }
    }

    pub const fn varchar(chars: u32, collation: Collation) -> SqlType {
        SqlType::Varchar { chars, collation }
    }

    pub const fn varbinary(bytes: u32) -> SqlType {
        SqlType::Varchar { chars: bytes, collation: Collation::Binary }
    }

    /// A geometry of any SRID.
    pub const fn geometry(kind: GeoKind) -> SqlType {
        SqlType::Geometry { kind, srid: None }
    }

    pub fn is_unsigned(&self) -> bool {
        match *self {
            SqlType::Int { unsigned, .. }
            | SqlType::Decimal { unsigned, .. }
            | SqlType::Float { unsigned, .. }
            | SqlType::Double { unsigned, .. } => unsigned,
            SqlType::Year | SqlType::Bit { .. } => true,
            _ => false,
        }
    }

    /// ENUM and SET: texts that are stored as numbers, whose order is that of the numbers.
    pub const fn is_list(&self) -> bool {
        matches!(self, SqlType::Enum { .. } | SqlType::Set { .. })
    }

    /// A geometry: a binary text that few operations take.
    pub const fn is_geometry(&self) -> bool {
        matches!(self, SqlType::Geometry { .. })
    }

    /// The type of geometries that are of one or the other.
    pub fn common_geometry(&self, other: &SqlType) -> SqlType {
        match (*self, *other) {
            (SqlType::Geometry { kind: a, .. }, SqlType::Geometry { kind: b, .. }) if a == b => {
                SqlType::geometry(a)
            }
            _ => SqlType::geometry(GeoKind::Any),
        }
    }

    /// Whether a NOT NULL column without a value has one all the same outside of strict mode.
    pub const fn has_zero(&self) -> bool {
        !self.is_geometry()
    }

    /// Types of values without a practical limit: they have no literal default and no place in a file of fixed widths.
    pub const fn is_lob(&self) -> bool {
        matches!(self, SqlType::Text { .. } | SqlType::Json | SqlType::Geometry { .. })
    }

    pub fn is_zerofill(&self) -> bool {
        match *self {
            SqlType::Int { zerofill, .. }
            | SqlType::Decimal { zerofill, .. }
            | SqlType::Float { zerofill, .. }
            | SqlType::Double { zerofill, .. } => zerofill,
            SqlType::Year => true,
            _ => false,
        }
    }

    pub fn without_zerofill(mut self) -> SqlType {
        if let SqlType::Int { zerofill, .. }
        | SqlType::Decimal { zerofill, .. }
        | SqlType::Float { zerofill, .. }
        | SqlType::Double { zerofill, .. } = &mut self
        {
            *zerofill = false;
        }
        self
    }

    /// The type with a sign, of a number that had none.
    pub fn signed(mut self) -> SqlType {
        if let SqlType::Int { unsigned, .. } | SqlType::Decimal { unsigned, .. } = &mut self {
            *unsigned = false;
        }
        self
    }

    pub fn is_string(&self) -> bool {
        self.class() == Class::Text
    }

    pub fn is_integer(&self) -> bool {
        self.class() == Class::Int
    }

    pub fn is_numeric(&self) -> bool {
        matches!(self.class(), Class::Int | Class::Decimal | Class::Real)
    }

    pub fn is_temporal(&self) -> bool {
        matches!(self.class(), Class::Date | Class::DateTime | Class::Time)
    }

    /// Collation of a string type.
    pub fn collation(&self) -> Option<Collation> {
        match *self {
            SqlType::Char { collation, .. }
            | SqlType::Varchar { collation, .. }
            | SqlType::Text { collation, .. }
            | SqlType::Enum { collation, .. }
            | SqlType::Set { collation, .. } => Some(collation),
            SqlType::Geometry { .. } => Some(Collation::Binary),
            _ => None,
        }
    }

    /// Fractional digits of a temporal type.
    pub fn fsp(&self) -> u8 {
        match *self {
            SqlType::Time { fsp } | SqlType::DateTime { fsp } | SqlType::Timestamp { fsp } => fsp,
            _ => 0,
        }
    }

    /// The type that has all digits of a second that there are.
    #[must_use]
    pub fn with_all_digits(mut self) -> SqlType {
        if let SqlType::Time { fsp } | SqlType::DateTime { fsp } | SqlType::Timestamp { fsp } =
            &mut self
        {
            *fsp = 6;
        }
        self
    }

    /// The type of a decimal literal that begins with its point: it has no digit before it.
    #[must_use]
    pub fn bare_fraction(self) -> SqlType {
        match self {
            SqlType::Decimal { scale, .. } => SqlType::decimal(scale, scale),
            other => other,
        }
    }

    pub fn phys(&self) -> PhysType {
        self.facts().phys
    }

    pub fn protocol_type(&self) -> u8 {
        self.facts().wire
    }

    /// Column length of the metadata packet, in bytes; text counts in the client's character set.
    pub fn display_length(&self, client_char_bytes: u32) -> u32 {
        let shown = self.facts().shown;
        match self.collation() {
            Some(c) if !c.is_binary() => shown.saturating_mul(client_char_bytes),
            _ => shown,
        }
    }

    /// Bytes of a field of a file whose fields have fixed widths: what the type's longest value takes in its own character set.
    pub fn field_width(&self) -> usize {
        let bytes = self.collation().map_or(1, |c| c.charset().max_char_bytes());
        self.display_length(bytes as u32) as usize
    }

    /// `decimals` of the metadata packet.
    pub fn decimals(&self) -> u8 {
        self.facts().decimals
    }

    /// Flags that follow from the type alone; NOT NULL and key flags are the column's.
    pub fn flags(&self) -> u16 {
        let mut flags = 0;
        if self.is_unsigned() {
            flags |= column_flag::UNSIGNED;
        }
        if self.is_zerofill() {
            flags |= column_flag::ZEROFILL;
        }
        if self.is_lob() {
            flags |= column_flag::BLOB;
        }
        flags |= match self {
            SqlType::Enum { .. } => column_flag::ENUM,
            SqlType::Set { .. } => column_flag::SET,
            _ => 0,
        };
        // Numbers and dates are binary to the protocol; of texts the _bin collations are.
        let binary = match self.collation() {
            Some(c) => c.is_bytewise(),
            None => !matches!(self, SqlType::Bit { .. }),
        };
        if binary {
            flags |= column_flag::BINARY;
        }
        flags
    }

    /// The type as SHOW CREATE TABLE prints it (8.0.36), without character set clauses.
    pub fn show_create(&self) -> String {
        let parameters = match *self {
            SqlType::Int { kind, unsigned, zerofill, width } => match width {
                // 8.0.19 and later show widths only where they still mean something.
                Some(w) if zerofill || (kind == IntKind::Tiny && w == 1 && !unsigned) => {
                    format!("({w})")
                }
                None if zerofill => format!("({})", kind.display_width(true)),
                _ => String::new(),
            },
            SqlType::Decimal { precision, scale, .. } => format!("({precision},{scale})"),
            SqlType::Float { .. } | SqlType::Double { .. } => match self.fixed_digits() {
                Some((m, d)) => format!("({m},{d})"),
                None => String::new(),
            },
            SqlType::Char { chars, .. } | SqlType::Varchar { chars, .. } => format!("({chars})"),
            SqlType::Bit { bits } => format!("({bits})"),
            SqlType::Enum { members, collation } | SqlType::Set { members, collation } => {
                member_list(members, collation)
            }
            _ => match self.fsp() {
                0 => String::new(),
                fsp => format!("({fsp})"),
            },
        };
        let attributes = match self {
            // Always both, which goes without saying.
            SqlType::Year | SqlType::Bit { .. } => "",
            _ if self.is_zerofill() => " unsigned zerofill",
            _ if self.is_unsigned() => " unsigned",
            _ => "",
        };
        format!("{}{parameters}{attributes}", self.name())
    }

    /// DATA_TYPE of information_schema: the bare name.
    pub fn name(&self) -> &'static str {
        self.facts().name
    }
}

/// `('a','b')`, in UTF-8.
fn member_list(members: Members, collation: Collation) -> String {
    let text = |name: &[u8]| {
        let (utf8, _) = collation.charset().convert(name, weir_engine::row::Charset::Utf8mb4);
        format!("'{}'", String::from_utf8_lossy(&utf8).replace('\'', "''"))
    };
    let all: Vec<String> = members.names().iter().map(|n| text(n)).collect();
    format!("({})", all.join(","))
}

/// How strong an expression's claim on the collation is (MySQL's coercibility).
pub mod coercibility {
    pub const EXPLICIT: u8 = 0;
    pub const NONE: u8 = 1;
    pub const IMPLICIT: u8 = 2;
    pub const SYSCONST: u8 = 3;
    pub const COERCIBLE: u8 = 4;
    pub const NUMERIC: u8 = 5;
    pub const IGNORABLE: u8 = 6;

    /// As error 1267 names it.
    pub fn name(coercibility: u8) -> &'static str {
        match coercibility {
            EXPLICIT => "EXPLICIT",
            NONE => "NONE",
            IMPLICIT => "IMPLICIT",
            SYSCONST => "SYSCONST",
            COERCIBLE => "COERCIBLE",
            NUMERIC => "NUMERIC",
            _ => "IGNORABLE",
        }
    }
}

/// Type of an expression, for inference and result metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypeInfo {
    pub ty: SqlType,
    pub nullable: bool,
    pub coercibility: u8,
}

impl TypeInfo {
    pub fn new(ty: SqlType, nullable: bool) -> Self {
        let coercibility = match ty {
            SqlType::Null => coercibility::IGNORABLE,
            _ if ty.is_string() => coercibility::COERCIBLE,
            _ => coercibility::NUMERIC,
        };
        TypeInfo { ty, nullable, coercibility }
    }

    /// A column: its collation is implicit.
    pub fn column(ty: SqlType, nullable: bool) -> Self {
        let mut info = Self::new(ty, nullable);
        if ty.is_string() {
            info.coercibility = coercibility::IMPLICIT;
        }
        info
    }

    pub fn null() -> Self {
        Self::new(SqlType::Null, true)
    }
}
