//! Command-line names of inputs and outputs: paths, URLs, and `-` for standard input and output.

mod address;
mod destination;
mod input;
mod location;
mod modes;
mod output;
mod reference_sources;
mod remote_output;
mod url;

pub use destination::{Destination, OutputForm, OutputRequest};
pub use input::{InputAccess, input};
pub use location::Location;
pub use output::output;

/// Whether `NCZARR_CONSOLIDATED` in the environment requests consolidated metadata, like in netCDF-C.
fn consolidated_by_environment() -> bool {
    let value = std::env::var("NCZARR_CONSOLIDATED").unwrap_or_default();
    matches!(value.to_ascii_lowercase().as_str(), "1" | "true" | "yes")
}
