//! Chunk shapes: `nccopy -c`.
//!
//! `temp:1,180,360` sets the chunk shape of a variable. `temp:`, `temp:contiguous` and `temp:compact` select other layouts.
//! `time/1,lat/180` sets the chunk length along dimensions; `time/` means the whole dimension. `/` disables chunking.

mod parse;
mod resolve;

pub use parse::{Along, ChunkRequest, parse};
pub use resolve::resolve;
