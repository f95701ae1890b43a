//! Result types of functions.

use crate::value::arith::{decimal_type, places, real};
use crate::value::cast::{octet_length, text_length};
use crate::value::compare::common_collation;
use crate::value::types::coercibility;
use crate::value::{Class, Collation, SqlType, TypeInfo, ValueError};

pub use super::merge::merge;

/// Collation of text made from numbers: the default of the connection's character set.
pub const TEXT: Collation = Collation::Utf8mb4GeneralCi;

/// Collation of the names that the session and the server have.
pub const SYSTEM: Collation = Collation::Utf8mb3GeneralCi;

/// The type of GREATEST() and LEAST(): the text of a date or a time beside a number has room for the number's digits behind the point,
/// and for any double.
pub fn extreme(args: &[TypeInfo]) -> TypeInfo {
    const DOUBLE: u32 = 22;
    let mut out = merge(args);
    let (chars, Some(collation)) = (out.ty.text_length(), out.ty.collation()) else { return out };
    let varies = out.ty == SqlType::varchar(chars, collation);
    if !varies || !args.iter().any(|a| a.ty.is_temporal()) {
        return out;
    }
    let timed = |a: &&TypeInfo| matches!(a.ty.class(), Class::DateTime | Class::Time);
    let before = |a: &TypeInfo| a.ty.display_length(1) - fraction(a.ty.fsp());
    let places = args.iter().map(|a| places_of_time(&a.ty)).max().unwrap_or(0);
    let moment = args.iter().filter(timed).map(before).max().map(|n| n + fraction(places));
    let real = args.iter().any(|a| a.ty.class() == Class::Real).then_some(DOUBLE);
    let room = chars.max(moment.unwrap_or(0)).max(real.unwrap_or(0));
    out.ty = text_type(room, collation);
    out
}

/// Characters of so many digits of a second, with their point.
fn fraction(places: u8) -> u32 {
    if places == 0 { 0 } else { u32::from(places) + 1 }
}

fn places_of_time(ty: &SqlType) -> u8 {
    match ty {
        SqlType::Decimal { scale, .. } => (*scale).min(6),
        ty if ty.class() == Class::Real => 6,
        ty => ty.fsp(),
    }
}

/// Text of so many characters. To a client one of many bytes is of the TEXT family ([`SqlType`] knows), and so is a column that is made of
/// it.
pub fn text_type(chars: u32, collation: Collation) -> SqlType {
    SqlType::varchar(chars, collation)
}

/// Characters that a text has at most whose length is known before (MySQL's `MAX_BLOB_WIDTH`).
const LONGEST: u32 = 1 << 24;
/// Characters of a text of which nothing is known.
pub const UNKNOWN: u32 = LONGEST * 4;

pub fn any_null(args: &[TypeInfo]) -> bool {
    args.iter().any(|a| a.nullable)
}

/// Common collation of the text arguments; numbers alone give the connection's.
pub fn collation_of(args: &[TypeInfo]) -> (Collation, u8) {
    let mut texts = args.iter().filter(|a| a.ty.is_string());
    let Some(first) = texts.next() else { return (TEXT, coercibility::COERCIBLE) };
    let mut best = *first;
    for other in texts {
        let charset = best.ty.collation().unwrap_or(TEXT).charset();
        match common_collation(&best, other, "concat") {
            Ok(c) if best.ty.collation() != Some(c) || other.coercibility < best.coercibility => {
                best = TypeInfo { ty: SqlType::varchar(0, c), ..*other };
            }
            Ok(_) => {}
            // Of two with equal claims it is nobody's any more.
            Err(_) => {
                let ty = SqlType::varchar(0, Collation::bin_of(charset));
                best = TypeInfo { ty, coercibility: coercibility::NONE, ..*other };
            }
        }
    }
    (best.ty.collation().unwrap_or(TEXT), best.coercibility)
}

