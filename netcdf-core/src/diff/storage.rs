//! Comparison of storage: the special attributes of datasets and variables.

use super::difference::{DatasetSide, Difference, DifferenceKind, ObjectKind};
use super::group_walk::GroupWalk;
use super::{DiffOptions, IgnoreCandidate};
use crate::chunk::Dataset;
use crate::model::special::Special;
use crate::model::{Endianness, FillMode, FilterSpec, Storage, StorageLayout, Variable};

/// A property, and its form in each dataset.
type Property = (&'static str, [Option<String>; 2]);

/// Compares the formats of two datasets.
pub(super) fn of_datasets(
    sets: [Dataset<'_>; 2],
    options: &DiffOptions<'_>,
    found: &mut Vec<Difference>,
) {
    let kinds = sets.map(|set| Some(set.reader.schema().kind.name().to_owned()));
    let known = sets.map(|set| set.reader.provenance());
    let text = |bytes: &Option<Vec<u8>>| {
        let bytes = bytes.as_deref()?;
        Some(
            String::from_utf8_lossy(bytes)
                .trim_end_matches('\0')
                .to_owned(),
        )
    };
    let properties = [&known[0], &known[1]].map(|known| text(&known.properties));
    let superblock = [&known[0], &known[1]].map(|known| known.superblock.map(|n| n.to_string()));
    let is_netcdf4 =
        [&known[0], &known[1]].map(|k| k.is_netcdf4.map(|is| u8::from(is).to_string()));
    let all = [
        (Special::Format.name(), kinds),
        (Special::NcProperties.name(), properties),
        (Special::SuperblockVersion.name(), superblock),
        (Special::IsNetcdf4.name(), is_netcdf4),
    ];
    found.extend(
        all.into_iter()
            .filter_map(|one| differing("/", one, options)),
    );
}

/// Compares the storage of a variable.
pub(super) fn of_variables(walk: &mut GroupWalk<'_>, path: &str, [a, b]: [&Variable; 2]) {
    let both = [&a.storage, &b.storage];
    let all = [
        (Special::Storage.name(), both.map(layout)),
        (
            Special::ChunkSizes.name(),
            both.map(|s| s.chunk().map(sizes)),
        ),
        (
            Special::ShardSizes.name(),
            both.map(|s| s.shard.as_deref().map(sizes)),
        ),
        (Special::Filter.name(), both.map(filters)),
        (Special::Codecs.name(), both.map(codecs)),
        (Special::Endianness.name(), [a, b].map(order)),
        (Special::NoFill.name(), both.map(no_fill)),
    ];
    let options = walk.options;
    walk.found.extend(
        all.into_iter()
            .filter_map(|one| differing(path, one, options)),
    );
}

fn differing(
    path: &str,
    (name, [a, b]): Property,
    options: &DiffOptions<'_>,
) -> Option<Difference> {
    let candidate = IgnoreCandidate {
        side: DatasetSide::First,
        kind: ObjectKind::Attribute,
        path,
        attribute: Some(name),
    };
    (a != b && (options.takes)(&candidate)).then(|| Difference {
        kind: ObjectKind::Attribute,
        path: path.to_owned(),
        attribute: Some(name.to_owned()),
        finding: DifferenceKind::Storage([a, b]),
    })
}

fn layout(storage: &Storage) -> Option<String> {
    let word = match storage.layout.as_ref()? {
        StorageLayout::Contiguous => "contiguous",
        StorageLayout::Compact => "compact",
        StorageLayout::Chunked(_) => "chunked",
        StorageLayout::Virtual => "virtual",
        StorageLayout::Unknown => "unknown",
    };
    Some(word.to_owned())
}

fn sizes(shape: &[u64]) -> String {
    let sizes: Vec<_> = shape.iter().map(u64::to_string).collect();
    sizes.join(", ")
}

fn filters(storage: &Storage) -> Option<String> {
    let one = |filter: &FilterSpec| {
        let numbers = std::iter::once(&filter.id).chain(&filter.params);
        numbers.map(u32::to_string).collect::<Vec<_>>().join(",")
    };
    let all: Vec<_> = storage.filters.iter().map(one).collect();
    (!all.is_empty()).then(|| all.join("|"))
}

fn codecs(storage: &Storage) -> Option<String> {
    let text = storage.codecs.as_deref()?;
    Some(String::from_utf8_lossy(text).into_owned())
}

fn order(var: &Variable) -> Option<String> {
    let single = var.ty.atomic().is_some_and(|ty| ty.size() == Some(1));
    let word = match var.storage.endianness.filter(|_| !single)? {
        Endianness::Little => "little",
        Endianness::Big => "big",
    };
    Some(word.to_owned())
}

fn no_fill(storage: &Storage) -> Option<String> {
    match storage.fill {
        FillMode::Fill => None,
        FillMode::NoFill => Some("true".to_owned()),
    }
}
