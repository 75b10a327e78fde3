//! Changes that the format makes in the original dataset.

use super::Staged;
use crate::arithmetic::{exact, indices};
use crate::chunk::scatter::{Block, ElementRun, runs};
use crate::chunk::{Placement, Reader, Update, elements};
use crate::error::{OrInternal as _, Result};
use crate::model::{DimId, FillMode, Region, Schema, Values, VarId};

impl Staged {
    /// Writes values into the original dataset, where other programs do not see them before the commit. Returns false if the values must be
    /// staged.
    pub(super) fn put_in_place(
        &mut self,
        var: VarId,
        region: &Region,
        values: &Values,
    ) -> Result<bool> {
        if self.tiles.contains_key(&var) {
            return Ok(false);
        }
        let Some(base) = &mut self.base else {
            return Ok(false);
        };
        let id = base.vars.get(var.index()).copied();
        let (Some(id), Some(update)) = (id, base.original.update_mut()) else {
            return Ok(false);
        };
        let element = update.reader().layout(id)?.element;
        if update.rules(id).chunks || element.plain_type().is_none() {
            return Ok(false);
        }
        let mut bytes = vec![];
        elements::encode(values, element.order, &mut bytes)?;
        let placed = put_runs((update, id), region, (&bytes, element.size));
        placed.map(|placed| placed == Placement::InPlace)
    }

    /// Makes all changes visible in the original dataset. `redefined`: definitions, attributes or names have changed.
    pub(in crate::api) fn commit(&mut self, redefined: bool, fill: FillMode) -> Result<Placement> {
        let has_tiles = !self.tiles.is_empty();
        let Some(base) = &mut self.base else {
            return Ok(Placement::Anew("the dataset is new"));
        };
        let same_ids = base.vars.iter().copied().eq(self.schema.var_ids());
        let Some(update) = base.original.update_mut() else {
            return Ok(Placement::Anew("the format has no changes in place"));
        };
        if has_tiles || !same_ids {
            return Ok(Placement::Anew(
                "the dataset has new variables or large changes",
            ));
        }
        for placed in [
            set_lengths(update, &self.schema)?,
            define(update, &self.schema, redefined)?,
        ] {
            if let Placement::Anew(reason) = placed {
                return Ok(Placement::Anew(reason));
            }
        }
        update.commit(fill)?;
        Ok(Placement::InPlace)
    }
}

/// Extends the unlimited dimensions.
fn set_lengths(update: &mut dyn Update, schema: &Schema) -> Result<Placement> {
    for (id, dim) in (0..)
        .map(DimId)
        .zip(&schema.dims)
        .filter(|(_, dim)| dim.unlimited)
    {
        if let Placement::Anew(reason) = update.set_len(id, dim.len)? {
            return Ok(Placement::Anew(reason));
        }
    }
    Ok(Placement::InPlace)
}

fn define(update: &mut dyn Update, schema: &Schema, redefined: bool) -> Result<Placement> {
    match redefined {
        true => update.define(schema),
        false => Ok(Placement::InPlace),
    }
}

/// Writes the elements of a region, in stored form.
fn put_runs(
    (update, var): (&mut dyn Update, VarId),
    region: &Region,
    (bytes, size): (&[u8], u64),
) -> Result<Placement> {
    let mut found: Vec<ElementRun> = vec![];
    let shape = grown_shape(update.reader(), var, region);
    runs(&Block::whole(&shape), region, |run| {
        found.push(run);
        Ok(())
    })?;
    for run in found {
        let (len, count) = match run.step {
            1 => (run.len, 1),
            _ => (1, run.len),
        };
        for n in 0..count {
            let element = run.from.saturating_add(n.saturating_mul(run.step));
            let part = indices(exact(run.to + n) * size, exact(len) * size)?;
            let part = bytes.get(part).or_internal("elements of a region")?;
            if let Placement::Anew(reason) = update.put_run(var, element, part)? {
                return Ok(Placement::Anew(reason));
            }
        }
    }
    Ok(Placement::InPlace)
}

/// Returns the shape of a variable after the write of a region.
fn grown_shape(reader: &dyn Reader, var: VarId, region: &Region) -> Vec<u64> {
    let shape = reader.schema().shape(var);
    let ends = region.start.iter().zip(&region.count).zip(&region.stride);
    let ends = ends.map(|((start, count), stride)| {
        let last = count.saturating_sub(1).saturating_mul(*stride);
        start.saturating_add(last).saturating_add(1)
    });
    shape
        .iter()
        .zip(ends)
        .map(|(len, end)| (*len).max(end))
        .collect()
}
