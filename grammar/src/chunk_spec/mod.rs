//! Shapes of chunks: `nccopy -c`.
//!
//! `temp:1,180,360` gives the shape of the chunks of a variable; `temp:`, `temp:contiguous` and `temp:compact` select other
//! layouts. `time/1,lat/180` gives the length of chunks along dimensions (`time/` means the whole dimension), and `/` asks for
//! no chunks.

mod parse;
mod resolve;

pub use parse::{Along, ChunkRequest, parse};
pub use resolve::resolve;
