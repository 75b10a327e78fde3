//! The file and part lists in a plan directory.
//!
//! `files.jsonl` has a line for each file. `parts.jsonl` has a line of [`ROW`] bytes for each part, with the estimated costs of the part
//! and the byte range of its files in `files.jsonl`. Each part therefore reads only its own lines.

use std::path::Path;

use netcdf_core::arithmetic::Amount;
use netcdf_core::copy::parts::Costs;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::io::file::{self, FileTarget, Readers};
use netcdf_core::io::source::read_range;
use netcdf_core::io::{Source as _, Target as _};
use netcdf_core::json::{Between, Json};
use netcdf_core::sum::Digest;

use crate::parts::estimate::{seconds, whole};
use crate::parts::paths::source;
use crate::parts::record::{
    self,
    members::{RecordMembers, lacks},
};

const FILES: &str = "files.jsonl";
const PARTS: &str = "parts.jsonl";
/// Bytes of a part line, padded with spaces.
const ROW: u64 = 256;

/// A file to copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileRow {
    pub input: String,
    pub output: String,
    /// The input state when the plan was made.
    pub state: Option<String>,
    /// The digest of the metadata, if it was readable.
    pub metadata: Option<Digest>,
    /// The file size, or the size of the chunks.
    pub bytes: u64,
}

/// The files of a part, and their estimated costs.
pub(crate) type FileGroup<'a> = (&'a [FileRow], Costs);

impl FileRow {
    fn line(&self) -> Result<String> {
        let json = Json::object([
            ("input", Json::text(&self.input)),
            ("output", Json::text(&self.output)),
            (
                "state",
                self.state.as_deref().map_or(Json::Null, Json::text),
            ),
            (
                "metadata",
                self.metadata
                    .map_or(Json::Null, |digest| Json::text(&digest.to_string())),
            ),
            ("bytes", Json::int(self.bytes)),
        ]);
        Ok(format!("{}\n", json.line(Between::CommaBlank)?))
    }

    fn parse(line: &[u8]) -> Result<Self> {
        let json = Json::parse(line)?;
        let of = RecordMembers(&json);
        Ok(Self {
            input: of.text("input")?.to_owned(),
            output: of.text("output")?.to_owned(),
            state: of.get("state")?.as_str().map(str::to_owned),
            metadata: match of.get("metadata")? {
                Json::Null => None,
                _ => Some(of.digest("metadata")?),
            },
            bytes: of.number("bytes")?,
        })
    }
}

/// Writes the lists: one group for each part. `allow_secrets` permits secrets in files that other users can read.
///
/// # Errors
/// Returns write errors.
pub(crate) fn write((folder, allow_secrets): (&Path, bool), parts: &[FileGroup<'_>]) -> Result<()> {
    let (mut lines, mut rows) = (String::new(), String::new());
    for (part, (files, costs)) in parts.iter().enumerate() {
        let (first, mut bytes) = (lines.len(), Amount::default());
        for file in *files {
            lines.push_str(&file.line()?);
            bytes = bytes + file.bytes;
        }
        let row = Json::object([
            ("part", Json::int(part)),
            ("stage", Json::int(1)),
            ("files", Json::int(files.len())),
            ("bytes", Json::int(bytes.get())),
            ("read", whole(costs.read)),
            ("written", whole(costs.written)),
            ("cpu_seconds", seconds(costs.seconds)),
            ("from", Json::int(first)),
            ("to", Json::int(lines.len())),
        ]);
        rows.push_str(&row.line(Between::CommaBlank)?);
        while !(rows.len() as u64 + 1).is_multiple_of(ROW) {
            rows.push(' ');
        }
        rows.push('\n');
    }
    let all = parts.iter().flat_map(|(files, _)| *files);
    let paths = all.flat_map(|file| [Path::new(&file.input), Path::new(&file.output)]);
    match record::readers(paths, allow_secrets) {
        Readers::Umask => put(&folder.join(FILES), &lines)?,
        private => {
            let put = file::put_with(&folder.join(FILES), lines.as_bytes(), private);
            put.map_err(record::allow_secrets)?;
        }
    }
    put(&folder.join(PARTS), &rows)
}

fn put(path: &Path, text: &str) -> Result<()> {
    let mut target = FileTarget::create(path, true)?;
    target.write_at(0, text.as_bytes())?;
    Box::new(target).commit()
}

/// Returns the files of a part.
///
/// # Errors
/// Returns read errors and [`ErrorKind::Corrupt`].
pub(crate) fn read(folder: &Path, part: u64) -> Result<Vec<FileRow>> {
    let rows = source(&folder.join(PARTS))?;
    let start = part
        .checked_mul(ROW)
        .and_then(|start| Some((start, start.checked_add(ROW)?)));
    let (start, end) = start.ok_or_else(|| lacks("part"))?;
    let row = Json::parse(&read_range(&rows, &(start..end))?).map_err(|e| e.of(rows.name()))?;
    let of = RecordMembers(&row);
    if of.number("part")? != part {
        return Err(Error::new(ErrorKind::Corrupt, "the row of another part").of(rows.name()));
    }
    let range = of.number("from")?..of.number("to")?;
    let files = source(&folder.join(FILES))?;
    if range.start > range.end {
        return Err(
            Error::new(ErrorKind::Corrupt, "a part that ends before it starts").of(rows.name()),
        );
    }
    let lines = read_range(&files, &range)?;
    let lines = lines
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    let rows = lines.map(FileRow::parse).collect::<Result<_>>();
    rows.map_err(|e| e.of(files.name()))
}

/// Removes the lists and their temporary files, if they exist.
///
/// # Errors
/// Returns [`ErrorKind::Io`].
pub(crate) fn remove(folder: &Path) -> Result<()> {
    for name in [FILES, PARTS] {
        let path = folder.join(name);
        file::clear(&path);
        match std::fs::remove_file(&path) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::io("cannot remove", &path.to_string_lossy(), e));
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_find_their_files() {
        let dir = tempfile::tempdir().unwrap();
        let file = |n: u64| FileRow {
            input: format!("in/{n}.nc"),
            output: format!("out \"{n}\".nc"),
            state: n.is_multiple_of(2).then(|| "x".to_owned()),
            metadata: n.is_multiple_of(3).then(|| Digest::of_bytes(b"y")),
            bytes: u64::MAX - n,
        };
        let files: Vec<_> = (0..7).map(file).collect();
        let most = Costs {
            read: f64::INFINITY,
            written: f64::NAN,
            seconds: 1e300,
            ..Costs::default()
        };
        let groups = [
            (&files[..3], most),
            (&[], Costs::default()),
            (&files[3..], most),
        ];
        write((dir.path(), false), &groups).unwrap();
        assert_eq!(read(dir.path(), 0).unwrap(), files[..3]);
        assert_eq!(read(dir.path(), 1).unwrap(), []);
        assert_eq!(read(dir.path(), 2).unwrap(), files[3..]);
        assert!(read(dir.path(), 3).is_err());
        assert!(read(dir.path(), u64::MAX).is_err());
        let rows = std::fs::read_to_string(dir.path().join(PARTS)).unwrap();
        assert!(rows.lines().all(|line| line.len() as u64 == ROW - 1));
        // Killed processes leave temporary files.
        for left in [".files.jsonl.000y3T.tmp", ".parts.jsonl.000k2h.tmp"] {
            std::fs::write(dir.path().join(left), "").unwrap();
        }
        remove(dir.path()).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
