//! Shared parts of the cross-tool tests.
#![forbid(unsafe_code)]
