//! The intermediate store between the two stages of a copy.
//!
//! The store has one variable for each staged variable, with all elements of the input. The second stage looks up in the input which
//! elements are missing.

use super::{Division, PartSize, jobs};
use crate::chunk::rechunk::{InParts, StageChunks, filters_between};
use crate::chunk::{Dataset, Writer};
use crate::copy::{CopiedVariable, Plan};
use crate::error::{OrInternal as _, Result};
use crate::format;
use crate::model::{
    DimId, Dimension, GroupId, Name, Schema, Storage, StorageLayout, VarId, Variable,
};

/// The variables of a copy that use an intermediate store, in the store's order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IntermediatePlan {
    /// The staged chunks per variable of the copy; `None` for a variable outside the store.
    vars: Vec<Option<StageChunks>>,
}

impl IntermediatePlan {
    /// Creates the plan from the staged chunks per variable. Returns `None` if no variable is staged.
    #[must_use]
    pub fn new(vars: Vec<Option<StageChunks>>) -> Option<Self> {
        let any = vars.iter().any(Option::is_some);
        any.then_some(Self { vars })
    }

    /// Returns the staged chunks per variable of the copy; `None` for a variable outside the store.
    #[must_use]
    pub fn vars(&self) -> &[Option<StageChunks>] {
        &self.vars
    }

    /// Returns the variables' ids in the intermediate store.
    pub(super) fn ids(&self) -> Vec<Option<VarId>> {
        let mut ids = (0..).map(VarId);
        let id = |between: &Option<StageChunks>| between.as_ref().and_then(|_| ids.next());
        self.vars.iter().map(id).collect()
    }

    /// Returns the plan of the first stage, which copies the staged variables from the input `set` to the intermediate store. `data` are
    /// the variables of the copy.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Corrupt`](crate::ErrorKind::Corrupt) for impossible variable shapes.
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

    /// Divides the first stage. `writer` must have the schema of the plan `first`.
    ///
    /// # Errors
    /// Returns the errors of [`jobs`].
    pub fn divided(
        &self,
        (set, first): (Dataset<'_>, &Plan),
        parts: u64,
        writer: &mut dyn Writer,
    ) -> Result<Division> {
        // The store has all elements, so an element missing later is a loss.
        let fills = vec![false; first.data.len()];
        let jobs = jobs(set, first, &fills, writer)?;
        Ok(Division::new(
            (set.reader, jobs),
            writer,
            PartSize::Number(parts),
        ))
    }
}

/// Adds an input variable to the schema of the store.
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
    /// Returns the plan of the intermediate store, with the chunks that `choose` selects. Returns `None` if no variable is staged.
    #[must_use]
    pub fn stages(
        &self,
        set: Dataset<'_>,
        choose: &dyn Fn(InParts<'_>) -> Option<StageChunks>,
    ) -> Option<IntermediatePlan> {
        let vars = self.vars.iter();
        IntermediatePlan::new(vars.map(|var| var.stages(set, choose)).collect())
    }

    /// Returns the same division for the second stage.
    #[must_use]
    pub fn through(mut self, through: &IntermediatePlan) -> Self {
        for (var, id) in self.vars.iter_mut().zip(through.ids()) {
            var.between = id;
        }
        self
    }
}
