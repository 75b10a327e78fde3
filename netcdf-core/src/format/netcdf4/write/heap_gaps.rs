//! Unwritten elements with heap data in variables without chunks.
//!
//! Each element gets its own heap data ([`crate::chunk::unwritten`]), so the writer stores unwritten elements one by one.

use super::writer::Netcdf4Writer;
use crate::arithmetic::exact;
use crate::chunk::Writer;
use crate::error::{Context as _, OrInternal as _, Result};
use crate::format::hdf5::write::PlannedData;
use crate::model::VarId;
use crate::model::region::product;

/// The maximum number of elements stored at a time.
const BATCH: u64 = 1 << 16;

impl Netcdf4Writer {
    /// Stores the unwritten elements before the elements `start..end`, which the caller writes.
    pub(super) fn reach(&mut self, var: VarId, (start, end): (u64, u64)) -> Result<()> {
        let mut at = self.heap_ends.get(&var).copied().unwrap_or(0);
        while at < start {
            self.cancel.check()?;
            let count = BATCH.min(start - at);
            let bytes = self.put_fill(var, count)?;
            let place = self.byte(var, at)?;
            self.file.put_bytes(self.objects.var(var), place, &bytes)?;
            at += count;
        }
        self.heap_ends.insert(var, at.max(end));
        Ok(())
    }

    /// Stores the unwritten elements after the last written element. libhdf5 fills contiguous variables without storage.
    pub(super) fn fill_heap_gaps(&mut self) -> Result<()> {
        let ids: Vec<VarId> = self.schema.var_ids().collect();
        for id in ids {
            let var = self.var(id)?;
            let has_storage = match var.stored.place {
                PlannedData::Chunked(_) => false,
                PlannedData::Contiguous => var.written,
                PlannedData::Compact => true,
            };
            if var.stored.heap_fill && has_storage {
                let elements = product(&self.schema.shape(id)).or_internal("a variable")?;
                let filled = self.reach(id, (elements, elements));
                filled.in_object(|| self.path(id))?;
            }
        }
        Ok(())
    }

    /// Returns the element after `bytes` bytes of elements from element `start` on.
    pub(super) fn end(&self, var: VarId, start: u64, bytes: usize) -> Result<u64> {
        let size = self.var(var)?.stored.layout.element.size;
        (exact(start) + bytes as u64 / size.max(1)).get()
    }
}
