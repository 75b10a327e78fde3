//! The description of the whole: its schema, and its variables from the inputs.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use netcdf_core::chunk::Reader;
use netcdf_core::chunk::joined::{JoinedDataset, JoinedVariable, Piece};
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::model::{Atomic, Endianness, Schema, StoredElement, Values, VarId};

use super::dimension::{JoinedDimension, dim_of, var_of};
use super::extend::{add_dimension, add_labels, add_variable, prepend, remove_variables};
use super::labels::label_values;
use super::mismatch::mismatch;
use super::request::Lacking;
use super::whole::{Described, InputVariables, VariablesByPath, Whole};
use super::whole_variable::VariableBuilder;

impl<'h> Whole<'h> {
    /// Describes the whole. `schema` is the schema of the first input, which becomes the schema of the whole.
    ///
    /// # Errors
    /// Returns variables that do not fit, with the names of both inputs.
    pub(super) fn describe(&self, reader: &dyn Reader, mut schema: Schema) -> Result<Described> {
        let lists = self.lists()?;
        let inputs = self.headers.inputs.iter();
        let of_inputs = inputs.map(|input| lists.get(&input.vars).or_internal("variables"));
        let inputs = InputVariables {
            of_inputs: of_inputs.collect::<Result<_>>()?,
            order: self.order(),
        };
        self.complete(&mut schema, &inputs)?;
        let pieces = self.pieces()?;
        let len = pieces.last().map_or(0, |piece| piece.start + piece.len);
        let labels = self.dimension(&mut schema, len)?;
        let mut described = Described {
            dataset: JoinedDataset {
                ids: vec![],
                variables: vec![],
                provenance: reader.provenance(),
                latency: self.headers.latency,
                has_sources: !self.headers.lacks_sources,
                schema,
            },
            notes: vec![],
        };
        let ids: Vec<VarId> = described.dataset.schema.var_ids().collect();
        for id in ids {
            let variable = match &labels {
                Some((label, values)) if *label == id => in_memory(values, len)?,
                Some(_) | None => {
                    let mut builder = VariableBuilder {
                        whole: self,
                        inputs: &inputs,
                        pieces: &pieces,
                        described: &mut described,
                    };
                    builder.variable(id)?
                }
            };
            described.dataset.variables.push(variable);
        }
        described.dataset.ids = ids_of_inputs(&described.dataset.schema, &inputs);
        Ok(described)
    }

