//! `optimizer_switch`: the flags of the planner, each on or off.
//!
//! A SET changes the flags that it names and leaves the others. Flags that nothing here reads are kept and shown, with a warning where one
//! is set away from its default.

use super::SetInput;

/// A flag that the planner reads. Results are the same whether it is on or off, and plans are not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Switch {
    /// The rows of several indexes of a table are put together.
    IndexMerge,
    IndexMergeUnion,
    IndexMergeSortUnion,
    IndexMergeIntersection,
    /// Conditions are asked as soon as the tables that they read are there; off: of whole joined rows.
    ConditionPushdown,
    /// Rows that a join reads for each row before are kept, and found by a hash.
    BlockNestedLoop,
    HashJoin,
    /// Subqueries of conditions become joins with the query's rows, each there once.
    Materialization,
    Semijoin,
    /// Derived tables, common tables and views are merged with the query around.
    DerivedMerge,
    /// LIMIT may choose an index for its order.
    OrderingIndex,
    /// Conditions on a derived table that makes groups, windows or a union are given to its query.
    DerivedConditionPushdown,
    /// An index is searched behind its first parts, for each value of those.
    SkipScan,
    /// Rules by which conditions are rewritten (`query::optimize::rewrite`).
    NegationPushdown,
    OuterToInner,
    OrFactoring,
    OrTableFilters,
    EqualityPropagation,
}

use Switch::*;

/// Flags that MySQL has. Those behind them are Weir's: the variable shows one of them only where it is off, so that it reads as MySQL's.
const MYSQLS: usize = 27;

/// Names in MySQL's order, which is that of the bits of a number; the default; what reads it here.
const FLAGS: [(&str, bool, Option<Switch>); MYSQLS + 5] = [
    ("index_merge", true, Some(IndexMerge)),
    ("index_merge_union", true, Some(IndexMergeUnion)),
    ("index_merge_sort_union", true, Some(IndexMergeSortUnion)),
    ("index_merge_intersection", true, Some(IndexMergeIntersection)),
    ("engine_condition_pushdown", true, None),
    ("index_condition_pushdown", true, Some(ConditionPushdown)),
    ("mrr", true, None),
    ("mrr_cost_based", true, None),
    ("block_nested_loop", true, Some(BlockNestedLoop)),
    ("batched_key_access", false, None),
    ("materialization", true, Some(Materialization)),
    ("semijoin", true, Some(Semijoin)),
    ("loosescan", true, None),
    ("firstmatch", true, None),
    ("duplicateweedout", true, None),
    ("subquery_materialization_cost_based", true, None),
    ("use_index_extensions", true, None),
    ("condition_fanout_filter", true, None),
    ("derived_merge", true, Some(DerivedMerge)),
    ("use_invisible_indexes", false, None),
    ("skip_scan", true, Some(SkipScan)),
    ("hash_join", true, Some(HashJoin)),
    ("subquery_to_derived", false, None),
    ("prefer_ordering_index", true, Some(OrderingIndex)),
    ("hypergraph_optimizer", false, None),
    ("derived_condition_pushdown", true, Some(DerivedConditionPushdown)),
    ("hash_set_operations", true, None),
    ("negation_pushdown", true, Some(NegationPushdown)),
    ("outer_to_inner", true, Some(OuterToInner)),
    ("or_factoring", true, Some(OrFactoring)),
    ("or_table_filters", true, Some(OrTableFilters)),
    ("equality_propagation", true, Some(EqualityPropagation)),
];

/// What the variable holds when nobody has set it.
pub const DEFAULT: &str = "index_merge=on,index_merge_union=on,index_merge_sort_union=on,index_merge_intersection=on,\
    engine_condition_pushdown=on,index_condition_pushdown=on,mrr=on,mrr_cost_based=on,block_nested_loop=on,batched_key_access=off,\
    materialization=on,semijoin=on,loosescan=on,firstmatch=on,duplicateweedout=on,subquery_materialization_cost_based=on,\
    use_index_extensions=on,condition_fanout_filter=on,derived_merge=on,use_invisible_indexes=off,skip_scan=on,hash_join=on,\
    subquery_to_derived=off,prefer_ordering_index=on,hypergraph_optimizer=off,derived_condition_pushdown=on,hash_set_operations=on";

/// The flags that are off, of those that the planner reads.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Switches(u32);

impl Switches {
    /// From the variable's text.
    pub fn of(text: &str) -> Switches {
        if text == DEFAULT {
            return Switches::default();
        }
        let Ok(flags) = apply(defaults(), text) else { return Switches::default() };
        let off = FLAGS.iter().zip(flags).filter(|(_, on)| !on).filter_map(|(f, _)| f.2);
        Switches(off.fold(0, |bits, s| bits | 1 << s as u8))
    }

    pub fn is_off(self, s: Switch) -> bool {
        self.0 & (1 << s as u8) != 0
    }

    pub fn are_all_on(self) -> bool {
        self.0 == 0
    }

    /// For keys of plans.
    pub fn bits(self) -> u32 {
        self.0
    }
}

type Flags = [bool; FLAGS.len()];

fn defaults() -> Flags {
    FLAGS.map(|f| f.1)
}

