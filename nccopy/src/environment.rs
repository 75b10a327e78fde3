//! The environment of a run.

use std::sync::Arc;

use netcdf_core::env::{Env, Memory, MissingDataPolicy};
use netcdf_core::notes::Notes;
use netcdf_core::runtime::Runtime;

use crate::request::CopyRequest;

/// Returns limits, filters, threads and memory of a copy.
pub(crate) fn environment(request: &CopyRequest) -> Env {
    let (process, checks) = (&request.process, &request.checks);
    let in_place = request.in_place().is_some();
    let mut env = Env::with_threads(process.threads);
    env.exact_null = true;
    env.filters = process.plugins.filters(&env.cancel);
    env.siblings.outside = checks.allow_external;
    // The check for skipped files needs metadata offsets.
    env.survey = in_place && request.storage.cloud.is_some();
    env.missing_data = MissingDataPolicy {
        refuse_missing: !checks.fill_missing,
        refuse_large: !checks.allow_large,
    };
    env.memory = process.memory.map_or_else(Memory::default, Memory);
    let memory = env.runtime.memory().min(env.memory.0);
    env.runtime = Runtime::sized(env.runtime.threads(), memory);
    process.network.apply(&mut env);
    if checks.strict {
        env.notes = Arc::new(Notes::strict());
    } else if in_place {
        env.notes = Arc::new(Notes::strict_because("--in-place"));
    } else if request.extends() {
        env.notes = Arc::new(Notes::strict_because("--append"));
    }
    env
}

/// Returns the environment of an input that several copies read. It shares threads, memory, notes and cancellation with the copies.
pub(crate) fn of_shared_input(request: &CopyRequest, env: &Env) -> Env {
    Env {
        runtime: env.runtime.clone(),
        buffers: Arc::clone(&env.buffers),
        notes: Arc::clone(&env.notes),
        cancel: env.cancel.clone(),
        siblings: env.siblings.clone(),
        network: Arc::clone(&env.network),
        ..environment(request)
    }
}
