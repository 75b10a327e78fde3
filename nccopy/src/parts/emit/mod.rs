//! `--emit`: a script for another program, which runs the parts on its machines and then `--finish`.
//!
//! The template of each script is stored beside its module. Placeholders have the form `@NAME@`.

mod dask;
mod facts;
mod parallel;
mod quote;
mod slurm;
mod snakemake;

use netcdf_core::error::{Error, Result};
use netcdf_core::tool::{Io, Status};

use super::plan_directory::PlanDirectory;
use crate::request::{Engine, ProcessRequest};
use facts::Facts;
pub(super) use facts::memory;

/// Prints the script.
///
/// # Errors
/// Returns errors of the plan directory and of standard output.
pub(super) fn run(
    process: &ProcessRequest,
    folder: &PlanDirectory,
    engine: Engine,
    io: &mut Io,
) -> Result<Status> {
    let facts = Facts::of(process, folder)?;
    let text = script(engine, &facts)?;
    let failed = |e| Error::io("cannot write", "(stdout)", e);
    io.stdout.write_all(text.as_bytes()).map_err(failed)?;
    Ok(Status::Success)
}

fn script(engine: Engine, facts: &Facts) -> Result<String> {
    match engine {
        Engine::Slurm => Ok(slurm::script(facts)),
        Engine::Dask => Ok(dask::script(facts)),
        Engine::Snakemake => snakemake::script(facts),
        Engine::Parallel => Ok(parallel::script(facts)),
    }
}

/// Replaces each `@NAME@` in a template by its value. Values are not scanned again, because paths may contain `@NAME@`.
fn fill(template: &str, values: &[(&str, String)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('@') {
        text.push_str(before);
        let found = values.iter().find_map(|(name, value)| {
            let behind = after.strip_prefix(name)?.strip_prefix('@')?;
            Some((value, behind))
        });
        rest = match found {
            Some((value, behind)) => {
                text.push_str(value);
                behind
            }
            None => {
                text.push('@');
                after
            }
        };
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_take_the_place_of_their_names() {
        let values = [("A", "@B@".to_owned()), ("B", "2".to_owned())];
        assert_eq!(fill("@A@ @B@@B@ $@ @C@ a@b", &values), "@B@ 22 $@ @C@ a@b");
    }

    /// A placeholder without a value would stay in the script.
    #[test]
    fn scripts_are_complete() {
        let facts = Facts::example("/a b/it's", 2500);
        for engine in Engine::ALL {
            let text = script(engine, &facts).unwrap();
            let names = text.split('@').skip(1).step_by(2);
            let mut left = names.filter(|name| name.bytes().all(|b| b.is_ascii_uppercase()));
            assert_eq!(left.next(), None, "{engine:?}");
            let by = format!("Made by: nccopy --emit {engine:?}").to_lowercase();
            assert!(text.to_lowercase().contains(&by), "{engine:?}");
        }
    }
}
