//! Threads and memory for the work of a process.

pub mod buffers;
pub mod pool;

pub use buffers::Buffers;
pub use pool::Pool;
