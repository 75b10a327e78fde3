//! Digests of inputs and outputs, to check whether a plan still fits.

use netcdf_core::copy::Plan;
use netcdf_core::model::{CreateOptions, Schema};
use netcdf_core::sum::Digest;

/// Returns the digest of an input's metadata.
pub(super) fn of_input(schema: &Schema) -> Digest {
    Digest::of_bytes(format!("{schema:?}").as_bytes())
}

/// Returns the digest of an output: schema, storage, and copied variables.
pub(super) fn of_output(plan: &Plan, create: CreateOptions) -> Digest {
    let Plan {
        schema,
        data,
        cloud,
        lengths,
        ..
    } = plan;
    Digest::of_bytes(format!("{schema:?} {data:?} {cloud:?} {lengths:?} {create:?}").as_bytes())
}
