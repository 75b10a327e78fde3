//! Recognises files of other formats by signature, and suggests a remedy.

use super::Source;
use crate::error::{Error, ErrorKind, Result};

/// The number of bytes at the start of a file that are compared with signatures.
const HEAD: usize = 4096;

/// The name of a format, and the remedy.
type ForeignFormat = (&'static str, &'static str);

/// Signatures, format names and remedies.
const SIGNATURES: &[(&[&[u8]], &str, &str)] = &[
    (
        &[b"\x0e\x03\x13\x01"],
        "an HDF4 file",
        "ncdump prints it, nccopy -k zarr3 converts it to Zarr",
    ),
    (
        &[b"\x1f\x8b"],
        "a gzip file",
        "unpack it, or pipe it in: zcat FILE | ncdump -",
    ),
    (
        &[b"BZh"],
        "a bzip2 file",
        "unpack it, or pipe it in: bzcat FILE | ncdump -",
    ),
    (
        &[b"\xfd7zXZ\0"],
        "an xz file",
        "unpack it, or pipe it in: xzcat FILE | ncdump -",
    ),
    (
        &[b"\x28\xb5\x2f\xfd"],
        "a zstd file",
        "unpack it, or pipe it in: zstdcat FILE | ncdump -",
    ),
    (
        &[b"PK\x03\x04"],
        "a zip file without Zarr metadata in it",
        "unzip it, and open a file in it",
    ),
    (&[b"PK\x05\x06"], "an empty zip file", ""),
    (
        &[b"GRIB"],
        "a GRIB file",
        "cdo -f nc4 copy, or grib_to_netcdf of ecCodes, converts it to netCDF",
    ),
    (&[b"BUFR"], "a BUFR file", "the tools of ecCodes read it"),
    (&[b"\x89PNG"], "a PNG image", ""),
    (&[b"\xff\xd8\xff"], "a JPEG image", ""),
    (&[b"GIF8"], "a GIF image", ""),
    (
        &[b"II*\0", b"MM\0*"],
        "a TIFF image",
        "gdal_translate -of netCDF converts it to netCDF",
    ),
    (&[b"%PDF"], "a PDF document", ""),
    (&[b"\x93NUMPY"], "a NumPy array", "numpy.load reads it"),
    (
        &[b"CDF\x01", b"CDF\x02", b"CDF\x05"],
        "a classic netCDF file",
        "ncdump prints it, nccopy -k zarr3 converts it to Zarr",
    ),
    (
        &[b"\x89HDF\r\n\x1a\n"],
        "a netCDF-4 or HDF5 file",
        "ncdump prints it, nccopy -k zarr3 converts it to Zarr",
    ),
    (
        &[
            b"\xbcDF\x01",
            b"\xbcDF\x02",
            b"\xbcDF\x05",
            b"\x76HDF\r\n\x1a\n",
        ],
        "a netCDF file with an unfinished change, without its journal",
        "fetch it again after the writer has ended",
    ),
    (
        &[b"\x89HDF"],
        "an HDF5 file with converted line ends",
        "fetch it again as binary data",
    ),
];

/// The same for text. Signatures are compared with lower-case text after blanks.
const TEXTS: &[(&[&str], &str, &str)] = &[
    (
        &["<!doctype html", "<html"],
        "an HTML page",
        "look at it: servers send pages instead of files for logins and errors",
    ),
    (
        &["<?xml"],
        "XML",
        "look at it: servers send XML instead of files for errors",
    ),
    (
        &["version https://git-lfs"],
        "a Git LFS pointer to a file",
        "git lfs pull fetches the file itself",
    ),
    (
        &["netcdf "],
        "CDL text",
        "ncgen converts it to netCDF: ncgen -o FILE.nc FILE",
    ),
    (
        &["{"],
        "JSON text",
        "for a Zarr store, use the directory that it is in; ncgen reads the output of ncdump --json",
    ),
    (&["["], "JSON text", ""),
];

/// Recognises a file by its first bytes.
fn known(source: &dyn Source) -> Option<ForeignFormat> {
    if source.is_empty() {
        return Some(("an empty file", "fetch or make it again"));
    }
    let len = usize::try_from(source.len()).unwrap_or(HEAD).min(HEAD);
    let mut head = vec![0; len];
    source.read_at(0, &mut head).ok()?;
    let starts = |magic: &&[u8]| head.starts_with(magic);
    let signature = SIGNATURES.iter().find(|(all, ..)| all.iter().any(starts));
    if let Some((_, what, remedy)) = signature {
        return Some((what, remedy));
    }
    if head.get(257..262) == Some(b"ustar") {
        return Some(("a tar file", "tar -xf unpacks it"));
    }
    if head.iter().all(|byte| *byte == 0) {
        return Some((
            "zeros where a file should begin",
            "its data never arrived: fetch or make it again",
        ));
    }
    text(&head)
}

