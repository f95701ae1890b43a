//! Panics are findings: they are caught, and told with the seed that met them.

use std::cell::RefCell;

thread_local! {
    static LAST_PANIC: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// From here on panics of this process are not printed, but told by the seeds that met them.
pub fn keep_panics_quiet() {
    std::panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let owned = payload.downcast_ref::<String>().map(String::as_str);
        let text = payload.downcast_ref::<&str>().copied().or(owned);
        let text = text.unwrap_or("a panic without words");
        let place =
            info.location().map_or(String::new(), |l| format!(" ({}:{})", l.file(), l.line()));
        LAST_PANIC.with(|p| *p.borrow_mut() = Some(format!("{text}{place}")));
    }));
}

/// What a panic that was caught said, and where it was if panics are kept quiet.
pub fn told_panic(payload: &(dyn std::any::Any + Send)) -> String {
    let told = LAST_PANIC.with(|p| p.borrow_mut().take());
    told.unwrap_or_else(|| {
        let s = payload.downcast_ref::<&str>().map(|s| (*s).to_string());
        s.or(payload.downcast_ref::<String>().cloned()).unwrap_or_default()
    })
}
