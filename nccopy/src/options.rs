//! Resolves storage options for an input.

use std::collections::BTreeMap;

use netcdf_core::copy::CopyOptions;
use netcdf_core::copy::options::{StorageOptions, VariableFilters};
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::format;
use netcdf_core::model::kind::StorageFormat;
use netcdf_core::model::{Kind, Schema, VarId};
use netcdf_core::notes::{Note, Notes};
use netcdf_grammar::filter_spec::{self, Assignment};
use netcdf_grammar::kind_options::{KindOption, Kinds};
use netcdf_grammar::{chunk_spec, mistake::Mistake};

use crate::request::{CloudRules, CopyRequest, PartRequest, StorageRequest};
use crate::{cloud, selection};

/// Returns the copy options for an input with this schema and an output of `kind`, if a kind was given. Chunks of the `fixed` variables
/// stay ([`cloud::fixed`]). `notes` receives storage option names without a match.
///
/// # Errors
/// Returns [`ErrorKind::Argument`] for groups of an input without groups, and for mistakes in `-c`, `-F` and `--quantize`. Returns
/// [`ErrorKind::NotFound`] for unknown variables and groups.
pub(crate) fn resolve(
    PartRequest { request, select }: PartRequest<'_>,
    kind: Option<Kind>,
    (schema, fixed): (&Schema, BTreeMap<VarId, String>),
    notes: &Notes,
) -> Result<CopyOptions> {
    let unlimited = selection::unlimited(select, schema)?;
    let (select, groups) = selection::resolve(select, schema)?;
    let wrong = |option: &str, texts: &[String], (n, mistake): (usize, Mistake)| {
        let text = texts.get(n).map(String::as_str).unwrap_or_default();
        Error::new(
            ErrorKind::Argument,
            format!("{option}: {}", mistake.shown(text)),
        )
    };
    let given = &request.storage;
    let chunks = chunk_spec::resolve(&given.chunks, schema);
    let shards = chunk_spec::resolve(&given.shards, schema);
    let filters = filter_spec::resolve(&given.filters, schema);
    let quantize = filter_spec::quantize(&given.quantize, schema);
    let filters = filters.map_err(|e| wrong("-F", &given.filters, e))?;
    let quantize = quantize.map_err(|e| wrong("--quantize", &given.quantize, e))?;
    for (option, texts, unmatched, asked) in [
        (
            "-F",
            &given.filters,
            filters.unmatched,
            filters.asked != VariableFilters::default(),
        ),
        (
            "--quantize",
            &given.quantize,
            quantize.unmatched,
            !quantize.asked.is_empty(),
        ),
    ] {
        for (n, mistake) in unmatched {
            if !asked {
                return Err(wrong(option, texts, (n, mistake)));
            }
            let note = Note {
                object: option.to_owned(),
                what: mistake.message,
                remedy: mistake.hint,
            };
            say_unmatched(request, note, notes);
        }
    }
    let mut chunks = chunks.map_err(|e| wrong("-c", &given.chunks, e))?;
    if given.cloud.is_some_and(|rules| rules.cmip7) {
        cloud::time_in_one_chunk(schema, &fixed, &mut chunks);
    }
    let mut passed_over = filters.passed_over;
    passed_over.extend(quantize.passed_over);
    let kind = kind.unwrap_or_else(|| output_kind(given, schema.kind));
    if !given.shards.is_empty() && !format::kind_row(kind).is_some_and(|row| row.shards) {
        let what = "--shard: only Zarr version 3 has shards";
        let e = Error::new(ErrorKind::Argument, what);
        return Err(e.with_remedy("use -k nczarr3 or -k zarr3"));
    }
    Ok(CopyOptions {
        kind: Some(kind),
        // Readers of references take the lengths of dimensions from the arrays.
        fix_unlimited: request.select.fix_unlimited || request.output.references,
        unlimited,
        enums_as_flags: request.edit.enums_as_flags,
        select,
        groups,
        storage: StorageOptions {
            deflate: given.deflate,
            shuffle: given.shuffle,
            filters: filters.asked,
            quantize: quantize.asked,
            passed_over,
            chunks,
            chunk_size: cloud::chunk_size(given, fixed),
            cloud: given.cloud.is_some(),
            shards: shards.map_err(|e| wrong("--shard", &given.shards, e))?,
            min_chunk: given.min_chunk,
        },
    })
}

/// Adds a note for an option name without a match. In a directory, a name need not match in every file.
pub(crate) fn say_unmatched(request: &CopyRequest, note: Note, notes: &Notes) {
    match request.in_place().is_some() && !request.checks.strict {
        true => notes.remark(note),
        false => notes.say(note),
    }
}

/// Returns the default output kind: the input's, or the netCDF-4 kind that the storage options need.
fn output_kind(storage: &StorageRequest, input: Kind) -> Kind {
    let kept = format::copied_as(input);
    match !format::traits(kept).settings && is_netcdf4(storage) {
        _ if has_filters(storage) => Kind::NETCDF4,
        true => Kind::NETCDF4_CLASSIC,
        false => kept,
    }
}

/// Checks whether any `-F` requests filters. `none` does not.
fn has_filters(storage: &StorageRequest) -> bool {
    let none =
        |f: &String| f.is_empty() || matches!(filter_spec::assignment(f), Ok(Assignment::None));
    !storage.filters.iter().all(none)
}

