//! The size of a dataset and of its metadata.

use super::Survey;
use crate::arithmetic::{Amount, length};
use crate::chunk::MetadataExtent;
use crate::error::Result;
use crate::io::{Container, Store, store};
use crate::model::DataType;
use crate::model::{Atomic, Schema};

/// The size of a dataset, as far as known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DatasetSize {
    /// Bytes of the file, or of all keys.
    pub bytes: Option<u64>,
    /// Number of keys.
    pub keys: Option<u64>,
    /// Bytes of the metadata keys.
    pub metadata: Option<u64>,
}

/// Returns the size of a dataset. Does not list the keys of remote stores.
///
/// # Errors
/// Returns errors of listing the keys.
pub fn size(container: &Container) -> Result<DatasetSize> {
    match container {
        Container::Source(source) => Ok(DatasetSize {
            bytes: Some(source.len()),
            ..DatasetSize::default()
        }),
        Container::Store(store) if store.latency() => Ok(DatasetSize::default()),
        Container::Store(store) => of_keys(&**store),
    }
}

fn of_keys(keys: &dyn Store) -> Result<DatasetSize> {
    let [mut all, mut metadata, mut count] = [Amount::of(0u64); 3];
    let mut known = true;
    keys.walk("", &mut |key, bytes| {
        known &= bytes != store::UNKNOWN;
        count = count + 1u64;
        all = all + bytes;
        if is_metadata(key) {
            metadata = metadata + bytes;
        }
        Ok(())
    })?;
    Ok(DatasetSize {
        bytes: known.then(|| all.get()),
        keys: Some(count.get()),
        metadata: known.then(|| metadata.get()),
    })
}

/// Returns whether a key stores metadata. No chunk key begins with such a name.
fn is_metadata(key: &str) -> bool {
    let last = key.rsplit('/').next().unwrap_or(key);
    last == "zarr.json" || last.starts_with(".z") || last.starts_with(".nc")
}

impl Survey {
    /// Returns the bytes of metadata.
    #[must_use]
    pub fn metadata_bytes(&self) -> Option<u64> {
        match self.metadata.as_ref()? {
            MetadataExtent::Keys { .. } => self.size.metadata,
            MetadataExtent::File(file) => {
                let ranges = file.ranges.as_ref()?;
                Some(ranges.iter().map(length).sum::<Amount>().get())
            }
        }
    }

    /// Returns the bytes of a file outside metadata and data. Returns `None` if the number is unknown, for example because elements refer
    /// to a heap.
    #[must_use]
    pub fn unused(&self, schema: &Schema) -> Option<u64> {
        let file = self.file()?;
        let elsewhere = |ty: DataType| match ty {
            DataType::Atomic(ty) => ty == Atomic::String,
            DataType::User(_) => true,
        };
        if schema.vars.iter().any(|var| elsewhere(var.ty)) {
            return None;
        }
        let metadata = Amount::of(self.metadata_bytes()?) + file.heaps?;
        let data = Amount::of(self.data_within()) + file.others.bytes;
        Some((Amount::of(self.size.bytes?) - metadata - data).get())
    }
}
