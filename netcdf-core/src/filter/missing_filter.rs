//! Error messages about missing filters.

use super::codec::{UNKNOWN, unknown_name, unpack_text};
use super::names::{Registered, registered, unregistered};
use super::{FilterTable, UsableFilter};
use crate::error::{Error, ErrorKind, Result};
use crate::model::FilterSpec;

/// The maximum number of filter parameters in a message; some filters have thousands.
const NAMED: usize = 6;

impl FilterTable {
    /// Returns the name of a filter, if it is known, even if the filter cannot be used.
    #[must_use]
    pub fn name(&self, id: u32) -> Option<&'static str> {
        let built_in = self.row(id).map(|row| row.name);
        built_in.or_else(|| registered(id).map(|filter| filter.name))
    }

    /// Checks that the chunk's filters can decode, except the filters that `mask` excludes (bit `n` for filter `n`).
    ///
    /// # Errors
    /// Returns [`ErrorKind::FilterUnavailable`] for the first missing filter, with its name and parameters, the searched directories, and a
    /// remedy.
    pub fn check(&self, filters: &[FilterSpec], mask: u32) -> Result<()> {
        let applied = |n: u32| mask.checked_shr(n).unwrap_or(0) & 1 == 0;
        let mut filters = (0..).zip(filters).filter(|(n, _)| applied(*n));
        match filters.find(|(_, spec)| self.entry(spec.id).is_err()) {
            Some((_, spec)) => Err(self.missing(spec.id, Some(&spec.params))),
            None => Ok(()),
        }
    }

    /// Returns the error for a filter that is not in the table, with its parameters if they are known.
    pub(super) fn missing(&self, id: u32, params: Option<&[u32]>) -> Error {
        let searched = self.plugins.as_ref().map(|plugins| plugins.searched());
        match params {
            Some(params) if id == UNKNOWN => unknown(params, searched),
            Some(_) | None => error(id, params, searched),
        }
    }

    /// Returns the filter of a number, like [`Self::entry`]; the error for an unknown codec contains its name.
    pub(super) fn entry_of(&self, spec: &FilterSpec) -> Result<UsableFilter<'_>> {
        self.entry(spec.id).map_err(|e| match spec.id {
            UNKNOWN => self.missing(spec.id, Some(&spec.params)),
            _ => e,
        })
    }
}

/// The remedy for an unknown codec.
pub(crate) const UNKNOWN_CODEC: &str =
    "if zarr-python has the codec, it can store the array with another one";

/// The maximum bytes of JSON in a message.
const SHOWN: usize = 100;

/// Returns the error for a missing Zarr codec.
fn unknown(params: &[u32], searched: Option<String>) -> Error {
    let json = unpack_text(params).unwrap_or_default();
    let name = unknown_name(&json).unwrap_or_else(|| "without a name".to_owned());
    let (shown, more) = match json.get(..SHOWN) {
        Some(start) => (start, "…"),
        None => (json.as_slice(), ""),
    };
    let shown = String::from_utf8_lossy(shown);
    let searched = searched.map_or(String::new(), |text| format!("{text}; "));
    let remedy = format!("{shown}{more}; {searched}{UNKNOWN_CODEC}");
    let what = format!("codec {name} is not available");
    Error::new(ErrorKind::FilterUnavailable, what).with_remedy(remedy)
}

fn error(id: u32, params: Option<&[u32]>, searched: Option<String>) -> Error {
    let (what, source, params) = match registered(id) {
        Some(filter) => {
            let Registered { name, about, .. } = filter;
            let what = format!("filter {id} ({name}: {about}) is not available");
            // The name alone identifies the filter for users.
            (what, filter.remedy(), None)
        }
        None => {
            let why = unregistered(id);
            let what = format!("filter {id} (not registered: {why}) is not available");
            let source = "ask the authors of the file for the HDF5 plugin, and set HDF5_PLUGIN_PATH to the plugin directory";
            (what, source.to_owned(), params)
        }
    };
    let params = params.map_or(String::new(), parameters);
    let searched = searched.map_or(String::new(), |text| format!("{text}; "));
    let remedy = format!("{params}{searched}{source}");
    Error::new(ErrorKind::FilterUnavailable, what).with_remedy(remedy)
}

