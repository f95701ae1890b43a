//! CREATE, ALTER and DROP of tables, indexes, schemas and views.

use super::{Expr, Ident, OrderItem, Query, TableName, UserSpec};

/// Base type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    TinyInt,
    SmallInt,
    MediumInt,
    Int,
    BigInt,
    Decimal,
    Float,
    Double,
    Bit,
    Date,
    Time,
    DateTime,
    Timestamp,
    Year,
    Char,
    VarChar,
    Binary,
    VarBinary,
    TinyBlob,
    Blob,
    MediumBlob,
    LongBlob,
    TinyText,
    Text,
    MediumText,
    LongText,
    Enum,
    Set,
    Json,
    Geometry,
    Point,
    LineString,
    Polygon,
    MultiPoint,
    MultiLineString,
    MultiPolygon,
    GeometryCollection,
}

/// Old words for the character set of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharsetWord {
    Ascii,
    Unicode,
    /// NATIONAL, NCHAR or NVARCHAR.
    National,
}

/// A column type. BOOL is TINYINT(1); SERIAL is BIGINT UNSIGNED with the attributes it implies;
/// CHAR BYTE is BINARY; NATIONAL types have charset `utf8mb3`.
#[derive(Clone, Debug, PartialEq)]
pub struct DataType {
    pub kind: TypeKind,
    /// Display width, precision, length in characters or fractional digits.
    pub length: Option<u64>,
    /// Of DECIMAL(m,d), FLOAT(m,d), DOUBLE(m,d).
    pub scale: Option<u64>,
    pub unsigned: bool,
    pub zerofill: bool,
    pub charset: Option<Box<str>>,
    /// What the character set was given by, if not by its name.
    pub charset_word: Option<CharsetWord>,
    pub collation: Option<Box<str>>,
    /// The BINARY attribute: the binary collation of the charset.
    pub binary: bool,
    /// Members of ENUM and SET, undecoded.
    pub members: Vec<Box<[u8]>>,
}

/// An attribute of a column definition, in the order written.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnAttr {
    Null,
    NotNull,
    /// A literal, NOW(n), or any expression that was in parentheses (`DefaultExpr`).
    Default(Expr),
    /// `DEFAULT (expr)`.
    DefaultExpr(Expr),
    /// `ON UPDATE NOW(fsp)`.
    OnUpdateNow(u8),
    AutoIncrement,
    /// SERIAL DEFAULT VALUE.
    SerialDefault,
    PrimaryKey,
    Unique,
    /// A bare KEY, which means PRIMARY KEY.
    Key,
    Comment(Box<[u8]>),
    Collate(Ident),
    Generated {
        expr: Expr,
        stored: bool,
    },
    Check {
        name: Option<Ident>,
        expr: Expr,
        enforced: bool,
    },
    References(Box<References>),
    Visible,
    Invisible,
    Srid(u64),
    /// FIXED, DYNAMIC, DEFAULT.
    ColumnFormat(Ident),
    /// DISK, MEMORY, DEFAULT.
    Storage(Ident),
    EngineAttribute(Box<[u8]>),
    SecondaryEngineAttribute(Box<[u8]>),
}

/// A column definition.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnDef {
    pub name: Ident,
    pub data_type: DataType,
    pub attrs: Vec<ColumnAttr>,
}

/// ON DELETE / ON UPDATE of a foreign key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReferentialAction {
    Restrict,
    Cascade,
    SetNull,
    NoAction,
    SetDefault,
}

/// MATCH of a foreign key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReferentialMatch {
    Full,
    Partial,
    Simple,
}

/// REFERENCES clause.
#[derive(Clone, Debug, PartialEq)]
pub struct References {
    pub table: TableName,
    pub columns: Vec<Ident>,
    pub match_: Option<ReferentialMatch>,
    pub on_delete: Option<ReferentialAction>,
    pub on_update: Option<ReferentialAction>,
}

/// What a key part is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyPartKind {
    /// Column with an optional prefix length.
    Column { name: Ident, length: Option<u64> },
    /// `((expr))`.
    Expr(Expr),
}

/// One part of a key.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyPart {
    pub kind: KeyPartKind,
    pub descending: bool,
    /// ASC or DESC was written (it may not be, for FULLTEXT and SPATIAL keys).
    pub explicit_order: bool,
}

/// Kind of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyKind {
    Primary,
    Unique,
    Index,
    FullText,
    Spatial,
}

/// BTREE, HASH or RTREE.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IndexType {
    BTree,
    Hash,
    RTree,
}

/// Options of a key, later ones win.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IndexOptions {
    pub index_type: Option<IndexType>,
    pub key_block_size: Option<u64>,
    pub comment: Option<Box<[u8]>>,
    pub parser: Option<Ident>,
    pub visible: Option<bool>,
    pub engine_attribute: Option<Box<[u8]>>,
    pub secondary_engine_attribute: Option<Box<[u8]>>,
}

/// A key definition.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyDef {
    pub kind: KeyKind,
    /// CONSTRAINT name, which names a unique key that has no name of its own.
    pub constraint: Option<Ident>,
    pub name: Option<Ident>,
    pub parts: Vec<KeyPart>,
    pub options: IndexOptions,
}

