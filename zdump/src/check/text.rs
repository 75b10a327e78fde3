//! Texts in messages.

use netcdf_core::json::Json;

/// Formats JSON for a message, shortened.
pub(super) fn shown(json: &Json) -> String {
    let text = json.to_bytes();
    let text = String::from_utf8_lossy(&text).into_owned();
    match text.char_indices().nth(120) {
        None => text,
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// Returns `1 dimension` or `2 dimensions`.
pub(super) fn counted(n: u64, what: &str) -> String {
    let end = if n == 1 { "" } else { "s" };
    format!("{n} {what}{end}")
}
