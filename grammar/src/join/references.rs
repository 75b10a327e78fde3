//! Variables that attributes name: bounds and grid mappings.

use std::collections::{BTreeMap, BTreeSet};

use netcdf_core::model::cf::CfNames;
use netcdf_core::model::{Schema, VarId};

/// The bounds and grid mappings of an input.
#[derive(Debug, Default)]
pub(super) struct CfReferences {
    /// The coordinate of each bounds or climatology variable.
    parents: BTreeMap<VarId, VarId>,
    grid_mappings: BTreeSet<VarId>,
}

impl CfReferences {
    /// Finds the references of a schema.
    pub(super) fn new(schema: &Schema) -> Self {
        let names = CfNames::new(schema);
        let mut found = Self::default();
        for (id, var) in schema.var_ids().zip(&schema.vars) {
            for named in names.named(&var.attributes, var.group) {
                match named.attribute.as_str() {
                    "bounds" | "climatology" => {
                        found.parents.insert(named.var, id);
                    }
                    "grid_mapping" => {
                        found.grid_mappings.insert(named.var);
                    }
                    _ => {}
                }
            }
        }
        found
    }

    /// Returns the coordinate of a bounds variable.
    pub(super) fn parent(&self, id: VarId) -> Option<VarId> {
        self.parents.get(&id).copied()
    }

    /// Returns whether an attribute `grid_mapping` names a variable.
    pub(super) fn is_grid_mapping(&self, id: VarId) -> bool {
        self.grid_mappings.contains(&id)
    }
}