/// Recognises text by its first bytes.
fn text(head: &[u8]) -> Option<ForeignFormat> {
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The last character may be truncated.
        Err(e) if e.error_len().is_none() => {
            std::str::from_utf8(head.get(..e.valid_up_to())?).unwrap_or_default()
        }
        Err(_) => return None,
    };
    let odd = |c: char| c.is_ascii_control() && !c.is_ascii_whitespace();
    if text.is_empty() || text.contains(odd) {
        return None;
    }
    let mut rest = text.trim_start();
    while let Some((_, behind)) = rest.strip_prefix("//").and_then(|r| r.split_once('\n')) {
        rest = behind.trim_start();
    }
    let begins = |word: &&str| {
        let start = rest.get(..word.len());
        start.is_some_and(|start| start.eq_ignore_ascii_case(word))
    };
    let found = TEXTS.iter().find(|(all, ..)| all.iter().any(begins));
    Some(
        found.map_or(("text of another kind", ""), |(_, what, remedy)| {
            (what, remedy)
        }),
    )
}

/// The error for a file that is not in the `wanted` format. It contains the actual format, if known.
#[must_use]
pub fn refusal(source: &dyn Source, wanted: &str) -> Error {
    let Some((what, remedy)) = known(source) else {
        let what = format!("not {wanted}: unknown file format");
        return Error::new(ErrorKind::UnknownFormat, what).of(source.name());
    };
    let what = format!("this is {what}, not {wanted}");
    let e = Error::new(ErrorKind::UnknownFormat, what).of(source.name());
    match remedy {
        "" => e,
        remedy => e.with_remedy(remedy),
    }
}

/// Returns the error for an Icechunk repository. `names` are the names in a directory; other directories have no error.
pub(crate) fn icechunk<S: AsRef<str>>(names: &[S]) -> Option<Error> {
    let has = |name: &str| names.iter().any(|known| known.as_ref() == name);
    let known = has("snapshots") && has("manifests") && has("transactions");
    let what = "this is an Icechunk repository, which is not read";
    let remedy = "export it with Python: xarray.open_zarr(session.store).to_zarr('out.zarr')";
    known.then(|| Error::new(ErrorKind::UnknownFormat, what).with_remedy(remedy))
}

/// Checks that a file may be CDL: not a known data format, and not another kind of text.
///
/// # Errors
/// Returns [`ErrorKind::UnknownFormat`] if the file cannot be CDL.
pub fn may_be_cdl(source: &dyn Source) -> Result<()> {
    match known(source) {
        None => Ok(()),
        // The CDL parser reports errors in unknown text with their position.
        Some((what, _)) if what.starts_with("CDL") || what.starts_with("text") => Ok(()),
        Some(("an empty file", _)) => Ok(()),
        Some((what, _)) if is_dataset(what) => {
            let what = format!("this is {what}, not CDL text");
            let e = Error::new(ErrorKind::UnknownFormat, what).of(source.name());
            Err(e.with_remedy("ncdump prints it as CDL, nccopy copies it"))
        }
        Some(_) => Err(refusal(source, "CDL text")),
    }
}

/// Whether `ncdump` prints a known format.
fn is_dataset(what: &str) -> bool {
    let datasets = ["netCDF file", "HDF5 file", "HDF4 file"];
    datasets.iter().any(|name| what.ends_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::io::memory::MemorySource;

    fn source(bytes: &[u8]) -> MemorySource {
        MemorySource::new("f", bytes.to_vec())
    }

    #[test]
    fn what_nobody_knows_is_said_so() {
        let e = refusal(&source(b"\x01\x02\x03odd"), "a netCDF file");
        assert_eq!(e.to_string(), "f: not a netCDF file: unknown file format");
        let e = refusal(&source(b"GIF89a"), "a netCDF file");
        assert_eq!(e.to_string(), "f: this is a GIF image, not a netCDF file");
    }

    #[test]
    fn icechunk_repositories_are_named() {
        let names = ["chunks", "manifests", "repo", "snapshots", "transactions"];
        assert!(icechunk(&names).is_some() && icechunk(&names[..2]).is_none());
    }

    #[test]
    fn text_may_be_cut_within_a_character() {
        let page = [
            "\u{feff}\n <HTML>".as_bytes(),
            &"é".repeat(HEAD).into_bytes(),
        ]
        .concat();
        for len in [HEAD, HEAD + 1] {
            let e = refusal(&source(&page[..len]), "a netCDF file");
            assert!(e.to_string().contains("an HTML page"), "{e}");
        }
        let cdl = b"// a comment\n// and another\nnetcdf x {\n}\n";
        assert!(refusal(&source(cdl), "x").to_string().contains("ncgen"));
        assert!(may_be_cdl(&source(cdl)).is_ok());
        assert!(may_be_cdl(&source(b"nonsense")).is_ok());
        assert!(may_be_cdl(&source(b"CDF\x01")).is_err());
    }
}