/// A foreign key definition.
#[derive(Clone, Debug, PartialEq)]
pub struct ForeignKeyDef {
    pub constraint: Option<Ident>,
    /// Index name after FOREIGN KEY.
    pub name: Option<Ident>,
    pub columns: Vec<Ident>,
    pub references: References,
}

/// A CHECK constraint of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckDef {
    pub name: Option<Ident>,
    pub expr: Expr,
    pub enforced: bool,
}

/// Something between the parentheses of CREATE TABLE.
#[derive(Clone, Debug, PartialEq)]
pub enum TableElement {
    Column(Box<ColumnDef>),
    Key(Box<KeyDef>),
    ForeignKey(Box<ForeignKeyDef>),
    Check(Box<CheckDef>),
}

/// Value of a table option.
#[derive(Clone, Debug, PartialEq)]
pub enum OptionValue {
    Default,
    Int(u64),
    Str(Box<[u8]>),
    Word(Ident),
    /// Of UNION.
    Tables(Vec<TableName>),
}

/// A table option. The name is upper case, synonyms resolved, one word or words joined by a blank:
/// `ENGINE`, `CHARSET`, `COLLATE`, `AUTO_INCREMENT`, `COMMENT`, `ROW_FORMAT`, `DATA DIRECTORY`, ...
#[derive(Clone, Debug, PartialEq)]
pub struct TableOption {
    pub name: &'static str,
    pub value: OptionValue,
}

/// CHARSET, COLLATE, ENCRYPTION, READ ONLY of a schema.
#[derive(Clone, Debug, PartialEq)]
pub enum DatabaseOption {
    Charset(Box<str>),
    Collate(Box<str>),
    Encryption(Box<[u8]>),
    /// `READ ONLY = {DEFAULT | 0 | 1}`.
    ReadOnly(bool),
}

/// How rows are assigned to partitions.
#[derive(Clone, Debug, PartialEq)]
pub enum PartitionMethod {
    Hash { linear: bool, expr: Expr },
    Key { linear: bool, algorithm: Option<u64>, columns: Vec<Ident> },
    Range(Expr),
    RangeColumns(Vec<Ident>),
    List(Expr),
    ListColumns(Vec<Ident>),
}

/// VALUES clause of a partition.
#[derive(Clone, Debug, PartialEq)]
pub enum PartitionValues {
    /// `None` in the list is MAXVALUE.
    LessThan(Vec<Option<Expr>>),
    /// One list a tuple.
    In(Vec<Vec<Option<Expr>>>),
}

/// One partition (or subpartition, which has neither values nor subpartitions).
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionDef {
    pub name: Ident,
    pub values: Option<PartitionValues>,
    pub options: Vec<TableOption>,
    pub subpartitions: Vec<PartitionDef>,
}

/// PARTITION BY clause.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionBy {
    pub method: PartitionMethod,
    pub count: Option<u64>,
    pub sub_method: Option<PartitionMethod>,
    pub sub_count: Option<u64>,
    pub partitions: Vec<PartitionDef>,
}

/// What CREATE TABLE .. SELECT does about duplicate keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OnDuplicate {
    Error,
    Ignore,
    Replace,
}

/// CREATE TABLE.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateTable {
    pub temporary: bool,
    pub if_not_exists: bool,
    pub name: TableName,
    /// `LIKE other`; then everything below is empty.
    pub like: Option<TableName>,
    pub elements: Vec<TableElement>,
    pub options: Vec<TableOption>,
    /// START TRANSACTION: the table is there with the COMMIT that follows.
    pub starts_transaction: bool,
    pub partition: Option<Box<PartitionBy>>,
    pub on_duplicate: OnDuplicate,
    pub query: Option<Box<Query>>,
}

/// Where ALTER TABLE puts a column.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnPlace {
    Last,
    First,
    After(Ident),
}

/// Partitions named by ALTER TABLE.
#[derive(Clone, Debug, PartialEq)]
pub enum PartitionNames {
    All,
    Some(Vec<Ident>),
}

