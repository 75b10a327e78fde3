//! What tools name on their command lines: inputs and outputs by path or URL, `-` for the standard ones.

mod input;
mod output;
mod url;

use std::borrow::Cow;
use std::path::Path;

pub use input::{Access, input};
pub use output::{Asked, Destination, Form, output};

use crate::error::Result;

/// The local path that a path or URL leads to.
///
/// # Errors
/// [`crate::ErrorKind::Unsupported`] for URLs of remote data; [`crate::ErrorKind::Argument`] for unknown URLs.
pub fn local(named: &Path) -> Result<Cow<'_, Path>> {
    Ok(match url::parse(named)? {
        Some(url) => Cow::Owned(url.path),
        None => Cow::Borrowed(named),
    })
}

/// True if `NCZARR_CONSOLIDATED` in the environment asks for consolidated metadata, as in netCDF-C.
fn consolidated_by_environment() -> bool {
    let value = std::env::var("NCZARR_CONSOLIDATED").unwrap_or_default();
    matches!(value.to_ascii_lowercase().as_str(), "1" | "true" | "yes")
}
