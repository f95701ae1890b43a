//! What is stored of a view: an object whose text is these bytes.

use super::SqlColumn;
use super::codec::bytes::{Reader, Writer, damaged, flags};
use super::codec::column::{get_column, put_column};
use crate::errno;
use crate::session_api::SqlError;
use weir_engine::Object;
use weir_syntax::ast::{Query, Statement, ViewAlgorithm, ViewCheck};
use weir_syntax::parse::{ParseOptions, parse_one};

/// The version of the stored form.
const VIEW_VERSION: u8 = 1;

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
    /// `character_set_client` and `collation_connection` of anyone who defined it.
    pub client: String,
    pub connection: String,
}

impl ViewMeta {
    pub fn of(o: &Object) -> Result<ViewMeta, SqlError> {
        ViewMeta::decode(&o.text)
    }

    /// The stored form.
    pub fn encode(&self) -> Vec<u8> {
        let mut w = Writer(vec![VIEW_VERSION]);
        w.u8(match self.algorithm {
            ViewAlgorithm::Undefined => 0,
            ViewAlgorithm::Merge => 1,
            ViewAlgorithm::TempTable => 2,
        });
        w.u8(match self.check {
            ViewCheck::None => 0,
            ViewCheck::Local => 1,
            ViewCheck::Cascaded => 2,
        });
        w.u8(flags(&[(self.invoker, 1), (self.updatable, 2)]));
        for text in [&self.definer.0, &self.definer.1, &self.client, &self.connection, &self.query]
        {
            w.str(text);
        }
        w.count(self.columns.len());
        self.columns.iter().for_each(|c| put_column(&mut w, c));
        w.0
    }

    /// Reads what [`ViewMeta::encode`] wrote.
    pub fn decode(bytes: &[u8]) -> Result<ViewMeta, SqlError> {
        let mut r = Reader(bytes);
        r.version(VIEW_VERSION)?;
        let algorithm = match r.u8()? {
            0 => ViewAlgorithm::Undefined,
            1 => ViewAlgorithm::Merge,
            2 => ViewAlgorithm::TempTable,
            _ => return Err(damaged()),
        };
        let check = match r.u8()? {
            0 => ViewCheck::None,
            1 => ViewCheck::Local,
            2 => ViewCheck::Cascaded,
            _ => return Err(damaged()),
        };
        let bits = r.u8()?;
        let definer = (r.str()?, r.str()?);
        let (client, connection, query) = (r.str()?, r.str()?, r.str()?);
        let columns = r.list(get_column)?;
        let (invoker, updatable) = (bits & 1 != 0, bits & 2 != 0);
        Ok(ViewMeta {
            columns,
            query,
            algorithm,
            definer,
            invoker,
            check,
            updatable,
            client,
            connection,
        })
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
    SqlError::of(errno::ER_VIEW_INVALID, &[&schema, &name])
}
