//! From the command line to what the copy is asked for.

use netcdf_core::copy::Options;
use netcdf_core::copy::options::{Filters, StorageOptions};
use netcdf_core::env::{Note, Notes};
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::model::{Kind, Schema, Zarr, ZarrVersion};
use netcdf_grammar::filter_spec::{self, Assignment};
use netcdf_grammar::{chunk_spec, mistake::Mistake};

use crate::cli::{Cli, StorageArgs};
use crate::selection;

/// What the command line asks for, of an input with this schema, and an output of this kind, if one was named. `notes` get
/// the variables that are left out, and the names in options of storage that stand for nothing.
///
/// # Errors
/// [`ErrorKind::Argument`] for groups of an input that has none, and for what is wrong with `-c`, `-F` and `--quantize`;
/// [`ErrorKind::NotFound`] for variables and groups that are not there.
pub fn resolve(cli: &Cli, kind: Option<Kind>, schema: &Schema, notes: &Notes) -> Result<Options> {
    let (select, groups) = selection::resolve(&cli.select, schema, notes)?;
    let wrong = |option: &str, texts: &[String], (n, mistake): (usize, Mistake)| {
        let text = texts.get(n).map(String::as_str).unwrap_or_default();
        Error::new(
            ErrorKind::Argument,
            format!("{option}: {}", mistake.shown(text)),
        )
    };
    let given = &cli.storage;
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
            filters.asked != Filters::default(),
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
            // Of the files of a directory, not all have what a name stands for.
            match cli.in_place && !cli.strict {
                true => notes.remark(note),
                false => notes.say(note),
            }
        }
    }
    let mut passed_over = filters.passed_over;
    passed_over.extend(quantize.passed_over);
    let kind = kind.unwrap_or_else(|| output_kind(cli, schema.kind));
    let v3 = |zarr: Zarr| zarr.version == ZarrVersion::V3;
    if !given.shards.is_empty() && !kind.as_zarr().is_some_and(v3) {
        let what = "--shard: only Zarr version 3 has shards";
        let e = Error::new(ErrorKind::Argument, what);
        return Err(e.with_remedy("use -k nczarr3 or -k zarr3"));
    }
    Ok(Options {
        kind: Some(kind),
        fix_unlimited: cli.select.fix_unlimited,
        select,
        groups,
        storage: StorageOptions {
            deflate: given.deflate,
            shuffle: given.shuffle,
            filters: filters.asked,
            quantize: quantize.asked,
            passed_over,
            chunks: chunks.map_err(|e| wrong("-c", &given.chunks, e))?,
            shards: shards.map_err(|e| wrong("--shard", &given.shards, e))?,
            min_chunk: given.min_chunk,
        },
    })
}

/// The kind if none is asked for: the input's, or the netCDF-4 kind that storage options need.
fn output_kind(cli: &Cli, input: Kind) -> Kind {
    let storage = &cli.storage;
    match input {
        _ if has_filters(storage) => Kind::Netcdf4,
        Kind::Classic | Kind::Offset64 | Kind::Cdf5 if is_netcdf4(storage) => Kind::Netcdf4Classic,
        Kind::Zarr(_) => Kind::Netcdf4,
        Kind::Classic | Kind::Offset64 | Kind::Cdf5 | Kind::Netcdf4 | Kind::Netcdf4Classic => input,
    }
}

/// True if filters are to be applied, which `none` does not.
fn has_filters(storage: &StorageArgs) -> bool {
    let none =
        |f: &String| f.is_empty() || matches!(filter_spec::assignment(f), Ok(Assignment::None));
    !storage.filters.iter().all(none)
}

/// True if an option needs netCDF-4, but not its model.
fn is_netcdf4(storage: &StorageArgs) -> bool {
    storage.deflate.is_some_and(|level| level > 0)
        || storage.shuffle
        || !storage.chunks.is_empty()
        || quantizes(storage)
}

/// True if numbers are to be quantized, which `none` does not.
fn quantizes(storage: &StorageArgs) -> bool {
    let none = |q: &String| filter_spec::quantization(q).is_ok_and(|q| q.how.is_none());
    !storage.quantize.iter().all(none)
}

/// The options that ask for something that an output of this kind does not have.
#[must_use]
pub fn without_effect(cli: &Cli, output: Kind) -> Vec<&'static str> {
    let storage = &cli.storage;
    let options = [
        ("-d", storage.deflate.is_some_and(|level| level > 0)),
        ("-s", storage.shuffle),
        ("-c", !storage.chunks.is_empty()),
        ("-F", has_filters(storage)),
        ("--quantize", quantizes(storage)),
    ];
    let given = options
        .into_iter()
        .filter(|(_, set)| *set && output.is_cdf());
    given.map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use netcdf_core::model::{Atomic, Dimension, GroupId, Name, Storage, Variable};

    fn resolved(line: &str, input: Kind) -> Result<Options> {
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        resolve(
            &cli,
            cli.kind.kind(),
            &Schema::new(input),
            &Notes::default(),
        )
    }

    /// The kind that a copy of a 64-bit offset file with a variable `v` over `t` has.
    fn kind(line: &str) -> Option<Kind> {
        let cli = Cli::try_parse_from(line.split(' ')).unwrap();
        let mut schema = Schema::new(Kind::Offset64);
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
        resolve(&cli, cli.kind.kind(), &schema, &Notes::default())
            .unwrap()
            .kind
    }

    #[test]
    fn storage_options_choose_the_kind_if_nobody_does() {
        assert_eq!(kind("nccopy a b"), Some(Kind::Offset64));
        assert_eq!(kind("nccopy -d0 a b"), Some(Kind::Offset64));
        assert_eq!(kind("nccopy -F none -F *,NONE a b"), Some(Kind::Offset64));
        for line in ["-d1", "-s", "-c t/1"] {
            let line = format!("nccopy {line} a b");
            assert_eq!(kind(&line), Some(Kind::Netcdf4Classic), "{line}");
            let given = line.replace("nccopy", "nccopy -k nc3");
            assert_eq!(kind(&given), Some(Kind::Classic));
        }
        assert_eq!(kind("nccopy -F v,307,9 a b"), Some(Kind::Netcdf4));
    }

    #[test]
    fn options_without_effect_are_named() {
        let cli = Cli::try_parse_from("nccopy -3 -d1 -s a b".split(' ')).unwrap();
        assert_eq!(without_effect(&cli, Kind::Classic), ["-d", "-s"]);
        assert!(without_effect(&cli, Kind::Netcdf4).is_empty());
    }

    #[test]
    fn mistakes_in_specifications_are_shown() {
        let e = resolved("nccopy -F none -F v,zst,3 a b", Kind::Netcdf4).unwrap_err();
        assert_eq!(
            e.to_string(),
            "-F: no filter is called `zst`\n  v,zst,3\n    ^\n  hint: did you mean `zstd`?"
        );
        let e = resolved("nccopy -c t/5 a b", Kind::Netcdf4).unwrap_err();
        assert_eq!(e.to_string(), "-c: there is no dimension `t`\n  t/5\n  ^");
    }
}
