//! A variable of the whole, from the same variable of all inputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use netcdf_core::chunk::joined::{JoinedAxis, JoinedVariable, JoinedVariableParts, Piece};
use netcdf_core::chunk::{Dataset, Layout, ReadCache};
use netcdf_core::error::{Error, ErrorKind, OrInternal as _, Result};
use netcdf_core::model::{Atomic, Attribute, DataType, Name, StoredElement, Values, VarId};

use super::attribute_values::are_same;
use super::dimension::var_of;
use super::facts::InputVariable;
use super::missing::{WholeMissing, declare};
use super::packing::PACKING;
use super::relation::{Relation, WholeVariable, relation};
use super::repack::{RepackedForm, ValueRange};
use super::types::common_type;
use super::whole::{Described, InputVariables, Whole};

/// Builds a variable of the whole.
pub(super) struct VariableBuilder<'b, 'h> {
    pub(super) whole: &'b Whole<'h>,
    pub(super) inputs: &'b InputVariables<'b, 'h>,
    /// The runs of inputs along the joined dimension.
    pub(super) pieces: &'b Arc<[Piece]>,
    pub(super) described: &'b mut Described,
}

/// The facts about a variable in all inputs.
struct InputFacts<'f> {
    path: String,
    /// The first input with the variable.
    holder: usize,
    base: &'f InputVariable,
    /// The number of the facts in each input; `None` for an input without the variable.
    numbers: Vec<Option<usize>>,
    /// Facts by number, with the first input that has them.
    different: BTreeMap<usize, (&'f InputVariable, usize)>,
}

impl<'f> InputFacts<'f> {
    /// Returns different facts in the order of the inputs, beginning with the first input.
    fn ordered(&self) -> impl Iterator<Item = (&'f InputVariable, usize)> + Clone {
        let others = self.different.values().copied();
        std::iter::once((self.base, self.holder)).chain(others)
    }

    /// Returns whether an input lacks the variable.
    fn is_lacking(&self) -> bool {
        self.numbers.contains(&None)
    }
}

