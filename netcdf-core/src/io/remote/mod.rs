//! Remote datasets: web servers and object stores, behind the traits of [`crate::io`].
//!
//! `Objects` is the interface of a service: it reads ranges of objects and lists keys. `source` wraps one object in a
//! [`Source`](crate::io::Source), and `store` wraps all keys below a prefix in a [`Store`](crate::io::Store). Requests are futures on a
//! small internal runtime ([`wait`]), and callers outside this module only see blocking calls.

mod bucket;
mod connect;
mod download;
mod failure;
mod instance;
mod key_list;
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

pub(super) use objects::{
    Answer, Objects, Page, Part, PartResponse, Version, Walk, below, limited,
};
pub(crate) use open::{any, exists, source, store, store_target, target};
pub(crate) use shared::{begin_claimed, end_of_claimed, part_of_claimed, remove_claimed};