/// Two of these texts have equal claims and character sets of which neither has all of the other's characters.
pub fn have_no_charset(args: &[TypeInfo]) -> bool {
    let mut best: Option<TypeInfo> = None;
    for other in args.iter().filter(|a| a.ty.is_string() && a.ty.collation().is_some()) {
        let Some(known) = best else {
            best = Some(*other);
            continue;
        };
        let charset = |i: &TypeInfo| i.ty.collation().map(Collation::charset);
        match common_collation(&known, other, "concat") {
            Err(_) if charset(&known) != charset(other) => return true,
            Ok(c) if known.ty.collation() != Some(c) || other.coercibility < known.coercibility => {
                best = Some(TypeInfo { ty: SqlType::varchar(0, c), ..*other });
            }
            _ => {}
        }
    }
    false
}

/// The collation that all these texts are compared in: 1267, 1270 or 1271 where they have none in common.
pub fn compared(args: &[TypeInfo], operation: &str) -> Result<Collation, ValueError> {
    let (c, claim) = collation_of(args);
    match claim {
        coercibility::NONE => Err(mixed(args, operation)),
        _ => Ok(c),
    }
}

/// 1267, 1270 or 1271 for texts that have no collation in common.
pub fn mixed(args: &[TypeInfo], operation: &str) -> ValueError {
    let named = |a: &TypeInfo| match a.ty.collation() {
        Some(c) => (c.name(), a.coercibility),
        None if a.ty == SqlType::Null => (Collation::Binary.name(), coercibility::IGNORABLE),
        None => (TEXT.name(), a.coercibility),
    };
    let all: Vec<_> = args.iter().map(named).collect();
    ValueError::illegal_mix_of_all(&all, operation)
}

fn with_text(args: &[TypeInfo], chars: u32, nullable: bool) -> TypeInfo {
    let (collation, coercibility) = collation_of(args);
    TypeInfo { ty: text_type(chars, collation), nullable, coercibility }
}

/// Characters of an argument in a text of this collation: bytes in a binary one.
pub fn chars_in(a: &TypeInfo, collation: Collation) -> u32 {
    if collation.is_binary() { octet_length(&a.ty) } else { text_length(&a.ty) }
}

/// Text made of these arguments, of as many characters as `length` finds by what each of them has.
fn made_of(texts: &[TypeInfo], nullable: bool, length: fn(&[u32]) -> u32) -> TypeInfo {
    let (collation, coercibility) = collation_of(texts);
    let each: Vec<u32> = texts.iter().map(|a| chars_in(a, collation)).collect();
    TypeInfo { ty: text_type(length(&each), collation), nullable, coercibility }
}

fn sum(each: &[u32]) -> u32 {
    each.iter().fold(0, |n: u32, a| n.saturating_add(*a))
}

/// As long as all arguments together.
pub fn concat(args: &[TypeInfo]) -> TypeInfo {
    made_of(args, any_null(args), |each| sum(each).min(LONGEST))
}

/// CONCAT_WS(): all but the first, which stands between them. NULLs are left out.
pub fn concat_ws(args: &[TypeInfo]) -> TypeInfo {
    made_of(args, any_null(args), |each| {
        let between = each[0].saturating_mul((each.len() as u32).saturating_sub(2));
        sum(&each[1..]).saturating_add(between).min(LONGEST)
    })
}

/// INSERT(): the text and what comes into it.
pub fn inserted(args: &[TypeInfo]) -> TypeInfo {
    match args {
        [text, .., with] => made_of(&[*text, *with], any_null(args), |each| sum(each).min(LONGEST)),
        _ => concat(args),
    }
}

/// ELT(): the longest of those that may be chosen.
pub fn chosen(args: &[TypeInfo]) -> TypeInfo {
    made_of(&args[args.len().min(1)..], true, |each| each.iter().copied().max().unwrap_or(0))
}

/// MAKE_SET(): all of them, with commas between.
pub fn make_set(args: &[TypeInfo]) -> TypeInfo {
    made_of(&args[args.len().min(1)..], any_null(args), |each| {
        sum(each).saturating_add(each.len() as u32).saturating_sub(1)
    })
}

