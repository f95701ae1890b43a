//! What MySQL warns of because it is to go, or because it is a hint or a space that means nothing: said each time that a text is run, and when a statement is prepared. A view's text warns nobody who
//! reads the view.

use super::Binder;
use crate::query::expr::BExpr;
use crate::query::plan::deprecated::Deprecated;
use crate::value::SqlType;

impl Binder<'_> {
    pub fn deprecated(&mut self, what: Deprecated) {
        if self.views.is_empty() {
            self.deprecated.push(what);
        }
    }

    /// 1235, which is a warning here: the comparison is made all the same.
    pub fn tell_json_compared<'e>(
        &mut self,
        mut of: impl Iterator<Item = &'e BExpr>,
        place: &'static str,
    ) {
        if of.any(|e| e.info.ty == SqlType::Json) {
            self.deprecated(Deprecated::JsonCompared(place));
        }
    }
}
