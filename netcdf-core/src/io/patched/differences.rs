//! The ranges in which two byte strings differ.

use std::ops::Range;

/// The number of equal bytes that separate two differences.
const EQUAL: usize = 16;
/// The number of bytes that are first compared as a whole.
const BLOCK: usize = 64;

/// Returns the ranges of `new` that differ from `old`. Bytes behind the end of `old` differ.
pub(super) fn differences(old: &[u8], new: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = vec![];
    let mut add = |range: Range<usize>| match found.last_mut() {
        Some(last) if range.start - last.end < EQUAL => last.end = range.end,
        Some(_) | None => found.push(range),
    };
    let blocks = old.chunks(BLOCK).zip(new.chunks(BLOCK)).enumerate();
    for (n, (a, b)) in blocks.filter(|(_, (a, b))| a != b) {
        let pairs = a.iter().zip(b).enumerate();
        for (at, _) in pairs.filter(|(_, (a, b))| a != b) {
            add(n * BLOCK + at..n * BLOCK + at + 1);
        }
    }
    if old.len() < new.len() {
        add(old.len()..new.len());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_differences_are_one_range() {
        let old = vec![0; 100];
        let mut new = old.clone();
        (new[3], new[10], new[60]) = (1, 1, 1);
        assert_eq!(differences(&old, &new), [3..11, 60..61]);
        assert_eq!(differences(&old, &old), []);
        new.push(0);
        assert_eq!(differences(&old, &new), [3..11, 60..61, 100..101]);
        assert_eq!(differences(&[1], &[1, 2, 3, 4]).first(), Some(&(1..4)));
    }
}
