//! HDF5 filter plugins and NCZarr codec libraries: shared objects, loaded when a filter is needed that is not
//! built in. They get what libhdf5 would give them, without libhdf5.
//!
//! | module | what |
//! |---|---|
//! | `discovery` | the searched directories, and the files in them |
//! | `trust` | whose files are loaded |
//! | `writers` | who may write to a file or directory |
//! | `object` | what a file says about itself before it is loaded |
//! | `stub` | an object that replaces libhdf5 for plugins that need it |
//! | `library` | loading |
//! | `threads` | which plugins work in several threads at a time |
//! | `guard` | what happens when a plugin ends the process |
//! | `abi` | the structures of C |
//! | `buffer` | memory that plugins may free |
//! | `host` | the functions and data that plugins use |
//! | `local` | the functions of a plugin in this process |
//! | `apart` | plugins in processes of their own |
//! | `filter` | a plugin's filter as one of ours |
//! | `codec` | codec libraries of NCZarr |
//! | `closed` | not about plugins, but the only other code that needs `unsafe`: whether standard output was closed |
//! | `registry` | the plugins of a run, and why others are not used |
//!
//! This is the only place in the workspace with `unsafe` code: it calls C functions, and exports functions for
//! C.
#![allow(unsafe_code, reason = "plugins are functions of C")]
#![deny(clippy::undocumented_unsafe_blocks)]

mod abi;
mod apart;
mod buffer;
pub(crate) mod closed;
mod codec;
mod discovery;
mod filter;
mod guard;
mod host;
mod library;
mod local;
mod object;
mod registry;
mod stub;
mod threads;
mod trust;
mod wire;
#[cfg(unix)]
mod writers;

pub use apart::Isolation;
pub(crate) use apart::serve::serve_if_asked;
pub use codec::{LibraryCodec, Parameters};
pub use discovery::{PRELOAD, PluginSearch, VARIABLE};
pub use filter::Plugin;
pub(crate) use guard::{is_tool, leave};
pub use registry::Plugins;
