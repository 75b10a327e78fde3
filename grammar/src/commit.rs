//! The commit in version texts.

/// The commit, which `build.rs` records for optimised builds in a checkout.
const COMMIT: Option<&str> = option_env!("BUILD_COMMIT");

/// Returns a version with the commit, if the commit is known: `0.2.0 (1a2b3c4d5e6f)`.
#[must_use]
pub fn version(version: &str) -> String {
    COMMIT.map_or_else(
        || version.to_owned(),
        |commit| format!("{version} ({commit})"),
    )
}
