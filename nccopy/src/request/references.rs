//! The requested form of references.

use netcdf_core::copy::references::ReferenceOptions;

/// The form of references to the chunks of the input.
#[derive(Debug)]
pub struct ReferenceRequest {
    /// Sizes and names.
    pub options: ReferenceOptions,
    /// Whether variables that cannot be referred to are skipped.
    pub skip_unreadable: bool,
}
