//! Outputs in buckets. A file is one object, and a store is all objects below a prefix.
//!
//! A file is collected in a temporary file and sent in parts while it grows ([`mod@file`], [`parts`]). The object is created atomically at
//! the end. The keys of a store are sent concurrently ([`sending`]) as they are put ([`store`]). The root metadata is sent last and
//! completes the store. A [`claim`] keeps other runs away until then. Processes that know the claim of a plan can write a store
//! concurrently ([`shared`]). One process at a time finishes or removes the store ([`finisher`]).

mod claim;
mod file;
mod finisher;
mod in_progress;
mod parts;
mod place;
mod sending;
mod shared;
mod store;
#[cfg(test)]
mod tests;

pub(super) use claim::NAME as CLAIM;
pub(super) use file::ObjectTarget;
pub(super) use shared::SharedStore;
pub(super) use store::BucketTarget;
