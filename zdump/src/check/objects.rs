//! Metadata objects as text: each must be readable, valid JSON, and without duplicate members.

use netcdf_core::error::{ErrorKind, Result};

use super::context::{CheckedStore, FindingCollector};
use super::report::CheckReport;
use super::rule::Rule;
use super::strict::{duplicates, strict};
use netcdf_core::format::zarr::survey::MetadataObject;

/// Checks all metadata objects.
///
/// # Errors
/// Returns [`ErrorKind::Cancelled`].
pub(super) fn check(checked: CheckedStore<'_>, report: &mut CheckReport) -> Result<()> {
    for node in &checked.survey.nodes {
        for (name, object) in node.objects.iter().filter(|(_, o)| o.size.is_some()) {
            checked.env.cancel.check()?;
            let mut about = FindingCollector::object(report, node, name);
            text(checked, object, &mut about);
        }
    }
    Ok(())
}

fn text(checked: CheckedStore<'_>, object: &MetadataObject, about: &mut FindingCollector<'_>) {
    let limit = |e: &&netcdf_core::Error| e.kind() == ErrorKind::Limit;
    if let Some(e) = object.json.as_ref().err().filter(limit) {
        return about.say(Rule::JsonInvalid, e.what());
    }
    let text = match checked.store.get(&object.key) {
        Ok(text) => text.unwrap_or_default(),
        Err(e) => return about.say(Rule::KeyUnreadable, e.what()),
    };
    match &object.json {
        Err(e) => about.say(Rule::JsonInvalid, e.what()),
        Ok(json) => {
            if let Err(mistake) = strict(&text) {
                let what = format!("not strict JSON: {} at byte {}", mistake.what, mistake.at);
                about.say(Rule::JsonLenient, what);
            }
            for path in duplicates(json) {
                about.say(
                    Rule::JsonDuplicate,
                    format!("the member {path} occurs twice"),
                );
            }
        }
    }
}
