//! Structures of a program as rows.

/// Defines a structure that rows are read as, by the names of their columns: what [`FromRow`](crate::FromRow) is for tuples by their order. A field
/// whose column has another name says so. Columns that no field has are left out; one that is missing is
/// [`Error::NoSuchColumn`](crate::Error::NoSuchColumn), and NULL needs an `Option`.
///
/// ```
/// use weir::{Database, from_row, params};
///
/// from_row! {
///     /// An account.
///     #[derive(Debug, PartialEq)]
///     pub struct Account {
///         pub id: i64,
///         pub owner: Option<String>,
///         cents: i64 as "balance",
///     }
/// }
///
/// # fn main() -> weir::Result<()> {
/// let mut conn = Database::open_in_memory()?.connect()?;
/// let sql = "SELECT 1 AS id, 'Ada' AS owner, 500 AS balance, 'x' AS more UNION ALL SELECT ?, NULL, 0, 'y'";
/// let accounts: Vec<Account> = conn.query_as(sql, params![2])?;
/// assert_eq!(accounts[0], Account { id: 1, owner: Some("Ada".into()), cents: 500 });
/// assert_eq!(accounts[1], Account { id: 2, owner: None, cents: 0 });
/// # Ok(()) }
/// ```
#[macro_export]
macro_rules! from_row {
    ($(#[$meta:meta])* $vis:vis struct $name:ident {
        $($(#[$of_field:meta])* $field_vis:vis $field:ident: $ty:ty $(as $column:literal)?),* $(,)?
    }) => {
        $(#[$meta])*
        $vis struct $name {
            $($(#[$of_field])* $field_vis $field: $ty),*
        }

        impl $crate::FromRow for $name {
            fn from_row(row: &$crate::Row) -> $crate::Result<Self> {
                Ok($name { $($field: row.get($crate::from_row!(@name $field $($column)?))?),* })
            }
        }
    };
    (@name $field:ident $column:literal) => { $column };
    (@name $field:ident) => { stringify!($field).trim_start_matches("r#") };
}
