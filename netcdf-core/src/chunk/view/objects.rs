//! The objects of chunks that a view hands out: the base learns from them which variable a chunk belongs to.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{OrInternal as _, Result};
use crate::model::VarId;

/// The objects handed out so far.
#[derive(Debug, Default)]
pub(super) struct Objects(Mutex<Numbers>);

#[derive(Debug, Default)]
struct Numbers {
    /// A variable and an object of the base, by number.
    all: Vec<(VarId, u32)>,
    known: BTreeMap<(VarId, u32), u32>,
}

impl Objects {
    fn lock(&self) -> MutexGuard<'_, Numbers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of an object of the base that holds chunks of a variable.
    pub(super) fn number(&self, var: VarId, object: u32) -> Result<u32> {
        let mut numbers = self.lock();
        if let Some(&known) = numbers.known.get(&(var, object)) {
            return Ok(known);
        }
        let next = u32::try_from(numbers.all.len()).ok();
        let next = next.or_internal("fewer objects than 2^32")?;
        numbers.all.push((var, object));
        numbers.known.insert((var, object), next);
        Ok(next)
    }

    /// The variable and the object of the base behind a number.
    pub(super) fn of(&self, number: u32) -> Option<(VarId, u32)> {
        let at = usize::try_from(number).ok()?;
        self.lock().all.get(at).copied()
    }
}
