//! Which collation expressions meet in, beyond the comparison of two.

use super::adapt::Adapt;
use super::{BExpr, Node};
use crate::ddl::refused::value_error;
use crate::errno;
use crate::func::facts::Texts;
use crate::func::regexp;
use crate::func::{FuncDef, infer};
use crate::session_api::SqlError;
use crate::value::cast::CastTarget;
use crate::value::compare::{common_collation, wider};
use crate::value::types::coercibility;
use crate::value::{Charset, Collation, SqlType, TypeInfo, Value};

type Bind<T> = Result<T, SqlError>;

/// The same text under another collation, with the claim that it had.
pub fn collated(e: BExpr, c: Collation) -> BExpr {
    let info = TypeInfo { ty: text_under(e.info.ty, c), ..e.info };
    BExpr::new(Node::Collate(c, Box::new(e)), info)
}

fn text_under(ty: SqlType, c: Collation) -> SqlType {
    match ty {
        SqlType::Char { chars, .. } => SqlType::Char { chars, collation: c },
        SqlType::Varchar { chars, .. } => SqlType::Varchar { chars, collation: c },
        SqlType::Text { kind, .. } => SqlType::Text { kind, collation: c },
        other => SqlType::varchar(crate::value::cast::text_length(&other), c),
    }
}

/// The type of a function's result. A text that is not made of the arguments' text has the connection's collation, whatever
/// theirs are: digits, names, digests.
pub fn result_type(def: &FuncDef, args: &[TypeInfo], connection: Collation) -> TypeInfo {
    let info = (def.infer)(args);
    let own = |i: &TypeInfo| i.ty.collation() == Some(infer::TEXT);
    if !own(&info) || connection.charset() != infer::TEXT.charset() {
        return info;
    }
    // It is made of theirs if it changes with them.
    let other = |a: &TypeInfo| match own(a) {
        true => TypeInfo { ty: text_under(a.ty, Collation::Utf8mb4Bin), ..*a },
        false => *a,
    };
    let others: Vec<TypeInfo> = args.iter().map(other).collect();
    match own(&(def.infer)(&others)) {
        true => TypeInfo { ty: text_under(info.ty, connection), ..info },
        false => info,
    }
}

/// A call whose text is the function's own, in the character set of a connection that is not Unicode's; its arguments' texts stay in theirs.
pub fn of_connection(call: BExpr, connection: Collation) -> BExpr {
    let set = connection.charset();
    if set == infer::TEXT.charset() || call.info.ty.collation() != Some(infer::TEXT) {
        return call;
    }
    // A text that would be another connection's is one of the connection.
    let own = match &call.node {
        Node::Func(def, args) => {
            let infos: Vec<TypeInfo> = args.iter().map(|a| a.info).collect();
            let other = result_type(def, &infos, Collation::Utf8mb4Bin).ty.collation();
            other == Some(Collation::Utf8mb4Bin)
        }
        node => matches!(node, Node::DateAdd { .. } | Node::Agg(_)),
    };
    let Some(to) = crate::func::lookup(crate::func::string::OF_CONNECTION).filter(|_| own) else {
        return call;
    };
    let info = TypeInfo { ty: text_under(call.info.ty, connection), ..call.info };
    let example = BExpr::constant(Value::text(Vec::new(), connection));
    BExpr::new(Node::Func(to, vec![call, example]), info)
}

/// The arguments whose collations a function compares in; `None` where it compares nothing. Collations with equal claims are an error
/// there, while functions that join texts make do with the `_bin` one.
fn compared_texts<'e>(def: &FuncDef, args: &'e [BExpr]) -> Option<&'e [BExpr]> {
    match def.texts {
        Texts::Compared(u8::MAX) | Texts::ComparedInSet => Some(args),
        // Fewer arguments leave nothing to compare: TRIM() of a text alone.
        Texts::Compared(n) => args.get(..usize::from(n)),
        Texts::Apart | Texts::Joined(_) => None,
    }
}

/// A literal, or what is as weak, in the set of another argument.
fn in_set_of(e: BExpr, common: Collation) -> BExpr {
    let Some(def) = crate::func::lookup(crate::func::string::IN_SET) else { return e };
    let chars = crate::value::cast::text_length(&e.info.ty);
    let ty = if e.is_untyped() { e.info.ty } else { infer::text_type(chars, common) };
    let info = TypeInfo { ty, ..e.info };
    BExpr::new(Node::Func(def, vec![e, BExpr::constant(Value::text(Vec::new(), common))]), info)
}

