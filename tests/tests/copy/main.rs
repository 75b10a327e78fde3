//! `nccopy`: copies, their options, jobs of many inputs, copies in parts.
#![forbid(unsafe_code)]

mod cloud;
mod copying;
mod digests;
mod emit;
mod fill_values;
mod jobs;
mod nccopy;
mod nccopy_options;
mod parts;
mod parts_finish;
mod parts_stages;
mod replaced;
