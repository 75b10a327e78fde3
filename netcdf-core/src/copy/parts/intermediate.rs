//! The store between the two stages of a copy.
//!
//! It has a variable for each one that goes through it, with the elements of the input, all of them. What the input does not store is
//! looked up in the input again by the second stage.

use super::{Division, PartSize, jobs};
use crate::chunk::rechunk::{InParts, StageChunks, filters_between};
use crate::chunk::{Dataset, Writer};
use crate::copy::{CopiedVariable, Plan};
use crate::error::{OrInternal as _, Result};
use crate::format;
use crate::model::{
    DimId, Dimension, GroupId, Name, Schema, Storage, StorageLayout, VarId, Variable,
};

/// The variables of a copy that go through an intermediate store, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Through {
    /// What goes into the store: for each variable of the copy, how it is stored there, if it is.
    vars: Vec<Option<StageChunks>>,
}

impl Through {
    /// For each variable of a copy, how it is stored between the stages. `None` if no variable is.
    #[must_use]
    pub fn new(vars: Vec<Option<StageChunks>>) -> Option<Self> {
        let any = vars.iter().any(Option::is_some);
        any.then_some(Self { vars })
    }

    /// For each variable of the copy, how it is stored between the stages, if it is.
    #[must_use]
    pub fn vars(&self) -> &[Option<StageChunks>] {
        &self.vars
    }

    /// The ids of the variables of the copy in the intermediate store.
    pub(super) fn ids(&self) -> Vec<Option<VarId>> {
        let mut ids = (0..).map(VarId);
        let id = |between: &Option<StageChunks>| between.as_ref().and_then(|_| ids.next());
        self.vars.iter().map(id).collect()
    }

    /// The plan of the first stage: the copy of these variables from the input `set` to the intermediate store. `data` are the variables
    /// of the copy.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) for shapes that variables cannot have.
    pub fn first(&self, set: Dataset<'_>, data: &[CopiedVariable]) -> Result<Plan> {
        let mut plan = Plan {
            schema: Schema::new(format::BETWEEN_STAGES),
            data: vec![],
            cloud: false,
            lengths: vec![],
            unsized_strings: std::collections::BTreeSet::new(),
            passed_over: std::collections::BTreeMap::new(),
            notes: vec![],
            remarks: vec![],
        };
        for (pair, between) in data.iter().zip(&self.vars) {
            if let Some(between) = between {
                let to = add((set, pair.from), between, &mut plan.schema)?;
                plan.data.push(CopiedVariable { to, ..*pair });
            }
        }
        Ok(plan)
    }

    /// The parts of the first stage. `writer` was made for the schema of its plan, `first`.
    ///
    /// # Errors
    /// As [`jobs`].
    pub fn divided(
        &self,
        (set, first): (Dataset<'_>, &Plan),
        parts: u64,
        writer: &mut dyn Writer,
    ) -> Result<Division> {
        // All elements are stored, so that what is missing later was lost.
        let fills = vec![false; first.data.len()];
        let jobs = jobs(set, first, &fills, writer)?;
        Ok(Division::new(jobs, writer, PartSize::Number(parts)))
    }
}

/// Adds a variable of the input to the schema of the store.
fn add(
    (set, from): (Dataset<'_>, VarId),
    between: &StageChunks,
    schema: &mut Schema,
) -> Result<VarId> {
    let element = set.layout(from)?.element;
    let ty = element
        .plain_type()
        .or_internal("elements of plain types")?;
    let number = schema.vars.len();
    let lengths = set.reader.schema().shape(from);
    let dims: Vec<DimId> = (0..)
        .zip(lengths)
        .map(|(n, len): (u32, u64)| {
            schema.add_dim(Dimension {
                name: Name::stored(format!("v{number}_{n}").as_bytes()),
                group: GroupId::ROOT,
                len,
                unlimited: false,
            })
        })
        .collect();
    let storage = Storage {
        layout: Some(StorageLayout::Chunked(between.chunk.clone())),
        shard: Some(between.shard.clone()),
        filters: filters_between(element.size),
        endianness: Some(element.order),
        ..Storage::default()
    };
    Ok(schema.add_var(Variable {
        name: Name::stored(format!("v{number}").as_bytes()),
        group: GroupId::ROOT,
        ty: ty.into(),
        dims,
        attributes: vec![],
        storage,
    }))
}

impl Division {
    /// How the variables go through an intermediate store, as `choose` says for those that can. `None` if none does.
    #[must_use]
    pub fn stages(
        &self,
        set: Dataset<'_>,
        choose: &dyn Fn(InParts<'_>) -> Option<StageChunks>,
    ) -> Option<Through> {
        let vars = self.vars.iter();
        Through::new(vars.map(|var| var.stages(set, choose)).collect())
    }

    /// The same division, of the second stage.
    #[must_use]
    pub fn through(mut self, through: &Through) -> Self {
        for (var, id) in self.vars.iter_mut().zip(through.ids()) {
            var.between = id;
        }
        self
    }
}
