//! Variables that a statement's hints set for its time.

use super::Session;
use crate::errno;
use crate::query::hints::{self, SetVar};
use crate::vars::{SetInput, Var, VarValue};
use weir_syntax::ast::Statement;

/// What the manual lets SET_VAR set, of the variables that are here.
const HINTABLE: [&str; 41] = [
    "auto_increment_increment",
    "auto_increment_offset",
    "big_tables",
    "bulk_insert_buffer_size",
    "cte_max_recursion_depth",
    "div_precision_increment",
    "end_markers_in_json",
    "eq_range_index_dive_limit",
    "foreign_key_checks",
    "group_concat_max_len",
    "insert_id",
    "internal_tmp_mem_storage_engine",
    "join_buffer_size",
    "lock_wait_timeout",
    "max_error_count",
    "max_execution_time",
    "max_heap_table_size",
    "max_join_size",
    "max_length_for_sort_data",
    "max_points_in_geometry",
    "max_seeks_for_key",
    "max_sort_length",
    "optimizer_prune_level",
    "optimizer_search_depth",
    "optimizer_switch",
    "range_alloc_block_size",
    "range_optimizer_max_mem_size",
    "read_buffer_size",
    "read_rnd_buffer_size",
    "sort_buffer_size",
    "sql_auto_is_null",
    "sql_big_selects",
    "sql_buffer_result",
    "sql_mode",
    "sql_safe_updates",
    "sql_select_limit",
    "timestamp",
    "tmp_table_size",
    "unique_checks",
    "updatable_views_with_limit",
    "windowing_use_high_precision",
];

impl Session {
    /// Sets them, and gives back what was there. What cannot be set is a warning, as in MySQL.
    pub(super) fn set_hinted(&mut self, stmt: &Statement) -> Vec<(Var, VarValue)> {
        let wanted = hints::variables(stmt);
        if wanted.is_empty() {
            return Vec::new();
        }
        let mut before = Vec::new();
        for hint in &wanted {
            match Var::lookup(&hint.name) {
                None => {
                    let text = format!("Unresolved name '{}' for SET_VAR hint", hint.name);
                    self.current.warn(errno::ER_UNRESOLVED_HINT_NAME, || text);
                }
                Some(var) if !HINTABLE.contains(&var.name()) => {
                    let text =
                        format!("Variable '{}' cannot be set using SET_VAR hint.", hint.name);
                    self.current.warn(errno::ER_NOT_HINT_UPDATABLE_VARIABLE, || text);
                }
                // The first of several counts.
                Some(var) if before.iter().any(|(b, _)| *b == var) => {
                    let text = format!(
                        "Hint SET_VAR({}={}) is ignored as conflicting/duplicated",
                        hint.name, hint.value
                    );
                    self.current.warn(errno::ER_WARN_CONFLICTING_HINT, || text);
                }
                Some(var) => {
                    let old = self.vars.get(var);
                    match self.vars.set(var, &input(hint)) {
                        Ok(_) => {
                            self.tell_info(var);
                            before.push((var, old));
                        }
                        Err(e) => self.current.warn(e.errno, || e.message),
                    }
                }
            }
        }
        self.settle_vars();
        before
    }

    pub(super) fn unset_hinted(&mut self, before: Vec<(Var, VarValue)>) {
        if before.is_empty() {
            return;
        }
        for (var, value) in before {
            self.vars.put(var, value);
            self.tell_info(var);
        }
        self.settle_vars();
    }
}

/// Numbers may have a unit.
fn input(hint: &SetVar) -> SetInput<'_> {
    let text = hint.value.as_str();
    let unit = match text.chars().last() {
        Some('k' | 'K') => 1 << 10,
        Some('m' | 'M') => 1 << 20,
        Some('g' | 'G') => 1 << 30,
        _ => 1,
    };
    let digits = if unit > 1 { &text[..text.len() - 1] } else { text };
    let whole = digits.parse::<i64>().ok().and_then(|n| n.checked_mul(unit));
    match (hint.quoted, whole, text.parse::<f64>()) {
        (true, ..) => SetInput::Str(text),
        (false, Some(n), _) => SetInput::Int(n),
        (false, None, Ok(x)) => SetInput::Float(x),
        _ => SetInput::Str(text),
    }
}
