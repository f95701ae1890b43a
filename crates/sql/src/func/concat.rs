//! GROUP_CONCAT: its type, the texts that wait for their order, and its result.
//!
//! Invariant: a group keeps about as many bytes of texts as its result may have (`group_concat_max_len`), whatever it is given: a text that
//! the result cannot show is let go of.

use super::FuncCtx;
use super::aggregate::AggSpec;
use super::infer;
use crate::errno;
use crate::memory::{Held, row_bytes};
use crate::value::compare::CompareRule;
use crate::value::types::coercibility;
use crate::value::{Collation, SqlType, TypeInfo, Value, ValueError};
use std::cmp::Ordering;

/// The type of GROUP_CONCAT: of `group_concat_max_len` characters, of which MySQL takes each for as many as it may have bytes where
/// they are more than a short text.
pub fn concatenated(args: &[TypeInfo], most: usize) -> TypeInfo {
    const SHORT: u32 = 512;
    const LONGEST: u32 = (1 << 30) - 1;
    let (collation, coercibility) = match args.iter().all(|a| a.ty == SqlType::Null) {
        true => (Collation::Binary, coercibility::COERCIBLE),
        false => infer::collation_of(args),
    };
    let bytes = collation.max_char_bytes() as u32;
    let chars = match u32::try_from(most).unwrap_or(u32::MAX) {
        short @ ..=SHORT => short,
        n => n.saturating_mul(bytes).saturating_mul(bytes).min(LONGEST),
    };
    TypeInfo { ty: infer::text_type(chars, collation), nullable: true, coercibility }
}

/// DISTINCT without ORDER BY: as in MySQL, which finds what it has had by sorting it.
pub fn is_sorted_by_values(spec: &AggSpec) -> bool {
    spec.distinct && spec.order.is_empty()
}

/// The texts of a GROUP_CONCAT: no more of them than its result can show, and as many again that wait to be compared with those.
#[derive(Debug, Default)]
pub struct Texts {
    rows: Vec<(Vec<u8>, Vec<Value<'static>>)>,
    /// Bytes of the texts, each with a separator.
    shown: usize,
    /// Bytes that all takes in memory, about.
    bytes: usize,
    /// From so many bytes on it is looked which rows are shown.
    prune_at: usize,
}

impl Texts {
    /// Bytes between two looks at which rows are shown.
    const STEP: usize = 64 << 10;

