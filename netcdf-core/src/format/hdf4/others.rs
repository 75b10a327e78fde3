//! What else is in a file: raster images, Vdatas and annotations, and datasets of the older interface beside those of SD. All of
//! them are not shown.

use std::collections::HashSet;

use super::catalog::Catalog;
use super::dd::TagRef;
use super::file::Hdf4File;
use super::{sd, tags};
use crate::env::Env;
use crate::notes::{Note, few};

/// Classes of Vdatas and beginnings of classes that are parts of something else: of datasets, of images, and tables of chunks.
const INTERNAL: [&str; 10] = [
    "Data0.0",
    "Attr0.0",
    "DimVal0.0",
    "DimVal0.1",
    "SDSVar",
    "CoordVar",
    "_HDF_CHK_TBL_",
    "RIATTR0.0N",
    "RIATTR0.0C",
    "RI0.0",
];
/// The class of Vgroups that are raster images.
const IMAGE: &str = "RI0.0";

/// Says what is not shown.
pub(super) fn tell(file: &Hdf4File, catalog: &Catalog, env: &Env) {
    let found = [
        counted(
            datasets(file, catalog),
            "dataset of DFSD",
            "datasets of DFSD",
        ),
        counted(images(file, catalog), "raster image", "raster images"),
        counted(vdatas(catalog), "Vdata", "Vdatas"),
        counted(
            annotations(file),
            "annotation of the file",
            "annotations of the file",
        ),
    ];
    let found: Vec<String> = found.into_iter().flatten().collect();
    if found.is_empty() {
        return;
    }
    env.notes.say(Note {
        object: file.source().name().to_string(),
        what: format!("not shown: {}", few(&found)),
        remedy: None,
    });
}

fn counted(count: usize, one: &str, many: &str) -> Option<String> {
    match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    }
}

/// Number of groups of the older interface that belong to no dataset of SD.
fn datasets(file: &Hdf4File, catalog: &Catalog) -> usize {
    if sd::root(catalog).is_none() {
        return 0;
    }
    let mut ids: HashSet<TagRef> = file
        .descriptors()
        .with(tags::NUMERIC_DATA_GROUP)
        .map(|d| d.id)
        .collect();
    for member in catalog.vgroups.values().flat_map(|group| &group.members) {
        ids.remove(member);
    }
    ids.len()
}

/// Number of raster images, each of which may be described in several ways.
fn images(file: &Hdf4File, catalog: &Catalog) -> usize {
    let with = |tag| file.descriptors().with(tag).count();
    let old = [tags::IMAGE_8, tags::IMAGE_8_RLE, tags::IMAGE_8_IMCOMP];
    let old: usize = old.into_iter().map(with).sum();
    let groups = catalog
        .vgroups
        .values()
        .filter(|group| group.is(IMAGE))
        .count();
    groups.max(with(tags::IMAGE_GROUP)).max(old)
}

/// Number of Vdatas that are tables of their own.
fn vdatas(catalog: &Catalog) -> usize {
    let internal = |class: &[u8]| {
        INTERNAL
            .iter()
            .any(|known| class.starts_with(known.as_bytes()))
    };
    let own = catalog
        .vdatas
        .values()
        .filter(|vdata| !internal(&vdata.class));
    own.count()
}

fn annotations(file: &Hdf4File) -> usize {
    let tags = [tags::FILE_LABEL, tags::FILE_DESCRIPTION];
    tags.into_iter()
        .map(|tag| file.descriptors().with(tag).count())
        .sum()
}
