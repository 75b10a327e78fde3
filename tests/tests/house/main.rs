//! Rules for the source tree, and generated files.
#![forbid(unsafe_code)]

mod additions;
mod environment;
mod examples;
mod executables;
mod features;
mod generated;
mod layers;
mod modes;
mod names;
mod rules;
