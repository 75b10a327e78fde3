//! Many datasets as one dataset: a reader over numbered inputs.
//!
//! A [`JoinedDataset`] is a complete description of the whole: this module knows no rule about times or attributes. The chunks of an input
//! stay chunks of the whole if both grids agree; other variables are assembled.
//!
//! | file | contents |
//! |---|---|
//! | `description` | the whole: schema, variables, and the runs of inputs along an axis |
//! | `grid` | chunk numbers of the whole and of inputs |
//! | `conversion` | changes of elements: types, scales, missing values |
//! | `inputs` | the open inputs, up to a limit |
//! | `elements` | boxes of assembled variables |
//! | `tagged` | elements that name their input, because only the input can resolve them |
//! | `reader` | the inputs and the description of a joined dataset |
//! | `interface` | the [`Reader`](super::Reader) and its chunks |

mod conversion;
mod description;
mod elements;
mod grid;
mod inputs;
mod interface;
mod reader;
mod tagged;

#[cfg(test)]
mod tests;

pub use conversion::{Conversion, LinearMap, MissingValues, Packing, Unpacking};
pub use description::{
    JoinedAxis, JoinedContent, JoinedDataset, JoinedVariable, JoinedVariableParts, Piece,
};
pub use inputs::OpenInput;
pub use reader::JoinedReader;
