//! `nccopy` as a process: signals, full disks, little memory.

mod memory;
mod safety;
