//! Shards with codecs for complete shards. These shards are decoded before the index is read.

use super::array::ArrayDescription;
use crate::chunk::layout::Layout;
use crate::env::Env;
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{ChunkContext, FilterChain, VariableFacts, codec};
use crate::model::StoredElement;
use crate::model::region::product;

/// Extra bytes that a shard may have beyond chunks and index.
const SPARE: u64 = 1 << 20;
/// Maximum size of texts in a shard in bytes.
const MAX_TEXT: u64 = 1 << 30;

/// A shard decoder.
#[derive(Debug)]
pub(super) struct ShardDecoding {
    /// The codecs.
    pub chain: FilterChain,
    /// Maximum size of a shard in bytes, encoded or decoded.
    most: u64,
}

impl ShardDecoding {
    /// Returns the shard decoder of an array, or `None` without codecs for complete shards.
    ///
    /// # Errors
    /// Returns errors from looking up codecs.
    pub(super) fn of(
        described: &ArrayDescription,
        layout: &Layout,
        env: &Env,
    ) -> Result<Option<Self>> {
        if described.whole.is_empty() {
            return Ok(None);
        }
        let most = most(described, layout);
        let element = StoredElement {
            size: 1,
            ..layout.element
        };
        let mut context = ChunkContext {
            // Filters may produce up to eight times the input size.
            shape: vec![most / 8],
            element,
            fill: None,
            len: None,
            about: VariableFacts::default(),
        };
        let filters = codec::filters(described.version, &described.whole, &context, &env.filters)?;
        context.about.filters.clone_from(&filters);
        let chain = env.filters.chain(&filters, &context)?;
        Ok(Some(Self { chain, most }))
    }

    /// Checks that a shard of `size` stored bytes may be decoded.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Limit`] for larger shards.
    pub(super) fn check(&self, size: u64) -> Result<()> {
        if size <= self.most {
            return Ok(());
        }
        let what = format!(
            "a shard of {size} bytes, but its chunks have at most {}",
            self.most
        );
        Err(Error::new(ErrorKind::Limit, what))
    }
}

/// Returns the maximum shard size in bytes. Codecs may expand chunks.
fn most(described: &ArrayDescription, layout: &Layout) -> u64 {
    let shape = described.shards.first().map(|s| s.shape.as_slice());
    let elements = product(shape.unwrap_or_default()).unwrap_or(u64::MAX);
    let chunk = product(&layout.chunk).unwrap_or(1).max(1);
    let data = match described.heap {
        Some(_) => MAX_TEXT,
        None => elements
            .saturating_mul(layout.element.size)
            .saturating_mul(2),
    };
    let index = (elements / chunk).saturating_mul(64);
    data.saturating_add(index).saturating_add(SPARE)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::chunk::Dataset;
    use crate::env::Env;
    use crate::error::{ErrorKind, Result};
    use crate::format;
    use crate::format::zarr::shard::crc32c;
    use crate::io::memory_store::MemoryStore;
    use crate::io::{Container, Store};
    use crate::model::{Region, Values, VarId};

    /// Returns the metadata of a 4 × 6 array of bytes. A shard has 4 × 4 elements, transposed, in 2 × 2 chunks. A checksum follows each
    /// shard.
    fn metadata() -> String {
        let shards = r#"{"name":"sharding_indexed","configuration":{"chunk_shape":[2,2],
            "codecs":[{"name":"bytes"}],"index_codecs":[{"name":"bytes"}],"index_location":"end"}}"#;
        format!(
            r#"{{"zarr_format":3,"node_type":"array","shape":[4,6],"data_type":"uint8","fill_value":99,
            "chunk_grid":{{"name":"regular","configuration":{{"chunk_shape":[4,4]}}}},
            "chunk_key_encoding":{{"name":"default"}},
            "codecs":[{{"name":"transpose","configuration":{{"order":[1,0]}}}},{shards},{{"name":"crc32c"}}]}}"#
        )
    }

    /// Returns the shard that begins at a column. The last chunks of the second shard are missing.
    fn shard(column: u8) -> Vec<u8> {
        let (mut chunks, mut index) = (vec![], vec![]);
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            if column + 2 * i >= 6 {
                index.extend([u64::MAX; 2]);
                continue;
            }
            index.extend([chunks.len() as u64, 4]);
            for c in [2 * i, 2 * i + 1] {
                chunks.extend([2 * j, 2 * j + 1].map(|r| r * 6 + column + c));
            }
        }
        chunks.extend(index.iter().flat_map(|n| n.to_le_bytes()));
        chunks.extend(crc32c(&chunks).to_le_bytes());
        chunks
    }

    fn store(second: &[u8]) -> Container {
        let store = MemoryStore::new("s");
        let root = br#"{"zarr_format":3,"node_type":"group"}"#;
        store.put("zarr.json", root).unwrap();
        store.put("v/zarr.json", metadata().as_bytes()).unwrap();
        store.put("v/c/0/0", &shard(0)).unwrap();
        store.put("v/c/0/1", second).unwrap();
        Container::Store(Arc::new(store))
    }

    fn read(store: Container, region: &Region) -> Result<Values> {
        let env = Env::default();
        let reader = format::open(store, &env)?;
        assert!(env.notes.take().is_empty());
        Dataset::new(&*reader, &env).read(VarId(0), region)
    }

    #[test]
    fn shards_are_decoded_before_they_are_cut() {
        let all = Region::whole(&[4, 6]);
        let found = read(store(&shard(4)), &all).unwrap();
        assert_eq!(found, Values::UByte((0..24).collect()));
        let mut damaged = shard(4);
        damaged[0] ^= 1;
        let e = read(store(&damaged), &all).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Checksum, "{e}");
        assert!(e.to_string().contains("v/c/0/1"), "{e}");
    }

    #[test]
    fn a_shard_that_is_far_too_large_is_not_read() {
        let e = read(store(&vec![0; 4 << 20]), &Region::whole(&[4, 6])).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Limit, "{e}");
    }
}
