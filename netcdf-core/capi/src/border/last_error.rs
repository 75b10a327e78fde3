//! The text of the last error of each thread.

use std::cell::RefCell;
use std::ffi::CString;

use super::text::StaticText;

thread_local! {
    static LAST: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// Forgets the text, at the start of a call.
pub(super) fn forget() {
    // A thread without thread-local data ends.
    let _ = LAST.try_with(|last| last.borrow_mut().take());
}

/// Keeps the text of an error of the current call.
pub(crate) fn remember(text: &str) {
    let text = text.replace('\0', " ");
    let _ = LAST.try_with(|last| *last.borrow_mut() = CString::new(text).ok());
}

/// Returns the text of the last call of this thread. The text lives until the next call.
pub(crate) fn last_error() -> StaticText {
    let text = LAST.try_with(|last| {
        let last = last.borrow();
        last.as_deref().map_or(c"".into(), StaticText::of_thread)
    });
    text.unwrap_or_else(|_| c"".into())
}
