//! Which collation expressions meet in, beyond the comparison of two.

use super::expr::{BExpr, Node};
use crate::ddl::rebuild::value_error;
use crate::func::infer;
use crate::session_api::SqlError;
use crate::value::compare::common_collation;
use crate::value::{Collation, SqlType, TypeInfo, ValueError};

type Bind<T> = Result<T, SqlError>;

/// The same text under another collation, with the claim that it had.
pub fn collated(e: BExpr, c: Collation) -> BExpr {
    let ty = match e.info.ty {
        SqlType::Char { chars, .. } => SqlType::Char { chars, collation: c },
        SqlType::Varchar { chars, .. } => SqlType::Varchar { chars, collation: c },
        SqlType::Text { kind, .. } => SqlType::Text { kind, collation: c },
        other => SqlType::varchar(crate::value::cast::text_length(&other), c),
    };
    let info = TypeInfo { ty, ..e.info };
    BExpr::new(Node::Collate(c, Box::new(e)), info)
}

/// Functions that compare their arguments: collations with equal claims are an error for them, while those that
/// join texts make do with the `_bin` one.
const COMPARING: [&str; 12] = [
    "FIELD",
    "FIND_IN_SET",
    "INSTR",
    "LIKE",
    "LOCATE",
    "NULLIF",
    "REGEXP_INSTR",
    "REGEXP_LIKE",
    "REGEXP_REPLACE",
    "REGEXP_SUBSTR",
    "REPLACE",
    "STRCMP",
];

/// Gives the texts of one character set among a function's arguments the collation that they have in common.
pub fn in_one_collation(name: &str, args: Vec<BExpr>) -> Bind<Vec<BExpr>> {
    let collation = |e: &BExpr| e.info.ty.collation().filter(|c| !c.is_binary());
    let mut texts = args.iter().filter_map(collation);
    let Some(first) = texts.next() else { return Ok(args) };
    if texts.all(|c| c == first) {
        return Ok(args);
    }
    let infos: Vec<TypeInfo> = args.iter().map(|a| a.info).filter(|i| i.ty.is_string()).collect();
    if COMPARING.contains(&name) {
        let operation = name.to_ascii_lowercase();
        for (a, b) in infos.iter().zip(&infos[1..]) {
            if let Err(e) = common_collation(a, b, &operation) {
                let many = || ValueError::illegal_mix_of_many(&operation);
                return Err(value_error(if infos.len() == 2 { e } else { many() }));
            }
        }
    }
    let (common, _) = infer::collation_of(&infos);
    // A bytewise collation wins by itself when the values meet, and a column stays a column.
    if common.is_bytewise() {
        return Ok(args);
    }
    let give = |e: BExpr| match collation(&e) {
        Some(c) if c != common && c.charset() == common.charset() => collated(e, common),
        _ => e,
    };
    Ok(args.into_iter().map(give).collect())
}

/// The left side of a comparison with a subquery's column, in the collation that the two have in common.
pub fn against(e: BExpr, column: &TypeInfo) -> Bind<BExpr> {
    let (Some(own), Some(other)) = (e.info.ty.collation(), column.ty.collation()) else {
        return Ok(e);
    };
    if own == other || own.charset() != other.charset() {
        return Ok(e);
    }
    let common = common_collation(&e.info, column, "=").map_err(value_error)?;
    Ok(if common == own { e } else { collated(e, common) })
}
