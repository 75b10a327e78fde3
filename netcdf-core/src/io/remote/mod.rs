//! Datasets on other machines: web servers and object stores, behind the traits of [`crate::io`].
//!
//! `Objects` is the interface of a service: reading parts of objects, and listing keys. `source` makes a
//! [`Source`](crate::io::Source) of one object and `store` a [`Store`](crate::io::Store) of all keys below a prefix. Requests are
//! futures that a few threads of our own wait for ([`wait`]); none of this shows outside.

mod bucket;
mod connect;
mod downloaded;
mod failure;
mod instance;
mod listed;
mod objects;
mod open;
mod outage;
mod reach;
mod settings;
mod shared;
mod source;
mod store;
#[cfg(test)]
mod tests;
mod wait;
mod web;
mod writing;

pub(super) use objects::{Answer, Got, Objects, Page, Part, Version, Walk, below, limited};
pub(crate) use open::{any, exists, source, store, store_target, target};
pub(crate) use shared::{begin_claimed, end_of_claimed, part_of_claimed, remove_claimed};
