//! Tools as processes: signals, terminals, and other programs as peers.
#![forbid(unsafe_code)]

mod api;
mod bar;
mod growing;
mod killed;
mod killed_updates;
mod parts_killed;
mod peers;
mod programs;
