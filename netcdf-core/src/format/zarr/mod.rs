//! Zarr, versions 2 and 3, with or without netCDF's own metadata (NCZarr).
//!
//! Specifications: Zarr version 2 and version 3; "The NetCDF NCZarr Implementation".

mod array;
mod array_keys;
mod attributes;
mod attrs;
mod chunk_fetch;
mod chunks;
mod consolidated;
mod dims;
mod dtype;
mod fill;
mod grid;
mod half;
mod keys;
mod later_changes;
mod levels;
mod meta;
pub mod nczarr;
mod node;
pub mod raw;
mod reader;
mod schema;
mod shard;
mod shard_decoding;
mod shard_reader;
pub mod survey;
mod types;
mod update;
mod v2;
mod v3;
mod values;
mod variable;
mod whole_state;
pub(crate) mod write;

pub use array::{ArrayDescription, Shard, lengths};
pub use dtype::{Dtype, StoredType};
pub use fill::base64;
pub use keys::ChunkKeys;
pub use reader::ZarrReader;
pub use shard::ShardIndex;

use std::sync::Arc;

use self::meta::MetadataReader;
use self::schema::StoreBuilder;
use super::{BareFill, Format, KindRow, OpenUpdate, Strings, Traits};
use crate::chunk::{Reader, Update, Writer};
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::io::patched_store::PatchedStore;
use crate::io::store::MARKERS;
use crate::io::{Container, Output, Store};
use crate::model::{CreateOptions, Kind, Schema, ZarrVersion};

/// Returns the common values of all kind rows. `nc_create` needs no mode flags: the store name contains all options.
const fn row(names: &'static [&'static str; 1], label: &'static str) -> KindRow {
    let [word] = names;
    KindRow {
        names,
        word,
        label,
        mode: &["NETCDF4"],
        bare_fill: BareFill::Missing,
        ..KindRow::COMMON
    }
}

/// Returns the common values of the version 3 rows.
const fn v3(names: &'static [&'static str; 1], label: &'static str) -> KindRow {
    KindRow {
        in_c: false,
        shards: true,
        no_default_size: true,
        bare_fill: BareFill::Unwritten,
        ..row(names, label)
    }
}

/// The row of the format table.
pub const FORMAT: Format = Format {
    name: node::FORMAT_NAME,
    probe,
    kind,
    open,
    kinds: &[
        KindRow {
            kind: Kind::NCZARR,
            url: Some("nczarr"),
            ..row(&["nczarr"], "NCZarr version 2")
        },
        KindRow {
            kind: Kind::PURE_ZARR,
            url: Some("zarr"),
            own_metadata: false,
            ..row(&["zarr"], "Zarr version 2")
        },
        KindRow {
            kind: Kind::NCZARR3,
            ..v3(&["nczarr3"], "NCZarr version 3")
        },
        KindRow {
            kind: Kind::PURE_ZARR3,
            own_metadata: false,
            ..v3(&["zarr3"], "Zarr version 3")
        },
    ],
    create,
    update: Some(OpenUpdate::Store(open_update)),
    traits: Traits {
        extensions: &["zarr", "zip"],
        keys: true,
        settings: true,
        overhang: true,
        shows_given: true,
        sized_strings: true,
        enhanced: true,
        defines_types: false,
        records: false,
        stores_all: false,
        heap: false,
        all_chunked: true,
        properties: true,
    },
    copied_as: |_| Kind::NETCDF4,
    holds: write::check::user_types,
    strings: Strings::COUNTED,
    reads_back: write::reads_back,
};

fn probe(container: &Container) -> Result<bool> {
    match container {
        Container::Source(_) => Ok(false),
        Container::Store(store) => Ok(version(store)?.is_some()),
    }
}

fn kind(container: &Container) -> Result<Kind> {
    let (store, version) = known(container)?;
    let env = Env::default();
    let builder = StoreBuilder::new(MetadataReader::open(store, version, &env)?, version)?;
    Ok(Kind::zarr(builder.zarr))
}