/// The flags after a list of commands; the first command that is not one, or that names a flag again, is the error.
fn apply(before: Flags, list: &str) -> Result<Flags, &str> {
    let mut flags = before;
    if list.is_empty() {
        return Ok(flags);
    }
    let mut named = [false; FLAGS.len()];
    let all_default = list.split(',').filter(|c| c.eq_ignore_ascii_case("default")).count();
    if all_default > 0 {
        flags = defaults();
    }
    let mut met_default = false;
    for command in list.split(',') {
        if command.eq_ignore_ascii_case("default") {
            if std::mem::replace(&mut met_default, true) {
                return Err(command);
            }
            continue;
        }
        let (name, value) = command.split_once('=').ok_or(command)?;
        let at = FLAGS.iter().position(|f| f.0.eq_ignore_ascii_case(name)).ok_or(command)?;
        if std::mem::replace(&mut named[at], true) {
            return Err(command);
        }
        flags[at] = match value.to_ascii_lowercase().as_str() {
            "on" => true,
            "off" => false,
            "default" => FLAGS[at].1,
            _ => return Err(command),
        };
    }
    Ok(flags)
}

fn shown(flags: Flags) -> String {
    let one = |(n, on): (usize, bool)| {
        let (name, default, _) = FLAGS[n];
        let is_shown = n < MYSQLS || default != on;
        is_shown.then(|| format!("{name}={}", if on { "on" } else { "off" }))
    };
    flags.into_iter().enumerate().filter_map(one).collect::<Vec<_>>().join(",")
}

/// The whole text after a SET over `before`, or the part of it that 1231 names. `None`: the input has a type that the variable does not take.
pub fn set(before: &str, input: &SetInput<'_>) -> Option<Result<String, String>> {
    let bit = |n: u64, i: usize| if i < MYSQLS { n >> i & 1 == 1 } else { FLAGS[i].1 };
    let of_number = |n: u64| match n >> MYSQLS {
        0 => Ok(shown(std::array::from_fn(|i| bit(n, i)))),
        _ => Err(n.to_string()),
    };
    Some(match input {
        SetInput::Str(list) => {
            let known = apply(defaults(), before).unwrap_or_else(|_| defaults());
            apply(known, list).map(shown).map_err(str::to_owned)
        }
        SetInput::Int(n) => u64::try_from(*n).map_err(|_| n.to_string()).and_then(of_number),
        SetInput::UInt(n) => of_number(*n),
        SetInput::Null => Err("NULL".into()),
        SetInput::Float(_) => return None,
    })
}

/// A flag that is not as by default and that nothing reads.
pub fn without_effect(text: &str) -> Option<&'static str> {
    let flags = apply(defaults(), text).ok()?;
    let odd = |(f, on): &(&(&'static str, bool, Option<Switch>), bool)| f.2.is_none() && f.1 != *on;
    FLAGS.iter().zip(flags).find(odd).map(|(f, _)| f.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_what_the_flags_say() {
        assert_eq!(shown(defaults()), DEFAULT);
        assert!(Switches::of(DEFAULT).are_all_on());
    }

    #[test]
    fn a_list_changes_what_it_names() {
        let after = |list: &str| set(DEFAULT, &SetInput::Str(list)).unwrap();
        let off = after("SEMIJOIN=OFF,mrr=off").unwrap();
        assert!(
            off.contains("semijoin=off")
                && off.contains(",mrr=off")
                && off.contains("hash_join=on")
        );
        assert!(Switches::of(&off).is_off(Semijoin) && !Switches::of(&off).is_off(HashJoin));
        assert_eq!(without_effect(&off), Some("mrr"));
        let again = |list: &str| set(&off, &SetInput::Str(list)).unwrap().unwrap();
        assert_eq!(again("semijoin=default,mrr=on"), DEFAULT);
        assert_eq!(again("default"), DEFAULT);
        assert_eq!(again(""), off);
        // As in MySQL the word stands for all flags that are not named, wherever it is.
        assert!(again("mrr=off,default").contains(",mrr=off"));
        assert_eq!(set(DEFAULT, &SetInput::Int(3)).unwrap().unwrap().matches("=on").count(), 2);
        // A rule of Weir's is shown where it is off.
        let rule = again("default,or_factoring=off");
        assert_eq!(rule, format!("{DEFAULT},or_factoring=off"));
        assert!(Switches::of(&rule).is_off(OrFactoring) && without_effect(&rule).is_none());
        assert_eq!(set(&rule, &SetInput::Str("or_factoring=on")).unwrap().unwrap(), DEFAULT);
    }

    #[test]
    fn what_is_no_flag_is_named() {
        for (list, part) in [
            ("foo=on", "foo=on"),
            ("mrr", "mrr"),
            ("mrr=x", "mrr=x"),
            ("mrr=1", "mrr=1"),
            ("mrr=off,mrr=on", "mrr=on"),
            ("default,default", "default"),
            (" mrr=off", " mrr=off"),
            ("mrr=off, semijoin=off", " semijoin=off"),
            ("semij=off", "semij=off"),
            ("mrr=off,", ""),
        ] {
            assert_eq!(
                set(DEFAULT, &SetInput::Str(list)).unwrap(),
                Err(part.to_string()),
                "{list}"
            );
        }
        assert_eq!(set(DEFAULT, &SetInput::Null).unwrap(), Err("NULL".into()));
        assert_eq!(set(DEFAULT, &SetInput::Int(-1)).unwrap(), Err("-1".into()));
        assert_eq!(set(DEFAULT, &SetInput::Int(1 << 40)).unwrap(), Err((1u64 << 40).to_string()));
        assert!(set(DEFAULT, &SetInput::Float(1.5)).is_none());
    }
}
