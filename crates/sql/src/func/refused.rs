//! MySQL's own functions that are refused by name: a caller hears why instead of that there is no such function.
//!
//! A stored function of the name goes before, since MySQL's manual has it so for names that the server does not know.

use crate::errno;
use crate::value::ValueError;

/// Why a function is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// MySQL calls it from the views of its dictionary, and refuses everybody else.
    Internal,
    /// It waits for what a replica has applied, on the channel that is named.
    Waits,
    /// It draws a graph of all accounts and the roles that they have.
    Roles,
}

/// Names in lower case, in order.
const REFUSED: [(&str, Why); 34] = [
    ("can_access_column", Why::Internal),
    ("can_access_database", Why::Internal),
    ("can_access_event", Why::Internal),
    ("can_access_resource_group", Why::Internal),
    ("can_access_routine", Why::Internal),
    ("can_access_table", Why::Internal),
    ("can_access_trigger", Why::Internal),
    ("can_access_user", Why::Internal),
    ("can_access_view", Why::Internal),
    ("get_dd_column_privileges", Why::Internal),
    ("get_dd_create_options", Why::Internal),
    ("get_dd_index_sub_part_length", Why::Internal),
    ("internal_auto_increment", Why::Internal),
    ("internal_avg_row_length", Why::Internal),
    ("internal_check_time", Why::Internal),
    ("internal_checksum", Why::Internal),
    ("internal_data_free", Why::Internal),
    ("internal_data_length", Why::Internal),
    ("internal_dd_char_length", Why::Internal),
    ("internal_get_comment_or_error", Why::Internal),
    ("internal_get_enabled_role_json", Why::Internal),
    ("internal_get_hostname", Why::Internal),
    ("internal_get_username", Why::Internal),
    ("internal_get_view_warning_or_error", Why::Internal),
    ("internal_index_column_cardinality", Why::Internal),
    ("internal_index_length", Why::Internal),
    ("internal_is_enabled_role", Why::Internal),
    ("internal_is_mandatory_role", Why::Internal),
    ("internal_keys_disabled", Why::Internal),
    ("internal_max_data_length", Why::Internal),
    ("internal_table_rows", Why::Internal),
    ("internal_update_time", Why::Internal),
    ("roles_graphml", Why::Roles),
    ("wait_until_sql_thread_after_gtids", Why::Waits),
];

/// The error for a function that is one of MySQL's: 3566 where MySQL refuses it as well, and 1235 where it is not there. `None`: the name
/// is nobody's.
pub fn error(name: &str) -> Option<ValueError> {
    let lower = name.to_ascii_lowercase();
    let at = REFUSED.binary_search_by(|(known, _)| (*known).cmp(&lower)).ok()?;
    Some(match REFUSED[at].1 {
        Why::Internal => ValueError::of(errno::ER_NO_ACCESS_TO_NATIVE_FCT, &[&lower]),
        Why::Waits | Why::Roles => {
            let upper = name.to_ascii_uppercase();
            let text = format!("This version of MySQL doesn't yet support '{upper}()'");
            ValueError::new(errno::ER_NOT_SUPPORTED_YET, text)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order_and_have_no_row() {
        assert!(REFUSED.windows(2).all(|w| w[0].0 < w[1].0));
        for (name, _) in REFUSED {
            assert!(crate::func::lookup(name).is_none(), "{name}");
            assert_eq!(name, name.to_ascii_lowercase());
        }
        assert_eq!(error("CAN_ACCESS_TABLE").map(|e| e.errno), Some(3566));
        assert_eq!(error("Roles_GraphML").map(|e| e.errno), Some(1235));
        assert!(error("nobodys").is_none());
    }
}