impl<'h> VariableBuilder<'_, 'h> {
    /// Builds the variable with an id.
    ///
    /// # Errors
    /// Returns properties that do not fit, with the names of both inputs.
    pub(super) fn variable(&mut self, id: VarId) -> Result<JoinedVariable> {
        let facts = self.facts(self.described.dataset.schema.var_path(id))?;
        let axis = self.axis(&facts);
        let repacked = self.repacked(&facts)?;
        let ty = match repacked {
            Some(_) => facts.base.element.plain_type(),
            None => {
                let grows = self.whole.request.extends && axis.is_some();
                common_type(facts.ordered(), self.whole.name, grows)?
            }
        };
        let mut missing = WholeMissing::new(facts.ordered().map(|(facts, _)| facts), ty);
        if facts.is_lacking() && axis.is_some() {
            missing.require(&facts.path)?;
        }
        let variable = WholeVariable {
            base: facts.base,
            ty,
            missing,
            axis,
            repacked,
            request: self.whole.request,
        };
        let relations = self.relations(&variable, &facts)?;
        let parts = self.parts((&variable, id), &facts, &relations)?;
        let replaces = relations.values().any(|relation| relation.replaces);
        self.define(id, &variable, (&facts, replaces))?;
        JoinedVariable::new(parts)
    }

    /// Collects the facts about a variable.
    fn facts(&self, path: String) -> Result<InputFacts<'h>> {
        let number = |input: usize| {
            let vars = self.inputs.of_inputs.get(input)?;
            vars.get(path.as_str()).map(|(_, number)| *number)
        };
        let count = self.inputs.of_inputs.len();
        let numbers: Vec<Option<usize>> = (0..count).map(number).collect();
        let holder = self
            .inputs
            .order
            .iter()
            .find(|input| number(**input).is_some());
        let holder = *holder.or_internal("an input with the variable")?;
        let base = number(holder).or_internal("facts about a variable")?;
        let mut different = BTreeMap::new();
        for (input, number) in numbers.iter().enumerate() {
            if let Some(number) = number {
                let facts = self.whole.headers.variable(*number)?;
                different.entry(*number).or_insert((facts, input));
            }
        }
        Ok(InputFacts {
            base: self.whole.headers.variable(base)?,
            path,
            holder,
            numbers,
            different,
        })
    }

    /// Returns the axis along which inputs follow each other.
    fn axis(&self, facts: &InputFacts<'_>) -> Option<JoinedAxis> {
        let own = facts.base.axis.map(|index| JoinedAxis {
            index,
            added: false,
        });
        let added = self.whole.extended.contains(&facts.path);
        let new = added.then_some(JoinedAxis {
            index: 0,
            added: true,
        });
        own.or(new)
    }

    /// Returns the form of a variable with several packings; `None` without a request to unpack. References contain no unpacked data.
    fn repacked(&self, facts: &InputFacts<'_>) -> Result<Option<RepackedForm>> {
        let request = self.whole.request;
        let repack = request.repack.filter(|_| !request.references);
        let Some(repack) = repack.filter(|_| has_packings(facts)) else {
            return Ok(None);
        };
        let range = || {
            let mut all: Option<ValueRange> = None;
            for (input, _) in facts
                .numbers
                .iter()
                .enumerate()
                .filter(|(_, n)| n.is_some())
            {
                let found = self.range(&facts.path, input)?;
                all = match (all, found) {
                    (Some(a), Some(b)) => Some(a.with(b)),
                    (one, other) => one.or(other),
                };
            }
            Ok(all)
        };
        RepackedForm::requested(repack, facts.base, range).map(Some)
    }

    /// Returns the range of values of a variable in an input.
    fn range(&self, path: &str, input: usize) -> Result<Option<ValueRange>> {
        let reader = (self.whole.open)(input)?;
        let cache = ReadCache::new(self.whole.env);
        let set = Dataset::new(&*reader, self.whole.env).with(&cache);
        let id = var_of(reader.schema(), path).or_internal("a variable of an input")?;
        ValueRange::of(set, id).map_err(|e| e.of(&(self.whole.name)(input)))
    }

    /// Compares each different variable with the whole.
    fn relations(
        &self,
        variable: &WholeVariable<'_>,
        facts: &InputFacts<'_>,
    ) -> Result<BTreeMap<usize, Relation>> {
        let first = (self.whole.name)(facts.holder);
        let one = |(number, (facts, input)): (&usize, &(&InputVariable, usize))| {
            let name = (self.whole.name)(*input);
            Ok((*number, relation(variable, facts, [&first, &name])?))
        };
        facts.different.iter().map(one).collect()
    }

    /// Returns the facts that determine the storage of a variable in the whole.
    fn parts(
        &self,
        (variable, id): (&WholeVariable<'_>, VarId),
        facts: &InputFacts<'_>,
        relations: &BTreeMap<usize, Relation>,
    ) -> Result<JoinedVariableParts> {
        let (base, axis) = (variable.base, variable.axis);
        let pieces = match axis {
            Some(_) => Arc::clone(self.pieces),
            None => only(facts.holder),
        };
        let of_piece = |piece: &Piece| {
            let number = facts.numbers.get(piece.input).copied().flatten();
            number.and_then(|number| relations.get(&number))
        };
        let used: Vec<Option<&Relation>> = pieces.iter().map(of_piece).collect();
        let alike = used
            .iter()
            .all(|relation| relation.is_some_and(|r| r.alike));
        let conversions = used
            .iter()
            .map(|relation| relation.and_then(|r| r.conversion.clone()));
        let conversions: Vec<_> = conversions.collect();
        let is_tagged = variable.ty.is_none() && axis.is_some() && !alike;
        let sizes = facts
            .different
            .values()
            .map(|(facts, _)| facts.element.size);
        Ok(JoinedVariableParts {
            base: element_of(
                base,
                variable.repacked.as_ref().map(|r| r.ty).or(variable.ty),
            ),
            shape: self.described.dataset.schema.shape(id),
            conversions: match conversions.iter().any(Option::is_some) {
                true => conversions,
                false => vec![],
            },
            tag: sizes.max().filter(|_| is_tagged),
            has_index: base.storage.has_index,
            alike,
            axis,
            pieces,
        })
    }

    /// Changes the type and the attributes of a variable of the whole, and adds notes.
    fn define(
        &mut self,
        id: VarId,
        variable: &WholeVariable<'_>,
        (facts, replaces): (&InputFacts<'_>, bool),
    ) -> Result<()> {
        let types = facts
            .different
            .values()
            .map(|(facts, _)| facts.element.plain_type());
        let is_promoted = variable.ty.is_some() && types.clone().any(|ty| ty != variable.ty);
        let mut note = |what: String| self.described.notes.push((facts.path.clone(), what));
        let kind = self.described.dataset.schema.kind;
        let var = self.described.dataset.schema.var_mut(id)?;
        if let Some(form) = &variable.repacked {
            note(form.note());
            return form.define(var);
        }
        if replaces {
            let what =
                "replaced the missing values of some inputs with the missing value of the first";
            note(what.to_owned());
        }
        let promoted = variable.ty.filter(|_| is_promoted);
        if let Some(ty) = promoted {
            var.ty = ty.into();
            (var.storage.unwritten, var.storage.max_string) = (None, None);
            // The output may be the first input: pure Zarr stores characters as before.
            if !variable.base.has_character_strings {
                note(format!(
                    "converted to {}, because the inputs have several types",
                    ty.name()
                ));
            }
        }
        if let Some(units) = variable
            .request
            .time_units
            .as_deref()
            .filter(|_| is_retimed(variable))
        {
            let units = Values::Char(units.as_bytes().to_vec());
            let own = var.attributes.iter_mut().find(|a| a.name.is("units"));
            let new = Attribute::atomic(Name::stored(b"units"), units);
            if let (Some(own), Some(new)) = (own, new) {
                *own = new;
            }
        }
        let is_joined = variable.axis.is_some();
        let is_new = variable.missing.is_new && !facts.base.is_coordinate();
        let declares = replaces || is_promoted || (is_joined && (is_new || facts.is_lacking()));
        let value = variable
            .missing
            .value
            .clone()
            .filter(|_| variable.missing.declared && declares);
        declare((kind, var), promoted, value)
    }
}

/// Returns whether times of a variable have the requested units.
fn is_retimed(variable: &WholeVariable<'_>) -> bool {
    variable.axis.is_some() && variable.base.times().is_some()
}

/// Returns whether inputs have several packings of a variable.
fn has_packings(facts: &InputFacts<'_>) -> bool {
    let is_same_packing = |other: &InputVariable| {
        let pair = |name| [facts.base, other].map(|facts| facts.attribute(name));
        PACKING.iter().all(|name| are_same(pair(name)))
    };
    facts
        .different
        .values()
        .any(|(other, _)| !is_same_packing(other))
}

/// Returns the run of a variable without an axis.
fn only(input: usize) -> Arc<[Piece]> {
    Arc::new([Piece {
        input,
        start: 0,
        from: 0,
        len: 1,
        of: 1,
    }])
}

/// Returns the layout of the first input with elements of the common type.
fn element_of(base: &InputVariable, ty: Option<Atomic>) -> Layout {
    let layout = base.storage.layout.clone();
    let Some(ty) = ty.filter(|ty| base.element.plain_type() != Some(*ty)) else {
        return layout;
    };
    let size = ty.size().and_then(|size| u64::try_from(size).ok());
    Layout {
        element: StoredElement {
            ty: DataType::Atomic(ty),
            size: size.unwrap_or(layout.element.size),
            plain: true,
            ..layout.element
        },
        fill: None,
        ..layout
    }
}

impl WholeMissing {
    /// Declares the default missing value if there is none.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Unsupported`] for a type whose values may all be valid.
    fn require(&mut self, path: &str) -> Result<()> {
        self.declared = true;
        match &self.value {
            Some(_) => Ok(()),
            None => {
                let what = "--lacking fill: no value of the type is free for missing elements";
                let e = Error::new(ErrorKind::Unsupported, what).in_object(path);
                Err(e.with_remedy("use --lacking skip, or add _FillValue to the inputs"))
            }
        }
    }
}