/// EXPORT_SET(): 64 texts, for bits that are set or for others, and what stands between them.
pub fn export_set(args: &[TypeInfo]) -> TypeInfo {
    made_of(&args[args.len().min(1)..args.len().min(4)], any_null(args), |each| {
        let longest = each[..each.len().min(2)].iter().copied().max().unwrap_or(0);
        let between = each.get(2).copied().unwrap_or(1);
        longest.saturating_mul(64).saturating_add(between.saturating_mul(63)).min(LONGEST)
    })
}

fn first(args: &[TypeInfo]) -> &[TypeInfo] {
    &args[..args.len().min(1)]
}

/// QUOTE(): each character may have a backslash before it.
pub fn quoted(args: &[TypeInfo]) -> TypeInfo {
    made_of(first(args), any_null(args), |each| {
        sum(each).saturating_mul(2).saturating_add(2).min(LONGEST)
    })
}

/// SOUNDEX(): at least four characters.
pub fn soundex(args: &[TypeInfo]) -> TypeInfo {
    made_of(first(args), any_null(args), |each| sum(each).max(4))
}

/// As long as the first argument.
pub fn like_first(args: &[TypeInfo]) -> TypeInfo {
    made_of(first(args), any_null(args), sum)
}

/// The same, and NULL also for others than NULL.
pub fn like_first_null(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo { nullable: true, ..like_first(args) }
}

/// As long as the first argument, in the collation of the first two: what is taken away, or looked for, is compared with it.
pub fn cut_by_second(args: &[TypeInfo]) -> TypeInfo {
    made_of(&args[..args.len().min(2)], any_null(args), |each| each.first().copied().unwrap_or(0))
}

/// LPAD and RPAD: of the text and what it is filled up with.
pub fn padded(args: &[TypeInfo]) -> TypeInfo {
    match args {
        [text, _, with] => with_text(&[*text, *with], UNKNOWN, any_null(args)),
        _ => long_text(args),
    }
}

/// REPLACE: of all three.
pub fn replaced(args: &[TypeInfo]) -> TypeInfo {
    made_of(args, any_null(args), |each| {
        let [text, _, with] = each else { return UNKNOWN };
        // MySQL takes what is replaced for two characters.
        text.saturating_add(text.saturating_mul(with.saturating_sub(2))).min(LONGEST)
    })
}

/// Text of unknown length (REPEAT and the like).
pub fn long_text(args: &[TypeInfo]) -> TypeInfo {
    with_text(first(args), UNKNOWN, any_null(args))
}

/// REGEXP_REPLACE().
pub fn longest_text(args: &[TypeInfo]) -> TypeInfo {
    with_text(first(args), LONGEST, any_null(args))
}

/// Text of unknown length in the connection's set.
pub fn unknown_text(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(text_type(UNKNOWN, TEXT), true)
}

/// Spaces, in the connection's set whatever the number is written in.
pub fn spaces(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(text_type(UNKNOWN, TEXT), any_null(args))
}

/// Text in the connection's set of up to so many characters.
pub fn text<const CHARS: u32>(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::varchar(CHARS, TEXT), any_null(args))
}

/// A name of the session or the server, whose claim is weaker than a column's and stronger than a literal's.
pub fn system<const CHARS: u32>(_: &[TypeInfo]) -> TypeInfo {
    let ty = SqlType::varchar(CHARS, SYSTEM);
    TypeInfo { coercibility: coercibility::SYSCONST, ..TypeInfo::new(ty, false) }
}

/// A text in the server's own set, whose claim is that of a literal.
pub fn server_text<const CHARS: u32>(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::varchar(CHARS, SYSTEM), any_null(args))
}

/// As [`text`], and NULL also for others than NULL.
pub fn text_null<const CHARS: u32>(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::varchar(CHARS, TEXT), true)
}

/// Two digits for each byte; of a number, those of all its bytes.
pub fn hexadecimal(args: &[TypeInfo]) -> TypeInfo {
    let digits = |a: &TypeInfo| match a.ty.is_numeric() {
        true => 16,
        false => octet_length(&a.ty).saturating_mul(2),
    };
    let chars = args.first().map_or(0, digits);
    TypeInfo::new(text_type(chars, TEXT), any_null(args))
}