/// One change of ALTER TABLE.
#[derive(Clone, Debug, PartialEq)]
pub enum AlterSpec {
    AddColumn {
        column: Box<ColumnDef>,
        place: ColumnPlace,
    },
    /// `ADD (a INT, KEY (a), ...)`.
    AddElements(Vec<TableElement>),
    AddKey(Box<KeyDef>),
    AddForeignKey(Box<ForeignKeyDef>),
    AddCheck(Box<CheckDef>),
    DropColumn(Ident),
    DropKey(Ident),
    DropPrimaryKey,
    DropForeignKey(Ident),
    DropCheck(Ident),
    /// DROP CONSTRAINT, whatever kind it is of.
    DropConstraint(Ident),
    ModifyColumn {
        column: Box<ColumnDef>,
        place: ColumnPlace,
    },
    ChangeColumn {
        old: Ident,
        column: Box<ColumnDef>,
        place: ColumnPlace,
    },
    /// `ALTER COLUMN c SET DEFAULT x` (`parens`: it was an expression in parentheses).
    SetDefault {
        column: Ident,
        value: Expr,
        parens: bool,
    },
    DropDefault(Ident),
    SetColumnVisible {
        column: Ident,
        visible: bool,
    },
    SetIndexVisible {
        index: Ident,
        visible: bool,
    },
    /// `any`: ALTER CONSTRAINT, which may name a constraint of any kind.
    SetCheckEnforced {
        name: Ident,
        enforced: bool,
        any: bool,
    },
    RenameColumn {
        old: Ident,
        new: Ident,
    },
    RenameIndex {
        old: Ident,
        new: Ident,
    },
    RenameTo(TableName),
    Option(TableOption),
    ConvertCharset {
        charset: Option<Box<str>>,
        collation: Option<Box<str>>,
    },
    DisableKeys,
    EnableKeys,
    DiscardTablespace,
    ImportTablespace,
    Force,
    OrderBy(Vec<OrderItem>),
    Algorithm(Ident),
    Lock(Ident),
    /// WITH VALIDATION (true) / WITHOUT VALIDATION.
    Validation(bool),
    PartitionBy(Box<PartitionBy>),
    RemovePartitioning,
    AddPartition(Vec<PartitionDef>),
    AddPartitions(u64),
    DropPartition(Vec<Ident>),
    TruncatePartition(PartitionNames),
    CoalescePartition(u64),
    ReorganizePartition {
        from: Vec<Ident>,
        into: Vec<PartitionDef>,
    },
    ExchangePartition {
        partition: Ident,
        table: TableName,
        validate: bool,
    },
    AnalyzePartition(PartitionNames),
    CheckPartition(PartitionNames),
    OptimizePartition(PartitionNames),
    RebuildPartition(PartitionNames),
    RepairPartition(PartitionNames),
    DiscardPartitionTablespace(PartitionNames),
    ImportPartitionTablespace(PartitionNames),
    SecondaryLoad,
    SecondaryUnload,
}

/// ALTER TABLE.
#[derive(Clone, Debug, PartialEq)]
pub struct AlterTable {
    pub name: TableName,
    pub specs: Vec<AlterSpec>,
}

/// RESTRICT or CASCADE; both are ignored by MySQL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DropBehavior {
    Restrict,
    Cascade,
}

/// DROP TABLE.
#[derive(Clone, Debug, PartialEq)]
pub struct DropTable {
    pub temporary: bool,
    pub if_exists: bool,
    pub names: Vec<TableName>,
    pub behavior: Option<DropBehavior>,
}

/// ALGORITHM and LOCK of CREATE INDEX and DROP INDEX.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OnlineHow {
    pub algorithm: Option<Ident>,
    pub lock: Option<Ident>,
}

/// CREATE INDEX.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateIndex {
    pub key: KeyDef,
    pub table: TableName,
    pub how: OnlineHow,
}

/// DROP INDEX; the name may be PRIMARY.
#[derive(Clone, Debug, PartialEq)]
pub struct DropIndex {
    pub name: Ident,
    pub table: TableName,
    pub how: OnlineHow,
}

/// DEFINER of a view or routine.
#[derive(Clone, Debug, PartialEq)]
pub enum Definer {
    CurrentUser,
    User(UserSpec),
}

/// MERGE, TEMPTABLE or UNDEFINED.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViewAlgorithm {
    Undefined,
    Merge,
    TempTable,
}

/// WITH .. CHECK OPTION.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ViewCheck {
    None,
    Local,
    Cascaded,
}

/// CREATE VIEW and ALTER VIEW.
#[derive(Clone, Debug, PartialEq)]
pub struct CreateView {
    pub alter: bool,
    pub or_replace: bool,
    pub algorithm: Option<ViewAlgorithm>,
    pub definer: Option<Definer>,
    /// SQL SECURITY INVOKER (true) or DEFINER.
    pub invoker: Option<bool>,
    pub name: TableName,
    pub columns: Vec<Ident>,
    pub query: Box<Query>,
    /// Text of the query as written, for SHOW CREATE VIEW.
    pub text: Box<str>,
    pub check: ViewCheck,
}

/// Stored objects that DROP names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RoutineKind {
    Procedure,
    Function,
    Trigger,
    Event,
}

impl RoutineKind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            RoutineKind::Procedure => "PROCEDURE",
            RoutineKind::Function => "FUNCTION",
            RoutineKind::Trigger => "TRIGGER",
            RoutineKind::Event => "EVENT",
        }
    }
}

/// `CREATE SPATIAL REFERENCE SYSTEM`.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateReferenceSystem {
    pub or_replace: bool,
    pub if_not_exists: bool,
    pub srid: u64,
    /// In the order of the statement; one may stand there several times.
    pub attributes: Vec<ReferenceSystemAttribute>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ReferenceSystemAttribute {
    Name(Box<str>),
    Definition(Box<str>),
    /// With the number that the organization has for the system.
    Organization(Box<str>, u64),
    Description(Box<str>),
}