    pub fn push(
        &mut self,
        text: Vec<u8>,
        keys: Vec<Value<'static>>,
        held: &mut Held,
        (spec, cx): (&AggSpec, &mut FuncCtx<'_>),
    ) -> Result<(), ValueError> {
        let most = cx.group_concat_max_len;
        // Rows that are not sorted come behind those that are there.
        let sorts = !spec.order.is_empty() || is_sorted_by_values(spec);
        if !sorts && self.shown > most.saturating_add(spec.separator.len()) {
            return Ok(());
        }
        let bytes = bytes_of(&text, &keys);
        cx.hold(held, bytes)?;
        self.shown += text.len() + spec.separator.len();
        self.bytes += bytes;
        self.rows.push((text, keys));
        if self.bytes >= self.prune_at.max(most.saturating_add(Texts::STEP)) {
            self.prune(spec, cx);
            held.set(cx.session.memory(), self.bytes)?;
        }
        Ok(())
    }

    /// Lets go of the rows that the result does not show, whatever comes.
    fn prune(&mut self, spec: &AggSpec, cx: &FuncCtx<'_>) {
        self.sort(spec);
        let (mut keep, mut bytes) = (0, 0);
        self.shown = 0;
        for (text, keys) in &self.rows {
            if self.shown > cx.group_concat_max_len.saturating_add(spec.separator.len()) {
                break;
            }
            keep += 1;
            self.shown += text.len() + spec.separator.len();
            bytes += bytes_of(text, keys);
        }
        self.rows.truncate(keep);
        self.bytes = bytes;
        self.prune_at = bytes.saturating_mul(2);
        if !spec.order.is_empty() {
            // As they would have come.
            self.rows.reverse();
        }
    }

    fn sort(&mut self, spec: &AggSpec) {
        // Of rows with equal keys the last one is the first, as in MySQL.
        if !spec.order.is_empty() {
            self.rows.reverse();
        }
        self.rows.sort_by(|(_, a), (_, b)| {
            a.iter().zip(b).enumerate().fold(Ordering::Equal, |order, (n, (x, y))| {
                order.then_with(|| {
                    let rule = CompareRule::of_values(x, y);
                    let o = crate::value::compare::compare_for_order(x, y, rule);
                    if spec.order.get(n) == Some(&true) { o.reverse() } else { o }
                })
            })
        });
    }
}

fn bytes_of(text: &[u8], keys: &[Value<'_>]) -> usize {
    size_of::<Vec<u8>>() + text.len() + row_bytes(keys)
}

/// GROUP_CONCAT: sorted, joined, cut at `group_concat_max_len` with warning 1260.
pub fn join(mut texts: Texts, spec: &AggSpec, cx: &mut FuncCtx<'_>) -> Value<'static> {
    if texts.rows.is_empty() {
        return Value::Null;
    }
    texts.sort(spec);
    let rows = texts.rows;
    let c = spec.result.ty.collation().unwrap_or(Collation::Binary);
    let mut out = Vec::new();
    for (i, (text, _)) in rows.iter().enumerate() {
        if i > 0 {
            out.extend_from_slice(&spec.separator);
        }
        out.extend_from_slice(text);
        if out.len() > cx.group_concat_max_len {
            out.truncate(cx.group_concat_max_len);
            out.truncate(c.well_formed(&out));
            cx.warnings.warn(errno::ER_CUT_VALUE_GROUP_CONCAT, || {
                format!("Row {} was cut by GROUP_CONCAT()", i + 1)
            });
            break;
        }
    }
    Value::text(out, c)
}

#[cfg(test)]
mod tests {
    use super::super::aggregate::{Accumulator, AggKind};
    use super::super::testing::{i, s};
    use super::*;
    use crate::value::NoSession;

    #[test]
    fn ordered_concat_is_cut() {
        let ty = [TypeInfo::new(SqlType::varchar(4, Collation::Utf8mb4GeneralCi), true); 2];
        let mut spec = AggSpec::new(AggKind::GroupConcat, false, &ty, 4);
        spec.order = vec![true];
        spec.separator = b"-".to_vec();
        let mut cx = FuncCtx::new(&NoSession);
        cx.group_concat_max_len = 4;
        let mut acc = Accumulator::new(&spec);
        for (text, key) in [("a", 1), ("b", 3), ("c", 2)] {
            acc.update(&spec, &[s(text), i(key)], &mut cx).expect("fits");
        }
        let v = acc.finish(&spec, &mut cx).expect("fits");
        assert_eq!(v.to_string_lossy().as_deref(), Some("b-c-"));
        assert_eq!(cx.warnings.list()[0].code, 1260);
    }

    /// However many texts come, and in whatever order, the result is that of all of them, and few of them are kept.
    #[test]
    fn few_texts_are_kept() {
        let ty = [TypeInfo::new(SqlType::varchar(40, Collation::Utf8mb4GeneralCi), true); 2];
        for (order, distinct) in
            [(vec![], false), (vec![false], false), (vec![true], false), (vec![], true)]
        {
            let mut spec = AggSpec::new(AggKind::GroupConcat, distinct, &ty, 4);
            spec.order = order;
            let mut cx = FuncCtx::new(&NoSession);
            cx.group_concat_max_len = 1000;
            let (mut few, mut texts) = (Texts::default(), Texts::default());
            let sorted = !spec.order.is_empty() || distinct;
            for n in 0..20_000_i64 {
                let text = format!("{:05}", n * 7919 % 20_000);
                let key =
                    if distinct { s(&text).into_owned() } else { Value::Int(n * 7919 % 5000) };
                let keys = if sorted { vec![key] } else { vec![] };
                let mut held = Held::default();
                few.push(text.clone().into_bytes(), keys.clone(), &mut held, (&spec, &mut cx))
                    .expect("fits");
                texts.rows.push((text.into_bytes(), keys));
            }
            assert!(few.bytes < 2 * Texts::STEP + 1000 && few.rows.len() < 5000);
            let (few, all) = (join(few, &spec, &mut cx), join(texts, &spec, &mut cx));
            assert_eq!(few.to_string_lossy(), all.to_string_lossy());
            let told: Vec<&str> = cx.warnings.list().iter().map(|w| &w.message[..]).collect();
            assert!(told.len() == 2 && told[0] == told[1], "{told:?}");
        }
    }
}