fn parameters(params: &[u32]) -> String {
    let named: Vec<_> = params.iter().take(NAMED).map(u32::to_string).collect();
    let more = match params.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    match named.as_slice() {
        [] => "without parameters; ".to_owned(),
        [one] => format!("parameter {one}; "),
        _ => format!("parameters {}{more}; ", named.join(",")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(id: u32, params: &[u32]) -> FilterSpec {
        FilterSpec {
            id,
            params: params.to_vec(),
        }
    }

    #[test]
    fn a_missing_filter_is_described() {
        let table = FilterTable::new(vec![]);
        let e = table.check(&[spec(32024, &[1, 2])], 0).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::FilterUnavailable);
        assert_eq!(
            e.to_string(),
            "filter 32024 (sz3: error-bounded lossy compression of numbers, version 3) is not \
             available (pip install hdf5plugin; export HDF5_PLUGIN_PATH=$(python -c 'import hdf5plugin; \
             print(hdf5plugin.PLUGIN_PATH)'))"
        );
        let e = table.check(&[spec(32768, &[])], 0).unwrap_err();
        let why = "not registered: the number is for private use";
        assert_eq!(e.what(), format!("filter 32768 ({why}) is not available"));
        let e = table.check(&[spec(32768, &[1, 2])], 0).unwrap_err();
        assert!(e.to_string().contains(" (parameters 1,2; ask "), "{e}");
    }

    #[test]
    fn unknown_codecs_are_described() {
        let table = FilterTable::new(vec![]);
        let params = super::super::codec::pack_text(br#"{"id": "pcodec", "level": 8}"#);
        let specs = [spec(UNKNOWN, &params)];
        let text = "codec pcodec is not available ({\"id\": \"pcodec\", \"level\": 8}; if zarr-python has the codec, it \
                    can store the array with another one)";
        let e = table.check(&specs, 0).unwrap_err();
        assert_eq!(e.to_string(), text);
        let context = crate::filter::tests::context(4, 4);
        let chain = table.chain(&specs, &context).unwrap();
        let e = chain.decode(0, vec![0; 4], &mut vec![]).unwrap_err();
        assert_eq!(e.to_string(), text);
    }

    #[test]
    fn skipped_filters_need_not_be_available() {
        let table = FilterTable::new(vec![]);
        let both = [spec(40000, &[]), spec(40001, &[])];
        let missed = |mask| {
            let e = table.check(&both, mask).err()?;
            Some(e.what().text().get(..12)?.to_owned())
        };
        assert_eq!(missed(0), Some("filter 40000".to_owned()));
        assert_eq!(missed(0b10), missed(0));
        assert_eq!(missed(0b01), Some("filter 40001".to_owned()));
        assert_eq!(missed(0b11), None);
    }

    #[test]
    fn remedies_are_useful() {
        let table = FilterTable::new(vec![]);
        for id in (1..500).chain(32_000..33_000).chain([40_000, 70_000]) {
            let e = table.check(&[spec(id, &[])], 0).unwrap_err();
            let remedy = e.remedy().unwrap_or_default();
            assert!(!remedy.contains("h5repack"), "{remedy}");
            let plugin = registered(id).is_some_and(|known| known.install.contains("hdf5plugin"));
            assert_eq!(
                remedy.contains("pip install hdf5plugin"),
                plugin,
                "{remedy}"
            );
            let unknown = registered(id).is_none();
            assert_eq!(remedy.contains("ask the authors"), unknown, "{remedy}");
        }
    }

    #[test]
    fn names_are_known_without_the_filter() {
        let table = FilterTable::new(vec![]);
        assert_eq!(table.name(32026), Some("blosc2"));
        assert_eq!(table.name(40000), None);
    }

    #[test]
    fn messages_stay_short() {
        assert_eq!(parameters(&[]), "without parameters; ");
        assert_eq!(parameters(&[7]), "parameter 7; ");
        assert!(parameters(&[0; 2000]).ends_with(",0,0 and 1994 more; "));
    }

    /// A message fits four terminal lines, plus the path of the file.
    #[test]
    fn messages_take_four_lines() {
        let plugins = crate::filter::plugin::Plugins::from_environment(false);
        let table = FilterTable::with_plugins(plugins);
        let mut longest = 0;
        for id in (1..500).chain(32_000..33_000).chain([40_000, 70_000]) {
            if table.entry(id).is_err() {
                let e = table.check(&[spec(id, &[1, 2, 3])], 0).unwrap_err();
                let text = e.in_object("/group/variable").to_string();
                assert!(text.len() <= 320, "{} {text}", text.len());
                longest = longest.max(text.len());
            }
        }
        assert!(longest > 100, "{longest}");
    }
}
