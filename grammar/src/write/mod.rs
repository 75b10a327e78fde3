//! The common parts of the CDL and JSON writers.
//!
//! | module | contents |
//! |---|---|
//! | `output` | buffered output of text |
//! | `scope` | the meaning of names within a group; the selected variables |
//! | `number` | a number of any type; numbers in stored form |
//! | `value` | the text of one value of any type |
//! | `rows` | the rows of a variable and their indices |
//! | `band` | the values of a band |

mod band;
mod number;
mod output;
mod rows;
mod scope;
mod value;

pub use number::{NumberToWrite, number};
pub use scope::DataSelection;

pub(crate) use band::{BAND, BandValues, ROW, band_len, band_values};
pub(crate) use number::BigEndian;
pub(crate) use output::TextOutput;
pub(crate) use rows::{RowGrid, Span};
pub(crate) use scope::Scope;
pub(crate) use value::{ValueArray, ValueForm, ValueText, separate};
