//! What tools name on their command lines: inputs and outputs by path or URL, `-` for the standard ones.

mod input;
mod output;
mod url;

use std::borrow::Cow;
use std::path::Path;

pub use input::{Access, input};
pub use output::{Asked, Destination, Form, output};

use crate::error::Result;

/// The path on this machine that a path or URL leads to.
///
/// # Errors
/// [`crate::ErrorKind::Unsupported`] for URLs of what is not on this machine; [`crate::ErrorKind::Argument`] for
/// what is no URL that we know.
pub fn local(named: &Path) -> Result<Cow<'_, Path>> {
    Ok(match url::parse(named)? {
        Some(url) => Cow::Owned(url.path),
        None => Cow::Borrowed(named),
    })
}

/// True if metadata under one key is asked for by `NCZARR_CONSOLIDATED` in the environment, as netCDF-C has it.
fn consolidated_by_environment() -> bool {
    let value = std::env::var("NCZARR_CONSOLIDATED").unwrap_or_default();
    matches!(value.to_ascii_lowercase().as_str(), "1" | "true" | "yes")
}
