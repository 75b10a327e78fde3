//! `nccopy`: copies, their options, jobs of many inputs, copies in parts.
#![forbid(unsafe_code)]

mod cloud;
mod copying;
mod emit;
mod jobs;
mod nccopy;
mod nccopy_options;
mod parts;
mod parts_finish;
mod parts_stages;
mod replaced;