    /// Returns the variables of each different list of variables.
    fn lists(&self) -> Result<BTreeMap<Arc<[usize]>, VariablesByPath<'h>>> {
        let mut lists = BTreeMap::new();
        for (number, input) in self.headers.inputs.iter().enumerate() {
            if !lists.contains_key(&input.vars) {
                lists.insert(Arc::clone(&input.vars), self.headers.by_path(number)?);
            }
        }
        Ok(lists)
    }

    /// Returns all inputs in the order of the whole.
    fn order(&self) -> Vec<usize> {
        let mut seen = BTreeSet::new();
        let extended = self.request.extends.then_some(0);
        let runs = self.runs.iter().map(|run| run.input);
        let all = extended
            .into_iter()
            .chain(runs)
            .chain(0..self.headers.inputs.len());
        all.filter(|input| seen.insert(*input)).collect()
    }

    /// Adds and removes variables that some inputs lack.
    fn complete(&self, schema: &mut Schema, inputs: &InputVariables<'_, '_>) -> Result<()> {
        let mut paths = BTreeSet::new();
        for vars in &inputs.of_inputs {
            paths.extend(vars.keys().copied());
        }
        let mut removed = BTreeSet::new();
        let mut added: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for path in paths {
            let [Some(holder), Some(lacks)] = inputs.holders(path) else {
                continue;
            };
            match (self.joined, self.request.lacking) {
                (JoinedDimension::Merge, _) | (_, Lacking::Fill) => {
                    if var_of(schema, path).is_none() {
                        added.entry(holder).or_default().push(path);
                    }
                }
                (_, Lacking::Error) => return Err(self.lacking(path, [holder, lacks])),
                (_, Lacking::Skip) => {
                    removed.insert(path.to_owned());
                }
            }
        }
        remove_variables(schema, &removed);
        for (input, paths) in added {
            let reader = (self.open)(input)?;
            for path in paths {
                let id = var_of(reader.schema(), path).or_internal("a variable of an input")?;
                let named = |e: Error| e.of(&(self.name)(input));
                add_variable(schema, reader.schema(), id).map_err(named)?;
            }
        }
        Ok(())
    }

    /// Returns the error for a variable that only the first of two inputs has.
    fn lacking(&self, path: &str, [has, lacks]: [usize; 2]) -> Error {
        let names = [(self.name)(has), (self.name)(lacks)];
        let what = format!("only the first of the two inputs has the variable {path}");
        let e = mismatch([&names[0], &names[1]], &what);
        e.with_remedy(
            "use --lacking fill for missing values, or --lacking skip to omit the variable",
        )
    }

    /// Returns the runs of inputs along the joined dimension.
    fn pieces(&self) -> Result<Arc<[Piece]>> {
        let mut start = 0u64;
        let mut pieces = vec![];
        for run in self.runs {
            let of = self.headers.input(run.input)?.len;
            pieces.push(Piece {
                input: run.input,
                start,
                from: run.from,
                len: run.len,
                of,
            });
            let end = start.checked_add(run.len).filter(|end| *end < 1 << 63);
            start = end.ok_or_else(|| Error::new(ErrorKind::Limit, "2^63 elements or more"))?;
        }
        Ok(pieces.into())
    }

    /// Sets the length of the joined dimension, or adds the dimension. Returns the variable with labels.
    fn dimension(&self, schema: &mut Schema, len: u64) -> Result<Option<(VarId, Values)>> {
        match self.joined {
            JoinedDimension::Along { path, .. } => {
                let id = dim_of(schema, path).or_internal("the joined dimension")?;
                let dim = schema.dims.get_mut(id.index());
                dim.or_internal("the joined dimension")?.len = len;
                Ok(None)
            }
            JoinedDimension::New { name, .. } => {
                let dim = add_dimension(schema, name, len);
                for path in self.extended {
                    let id = var_of(schema, path).or_internal("a variable")?;
                    prepend(schema, id, dim)?;
                }
                let labels = self.runs.iter().map(|run| {
                    let header = self.headers.inputs.get(run.input)?;
                    header.label.as_deref()
                });
                let labels: Option<Vec<&str>> = labels.collect();
                let values = labels.map(|labels| label_values(&labels));
                values
                    .map(|values| Ok((add_labels(schema, dim, &values)?, values)))
                    .transpose()
            }
            JoinedDimension::Merge => Ok(None),
        }
    }
}

/// Returns a variable of labels.
fn in_memory(values: &Values, len: u64) -> Result<JoinedVariable> {
    let ty = values.data_type().or_internal("labels of an atomic type")?;
    let size = ty.size().and_then(|size| u64::try_from(size).ok());
    let element = StoredElement {
        ty: ty.into(),
        size: size.unwrap_or(8),
        order: Endianness::Little,
        plain: ty != Atomic::String,
    };
    Ok(JoinedVariable::in_memory(
        values.clone(),
        element,
        vec![len],
    ))
}

/// Returns the ids of all variables in each input.
fn ids_of_inputs(schema: &Schema, inputs: &InputVariables<'_, '_>) -> Vec<Arc<[Option<VarId>]>> {
    let paths: Vec<String> = schema.var_ids().map(|id| schema.var_path(id)).collect();
    let mut known: BTreeMap<*const VariablesByPath<'_>, Arc<[Option<VarId>]>> = BTreeMap::new();
    let all = inputs.of_inputs.iter().map(|vars| {
        let ids = known.entry(std::ptr::from_ref(*vars)).or_insert_with(|| {
            let id = |path: &String| vars.get(path.as_str()).map(|(id, _)| *id);
            paths.iter().map(id).collect()
        });
        Arc::clone(ids)
    });
    all.collect()
}
