//! Filter plugins of HDF5 and codec libraries of NCZarr: shared objects that are loaded when a filter is needed that is
//! not built in. They are given what libhdf5 would give them, but there is no libhdf5.
//!
//! | module | what |
//! |---|---|
//! | `discovery` | the directories that are searched, and the files in them |
//! | `trust` | whose files are loaded |
//! | `writers` | who may write to a file or directory |
//! | `object` | what a file says of itself before it is loaded |
//! | `stub` | an object that stands for libhdf5 where a plugin says that it needs it |
//! | `library` | loading |
//! | `threads` | which plugins work in several threads at a time |
//! | `guard` | what becomes of a process that a plugin ends |
//! | `abi` | the structures of C |
//! | `buffer` | memory that plugins may free |
//! | `host` | the functions and data that plugins use |
//! | `local` | the functions of a plugin in this process |
//! | `apart` | plugins in processes of their own |
//! | `filter` | a plugin's filter as one of ours |
//! | `codec` | codec libraries of NCZarr |
//! | `closed` | what has nothing to do with plugins, but is the one other thing that needs `unsafe`: whether standard output was open |
//! | `registry` | the plugins of a run, and what is wrong with others |
//!
//! This is the only place of the workspace with `unsafe` code: functions of C are called, and are exported to be called.
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
#[cfg(unix)]
mod writers;

pub use apart::Isolation;
pub(crate) use apart::serve_if_asked;
pub use codec::{Codec, Parameters};
pub use discovery::{PRELOAD, Search, VARIABLE};
pub use filter::Plugin;
pub(crate) use guard::{is_tool, leave};
pub use registry::Plugins;
