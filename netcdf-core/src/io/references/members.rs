//! Visits the members of a JSON object without building the values in memory.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::error::{Error, ErrorKind, Result};

/// A visitor of names and JSON texts.
type VisitMember<'v, 't> = &'v mut dyn FnMut(String, &'t str) -> Result<()>;

/// Visits the members of an object in order.
///
/// # Errors
/// Returns [`ErrorKind::Corrupt`] for invalid JSON, and errors of `visit`.
pub(super) fn each<'t>(text: &'t str, visit: VisitMember<'_, 't>) -> Result<()> {
    let mut failed = None;
    let members = MemberVisitor {
        visit,
        failed: &mut failed,
    };
    let mut parser = serde_json::Deserializer::from_str(text);
    let parsed = parser.deserialize_map(members).and_then(|()| parser.end());
    match (failed, parsed) {
        (Some(e), _) => Err(e),
        (None, Err(e)) => Err(Error::new(ErrorKind::Corrupt, format!("not JSON: {e}"))),
        (None, Ok(())) => Ok(()),
    }
}

struct MemberVisitor<'v, 't> {
    visit: VisitMember<'v, 't>,
    /// The error of the visitor.
    failed: &'v mut Option<Error>,
}

impl<'t> Visitor<'t> for MemberVisitor<'_, 't> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut map: A) -> std::result::Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            let value: &'t RawValue = map.next_value()?;
            if let Err(e) = (self.visit)(name, value.get()) {
                *self.failed = Some(e);
                return Err(A::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}
