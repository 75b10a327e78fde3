//! Declares exported functions.

use std::ffi::c_int;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::fork;
use super::last_error;
use super::symbols::set_old_status;
use crate::error_number::{ErrorNumber, OLD_ERROR};

/// Declares exported functions with their C types. The body is safe Rust and returns `Result<(), ErrorNumber>`; the function returns the error
/// number. A panic becomes `NC_EINTERNAL`.
macro_rules! export {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$doc])*
            // Unique: netCDF-C's name, which no other function of this library has.
            #[allow(unsafe_code, reason = "an exported name")]
            #[unsafe(no_mangle)]
            extern "C" fn $name($($arg: $ty),*) -> std::ffi::c_int {
                $crate::border::guarded(move || $body)
            }
        )*
    };
}

/// Declares exported functions that return a text.
macro_rules! export_text {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$doc])*
            #[allow(unsafe_code, reason = "an exported name")]
            #[unsafe(no_mangle)]
            extern "C" fn $name($($arg: $ty),*) -> $crate::border::StaticText $body
        )*
    };
}

/// Declares exported functions of version 2: they return -1 for errors, and record the error number.
macro_rules! export_old {
    ($($(#[$doc:meta])* fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {
        $(
            $(#[$doc])*
            #[allow(unsafe_code, reason = "an exported name")]
            #[unsafe(no_mangle)]
            extern "C" fn $name($($arg: $ty),*) -> std::ffi::c_int {
                $crate::border::guarded_old(move || $body)
            }
        )*
    };
}

/// Declares functions that write, with the arguments that decide the error number. The C calling conventions of Linux allow a callee to
/// ignore its other arguments.
macro_rules! refuse {
    ($($refusal:ident $arguments:tt => $($name:ident)*;)*) => {
        $($($crate::border::refuse!(@function $refusal $arguments $name);)*)*
    };
    (@function $refusal:ident ($($arg:ident: $ty:ty),*) $name:ident) => {
        $crate::border::export! {
            fn $name($($arg: $ty),*) { Err($refusal($($arg),*)) }
        }
    };
}

pub(crate) use {export, export_old, export_text, refuse};

/// Runs the body of an exported function and returns its error number.
pub(crate) fn guarded(body: impl FnOnce() -> Result<(), ErrorNumber>) -> c_int {
    let _call = fork::begin_call();
    last_error::forget();
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => 0,
        Ok(Err(code)) => code.0,
        Err(_) => ErrorNumber::EINTERNAL.0,
    }
}

/// Like [`guarded`], for functions of version 2, which return a number.
pub(crate) fn guarded_old(body: impl FnOnce() -> Result<c_int, ErrorNumber>) -> c_int {
    let mut number = OLD_ERROR;
    let status = guarded(|| {
        number = body()?;
        Ok(())
    });
    set_old_status(status);
    number
}