/// 3995: a regular expression is not searched for in bytes, nor are bytes in a text. MySQL takes columns of BINARY and BLOB for texts here.
/// A literal that stands in the plan as a parameter is a text of the `connection`.
pub fn no_bytes_beside_texts(def: &FuncDef, args: &[BExpr], connection: Collation) -> Bind<()> {
    let collation = |(at, a): (usize, &BExpr)| match a.node {
        Node::Param(_) if a.is_untyped() => Some(connection),
        // So it takes a column of BIT, which is its bytes here.
        Node::Adapted(Adapt::Bits(_), _) if regexp::compared_texts(def) == Some(2) || at == 2 => {
            Some(connection)
        }
        _ => match a.info.ty {
            SqlType::Varchar { collation, .. } => Some(collation),
            ty => ty.collation().map(|c| if c.is_binary() { connection } else { c }),
        },
    };
    let texts: Vec<Collation> = args.iter().enumerate().filter_map(collation).collect();
    let Some((first, others)) = texts.split_first() else { return Ok(()) };
    let Some(other) = others.iter().find(|c| c.is_binary() != first.is_binary()) else {
        return Ok(());
    };
    Err(SqlError::of(
        errno::ER_CHARACTER_SET_MISMATCH,
        &[&first.name(), &other.name(), &def.shown()],
    ))
}

/// Gives the texts of one character set among a function's arguments the collation that they have in common.
pub fn in_one_collation(def: &FuncDef, args: Vec<BExpr>) -> Bind<Vec<BExpr>> {
    let collation = |e: &BExpr| e.info.ty.collation().filter(|c| !c.is_binary());
    let mut texts = args.iter().filter_map(collation);
    let Some(first) = texts.next() else { return Ok(args) };
    let in_set = def.texts == Texts::ComparedInSet;
    if texts.all(|c| c == first) {
        // Of one collation, but nobody's.
        if let Some(compared) = compared_texts(def, &args) {
            let infos: Vec<TypeInfo> = compared.iter().map(|a| a.info).collect();
            infer::compared(&infos, &def.name.to_ascii_lowercase()).map_err(value_error)?;
        }
        // A literal that stands in the plan as a parameter has no type, and the connection's set.
        let give = |e: BExpr| match e.is_untyped() && first.charset() != Charset::Utf8mb4 {
            true if in_set => in_set_of(e, first),
            _ => e,
        };
        return Ok(args.into_iter().map(give).collect());
    }
    let of_texts = |list: &[BExpr]| -> Vec<TypeInfo> {
        list.iter().map(|a| a.info).filter(|i| i.ty.is_string()).collect()
    };
    let infos = of_texts(&args);
    if let Some(compared) = compared_texts(def, &args) {
        let lower = def.name.to_ascii_lowercase();
        infer::compared(&of_texts(compared), &lower).map_err(value_error)?;
    }
    let (common, _) = infer::collation_of(&infos);
    let give = |e: BExpr| match collation(&e) {
        // A bytewise collation wins by itself when the values meet, and a column stays a column.
        Some(c) if c.charset() == common.charset() && common.is_bytewise() => e,
        Some(c) if c != common && c.charset() == common.charset() => collated(e, common),
        Some(c) if in_set && c != common && e.info.coercibility >= coercibility::COERCIBLE => {
            in_set_of(e, common)
        }
        None if in_set && e.is_untyped() => in_set_of(e, common),
        _ => e,
    };
    Ok(args.into_iter().map(give).collect())
}

/// 1267, 1270 or 1271 where COLLATE gives two texts that such a function is to make one of different collations. Texts that come by them
/// in another way make do with the `_bin` one.
pub fn one_explicit(def: &FuncDef, args: &[BExpr]) -> Bind<()> {
    let Texts::Joined(first) = def.texts else { return Ok(()) };
    let infos: Vec<TypeInfo> = args.iter().skip(usize::from(first)).map(|a| a.info).collect();
    let operation = def.name.to_ascii_lowercase();
    if infer::have_no_charset(&infos) {
        return Err(value_error(infer::mixed(&infos, &operation)));
    }
    one_explicit_of(&operation, &infos)
}

/// The same for what is known of the texts.
pub fn one_explicit_of(operation: &str, infos: &[TypeInfo]) -> Bind<()> {
    let explicit = infos.iter().filter(|i| i.coercibility == coercibility::EXPLICIT);
    let mut named = explicit.filter_map(|i| i.ty.collation());
    let Some(one) = named.next() else { return Ok(()) };
    match named.all(|other| other == one) {
        true => Ok(()),
        false => Err(value_error(infer::mixed(infos, operation))),
    }
}

