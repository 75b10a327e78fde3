//! A writer that says how an output would be stored.

use std::sync::Arc;

use crate::chunk::Writer;
use crate::env::Env;
use crate::error::Result;
use crate::format;
use crate::io::Output;
use crate::io::memory::MemoryTarget;
use crate::io::memory_store::{MemoryStore, MemoryStoreTarget};
use crate::model::{CreateOptions, Schema};

/// A writer for `schema` whose output goes nowhere. Nothing is to be put.
///
/// # Errors
/// As [`format::create`].
pub fn sketch(schema: Schema, create: CreateOptions, env: &Env) -> Result<Box<dyn Writer>> {
    let name = "(sketch)";
    let output = match format::traits(schema.kind).keys {
        false => Output::from(Box::new(MemoryTarget::new(name).0)),
        true => {
            let store = Arc::new(MemoryStore::new(name));
            Output::Store(Box::new(MemoryStoreTarget::new(store).0))
        }
    };
    format::create(output, schema, create, env)
}
