//! JSON_VALUE in the expressions of definitions.

use super::{W, Writer, cast_type};
use crate::canonical::returned;
use weir_syntax::ast::{JsonOn, JsonValue};

impl Writer<'_> {
    pub(super) fn json_value(&mut self, j: &JsonValue) -> W {
        self.put("json_value(");
        self.expr(&j.doc)?;
        self.put(", ");
        self.expr(&j.path)?;
        let to = returned(j.returning.as_ref()).unwrap_or_else(cast_type);
        self.put(&format!(" returning {to}"));
        for (on, when) in [(&j.on_empty, "empty"), (&j.on_error, "error")] {
            match on {
                None => continue,
                Some(JsonOn::Null) => self.put(" null"),
                Some(JsonOn::Error) => self.put(" error"),
                Some(JsonOn::Default(e)) => {
                    self.put(" default ");
                    self.expr(e)?;
                }
            }
            self.put(&format!(" on {when}"));
        }
        self.put(")");
        Ok(())
    }
}
