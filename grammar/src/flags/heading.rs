//! Headings of `--help`.

/// Everyday options, which come first. `-h` prints only these.
pub const EVERYDAY: Option<&str> = None;

/// Digits in place of `-k`.
pub const KIND: &str = "Output kind as a digit";

/// Variables, groups and ranges of dimensions.
pub const SELECTION: &str = "Selection";

/// Many datasets as one dataset.
pub const JOIN: &str = "Join";

/// Options of Zarr output.
pub const ZARR: &str = "Zarr output";

/// Options that refuse or permit something.
pub const CHECKS: &str = "Checks and permissions";

/// HDF5 plugins and codec libraries.
pub const PLUGINS: &str = "Plugins";

/// Threads, memory and requests.
pub const RESOURCES: &str = "Resources and network";

/// Options of the C tools without effect. They come last.
pub const IGNORED: &str = "Without effect, accepted for compatibility";
