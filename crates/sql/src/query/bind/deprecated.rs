//! What MySQL warns of because it is to go, or because it is a hint or a space that means nothing: said each time that a text is run, and when a statement is prepared. A view's text warns nobody who
//! reads the view.

use super::Binder;
use crate::query::plan::deprecated::Deprecated;

impl Binder<'_> {
    pub fn deprecated(&mut self, what: Deprecated) {
        if self.views.is_empty() {
            self.deprecated.push(what);
        }
    }
}
