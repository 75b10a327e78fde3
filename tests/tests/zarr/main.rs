//! Zarr stores through all tools.
#![forbid(unsafe_code)]

mod json_lines;
mod odd_keys;
mod store_texts;
mod stores;
mod zdump_data;
mod zdump_generations;
mod zdump_look;
mod zdump_tree;
