//! The elements of a variable in canonical form and row-major order. Several threads create the canonical form, and one thread hashes it,
//! within the memory limit.

use super::stream::Stream;
use super::values;
use crate::chunk::pass::VariablePass;
use crate::chunk::{Dataset, elements};
use crate::error::Result;
use crate::model::{Endianness, StoredElement, VarId};

/// Adds all elements of a variable to a stream.
///
/// # Errors
/// Returns errors of reading, with the variable's path.
pub(super) fn all(set: Dataset<'_>, var: VarId, to: &mut Stream) -> Result<()> {
    let pass = VariablePass::in_rows(set, var)?;
    let element = pass.layout.element;
    pass.run(
        |_, bytes| canonical(set, (var, element), bytes),
        |bytes: Vec<u8>| {
            to.add(&bytes);
            set.env.buffers.give_large(bytes);
            Ok(())
        },
    )
}

/// Returns the canonical form of stored elements.
fn canonical(
    set: Dataset<'_>,
    (var, element): (VarId, StoredElement),
    mut bytes: Vec<u8>,
) -> Result<Vec<u8>> {
    let Some(ty) = element.plain_type() else {
        let values = set.resolve(var, &bytes)?;
        set.env.buffers.give_large(bytes);
        return values::canonical(&values);
    };
    if element.order == Endianness::Big {
        elements::swap(&mut bytes, ty.size().unwrap_or(1));
    }
    Ok(bytes)
}
