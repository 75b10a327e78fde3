//! `keys`: lists keys with sizes and kinds.

mod glob;
#[cfg(test)]
mod tests;

use netcdf_core::error::{Error, ErrorKind, Result};
use netcdf_core::json::Json;
use netcdf_core::tool::Io;

use crate::cli::KeysArgs;
use crate::out::{Colour, CommandOut, numbers, plain};
use crate::session::Session;
use crate::verdict::Verdict;
use netcdf_core::format::zarr::survey::{Role, StoreSurvey};

use glob::KeyGlob;

/// Lists the keys in listing order, without sorting: there may be millions.
///
/// # Errors
/// Returns errors of the store, and [`ErrorKind::NotFound`] if the pattern matches no key.
pub(crate) fn run(args: &KeysArgs, session: &Session, io: &mut Io) -> Result<Verdict> {
    let store = session.store(&args.store.store, io)?;
    let survey = StoreSurvey::read(&store, &session.env)?;
    let glob = args.glob.as_deref().map(KeyGlob::new);
    let mut out = CommandOut::new(session.json, io, ("keys", store.name()))?;
    let mut any = false;
    survey.each((&store, &session.env), &mut |key, size, role| {
        if glob.as_ref().is_some_and(|glob| !glob.matches(key)) {
            return Ok(());
        }
        any = true;
        if out.json {
            return out.record("key", members(&survey, (key, size), &role));
        }
        let line = format!("{size:>12}  {:8}  {}", role.name(), plain(key));
        let line = match role {
            Role::Metadata => out.paint(Colour::Bold, &line),
            Role::Other(_) => out.paint(Colour::Yellow, &line),
            Role::Chunk(..) | Role::Shard(..) => line,
        };
        out.line(&line)
    })?;
    out.end()?;
    match (any, args.glob.as_deref()) {
        (false, Some(glob)) => Err(none(glob).of(store.name())),
        (true, _) | (false, None) => Ok(Verdict::Sound),
    }
}

fn none(glob: &str) -> Error {
    let what = format!("no key matches \"{glob}\"");
    let remedy = "* does not match \"/\", ** does";
    Error::new(ErrorKind::NotFound, what).with_remedy(remedy)
}

fn members(
    survey: &StoreSurvey,
    (key, size): (&str, u64),
    role: &Role,
) -> Vec<(&'static str, Json)> {
    let (node, place) = match role {
        Role::Metadata => (None, None),
        Role::Chunk(node, place) | Role::Shard(node, place) => (Some(*node), Some(place)),
        Role::Other(node) => (*node, None),
    };
    let array = node.and_then(|n| survey.nodes.get(n));
    let array = array.map(|node| Json::text(&format!("/{}", node.path)));
    vec![
        ("key", Json::text(key)),
        ("size", Json::int(size)),
        ("kind", Json::text(role.name())),
        ("array", array.unwrap_or(Json::Null)),
        ("place", place.map_or(Json::Null, |place| numbers(place))),
    ]
}