/// TO_BASE64(): four characters for three bytes, in lines of 76.
pub fn base64(args: &[TypeInfo]) -> TypeInfo {
    let n = u64::from(args.first().map_or(0, |a| octet_length(&a.ty)));
    let coded = n.div_ceil(3) * 4;
    let lines = coded.saturating_sub(1) / 76;
    let chars = (coded + lines).min(u64::from(LONGEST)) as u32;
    TypeInfo::new(text_type(chars, TEXT), any_null(args))
}

/// FROM_BASE64(): three bytes for four.
pub fn from_base64(args: &[TypeInfo]) -> TypeInfo {
    let n = u64::from(args.first().map_or(0, |a| octet_length(&a.ty)));
    let bytes = (n * 3 / 4).min(u64::from(LONGEST)) as u32;
    TypeInfo::new(text_type(bytes, Collation::Binary), true)
}

/// UNHEX(): a byte for two.
pub fn unhexed(args: &[TypeInfo]) -> TypeInfo {
    let n = args.first().map_or(0, |a| octet_length(&a.ty));
    TypeInfo::new(text_type(n / 2 + n % 2, Collation::Binary), true)
}

/// Bytes, up to so many.
pub fn bytes_null<const BYTES: u32>(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::varbinary(BYTES), true)
}

/// CHAR(): four bytes for each number. NULLs are left out.
pub fn chars_of(args: &[TypeInfo]) -> TypeInfo {
    let bytes = (args.len() as u32).saturating_mul(4);
    TypeInfo::new(text_type(bytes, Collation::Binary), any_null(args))
}

/// FORMAT(): a comma for each three characters, and places.
pub fn formatted(args: &[TypeInfo]) -> TypeInfo {
    const PLACES: u32 = 32;
    let n = args.first().map_or(0, |a| octet_length_of_number(&a.ty));
    let chars = n.saturating_add(n / 3).saturating_add(PLACES);
    TypeInfo::new(text_type(chars, TEXT), any_null(args))
}

fn octet_length_of_number(ty: &SqlType) -> u32 {
    if ty.collation().is_some_and(|c| c.is_binary()) { octet_length(ty) } else { text_length(ty) }
}

/// DATE_FORMAT() and its like, of a format that is not known: ten characters for each of its.
pub fn by_format(args: &[TypeInfo]) -> TypeInfo {
    let n = args.get(1).map_or(0, |a| text_length(&a.ty)).min(LONGEST);
    TypeInfo::new(text_type(n.saturating_mul(10), TEXT), true)
}

pub fn binary(args: &[TypeInfo]) -> TypeInfo {
    let n = args.iter().fold(0u32, |n, a| n.saturating_add(text_length(&a.ty)));
    TypeInfo::new(text_type(n.saturating_mul(4).max(8), Collation::Binary), true)
}

/// WEIGHT_STRING(): sixteen bytes for each of the text's; of another value, which weighs nothing, one.
pub fn weights(args: &[TypeInfo]) -> TypeInfo {
    let n = args.first().map_or(0, |a| octet_length(&a.ty));
    let bytes = match args.first().and_then(|a| a.ty.collation()) {
        Some(c) if !c.is_binary() => n.saturating_mul(16),
        _ => n,
    };
    TypeInfo::new(text_type(bytes, Collation::Binary), true)
}

/// An integer of so many characters; NULL where an argument is.
pub fn int<const WIDTH: u8>(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::wide_int(WIDTH, false), any_null(args))
}

/// The same, and NULL also for others than NULL.
pub fn int_null<const WIDTH: u8>(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::wide_int(WIDTH, false), true)
}

/// The same, and never NULL.
pub fn int_always<const WIDTH: u8>(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::wide_int(WIDTH, false), false)
}

pub fn uint<const WIDTH: u8>(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::wide_int(WIDTH, true), any_null(args))
}

pub fn uint_null<const WIDTH: u8>(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::wide_int(WIDTH, true), true)
}

pub fn year(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::Year, true)
}

pub fn boolean(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::BOOL, any_null(args))
}

