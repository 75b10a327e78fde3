//! The `--filters` table: filters of each variable, and their availability.

use netcdf_core::error::{Error, ErrorKind, list_names};
use netcdf_core::filter::codec::is_private;
use netcdf_core::filter::{self, UsableFilter};
use netcdf_core::model::{FilterSpec, GroupId, Schema, Storage, StorageLayout, Variable};
use netcdf_core::tool::table::TextTable;
use netcdf_grammar::cdl::write::DataSelection;
use netcdf_grammar::escape::{escape_name, trim_nuls};

use crate::select;

/// Columns of the table.
const HEAD: [&str; 7] = [
    "variable",
    "storage",
    "chunk",
    "id",
    "filter",
    "state",
    "parameters",
];
type FilterRow = [String; HEAD.len()];

/// Returns the table as text, or a sentence if there are no filters.
pub(crate) fn table(
    schema: &Schema,
    known: &filter::FilterTable,
    selection: &DataSelection,
) -> String {
    let vars = selected(schema, selection);
    if vars.iter().all(|var| var.storage.filters.is_empty()) {
        return match vars.len() {
            0 => "there are no variables\n".to_owned(),
            1 => "the variable has no filters\n".to_owned(),
            n => format!("none of the {n} variables has filters\n"),
        };
    }
    let mut table = TextTable::default();
    table.row(HEAD);
    for var in vars {
        for row in of_variable(schema, known, var) {
            table.row(row);
        }
    }
    table.text()
}

/// Returns an error for each variable with a missing filter.
pub(crate) fn missing(
    schema: &Schema,
    known: &filter::FilterTable,
    selection: &DataSelection,
) -> Vec<Error> {
    let vars = selected(schema, selection).into_iter();
    let failed = vars.filter_map(|var| {
        let e = known.check(&var.storage.filters, 0).err()?;
        let group = schema.group_path(var.group);
        Some(e.in_object(&format!("{}/{}", group.trim_end_matches('/'), var.name)))
    });
    failed.collect()
}

/// Merges the errors of variables that lack the same filter. The merged error replaces the first one.
pub(crate) fn grouped(errors: Vec<Error>) -> Vec<Error> {
    let mut groups: Vec<(Error, Vec<String>)> = vec![];
    for e in errors {
        let object = e.object().unwrap_or_default().to_owned();
        let same = |(first, _): &&mut (Error, Vec<String>)| {
            let missing = e.kind() == ErrorKind::FilterUnavailable;
            missing && first.what() == e.what() && first.remedy() == e.remedy()
        };
        match groups.iter_mut().find(same) {
            Some((_, objects)) => objects.push(object),
            None => groups.push((e, vec![object])),
        }
    }
    let one = |(first, objects): (Error, Vec<String>)| match objects.len() {
        0 | 1 => first,
        _ => {
            let what = first.what().text().to_string();
            let e = Error::new(first.kind(), what).in_object(&list_names(&objects));
            match first.remedy() {
                Some(remedy) => e.with_remedy(remedy.to_owned()),
                None => e,
            }
        }
    };
    limited(groups.into_iter().map(one).collect())
}

/// Maximum number of errors printed individually.
const MOST: usize = 100;

/// Returns the first errors, and the number of further errors: a truncated file may have 100,000 damaged variables.
fn limited(mut errors: Vec<Error>) -> Vec<Error> {
    let more = errors.len().saturating_sub(MOST);
    errors.truncate(MOST);
    if more > 0 {
        let what = format!("{more} more errors like these");
        errors.push(Error::new(ErrorKind::Corrupt, what));
    }
    errors
}

/// Returns the selected variables in dump order.
pub(crate) fn selected<'s>(schema: &'s Schema, selection: &DataSelection) -> Vec<&'s Variable> {
    let ids = select::selected(schema, selection).into_iter();
    ids.filter_map(|id| schema.var(id)).collect()
}

/// Returns one row per filter, in the order of writing. Only the first row has the variable columns.
fn of_variable(schema: &Schema, known: &filter::FilterTable, var: &Variable) -> Vec<FilterRow> {
    let (storage, chunk) = layout(&var.storage);
    let mut head = [path(schema, var), storage.to_owned(), chunk].to_vec();
    let mut row = |[id, name, state, parameters]: [String; 4]| -> FilterRow {
        let mut head = std::mem::take(&mut head).into_iter();
        let mut first = || head.next().unwrap_or_default();
        [first(), first(), first(), id, name, state, parameters]
    };
    if var.storage.filters.is_empty() {
        let none = "none".to_owned();
        return vec![row([String::new(), none, String::new(), String::new()])];
    }
    let filters = var.storage.filters.iter();
    filters.map(|f| row(of_filter(known, f))).collect()
}

/// Returns id, name, state and parameters of a filter.
pub(crate) fn of_filter(known: &filter::FilterTable, filter: &FilterSpec) -> [String; 4] {
    let state = match known.entry(filter.id) {
        Ok(UsableFilter::BuiltIn(_)) => "built in".to_owned(),
        Ok(UsableFilter::Plugin(plugin)) => format!("plugin {}", plugin.path.display()),
        Err(_) => "missing".to_owned(),
    };
    let label = known.label(filter);
    // Zarr codecs that are not HDF5 filters have no number.
    let id = match is_private(filter.id) {
        true => "-".to_owned(),
        false => filter.id.to_string(),
    };
    let name = label.name.unwrap_or_else(|| "not registered".to_owned());
    [id, name, state, label.params]
}

/// Returns the layout name and the chunk shape.
pub(crate) fn layout(storage: &Storage) -> (&'static str, String) {
    let word = match &storage.layout {
        None => "",
        Some(StorageLayout::Contiguous) => "contiguous",
        Some(StorageLayout::Compact) => "compact",
        Some(StorageLayout::Virtual) => "virtual",
        Some(StorageLayout::Unknown) => "unknown",
        Some(StorageLayout::Chunked(shape)) => {
            let shape: Vec<_> = shape.iter().map(u64::to_string).collect();
            return ("chunked", shape.join("x"));
        }
    };
    (word, String::new())
}

/// Returns the path of a variable, escaped as in CDL.
pub(crate) fn path(schema: &Schema, var: &Variable) -> String {
    let parent = |id: &GroupId| schema.group(*id).and_then(|g| g.parent);
    let way = std::iter::successors(Some(var.group), parent)
        .take(schema.groups.len())
        .filter_map(|id| schema.group(id).filter(|g| g.parent.is_some()));
    let mut names: Vec<_> = way.map(|group| group.name.as_bytes()).collect();
    names.insert(0, var.name.as_bytes());
    let mut path = Vec::new();
    for name in names.into_iter().rev() {
        path.push(b'/');
        escape_name(trim_nuls(name), &mut path);
    }
    String::from_utf8_lossy(&path).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_limited() {
        let errors = |count: usize| (0..count).map(|_| Error::new(ErrorKind::Corrupt, "odd"));
        assert_eq!(limited(errors(MOST).collect()).len(), MOST);
        let many = limited(errors(MOST + 7).collect());
        assert_eq!(many.len(), MOST + 1);
        assert_eq!(many[MOST].what(), "7 more errors like these");
    }
}
