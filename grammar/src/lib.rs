//! Text forms of netCDF: CDL, JSON, numbers, escapes, filter and chunk specifications, and the common parts of the tools' command lines.
#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "tests choose their numbers"
    )
)]

pub mod c_format;
pub mod cdl;
pub mod chunk_spec;
pub mod commit;
pub mod diagnostic;
pub mod edit;
pub mod escape;
pub mod exit_status;
pub mod filter_spec;
pub mod flags;
pub mod help;
pub mod hyperslab;
pub mod ignore_list;
pub mod join;
pub mod json;
pub mod kind_options;
pub mod mistake;
pub mod modes;
pub mod number;
mod object_name;
pub mod pattern;
pub mod selection;
#[cfg(test)]
mod spec_tests;
pub mod split;
pub mod time;
pub mod usage;
mod write;