fn open(container: Container, env: &Env) -> Result<Box<dyn Reader>> {
    let (store, version) = known(&container)?;
    if store.latency() {
        let reader = ZarrReader::open(Arc::clone(store), version, env)?;
        return Ok(Box::new(reader));
    }
    Ok(Box::new(whole_state::open(store, version, env)?))
}

fn open_update(store: &Arc<PatchedStore>, env: &Env) -> Result<Option<Box<dyn Update>>> {
    let container = Container::Store(Arc::clone(store.base()));
    let (_, version) = known(&container)?;
    let update = update::open(store, version, env)?;
    Ok(update.map(|update| Box::new(update) as Box<dyn Update>))
}

/// Returns the store and the version.
fn known(container: &Container) -> Result<(&Arc<dyn Store>, ZarrVersion)> {
    let unknown = || Error::new(ErrorKind::UnknownFormat, "not a Zarr store").of(container.name());
    let Container::Store(store) = container else {
        return Err(unknown());
    };
    Ok((store, version(store)?.ok_or_else(unknown)?))
}

/// Maximum number of names below the root to check if the root has no metadata.
const MAX_NAMES: usize = 256;

/// Returns the version of a Zarr store, from the root or else from the nodes directly below. Returns `None` if the store is not a Zarr
/// store.
fn version(store: &Arc<dyn Store>) -> Result<Option<ZarrVersion>> {
    if let Some(version) = version_at(store, "")? {
        return Ok(Some(version));
    }
    let names = store.children("")?.into_iter().take(MAX_NAMES);
    let prefixes: Vec<_> = names.map(|name| format!("{name}/")).collect();
    if store.latency() {
        meta::ahead(store, &prefixes, &MARKERS);
    }
    for prefix in &prefixes {
        if let Some(version) = version_at(store, prefix)? {
            return Ok(Some(version));
        }
    }
    Ok(None)
}

fn version_at(store: &Arc<dyn Store>, prefix: &str) -> Result<Option<ZarrVersion>> {
    let own = &node::V2;
    let more = &[node::CONSOLIDATED, node::SUPERBLOCK];
    if !store.latency() {
        let v3 = any(store, prefix, &[node::V3])?;
        let v2 = !v3 && (any(store, prefix, own)? || any(store, prefix, more)?);
        return Ok(found(v3, v2));
    }
    // Request the objects for the whole store first.
    let prefixes = &[prefix.to_owned()];
    meta::ahead(
        store,
        prefixes,
        &[node::V3, node::CONSOLIDATED, node::SUPERBLOCK],
    );
    let v3 = any(store, prefix, &[node::V3])?;
    if v3 || any(store, prefix, more)? {
        return Ok(found(v3, !v3));
    }
    meta::ahead(store, prefixes, own);
    Ok(found(false, any(store, prefix, own)?))
}

/// Returns the version of a node with metadata of these versions.
fn found(v3: bool, v2: bool) -> Option<ZarrVersion> {
    match (v3, v2) {
        (true, _) => Some(ZarrVersion::V3),
        (false, true) => Some(ZarrVersion::V2),
        (false, false) => None,
    }
}

/// Checks whether any of these objects exists below a prefix.
fn any(store: &Arc<dyn Store>, prefix: &str, names: &[&str]) -> Result<bool> {
    for name in names {
        match store.size(&format!("{prefix}{name}")) {
            Ok(Some(_)) => return Ok(true),
            Ok(None) => {}
            // Stores of other formats may have any names.
            Err(e) if e.kind() == ErrorKind::BadName || e.kind() == ErrorKind::NoContent => {}
            Err(e) => return Err(e),
        }
    }
    Ok(false)
}

fn create(
    output: Output,
    schema: Schema,
    options: CreateOptions,
    env: &Env,
) -> Result<Box<dyn Writer>> {
    let target = output.store("Zarr")?;
    let writer = write::writer::ZarrWriter::create(target, schema, options, env)?;
    Ok(Box::new(writer))
}

#[cfg(test)]
mod tests;
