//! Options that several tools have. Each option is declared here once.
//!
//! Every struct of options sets its heading in `--help`, because clap applies a heading to all options after it.

pub mod heading;
mod join;
mod kind;
mod network;
mod plugins;
mod process;
mod select;
mod write;
mod zarr;

pub use join::JoinArgs;
pub use kind::KindArgs;
pub use network::NetworkArgs;
pub use plugins::{PluginArgs, PreferenceArgs};
pub use process::{HelpArgs, ProcessArgs};
pub use select::HyperslabArgs;
pub use write::{ExternalArgs, QuietArgs, StrictArgs, WriteArgs};
pub use zarr::ZarrArgs;
