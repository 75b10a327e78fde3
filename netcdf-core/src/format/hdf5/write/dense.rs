//! Links and attributes outside of the header, where there are many or long ones.

use super::messages::Dense;
use super::part::Part;
use crate::error::{Error, ErrorKind, Result};

/// Appends the heap and the indexes of links.
pub fn links(_own: &mut Part, _names: &[&[u8]], _links: &[Part]) -> Result<Dense> {
    Err(Error::new(ErrorKind::Unsupported, "many links, so far"))
}

/// Appends the heap and the indexes of attributes.
pub fn attributes(_own: &mut Part, _names: &[&[u8]], _attributes: &[Part]) -> Result<Dense> {
    Err(Error::new(
        ErrorKind::Unsupported,
        "many attributes, so far",
    ))
}