/// Checks whether an option needs netCDF-4 storage, but not the netCDF-4 model.
fn is_netcdf4(storage: &StorageRequest) -> bool {
    storage.deflate.is_some_and(|level| level > 0)
        || storage.shuffle
        || !storage.chunks.is_empty()
        || storage.chunk_size.is_some()
        || storage.cloud.is_some_and(CloudRules::is_netcdf4)
        || quantizes(storage)
}

/// Checks whether any `--quantize` requests quantization. `none` does not.
fn quantizes(storage: &StorageRequest) -> bool {
    let none = |q: &String| filter_spec::quantization(q).is_ok_and(|q| q.how.is_none());
    !storage.quantize.iter().all(none)
}

/// Returns the given options without effect on an output of this kind.
#[must_use]
pub(crate) fn without_effect(storage: &StorageRequest, output: Kind) -> Vec<&'static str> {
    let options = [
        ("-d", storage.deflate.is_some_and(|level| level > 0)),
        ("-s", storage.shuffle),
        ("-c", !storage.chunks.is_empty()),
        ("--chunk-size", storage.chunk_size.is_some()),
        ("--cloud", storage.cloud.is_some()),
        ("-F", has_filters(storage)),
        ("--quantize", quantizes(storage)),
    ];
    let given = options
        .into_iter()
        .filter(|(_, set)| *set && !format::traits(output).settings);
    given.map(|(name, _)| name).collect()
}

/// Returns our own options that only some kinds support.
#[must_use]
pub(crate) fn of_kinds(storage: &StorageRequest) -> [KindOption; 5] {
    [
        (
            "--chunk-size",
            storage.chunk_size.is_some(),
            Kinds::Settings,
        ),
        ("--cloud", storage.cloud.is_some(), Kinds::Settings),
        ("--cloud=paged", storage.is_paged(), Kinds::Hdf5),
        ("--quantize", quantizes(storage), Kinds::Settings),
        ("--shard", !storage.shards.is_empty(), Kinds::Shards),
    ]
}

/// Checks whether pages are requested for an output with storage settings but without pages.
#[must_use]
pub(crate) fn pages_without_effect(storage: &StorageRequest, output: Kind) -> bool {
    storage.is_paged() && format::traits(output).settings && output.storage != StorageFormat::Hdf5
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli;
    use crate::request::Request;
    use netcdf_core::model::{Atomic, Dimension, GroupId, Name, Storage, Variable};

    fn request(line: &str) -> CopyRequest {
        match cli::parse(line.split(' ').map(Into::into)).unwrap() {
            Request::Copy(copy) => *copy,
            other @ (Request::Plan(_) | Request::Step(_) | Request::Recover(_)) => {
                panic!("{other:?}")
            }
        }
    }

    fn resolved(line: &str, input: Kind) -> Result<CopyOptions> {
        let request = request(line);
        resolve(
            PartRequest {
                request: &request,
                select: &request.select,
            },
            request.output.kind,
            (&Schema::new(input), BTreeMap::new()),
            &Notes::default(),
        )
    }

    /// Returns the kind of a copy of a 64-bit offset file with a variable `v` over `t`.
    fn kind(line: &str) -> Option<Kind> {
        let request = request(line);
        let mut schema = Schema::new(Kind::OFFSET64);
        let t = schema.add_dim(Dimension {
            name: Name::checked(b"t").unwrap(),
            group: GroupId(0),
            len: 4,
            unlimited: false,
        });
        schema.add_var(Variable {
            name: Name::checked(b"v").unwrap(),
            group: GroupId(0),
            ty: Atomic::Int.into(),
            dims: vec![t],
            attributes: vec![],
            storage: Storage::default(),
        });
        resolve(
            PartRequest {
                request: &request,
                select: &request.select,
            },
            request.output.kind,
            (&schema, BTreeMap::new()),
            &Notes::default(),
        )
        .unwrap()
        .kind
    }

    #[test]
    fn storage_options_choose_the_kind_if_nobody_does() {
        assert_eq!(kind("nccopy a b"), Some(Kind::OFFSET64));
        assert_eq!(kind("nccopy -d0 a b"), Some(Kind::OFFSET64));
        assert_eq!(kind("nccopy -F none -F *,NONE a b"), Some(Kind::OFFSET64));
        for line in ["-d1", "-s", "-c t/1"] {
            let line = format!("nccopy {line} a b");
            assert_eq!(kind(&line), Some(Kind::NETCDF4_CLASSIC), "{line}");
            let given = line.replace("nccopy", "nccopy -k nc3");
            assert_eq!(kind(&given), Some(Kind::CLASSIC));
        }
        assert_eq!(kind("nccopy -F v,307,9 a b"), Some(Kind::NETCDF4));
    }

    #[test]
    fn options_without_effect_are_named() {
        let storage = request("nccopy -3 -d1 -s a b").storage;
        assert_eq!(without_effect(&storage, Kind::CLASSIC), ["-d", "-s"]);
        assert!(without_effect(&storage, Kind::NETCDF4).is_empty());
    }

    #[test]
    fn mistakes_in_specifications_are_shown() {
        let e = resolved("nccopy -F none -F v,zst,3 a b", Kind::NETCDF4).unwrap_err();
        assert_eq!(
            e.to_string(),
            "-F: no filter is called `zst`\n  v,zst,3\n    ^\n  hint: did you mean `zstd`?"
        );
        let e = resolved("nccopy -c t/5 a b", Kind::NETCDF4).unwrap_err();
        assert_eq!(e.to_string(), "-c: there is no dimension `t`\n  t/5\n  ^");
    }
}
