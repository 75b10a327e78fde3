//! Special attributes: settings of a variable or of the dataset in attribute syntax.

use netcdf_core::format::{kind_named, traits};
use netcdf_core::model::special::Special;
use netcdf_core::model::{
    Atomic, Dimension, Endianness, FillMode, Storage, StorageLayout, Values, VarId,
};

use super::Lower;
use super::list::Item;
use super::names::OwnerName;
use crate::cdl::ast::StatementWord;
use crate::cdl::constant::Constant;
use crate::filter_spec::filters;

/// A special attribute in the text.
#[derive(Clone, Copy)]
pub(super) struct SpecialSetting<'a> {
    pub(super) special: Special,
    pub(super) word: StatementWord<'a>,
    pub(super) list: &'a [Item<'a>],
}

impl Lower<'_> {
    pub(super) fn special(&mut self, owner: OwnerName, set: SpecialSetting<'_>) {
        let SpecialSetting { special, word, .. } = set;
        if special != Special::Format && self.needs.special.is_none() {
            self.needs.special = Some(self.need(word.at)(special.name().to_owned()));
        }
        match (owner, special.is_global()) {
            (OwnerName::Group(_), true) => self.of_dataset(set),
            (OwnerName::Var(var), false) => self.of_variable(var, set),
            (OwnerName::Var(_), true) => {
                self.error(
                    word.at,
                    format!(
                        "{} belongs to the dataset, not to a variable",
                        special.name()
                    ),
                );
            }
            (OwnerName::Group(_), false) => {
                self.error(word.at, format!("{} belongs to a variable", special.name()));
            }
        }
    }

    fn of_dataset(&mut self, set: SpecialSetting<'_>) {
        if set.special != Special::Format {
            // The file format determines these values; they occur in dumps, not in datasets.
            return;
        }
        let Some(text) = self.special_text(set) else {
            return;
        };
        match kind_named(&text) {
            Some(kind) => self.format = Some(kind),
            None => self.illegal(set, "the name of a kind, as in \"classic\""),
        }
    }

    fn of_variable(&mut self, var: VarId, set: SpecialSetting<'_>) {
        if set.special != Special::NoFill && self.needs.storage.is_none() {
            self.needs.storage = Some(self.need(set.word.at)(set.special.name().to_owned()));
        }
        match set.special {
            Special::Storage => self.layout(var, set),
            Special::ChunkSizes => self.chunks(var, set),
            Special::ShardSizes => {
                if let Some(sizes) = self.sizes(var, set) {
                    self.storage(var, |s| s.shard = Some(sizes));
                }
            }
            Special::Fletcher32 => {
                if let Some(on) = self.switch(set) {
                    self.chain(var, set.word, |c| c.fletcher32 = on);
                }
            }
            Special::Shuffle => {
                if let Some(on) = self.switch(set) {
                    self.chain(var, set.word, |c| c.shuffle = on);
                }
            }
            Special::NoFill => {
                if let Some(on) = self.switch(set) {
                    let fill = if on { FillMode::NoFill } else { FillMode::Fill };
                    self.storage(var, |s| s.fill = fill);
                }
            }
            Special::DeflateLevel => match self.special_integers(set).as_deref() {
                Some([level @ 0..=9]) => {
                    let level = u32::try_from(*level).unwrap_or(0);
                    self.chain(var, set.word, |c| c.level = level);
                }
                Some(_) => self.illegal(set, "a number from 0 to 9"),
                None => {}
            },
            Special::Endianness => match self.special_text(set).as_deref() {
                Some("little") => self.storage(var, |s| s.endianness = Some(Endianness::Little)),
                Some("big") => self.storage(var, |s| s.endianness = Some(Endianness::Big)),
                Some(_) => self.illegal(set, "\"little\" or \"big\""),
                None => {}
            },
            Special::Filter => self.filters(var, set),
            Special::Codecs => {
                if let Some(text) = self.special_text(set) {
                    self.storage(var, |s| s.codecs = Some(text.into_bytes()));
                }
            }
            Special::NcProperties | Special::SuperblockVersion => {}
            Special::IsNetcdf4 | Special::Format => {}
        }
    }

    pub(super) fn storage(&mut self, var: VarId, change: impl FnOnce(&mut Storage)) {
        if let Some(var) = self.schema.vars.get_mut(var.index()) {
            change(&mut var.storage);
        }
    }

    fn layout(&mut self, var: VarId, set: SpecialSetting<'_>) {
        let Some(text) = self.special_text(set) else {
            return;
        };
        let layout = match text.as_str() {
            "contiguous" => StorageLayout::Contiguous,
            "compact" => StorageLayout::Compact,
            "chunked" => StorageLayout::Chunked(vec![]),
            _ => {
                let expected = "\"contiguous\", \"compact\" or \"chunked\"";
                return self.illegal(set, expected);
            }
        };
        self.storage(var, |s| match (&s.layout, &layout) {
            // `_ChunkSizes` preceded `_Storage`.
            (Some(StorageLayout::Chunked(_)), StorageLayout::Chunked(_)) => {}
            _ => s.layout = Some(layout),
        });
    }

    /// Returns the sizes for all dimensions of a variable, or `None` after an error.
    fn sizes(&mut self, var: VarId, set: SpecialSetting<'_>) -> Option<Vec<u64>> {
        let name = set.special.name();
        let sizes = self.special_integers(set)?;
        let sizes: Option<Vec<u64>> = sizes.iter().map(|&n| u64::try_from(n).ok()).collect();
        let Some(mut sizes) = sizes else {
            let expected = "sizes of at least 1, or 0 for the default";
            self.illegal(set, expected);
            return None;
        };
        let rank = self.schema.var(var).map_or(0, |v| v.dims.len());
        if sizes.len() < rank {
            let message = format!("{name} has {} sizes for {rank} dimensions", sizes.len());
            self.error(set.word.at, message);
            return None;
        }
        if let Some(extra) = set.list.get(rank) {
            let message = format!("{name} has more sizes than the variable has dimensions");
            self.warning(extra.at(), message);
            sizes.truncate(rank);
        }
        Some(sizes)
    }

    fn chunks(&mut self, var: VarId, set: SpecialSetting<'_>) {
        let Some(sizes) = self.sizes(var, set) else {
            return;
        };
        let dims = self.schema.var(var).map(|v| v.dims.clone());
        let dims = dims.unwrap_or_default();
        let overhang = self.kind.is_some_and(|kind| traits(kind).overhang);
        for ((&id, &size), item) in dims.iter().zip(&sizes).zip(set.list) {
            let beyond = |d: &&Dimension| !overhang && !d.unlimited && d.len < size;
            if let Some(dim) = self.schema.dim(id).filter(beyond) {
                let message = format!(
                    "a chunk of {size} is larger than dimension `{}`, which has {}",
                    dim.name, dim.len
                );
                return self.error(item.at(), message);
            }
        }
        self.storage(var, |s| s.layout = Some(StorageLayout::Chunked(sizes)));
    }

    fn filters(&mut self, var: VarId, set: SpecialSetting<'_>) {
        let Some(text) = self.special_text(set) else {
            return;
        };
        match filters(&text) {
            Ok(specs) => self.chain(var, set.word, |c| c.filters.extend(specs)),
            Err(wrong) => {
                let message = format!("{}: {}", Special::Filter.name(), wrong.message);
                self.hint(place(set, wrong.at), message, wrong.hint);
            }
        }
    }

    /// Returns a Boolean setting, or `None` after an error.
    fn switch(&mut self, set: SpecialSetting<'_>) -> Option<bool> {
        let on = match set.list {
            [Item::One(Constant::String(text), _)] => match *text {
                b"true" | b"1" => Some(true),
                b"false" | b"0" => Some(false),
                _ => None,
            },
            [Item::One(Constant::Number(_), _)] => match *self.special_integers(set)? {
                [1] => Some(true),
                [0] => Some(false),
                _ => None,
            },
            _ => None,
        };
        if on.is_none() {
            self.illegal(set, "\"true\" or \"false\"");
        }
        on
    }

    /// Returns the single string of a special attribute.
    fn special_text(&mut self, set: SpecialSetting<'_>) -> Option<String> {
        let [Item::One(Constant::String(_), _)] = set.list else {
            self.illegal(set, "one string");
            return None;
        };
        let values = self.attribute_values(Atomic::Char.into(), set.word, set.list)?;
        let text = values.as_text().unwrap_or_default().to_vec();
        match String::from_utf8(text) {
            Ok(text) => Some(text.trim_end_matches('\0').to_owned()),
            Err(_) => {
                self.illegal(set, "text in UTF-8");
                None
            }
        }
    }

    /// Returns the integers of a special attribute, at least one.
    fn special_integers(&mut self, set: SpecialSetting<'_>) -> Option<Vec<i64>> {
        let numbers = set
            .list
            .iter()
            .all(|item| matches!(item, Item::One(Constant::Number(_), _)));
        if set.list.is_empty() || !numbers {
            self.illegal(set, "integers");
            return None;
        }
        let Values::Int64(values) =
            self.attribute_values(Atomic::Int64.into(), set.word, set.list)?
        else {
            return None;
        };
        Some(values)
    }

    fn illegal(&mut self, set: SpecialSetting<'_>, expected: &str) {
        let at = set.list.first().map_or(set.word.at, Item::at);
        self.error(at, format!("{} expects {expected}", set.special.name()));
    }
}

/// Returns the position of byte `at` of a text: after the quote, or the start of the text if it has escapes.
fn place(set: SpecialSetting<'_>, at: usize) -> usize {
    match set.list.first() {
        Some(Item::One(Constant::String(text), start)) if !text.contains(&b'\\') => start + 1 + at,
        Some(item) => item.at(),
        None => set.word.at,
    }
}
