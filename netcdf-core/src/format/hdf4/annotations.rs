//! Annotations: labels and descriptions of elements.

use std::collections::HashMap;

use super::builder::NewAttribute;
use super::dd::TagRef;
use super::elements::NamedElements;
use super::file::Hdf4File;
use super::predefined::any_text;
use super::tags;

/// The annotation kinds and the attribute names they become.
const KINDS: [(u16, &str); 2] = [
    (tags::DATA_DESCRIPTION, "remarks"),
    (tags::DATA_LABEL, "anno_label"),
];

/// Annotation texts by kind and element.
#[derive(Debug, Default)]
pub(super) struct Annotations<'a>(
    HashMap<(u16, TagRef), Vec<&'a [u8]>, foldhash::fast::RandomState>,
);

impl<'a> Annotations<'a> {
    /// Collects the annotations of a file. Damaged annotations are skipped.
    #[must_use]
    pub(super) fn new(file: &Hdf4File, elements: &'a NamedElements) -> Self {
        let mut sorted = Self::default();
        for (tag, _) in KINDS {
            let mut ids: Vec<TagRef> = file.descriptors().with(tag).map(|d| d.id).collect();
            ids.sort_unstable();
            ids.dedup();
            for id in ids {
                let bytes = elements.bytes(id).ok().and_then(<[u8]>::split_first_chunk);
                let Some((&[a, b, c, d], text)) = bytes else {
                    continue;
                };
                let (tag, number) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
                let of = (id.tag, TagRef::new(tag, number));
                sorted.0.entry(of).or_default().push(text);
            }
        }
        sorted
    }

    /// Returns the annotations of an element as attributes.
    #[must_use]
    pub(super) fn of(&self, element: TagRef) -> Vec<NewAttribute> {
        let mut found = vec![];
        for (tag, name) in KINDS {
            let texts = self.0.get(&(tag, element)).into_iter().flatten();
            for (n, text) in (1..).zip(texts) {
                found.push(any_text(&format!("{name}-{n}"), text));
            }
        }
        found
    }
}
