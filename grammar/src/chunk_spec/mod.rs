//! Shapes of chunks: `nccopy -c`.
//!
//! `temp:1,180,360` is the shape of the chunks of a variable, `temp:`, `temp:contiguous` and `temp:compact` say how else it
//! is stored; `time/1,lat/180` is the length of chunks along dimensions (`time/` is all of it), and `/` asks for no chunks.

mod parse;
mod resolve;

pub use parse::{Along, Request, parse};
pub use resolve::resolve;
