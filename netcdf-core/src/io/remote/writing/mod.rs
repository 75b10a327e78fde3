//! Outputs in buckets: a file is one object, a store all objects below a prefix.
//!
//! A file is collected in a temporary file and sent in parts while it grows ([`mod@file`], [`parts`]); its object appears at the end, or not at
//! all. The keys of a store are sent as they come ([`store`]), many at a time ([`sending`]): it is a store once its root metadata is
//! there, which is sent last, and nobody else writes it while its [`claim`] is there. Processes that know the claim of a plan can write
//! a store together ([`shared`]). One process at a time finishes or removes the store ([`finisher`]).

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
