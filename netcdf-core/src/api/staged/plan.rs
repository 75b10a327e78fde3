//! How a dataset that was edited is written: what was not touched as it is.

use super::Staged;
use crate::copy::{self, Options, Plan};
use crate::env::{Env, Note};
use crate::error::{Error, ErrorKind, Result};
use crate::model::storage::ids::{NBIT, SCALEOFFSET};
use crate::model::{DataType, Storage, VarId};

impl Staged {
    /// The copy that writes the dataset. Variables keep their ids.
    ///
    /// # Errors
    /// Where the format cannot hold what is defined.
    pub(in crate::api) fn plan(&self, env: &Env) -> Result<Plan> {
        self.check_types()?;
        let mut plan = copy::plan(&self.schema, &Options::default())?;
        for note in plan.notes.drain(..) {
            env.notes.say(note);
        }
        plan.data
            .retain(|pair| self.is_old(pair.from) || self.is_touched(pair.from));
        for (id, var) in self.schema.var_ids().zip(&self.schema.vars) {
            if let Some(planned) = plan.schema.vars.get_mut(id.index()) {
                planned.storage = match self.is_old(id) {
                    true => self.old_storage(id, &planned.storage, env),
                    false => var.storage.clone(),
                };
                planned.storage.fill = var.storage.fill;
            }
        }
        Ok(plan)
    }

    /// That the format has user-defined types, if there are any.
    fn check_types(&self) -> Result<()> {
        let user = |ty: DataType| ty.atomic().is_none();
        let vars = self.schema.var_ids().zip(&self.schema.vars);
        let mut found = vars.filter(|(_, v)| user(v.ty) || v.attributes.iter().any(|a| user(a.ty)));
        match found
            .next()
            .filter(|_| self.schema.kind.as_zarr().is_some())
        {
            None => Ok(()),
            Some((id, _)) => {
                let what = "values of a user-defined type, which Zarr is read with but not written";
                let e = Error::new(ErrorKind::NotInFormat, what);
                Err(e.in_object(&self.schema.var_path(id)))
            }
        }
    }

    /// The storage of a variable that was there before.
    fn old_storage(&self, id: VarId, planned: &Storage, env: &Env) -> Storage {
        let mut storage = planned.clone();
        if self.put_in(id).is_none() {
            return storage;
        }
        let encoded = |id: u32| id != NBIT && id != SCALEOFFSET;
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
