//! Resolves the names in `-c` options to the variables and dimensions of a dataset.

use netcdf_core::copy::options::{ChunkShapes, VarLayout};
use netcdf_core::model::{DimId, Schema, VarId};

use super::parse::{Along, ChunkRequest, parse};
use crate::mistake::Mistake;
use crate::pattern::{locate, near};

/// Returns the requests of the options `texts` for the variables and dimensions of `schema`. As in the C tool, the first request for a
/// variable takes precedence, but the last request for a dimension.
///
/// # Errors
/// Returns the index of the option with its mistake: a syntax error, an unknown name, or a shape that does not fit.
pub fn resolve(texts: &[String], schema: &Schema) -> Result<ChunkShapes, (usize, Mistake)> {
    let mut all = ChunkShapes::default();
    for (n, text) in texts.iter().enumerate() {
        // As in the C tool, an empty text has no effect.
        if !text.is_empty() {
            add(&mut all, text, schema).map_err(|e| (n, e))?;
        }
    }
    Ok(all)
}

fn add(all: &mut ChunkShapes, text: &str, schema: &Schema) -> Result<(), Mistake> {
    match parse(text)? {
        ChunkRequest::Nothing => {
            all.none = true;
            all.dims.clear();
        }
        ChunkRequest::Variable(name, layout, at) => {
            let id = name.variable(schema)?;
            fits(schema, id, &layout, at)?;
            all.vars.entry(id).or_insert(layout);
        }
        ChunkRequest::Dimensions(along) => {
            all.none = false;
            for one in along {
                let id = dimension(schema, &one)?;
                let len = schema.dim(id).map_or(1, |d| d.len.max(1));
                all.dims.insert(id, one.size.unwrap_or(len));
            }
        }
    }
    Ok(())
}

fn dimension(schema: &Schema, along: &Along<'_>) -> Result<DimId, Mistake> {
    let named = || {
        let (group, name) = locate(schema, along.name)?;
        let dims = &schema.group(group)?.dims;
        let is = |id: &&DimId| schema.dim(**id).is_some_and(|d| d.name == name);
        dims.iter().find(is).copied()
    };
    named().ok_or_else(|| {
        let path = |d: &netcdf_core::model::Dimension| {
            let group = schema.group_path(d.group);
            format!("{}/{}", group.trim_end_matches('/'), d.name)
        };
        let paths: Vec<_> = schema.dims.iter().map(path).collect();
        let message = format!("there is no dimension `{}`", along.name);
        Mistake::new(along.at, message).with_hint(near(along.name, &paths))
    })
}

/// Checks a chunk shape: one length per dimension, and no length above a fixed dimension.
fn fits(schema: &Schema, id: VarId, layout: &VarLayout, at: usize) -> Result<(), Mistake> {
    let (VarLayout::Chunked(sizes), Some(var)) = (layout, schema.var(id)) else {
        return Ok(());
    };
    let path = schema.var_path(id);
    if sizes.len() != var.dims.len() {
        let (have, need) = (sizes.len(), var.dims.len());
        let message = format!("{have} lengths for the {need} dimensions of {path}");
        return Err(Mistake::new(at, message));
    }
    for (dim, size) in var.dims.iter().zip(sizes) {
        if let Some(dim) = schema.dim(*dim).filter(|d| !d.unlimited && d.len < *size) {
            let (name, len) = (&dim.name, dim.len);
            let message =
                format!("a chunk of {size} is longer than dimension {name}, which has {len}");
            return Err(Mistake::new(at, message));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec_tests::schema;

    fn resolved(texts: &[&str]) -> Result<String, String> {
        let texts: Vec<_> = texts.iter().map(|&t| t.to_owned()).collect();
        let all = resolve(&texts, &schema());
        let all = all.map_err(|(n, e)| format!("{n}: {}", e.shown(&texts[n])))?;
        let dims: Vec<_> = all.dims.iter().map(|(d, n)| (d.0, *n)).collect();
        let vars: Vec<_> = all.vars.iter().map(|(v, l)| (v.0, l)).collect();
        Ok(format!("{} {dims:?} {vars:?}", all.none))
    }

    #[test]
    fn of_several_options() {
        // Dimensions: 0 time, unlimited, 3; 1 x, 10; 2 in g: y, 5.
        let both = resolved(&["time/1", "x/,/g/y/2"]).unwrap();
        assert_eq!(both, "false [(0, 1), (1, 10), (2, 2)] []");
        assert_eq!(resolved(&["x/5", "/"]).unwrap(), "true [] []");
        assert_eq!(resolved(&["//", "x/5", ""]).unwrap(), "false [(1, 5)] []");
        let first = resolved(&["temp:100,10", "temp:", "time:compact"]).unwrap();
        assert_eq!(first, "false [] [(0, Chunked([100, 10])), (1, Compact)]");
    }

    #[test]
    fn shapes_that_do_not_fit_are_mistakes() {
        for (text, want) in [
            ("quite/5", "there is no dimension `quite`\n  quite/5\n  ^"),
            (
                "x/5,y/5",
                "there is no dimension `y`\n  x/5,y/5\n      ^\n  hint: did you mean `/g/y`?",
            ),
            (
                "temp:1",
                "1 length for the 2 dimensions of /temp\n  temp:1\n       ^",
            ),
            (
                "temp:1,11",
                "a chunk of 11 is longer than dimension x, which has 10\n  temp:1,11\n       ^",
            ),
        ] {
            assert_eq!(resolved(&[text]).unwrap_err(), format!("0: {want}"));
        }
        assert!(resolved(&["nosuch:1"]).is_err());
    }
}
