//! By which rule two sides of a comparison meet, where it matters what expressions they are, and not only of which types.
//!
//! A decimal is compared with a text as doubles are, as any number is (manual, "Type Conversion in Expression Evaluation"). A double has 15
//! digits and a DECIMAL up to 65, so that rows whose keys differ only in later digits would all be equal to the same text. MySQL therefore takes a
//! constant text as a decimal where the other side is a decimal that is no constant (`Arg_comparator::set_cmp_func`). Two constants, and the text
//! of a row, are compared as doubles.

use super::{BExpr, Node};
use crate::value::compare::CompareRule;
use crate::value::{Class, SqlType, TypeInfo, ValueError};

/// An expression and its type, which of a parameter is known at run time only.
pub type Side<'a> = (&'a BExpr, &'a TypeInfo);

/// The rule for two expressions. 1267 when their collations have equal claims; it names the operator.
pub fn rule_between(a: Side<'_>, b: Side<'_>, operator: &str) -> Result<CompareRule, ValueError> {
    if are_decimal_and_text(a, b) || are_decimal_and_text(b, a) {
        return Ok(CompareRule::Decimal);
    }
    CompareRule::of(a.1, b.1, operator)
}

/// Whether a decimal of a row is compared with a text that has one value in the statement.
fn are_decimal_and_text((number, n): Side<'_>, (text, t): Side<'_>) -> bool {
    n.ty.class() == Class::Decimal
        && t.ty.class() == Class::Text
        && is_settled(text)
        && !is_settled(number)
}

/// A text of the statement beside a column of integers: when it is one, they are compared as such, else as doubles.
pub fn is_integer_in_text(text: &BExpr, column: &BExpr) -> bool {
    matches!(column.node, Node::Col(_))
        && matches!(column.info.ty, SqlType::Int { .. })
        && matches!(text.node, Node::Const(_) | Node::Param(_))
        && text.info.ty.is_string()
}

/// A constant, or a variable.
pub fn is_settled(e: &BExpr) -> bool {
    matches!(e.node, Node::UserVar(_)) || e.is_statement_constant()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::expr::ColRef;
    use crate::value::{Collation, Decimal, Value};

    #[test]
    fn decimals_of_rows_and_constant_texts() {
        let column = |ty: SqlType| {
            let place = ColRef { depth: 0, table: 0, col: 0 };
            BExpr::new(Node::Col(place), TypeInfo::new(ty, true))
        };
        let (decimal, text) = (
            column(SqlType::decimal(30, 5)),
            column(SqlType::varchar(9, Collation::Utf8mb4GeneralCi)),
        );
        let number = BExpr::constant(Value::Decimal(Decimal::from_i64(1)));
        let constant = BExpr::constant(Value::str("1"));
        let rule = |a: &BExpr, b: &BExpr| {
            let (ab, ba) = (
                rule_between((a, &a.info), (b, &b.info), "=").expect("two that can be compared"),
                rule_between((b, &b.info), (a, &a.info), "=").expect("two that can be compared"),
            );
            assert_eq!(ab, ba);
            ab
        };
        assert_eq!(rule(&decimal, &constant), CompareRule::Decimal);
        assert_eq!(rule(&decimal, &text), CompareRule::Double);
        assert_eq!(rule(&number, &constant), CompareRule::Double);
        assert_eq!(rule(&number, &text), CompareRule::Double);
        assert_eq!(rule(&column(SqlType::DOUBLE), &constant), CompareRule::Double);
        assert_eq!(rule(&decimal, &number), CompareRule::Decimal);
    }
}
