//! The border to C: checked views of arguments, the C allocator, exported symbols and `fork` handlers.
//!
//! Only this folder has code that the compiler does not check. All other modules see the types of this folder, whose methods are safe
//! under one assumption: the caller keeps the contract of `netcdf.h`. A pointer is null, or points to as many elements as the function
//! documents. No module outside of the border can create a view, except from another view.
#![allow(
    unsafe_code,
    reason = "C passes raw pointers; each block states why it is sound"
)]

mod allocator;
mod block;
#[cfg(feature = "calls")]
pub mod calls;
mod export;
mod file;
mod fork;
mod last_error;
mod pages;
mod strings;
mod symbols;
mod text;
mod views;

pub(crate) use block::{CallerMemory, KeptImage, MemoryBlock, MemoryImage};
pub(crate) use export::{export, export_old, export_text, guarded, guarded_old, refuse};
pub(crate) use file::library_file;
pub(crate) use last_error::{last_error, remember};
pub(crate) use strings::OutStrings;
pub(crate) use text::{InText, OutText, StaticText};
pub(crate) use views::{InArray, OutArray, PlainNumber};
