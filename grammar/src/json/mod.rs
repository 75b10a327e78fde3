//! Datasets as JSON, both ways: as `ncdump --json` prints them and as `ncgen` reads them. docs/json.md describes the format.
//!
//! | module | what |
//! |---|---|
//! | `names` | names, and paths to dimensions and types |
//! | `text` | strings |
//! | `write` | datasets to text |
//! | `read` | text to a schema, and to the values of variables |

mod names;
pub mod read;
#[cfg(test)]
mod tests;
mod text;
pub mod write;
