//! JSON form of datasets, printed by `ncdump --json` and read by `ncgen`. docs/json.md describes the format.
//!
//! | module | content |
//! |---|---|
//! | `names` | names, and paths to dimensions and types |
//! | `text` | strings |
//! | `write` | datasets to text |
//! | `read` | text to a schema and to the values of variables |

mod names;
pub mod read;
#[cfg(test)]
mod tests;
mod text;
pub mod write;
