//! A writer without output, for the layouts of a future output.

use std::sync::Arc;

use crate::chunk::Writer;
use crate::env::Env;
use crate::error::Result;
use crate::format;
use crate::io::Output;
use crate::io::memory::MemoryTarget;
use crate::io::memory_store::{MemoryStore, MemoryStoreTarget};
use crate::model::{CreateOptions, Schema};

/// Creates a writer for `schema` that discards its output. It provides layouts; callers must not write data.
///
/// # Errors
/// Returns the errors of [`format::create`].
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
