//! Plans a copy: computes the output schema from the input schema and the options.

mod enums;
mod fill;
mod kind_support;
mod reserved;
mod selection;
mod sparse;
mod storage;
mod strings;
mod texts;
mod unused;

pub use fill::{carry_fill, missing_value_outside_attributes};
pub use sparse::keep_fill_values;
pub(super) use sparse::{has_nothing, may_lack_data};
pub use strings::{size_known_strings, size_strings, widen_strings};

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use super::{CopyOptions, CopySelection};
use crate::error::{OrInternal as _, Result};
use crate::format::traits;
use crate::model::kind::Model;
use crate::model::{DimId, Schema, VarId};
use crate::notes::Note;

/// A variable in the input, and the output variable that receives its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopiedVariable {
    /// The id in the input.
    pub from: VarId,
    /// The id in the output.
    pub to: VarId,
}

/// The plan of a copy.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The output's schema; unlimited dimensions have length 0 and grow with the data.
    pub schema: Schema,
    /// The variables to copy, in definition order.
    pub data: Vec<CopiedVariable>,
    /// Whether the output is for readers over a network ([`StorageOptions::cloud`](super::options::StorageOptions::cloud)).
    pub cloud: bool,
    /// Lengths that unlimited dimensions of the output have, independent of the copied data.
    pub lengths: Vec<(DimId, u64)>,
    /// String variables of the output without a known string length ([`size_known_strings`]).
    pub unsized_strings: BTreeSet<VarId>,
    /// Input variables that keep their values although a pattern selects them for lossy storage, with the reasons.
    pub passed_over: BTreeMap<VarId, String>,
    /// Notes on skipped objects and ignored requests, with the reasons.
    pub notes: Vec<Note>,
    /// Remarks on lossless changes of storage.
    pub remarks: Vec<Note>,
}

/// Plans a copy of a dataset with the schema `input`. Names stay unchanged.
///
/// # Errors
/// Returns [`ErrorKind::BadType`](crate::ErrorKind::BadType), [`ErrorKind::NotInFormat`](crate::ErrorKind::NotInFormat),
/// [`ErrorKind::Strict`](crate::ErrorKind::Strict) or [`ErrorKind::Unlimited`](crate::ErrorKind::Unlimited) if the output's kind does not
/// support an object; the error names all unsupported objects. Returns [`ErrorKind::DimSize`](crate::ErrorKind::DimSize) for more records
/// than the kind can count, and [`ErrorKind::Argument`](crate::ErrorKind::Argument) for storage that a variable cannot have.
pub fn plan(input: &Schema, options: &CopyOptions) -> Result<Plan> {
    let vars = options.select.of(input.var_ids());
    let groups = options.groups.of(input.group_ids());
    let stays = groups.iter().map(|(defined, _)| match defined {
        true => selection::GroupScope::Whole,
        false => selection::GroupScope::Excluded,
    });
    let defined: Vec<bool> = vars.iter().map(|(defined, _)| *defined).collect();
    let stays: Vec<_> = stays.collect();
    let kind = options.kind.unwrap_or(input.kind);
    let mut notes = vec![];
    let selected = matches!(options.select, CopySelection::Only(_))
        || matches!(options.groups, CopySelection::Only(_));
    let source = with_limits(input, options)?;
    let (mut schema, pairs) = match selected && kind.model != Model::Enhanced {
        true => unused::keep(&source, &stays, &defined, &mut notes)?,
        false => selection::keep(&source, &stays, &defined)?,
    };
    schema.kind = kind;
    reserved::skip_properties(&mut schema, &mut notes);
    enums::to_numbers(&mut schema, options.enums_as_flags, &mut notes)?;
    let remarks = texts::strings_to_text(&mut schema)?.into_iter().collect();
    let lengths = fit_dims(&mut schema, options);
    kind_support::check(&schema, options.fix_unlimited)?;
    let copied = |pair: &&CopiedVariable| {
        let group = input.var(pair.from).map(|v| v.group.index());
        let group = group
            .and_then(|g| groups.get(g))
            .is_some_and(|(_, data)| *data);
        group && vars.get(pair.from.index()).is_some_and(|(_, data)| *data)
    };
    let mut plan = Plan {
        schema,
        data: pairs.iter().filter(copied).copied().collect(),
        cloud: options.storage.cloud,
        lengths,
        unsized_strings: BTreeSet::new(),
        passed_over: options.storage.passed_over.clone(),
        notes,
        remarks,
    };
    let mut lengths = plan.lengths.clone();
    for pair in &plan.data {
        let var = plan.schema.var(pair.to).or_internal("a variable")?;
        lengths.extend(var.dims.iter().copied().zip(input.shape(pair.from)));
    }
    kind_support::check_records(&plan.schema, lengths)?;
    if !traits(plan.schema.kind).settings {
        plan.passed_over.clear();
    }
    storage::decide(input, &mut plan, &pairs, options)?;
    fill::carry(input, &mut plan, &pairs)?;
    Ok(plan)
}

/// Returns the input's schema with the fixed and unlimited dimensions of the output. netCDF has no fixed dimensions of length 0, so an
/// empty dimension stays unlimited.
fn with_limits<'a>(input: &'a Schema, options: &CopyOptions) -> Result<Cow<'a, Schema>> {
    let mut schema = Cow::Borrowed(input);
    if !options.fix_unlimited && options.unlimited.is_empty() {
        return Ok(schema);
    }
    for (id, dim) in (0..).map(DimId).zip(&input.dims) {
        let fixed = options.fix_unlimited && dim.len > 0;
        let unlimited = options.unlimited.contains(&id) || dim.unlimited && !fixed;
        if unlimited != dim.unlimited {
            let dims = &mut schema.to_mut().dims;
            dims.get_mut(id.index())
                .or_internal("a dimension")?
                .unlimited = unlimited;
        }
    }
    Ok(schema)
}

/// Sets the lengths of unlimited dimensions to 0 and returns the lengths to keep. If only some variables are copied, the data
/// determines the lengths.
fn fit_dims(schema: &mut Schema, options: &CopyOptions) -> Vec<(DimId, u64)> {
    let mut lengths = Vec::new();
    for (n, dim) in (0u32..).zip(&mut schema.dims) {
        if !dim.unlimited {
            continue;
        }
        if options.select == CopySelection::All
            && options.groups == CopySelection::All
            && dim.len > 0
        {
            lengths.push((DimId(n), dim.len));
        }
        dim.len = 0;
    }
    lengths
}

#[cfg(test)]
mod tests;
