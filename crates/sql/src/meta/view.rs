//! What is stored of a view.

use super::{SqlColumn, codec};
use crate::errno;
use crate::session_api::SqlError;
use weir_engine::Object;
use weir_syntax::ast::{Query, Statement, ViewAlgorithm, ViewCheck};
use weir_syntax::parse::{ParseOptions, parse_one};

/// A view as it was defined.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewMeta {
    /// Names, and the types that they had when the view was made.
    pub columns: Vec<SqlColumn>,
    /// The query with its tables' schemas, its columns written out, and no words of a session's own `sql_mode`.
    pub query: String,
    pub algorithm: ViewAlgorithm,
    /// User and host.
    pub definer: (String, String),
    /// SQL SECURITY INVOKER.
    pub invoker: bool,
    pub check: ViewCheck,
    /// Rows may be changed through it.
    pub updatable: bool,
    /// `character_set_client` and `collation_connection` of whoever defined it.
    pub client: String,
    pub connection: String,
}

impl ViewMeta {
    pub fn of(o: &Object) -> Result<ViewMeta, SqlError> {
        codec::decode_view(&o.text)
    }

    /// The syntax tree of the query.
    pub fn parse(&self) -> Result<Box<Query>, SqlError> {
        let options = ParseOptions { kept: true, ..Default::default() };
        match parse_one(self.query.as_bytes(), &options) {
            Ok(parsed) => match parsed.stmt {
                Statement::Select(q) => Ok(q),
                _ => Err(SqlError::internal("the stored text of a view is no query")),
            },
            Err(e) => Err(SqlError::new(e.errno, e.message.to_string())),
        }
    }

    pub fn algorithm_text(&self) -> &'static str {
        match self.algorithm {
            ViewAlgorithm::Undefined => "UNDEFINED",
            ViewAlgorithm::Merge => "MERGE",
            ViewAlgorithm::TempTable => "TEMPTABLE",
        }
    }

    pub fn check_text(&self) -> &'static str {
        match self.check {
            ViewCheck::None => "NONE",
            ViewCheck::Local => "LOCAL",
            ViewCheck::Cascaded => "CASCADED",
        }
    }

    pub fn security_text(&self) -> &'static str {
        if self.invoker { "INVOKER" } else { "DEFINER" }
    }
}

/// 1356.
pub fn invalid(schema: &str, name: &str) -> SqlError {
    let text = format!(
        "View '{schema}.{name}' references invalid table(s) or column(s) or function(s) or definer/invoker of view lack rights to use them"
    );
    SqlError::new(errno::ER_VIEW_INVALID, text)
}