pub fn double(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::LONG_DOUBLE, any_null(args))
}

/// PI().
pub fn six_places(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(real(Some(6)), false)
}

pub fn double_null(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::LONG_DOUBLE, true)
}

/// The numeric type of the first argument; text counts as a double.
pub fn numeric_first(args: &[TypeInfo]) -> TypeInfo {
    let Some(a) = args.first() else { return TypeInfo::null() };
    let ty = match (a.ty, a.ty.class()) {
        (SqlType::Decimal { .. }, _) => a.ty.without_zerofill(),
        (ty, Class::Int) => SqlType::wide_int(text_length(&ty).min(255) as u8, ty.is_unsigned()),
        (_, Class::Null) => SqlType::LONG_INT,
        // A date or time counts as a text here, with the digits of its own.
        (_, Class::Date) => real(Some(0)),
        (ty, Class::Time | Class::DateTime) => real(Some(ty.fsp())),
        (ty, Class::Real) => real(places(&ty)),
        _ => SqlType::LONG_DOUBLE,
    };
    TypeInfo::new(ty, any_null(args))
}

/// The same, of which integers may get longer than they were.
fn long_numeric_first(args: &[TypeInfo]) -> TypeInfo {
    let mut info = numeric_first(args);
    if let SqlType::Int { unsigned, .. } = info.ty {
        info.ty = SqlType::wide_int(21, unsigned);
    }
    info
}

/// CEIL and FLOOR: integers for integers and for decimals that fit.
pub fn whole_first(args: &[TypeInfo]) -> TypeInfo {
    let mut info = long_numeric_first(args);
    // NULL is taken as a text would be.
    if args.first().is_some_and(|a| a.ty == SqlType::Null) {
        info.ty = SqlType::DOUBLE;
    }
    whole_double(&mut info);
    if let SqlType::Decimal { precision, scale, .. } = info.ty {
        let digits = precision - scale;
        info.ty =
            if digits < 18 { SqlType::LONG_INT } else { decimal_type(u32::from(digits) + 1, 0) };
    }
    info
}

/// A double without places is shown in full: 100000000000000000000, not 1e20.
fn whole_double(info: &mut TypeInfo) {
    if info.ty.class() == Class::Real {
        info.ty = SqlType::Double { unsigned: false, zerofill: false, digits: Some((23, 0)) };
    }
}

/// ROUND and TRUNCATE: places are not known here, so the scale stays (without places it is 0).
pub fn round(args: &[TypeInfo]) -> TypeInfo {
    let mut info = long_numeric_first(args);
    if let SqlType::Decimal { precision, scale, .. } = info.ty {
        // Where no place is lost nothing is carried.
        let (carried, kept) = if args.len() > 1 { (0, scale) } else { (1, 0) };
        info.ty = decimal_type(u32::from(precision - scale) + carried, u32::from(kept));
    } else if args.len() < 2 {
        whole_double(&mut info);
    }
    info
}

pub fn date(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::Date, true)
}

/// The day that it is.
pub fn today(_: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::Date, false)
}

/// The fraction digits of the first temporal argument, else all six (text, doubles).
pub fn fsp_of(args: &[TypeInfo]) -> u8 {
    args.iter()
        .map(|a| match a.ty {
            ref t if t.is_temporal() || t.is_integer() || *t == SqlType::Null => t.fsp(),
            SqlType::Decimal { scale, .. } => scale.min(6),
            ref t => t.fixed_digits().map_or(6, |(_, digits)| digits.min(6)),
        })
        .max()
        .unwrap_or(0)
}

pub fn time(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::Time { fsp: fsp_of(args) }, true)
}

pub fn datetime(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::DateTime { fsp: fsp_of(args) }, true)
}

/// NOW(n): the digits are in the argument, whose value is not known here.
pub fn now(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::DateTime { fsp: if args.is_empty() { 0 } else { 6 } }, false)
}

pub fn now_time(args: &[TypeInfo]) -> TypeInfo {
    TypeInfo::new(SqlType::Time { fsp: if args.is_empty() { 0 } else { 6 } }, false)
}
