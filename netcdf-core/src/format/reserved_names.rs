//! Error for attributes with reserved names.

use crate::error::{Error, ErrorKind, Result, list_names};
use crate::model::Name;

/// Attributes with reserved names.
#[derive(Debug, Default)]
pub(crate) struct ReservedNames {
    /// The paths of the attributes.
    paths: Vec<String>,
    /// The `nccopy --attribute` arguments that remove the attributes.
    edits: Vec<String>,
}

impl ReservedNames {
    /// Adds an attribute of a group or variable. `owner` is the path, which is empty for the root group.
    pub(crate) fn add(&mut self, owner: &str, is_group: bool, name: &Name) {
        let end = if is_group && !owner.is_empty() {
            "/"
        } else {
            ""
        };
        self.paths.push(format!("{owner}:{name}"));
        self.edits
            .push(format!("--attribute '!{owner}{end}@{name}'"));
    }

    /// Checks that no attribute was added. `datasets` names the datasets that reserve the names.
    ///
    /// # Errors
    /// Returns [`ErrorKind::BadName`], with a remedy, if any was added.
    pub(crate) fn check(&self, datasets: &str) -> Result<()> {
        if self.paths.is_empty() {
            return Ok(());
        }
        let paths = list_names(&self.paths);
        let what = format!("the names of these attributes are reserved in {datasets}: {paths}");
        let shown = self.edits.get(..3).unwrap_or(&self.edits);
        let edits = shown.join(" ");
        let remedy = format!("remove them from a copy: nccopy {edits}");
        Err(Error::new(ErrorKind::BadName, what).with_remedy(remedy))
    }
}
