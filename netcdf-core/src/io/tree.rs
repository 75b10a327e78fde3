//! Sorted keys in memory as a tree.

use std::collections::BTreeMap;
use std::ops::Bound;

/// The keys below a prefix, sorted.
pub(super) fn below<'k, V>(
    keys: &'k BTreeMap<String, V>,
    prefix: &'k str,
) -> impl Iterator<Item = (&'k String, &'k V)> {
    let from = keys.range::<str, _>((Bound::Included(prefix), Bound::Unbounded));
    from.take_while(move |(key, _)| key.starts_with(prefix))
}

/// Whether a key is a prefix of other keys.
pub(super) fn has_below<V>(keys: &BTreeMap<String, V>, key: &str) -> bool {
    below(keys, &format!("{key}/")).next().is_some()
}

/// Whether a key cannot be stored, because it is a prefix of another key or the reverse.
pub(super) fn is_blocked<V>(keys: &BTreeMap<String, V>, key: &str) -> bool {
    let ends = key.match_indices('/');
    let mut above = ends.filter_map(|(end, _)| key.get(..end));
    above.any(|above| keys.contains_key(above)) || has_below(keys, key)
}

/// The names directly below a prefix, sorted.
pub(super) fn children<V>(keys: &BTreeMap<String, V>, prefix: &str) -> Vec<String> {
    let mut names = vec![];
    let mut from = prefix.to_owned();
    while let Some((key, _)) = keys.range(from..).next() {
        let Some(rest) = key.strip_prefix(prefix) else {
            break;
        };
        let name = rest.split('/').next().unwrap_or_default();
        names.push(name.to_owned());
        // The first key after the name, or after all keys below the name.
        let end = if name.len() < rest.len() { "0" } else { "\0" };
        from = format!("{prefix}{name}{end}");
    }
    names.sort_unstable();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_found_without_a_look_at_every_key() {
        let keys = ["a", "b.c/x", "b/c/1", "b/c/2", "b/d", "b0", "c"];
        let keys: BTreeMap<_, _> = keys.map(|key| (key.to_owned(), ())).into();
        assert_eq!(children(&keys, ""), ["a", "b", "b.c", "b0", "c"]);
        assert_eq!(children(&keys, "b/"), ["c", "d"]);
        assert_eq!(children(&keys, "b/c/"), ["1", "2"]);
        assert!(children(&keys, "x/").is_empty());
        assert!(has_below(&keys, "b") && !has_below(&keys, "a"));
        assert!(
            is_blocked(&keys, "a/x/y") && is_blocked(&keys, "b/c") && !is_blocked(&keys, "b/e")
        );
    }
}