/// What is compared with several others, in the collation that all have in common: the operands of BETWEEN and IN, each with what
/// it is as a text. Texts of several character sets meet two by two.
pub fn all_in_one(operation: &str, sides: Vec<(BExpr, TypeInfo)>) -> Bind<Vec<BExpr>> {
    let infos: Vec<TypeInfo> = sides.iter().map(|(_, i)| *i).collect();
    let as_they_are = |sides: Vec<(BExpr, TypeInfo)>| sides.into_iter().map(|(e, _)| e).collect();
    let text = |i: &TypeInfo| i.ty.is_string();
    let first = infos.iter().find(|i| text(i)).and_then(|i| i.ty.collation());
    let Some(first) = first else { return Ok(as_they_are(sides)) };
    let all_texts = infos.iter().all(|i| text(i) || i.ty == SqlType::Null);
    let mut texts = infos.iter().filter(|i| text(i));
    let settled =
        |i: &TypeInfo| i.ty.collation() == Some(first) && i.coercibility != coercibility::NONE;
    if !all_texts || texts.all(settled) {
        return Ok(as_they_are(sides));
    }
    let common = infer::compared(&infos, operation).map_err(value_error)?;
    let (_, claim) = infer::collation_of(&infos);
    let give = |(e, info): (BExpr, TypeInfo)| match info.ty.collation() {
        // Bytes are compared with all of them.
        Some(c) if c != common && common.is_binary() => {
            let target = CastTarget::Binary { bytes: None };
            let info = TypeInfo { coercibility: info.coercibility, ..target.result_type(&info) };
            BExpr::new(Node::Cast(target, Box::new(e)), info)
        }
        // Of one set with the others' claim, which a COLLATE among them may have made.
        Some(c) if c.charset() == common.charset() => {
            let mut e = if c == common { e } else { collated(e, common) };
            if e.info.coercibility == coercibility::NONE {
                e.info.coercibility = claim;
            }
            e
        }
        // Of another set, whose characters the common one has.
        Some(c) if wider(common, c) == Some(common) => {
            let target = CastTarget::Char { chars: None, collation: common };
            let info = TypeInfo { coercibility: info.coercibility, ..target.result_type(&info) };
            BExpr::new(Node::Cast(target, Box::new(e)), info)
        }
        _ => e,
    };
    Ok(sides.into_iter().map(give).collect())
}

/// The left side of a comparison with a subquery's column, in the collation that the two have in common.
pub fn against(e: BExpr, column: &TypeInfo) -> Bind<BExpr> {
    let (Some(own), Some(other)) = (e.info.ty.collation(), column.ty.collation()) else {
        // Beside a number a text is one, whatever its collation.
        if e.info.ty == SqlType::Null || column.ty == SqlType::Null {
            infer::compared(&[e.info, *column], "=").map_err(value_error)?;
        }
        return Ok(e);
    };
    if own == other || own.charset() != other.charset() {
        return Ok(e);
    }
    let common = common_collation(&e.info, column, "=").map_err(value_error)?;
    Ok(if common == own { e } else { collated(e, common) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::func;
    use crate::value::GeoKind;

    /// Beside a literal each text of a function has the literal's collation, or a claim of its own.
    #[test]
    fn texts_of_functions_meet_literals() {
        let connection = Collation::Utf8mb40900AiCi;
        let literal = TypeInfo::new(SqlType::varchar(10, connection), false);
        let kinds = [
            literal,
            TypeInfo::new(SqlType::BIGINT, true),
            TypeInfo::new(SqlType::geometry(GeoKind::Any), true),
            TypeInfo::new(SqlType::DateTime { fsp: 0 }, true),
            TypeInfo::new(SqlType::Json, true),
            TypeInfo::new(SqlType::varchar(10, Collation::Binary), true),
        ];
        for def in func::all() {
            for kind in kinds {
                let args = vec![kind; usize::from(def.min_args)];
                let info = result_type(def, &args, connection);
                let c = info.ty.collation().filter(|c| !c.is_binary());
                // Of documents it is utf8mb4_bin, which wins, as does what names of the session have. What the server makes by itself has
                // its own set, which every set of Unicode has.
                let system =
                    info.coercibility == coercibility::SYSCONST || c == Some(infer::SYSTEM);
                let fits = system || c.is_none_or(|c| c == connection || c.is_bytewise());
                assert!(fits, "{} {:?}: {info:?}", def.name, kind.ty);
                assert!(common_collation(&info, &literal, "=").is_ok(), "{}", def.name);
            }
        }
    }

    #[test]
    fn texts_of_arguments_keep_their_collation() {
        let column = TypeInfo::column(SqlType::varchar(10, infer::TEXT), true);
        for name in ["CONCAT", "UPPER", "QUOTE", "SOUNDEX", "COALESCE", "REVERSE"] {
            let def = func::lookup(name).expect("there");
            let args = vec![column; usize::from(def.min_args)];
            let info = result_type(def, &args, Collation::Utf8mb40900AiCi);
            assert_eq!(info.ty.collation(), Some(infer::TEXT), "{name}");
        }
    }
}
