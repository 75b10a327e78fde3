//! Common objects of two datasets, matched by name.

use std::collections::BTreeSet;

use crate::model::Name;
use crate::model::name::ByName;

/// Common objects of one kind in a group.
pub(super) struct MatchedObjects<I> {
    pub(super) both: Vec<[I; 2]>,
    pub(super) only: [Vec<I>; 2],
    /// The common names in each dataset's order, unless the orders are equal.
    pub(super) order: Option<[Vec<String>; 2]>,
}

impl<I: Copy> MatchedObjects<I> {
    /// Matches objects by their names.
    pub(super) fn new(sides: [Vec<(&Name, I)>; 2]) -> Self {
        let [a, b] = sides;
        let mut places = ByName::default();
        for (place, (name, _)) in b.iter().enumerate() {
            places.entry((*name).clone()).or_insert(place);
        }
        let mut matched = Self {
            both: vec![],
            only: [vec![], vec![]],
            order: None,
        };
        let mut used = BTreeSet::new();
        let mut order = vec![];
        for (name, id) in a {
            let place = places.get(name).copied();
            match place.and_then(|place| Some((place, b.get(place)?.1))) {
                Some((place, other)) if used.insert(place) => {
                    matched.both.push([id, other]);
                    order.push((name, place));
                }
                Some(_) | None => matched.only[0].push(id),
            }
        }
        let rest = b.iter().enumerate().filter(|(n, _)| !used.contains(n));
        matched.only[1].extend(rest.map(|(_, (_, id))| *id));
        matched.order = reordered(order);
        matched
    }
}

/// Returns the orders of names if they differ. `order` has the names in the first order with their positions in the second order.
fn reordered(mut order: Vec<(&Name, usize)>) -> Option<[Vec<String>; 2]> {
    let names = |order: &[(&Name, usize)]| order.iter().map(|(name, _)| name.to_string()).collect();
    if order.is_sorted_by_key(|(_, place)| *place) {
        return None;
    }
    let first = names(&order);
    order.sort_by_key(|(_, place)| *place);
    Some([first, names(&order)])
}
