//! HDF5 filter plugins and NCZarr codec libraries: shared objects that are loaded for filters that are not built in. They find libhdf5's
//! interface in this program, without libhdf5.
//!
//! | module | content |
//! |---|---|
//! | `discovery` | the searched directories, and the files in them |
//! | `trust` | permission checks of plugin files and directories |
//! | `writers` | other users with write permission to a file or directory |
//! | `object` | metadata of a shared object, read before loading |
//! | `stub` | an object that replaces libhdf5 for plugins that need it |
//! | `library` | loading of shared objects |
//! | `threads` | plugins that support concurrent threads |
//! | `guard` | reaction to plugins that end the process |
//! | `abi` | the C structures |
//! | `buffer` | memory that plugins may free |
//! | `host` | the functions and data that plugins use |
//! | `local` | the functions of a plugin loaded in this process |
//! | `helper` | plugins in separate processes |
//! | `filter` | the filter of a plugin |
//! | `codec` | NCZarr codec libraries |
//! | `stdout_check` | detection of a closed standard output; unrelated to plugins, but it needs `unsafe` |
//! | `registry` | the plugins of a run, and the reasons for unused plugins |
//!
//! Only this module contains `unsafe` code: it calls C functions, and exports functions for C.
#![allow(unsafe_code, reason = "plugins are functions of C")]
#![deny(clippy::undocumented_unsafe_blocks)]

mod abi;
mod buffer;
mod codec;
mod discovery;
mod filter;
mod guard;
mod helper;
mod host;
mod library;
mod local;
mod object;
mod registry;
pub(crate) mod stdout_check;
mod stub;
mod threads;
mod trust;
mod wire;
#[cfg(unix)]
mod writers;

pub use codec::{LibraryCodec, Parameters};
pub use discovery::{PRELOAD, PluginSearch, VARIABLE};
pub use filter::Plugin;
pub(crate) use guard::{is_tool, leave};
pub use helper::Isolation;
pub(crate) use helper::serve::serve_if_helper;
pub use registry::Plugins;
