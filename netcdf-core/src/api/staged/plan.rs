//! The write plan of an edited dataset: untouched data is copied without decoding.

use super::Staged;
use crate::copy::{self, CopyOptions, Plan};
use crate::env::Env;
use crate::error::Result;
use crate::filter::policy;
use crate::model::{Storage, VarId};
use crate::notes::Note;

impl Staged {
    /// Returns the copy plan that writes the dataset. Variables keep their ids.
    ///
    /// # Errors
    /// Returns an error if the format cannot hold the definitions.
    pub(in crate::api) fn plan(&self, env: &Env) -> Result<Plan> {
        let mut plan = copy::plan(&self.schema, &CopyOptions::default())?;
        for note in plan.notes.drain(..) {
            env.notes.say(note);
        }
        for note in plan.remarks.drain(..) {
            env.notes.remark(note);
        }
        plan.data
            .retain(|pair| self.is_old(pair.from) || self.is_touched(pair.from));
        for (id, var) in self.schema.var_ids().zip(&self.schema.vars) {
            let planned = plan.schema.var_mut(id)?;
            planned.storage = match self.is_old(id) {
                true => self.old_storage(id, &planned.storage, env),
                false => var.storage.clone(),
            };
            planned.storage.fill = var.storage.fill;
        }
        Ok(plan)
    }

    /// Returns the storage settings of a variable of the original.
    fn old_storage(&self, id: VarId, planned: &Storage, env: &Env) -> Storage {
        let mut storage = planned.clone();
        if self.tiles_of(id).is_none() {
            return storage;
        }
        let encoded = |id: u32| policy(id).read_only.is_none();
        if storage.filters.iter().any(|f| !encoded(f.id)) {
            env.notes.say(Note {
                object: self.schema.var_path(id),
                what: "stored without nbit and scaleoffset, which can be read but not written"
                    .to_owned(),
                remedy: None,
            });
            storage.filters.retain(|f| encoded(f.id));
        }
        storage
    }
}
