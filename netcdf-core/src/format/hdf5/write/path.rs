//! Object paths for error messages.

use super::plan::{FilePlan, ObjectId, PlannedObject};

/// Returns a path of an object: the link names from the root group.
pub(super) fn of(plan: &FilePlan, id: usize) -> String {
    let mut names = vec![];
    let mut at = id;
    // A circle of parents would cause an endless loop.
    while at != 0 && names.len() <= plan.objects.len() {
        let Some((parent, name)) = parent(plan, at) else {
            return format!("object {id}");
        };
        names.push(String::from_utf8_lossy(name).into_owned());
        at = parent;
    }
    names.reverse();
    format!("/{}", names.join("/"))
}

/// The first group with a link to an object, and the link name.
fn parent(plan: &FilePlan, id: usize) -> Option<(usize, &[u8])> {
    let wanted = ObjectId(u32::try_from(id).ok()?);
    let groups = plan.objects.iter().enumerate();
    groups
        .filter_map(|(n, object)| match object {
            PlannedObject::Group(group) => Some((n, group)),
            PlannedObject::Dataset(_) | PlannedObject::Datatype(_) => None,
        })
        .find_map(|(n, group)| {
            let link = group.links.iter().find(|link| link.to == wanted)?;
            Some((n, &link.name[..]))
        })
}
