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
//! | `abi` | the structures of C |
//! | `buffer` | memory that plugins may free |
//! | `host` | the functions and data that plugins use |
//! | `filter` | a plugin's filter as one of ours |
//! | `codec` | codec libraries of NCZarr |
//! | `registry` | the plugins of a run, and what is wrong with others |
//!
//! This is the only place of the workspace with `unsafe` code: functions of C are called, and are exported to be called.
#![allow(unsafe_code, reason = "plugins are functions of C")]
#![deny(clippy::undocumented_unsafe_blocks)]

mod abi;
mod buffer;
mod codec;
mod discovery;
mod filter;
mod host;
mod library;
mod object;
mod registry;
mod stub;
mod trust;
#[cfg(unix)]
mod writers;

pub use codec::{Codec, Parameters};
pub use discovery::{PRELOAD, Search, VARIABLE};
pub use filter::Plugin;
pub use registry::Plugins;
