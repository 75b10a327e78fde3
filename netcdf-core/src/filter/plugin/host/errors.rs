//! Error reporting: the messages of plugins become part of our messages.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::super::abi::Hid;
use super::{Export, ask, exports, put, text};

pub(super) fn exports() -> impl IntoIterator<Item = Export> {
    exports![H5Epush1 H5Epush2 H5Eclear1 H5Eclear2 H5Eget_auto1 H5Eget_auto2 H5Eget_num]
}

/// Records a message. The message is a format string; the values are not inserted.
///
/// # Safety
/// The texts are null or end with a NUL.
unsafe fn push(function: *const c_char, message: *const c_char) -> c_int {
    // SAFETY: by the caller.
    let (function, message) = unsafe { (text(function), text(message)) };
    let message = message.trim_end();
    let message = match function.is_empty() {
        true => message.to_owned(),
        false => format!("{function}: {message}"),
    };
    ask(0, |call| {
        call.add_message(message);
        0
    })
}

/// # Safety
/// The texts are null or end with a NUL.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Epush1(
    _file: *const c_char,
    function: *const c_char,
    _line: c_uint,
    _major: Hid,
    _minor: Hid,
    message: *const c_char,
) -> c_int {
    // SAFETY: by the caller.
    unsafe { push(function, message) }
}

/// In C, format values follow. They are passed after these arguments, or in other registers, on all machines that can load plugins.
///
/// # Safety
/// The texts are null or end with a NUL.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Epush2(
    _stack: Hid,
    _file: *const c_char,
    function: *const c_char,
    _line: c_uint,
    _class: Hid,
    _major: Hid,
    _minor: Hid,
    message: *const c_char,
) -> c_int {
    // SAFETY: by the caller.
    unsafe { push(function, message) }
}

#[unsafe(no_mangle)]
extern "C" fn H5Eclear1() -> c_int {
    ask(0, |call| {
        call.messages.clear();
        0
    })
}

#[unsafe(no_mangle)]
extern "C" fn H5Eclear2(_stack: Hid) -> c_int {
    H5Eclear1()
}

/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Eget_auto1(print: *mut *const c_void, data: *mut *mut c_void) -> c_int {
    // SAFETY: by the caller.
    unsafe {
        put(print, std::ptr::null());
        put(data, std::ptr::null_mut());
    }
    0
}

/// # Safety
/// The pointers are null or valid.
#[unsafe(no_mangle)]
unsafe extern "C" fn H5Eget_auto2(
    _stack: Hid,
    print: *mut *const c_void,
    data: *mut *mut c_void,
) -> c_int {
    // SAFETY: by the caller.
    unsafe { H5Eget_auto1(print, data) }
}

#[unsafe(no_mangle)]
extern "C" fn H5Eget_num(_stack: Hid) -> isize {
    ask(0, |call| call.messages.len().cast_signed())
}
