//! Reports objects that are not shown: raster images, Vdatas, annotations, and DFSD datasets in files with SD datasets.

use std::collections::HashSet;

use super::catalog::Catalog;
use super::dd::TagRef;
use super::file::Hdf4File;
use super::{sd, tags};
use crate::env::Env;
use crate::notes::{Note, few};

/// Classes and class prefixes of Vdatas that belong to datasets, images or chunk tables.
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
/// The class of raster image Vgroups.
const IMAGE: &str = "RI0.0";

/// Reports the objects that are not shown.
pub(super) fn report(file: &Hdf4File, catalog: &Catalog, env: &Env) {
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

/// Number of DFSD groups that belong to no SD dataset.
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

/// Number of raster images. Several elements may describe the same image.
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

/// Number of independent Vdatas.
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
