//! Digests of dataset contents (`--sum`), and their check (`--sum --check`).
//!
//! | module | content |
//! |---|---|
//! | `line` | a line of a list: digest, file and path |
//! | `list` | the lines of a list, grouped by file |
//! | `check` | comparison of datasets with a list |

pub(crate) mod check;
mod line;
mod list;

use std::io::Write;

use netcdf_core::chunk::Dataset;
use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::json::{Between, Json};
use netcdf_core::model::{Schema, VarId};
use netcdf_core::shown;
use netcdf_core::sum::{Digest, DigestMaker, VERSION, var_path};

use line::SumLine;

/// The requested digests.
pub(crate) struct SumRequest<'a> {
    /// The name of the file, as given.
    pub(crate) file: &'a [u8],
    /// The selected variables, without the dataset.
    pub(crate) chosen: Option<Vec<VarId>>,
    /// Whether to print JSON.
    pub(crate) json: bool,
}

/// Prints the digests of variables in path order, then the digest of the dataset. Skips unreadable variables, with an error in `omitted`.
/// The dataset then has no digest.
///
/// # Errors
/// Returns write errors and [`ErrorKind::Cancelled`].
pub(crate) fn write(
    set: Dataset<'_>,
    asked: &SumRequest<'_>,
    omitted: &mut Vec<Error>,
    out: &mut dyn Write,
) -> Result<()> {
    let schema = set.reader.schema();
    let sums = DigestMaker::new(set)?;
    let mut made = Made::default();
    let (before, all) = (omitted.len(), asked.chosen.is_none());
    for (path, id) in ordered(schema, asked.chosen.as_deref()) {
        match sums.variable(id) {
            Ok(digest) => {
                made.say(asked, (&digest, Some(&path)), out)?;
                made.vars.push((id, digest));
            }
            Err(e) if e.kind() == ErrorKind::Cancelled => return Err(e),
            Err(e) => omitted.push(e),
        }
    }
    let dataset = match all && omitted.len() == before {
        true => Some(sums.dataset(&made.vars)?),
        false => None,
    };
    if let Some(dataset) = &dataset {
        made.say(asked, (dataset, None), out)?;
    }
    match asked.json {
        true => put(out, &made.json(asked.file, dataset)?),
        false => Ok(()),
    }
}

/// Returns variables in path order.
fn ordered(schema: &Schema, chosen: Option<&[VarId]>) -> Vec<(Vec<u8>, VarId)> {
    let ids: Vec<VarId> = match chosen {
        Some(chosen) => chosen.to_vec(),
        None => schema.var_ids().collect(),
    };
    let mut all: Vec<_> = ids
        .into_iter()
        .map(|id| (var_path(schema, id), id))
        .collect();
    all.sort_unstable();
    all
}

/// The digests computed so far.
#[derive(Default)]
struct Made {
    vars: Vec<(VarId, Digest)>,
    /// Members of the JSON object.
    members: Vec<(String, Json)>,
}

impl Made {
    /// Prints a digest, or stores it for the JSON.
    fn say(
        &mut self,
        asked: &SumRequest<'_>,
        (digest, path): (&Digest, Option<&[u8]>),
        out: &mut dyn Write,
    ) -> Result<()> {
        if asked.json {
            let member = path.map(|path| (text(path), Json::text(&digest.to_string())));
            self.members.extend(member);
            return Ok(());
        }
        let line = SumLine {
            digest: *digest,
            file: asked.file.to_vec(),
            path: path.map(<[u8]>::to_vec),
        };
        put(out, &format!("{line}\n"))
    }

    /// Returns the JSON object with a line end.
    fn json(self, file: &[u8], dataset: Option<Digest>) -> Result<String> {
        let dataset = dataset.map_or(Json::Null, |digest| Json::text(&digest.to_string()));
        let members = [
            ("file", Json::text(&text(file))),
            ("stream", Json::text(VERSION)),
            ("algorithm", Json::text("blake3")),
            ("dataset", dataset),
            ("variables", Json::Object(self.members)),
        ];
        let line = Json::object(members).line(Between::CommaBlank)?;
        Ok(format!("{}\n", shown::json(&line)))
    }
}

/// Returns a name for JSON. A name that is not UTF-8 has the escapes of a list.
fn text(name: &[u8]) -> String {
    let text = std::str::from_utf8(name);
    text.map_or_else(|_| line::escaped(name), str::to_owned)
}

fn put(out: &mut dyn Write, text: &str) -> Result<()> {
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|e| Error::io("cannot write", "(stdout)", e))
}
