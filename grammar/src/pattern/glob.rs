//! Path patterns.

use crate::escape::unescape_name;

/// A pattern of a path from the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PathGlob(Vec<GlobPiece>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum GlobPiece {
    /// This character.
    One(char),
    /// `?`: any character except `/`.
    Any,
    /// `*`: any number of characters except `/`.
    Run,
    /// `[…]`: a character in one of these ranges, or (`[!…]`) outside all ranges; never `/`.
    Class(bool, Vec<(char, char)>),
}

impl PathGlob {
    /// Parses a pattern. Returns `None` if `text` has no special characters.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let mut pieces = vec![];
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let (piece, len) = match c {
                '*' => (Some(GlobPiece::Run), 1),
                '?' => (Some(GlobPiece::Any), 1),
                '[' => class(rest).map_or((None, 0), |(piece, len)| (Some(piece), len)),
                _ => (None, 0),
            };
            let len = match piece {
                Some(piece) => {
                    pieces.push(piece);
                    len
                }
                None => literal(rest, &mut pieces),
            };
            rest = rest.get(len..).unwrap_or_default();
        }
        let special = pieces.iter().any(|p| !matches!(p, GlobPiece::One(_)));
        if !text.starts_with('/') {
            pieces.insert(0, GlobPiece::One('/'));
        }
        special.then_some(Self(pieces))
    }

    /// Returns whether the pattern matches `path`. A `*` never matches a `/`, so backtracking to the last `*` suffices.
    pub(crate) fn matches(&self, path: &str) -> bool {
        let path: Vec<char> = path.chars().collect();
        let (mut at, mut piece) = (0, 0);
        let mut run = None;
        loop {
            let here = path.get(at).copied();
            match (self.0.get(piece), here) {
                (None, None) => return true,
                (Some(GlobPiece::Run), _) => {
                    run = Some((at, piece));
                    piece += 1;
                    continue;
                }
                (Some(p), Some(c)) if p.is(c) => {
                    (at, piece) = (at + 1, piece + 1);
                    continue;
                }
                (Some(_) | None, _) => {}
            }
            match run {
                Some((from, star)) if path.get(from).is_some_and(|&c| c != '/') => {
                    run = Some((from + 1, star));
                    (at, piece) = (from + 1, star + 1);
                }
                Some(_) | None => return false,
            }
        }
    }
}

impl GlobPiece {
    fn is(&self, c: char) -> bool {
        match self {
            Self::One(one) => *one == c,
            Self::Any => c != '/',
            Self::Run => false,
            Self::Class(not, ranges) => {
                c != '/' && ranges.iter().any(|&(a, b)| (a..=b).contains(&c)) != *not
            }
        }
    }
}

/// Returns the class at the start of `text` and its length in bytes, if its bracket is closed.
fn class(text: &str) -> Option<(GlobPiece, usize)> {
    let inner = text.strip_prefix('[')?;
    let not = inner.starts_with(['!', '^']);
    let mut rest = inner.char_indices().skip(usize::from(not)).peekable();
    let mut ranges: Vec<(char, char)> = vec![];
    loop {
        let (at, c) = rest.next()?;
        let first = ranges.is_empty();
        let literal = match c {
            ']' if !first => return Some((GlobPiece::Class(not, ranges), at + 2)),
            '\\' => rest.next()?.1,
            c => c,
        };
        let mut ahead = rest.clone();
        let dash = ahead.next().is_some_and(|(_, c)| c == '-');
        match ahead.next() {
            Some((_, end)) if dash && end != ']' => {
                rest = ahead;
                let end = if end == '\\' { rest.next()?.1 } else { end };
                ranges.push((literal, end));
            }
            Some(_) | None => ranges.push((literal, literal)),
        }
    }
}

/// Adds the characters up to the next special character. Returns their length in bytes.
fn literal(text: &str, pieces: &mut Vec<GlobPiece>) -> usize {
    let mut len = 0;
    let mut escaped = false;
    for c in text.chars() {
        if !escaped && len > 0 && matches!(c, '*' | '?' | '[') {
            break;
        }
        escaped = !escaped && c == '\\';
        len += c.len_utf8();
    }
    let mut bytes = vec![];
    unescape_name(text.get(..len).unwrap_or_default().as_bytes(), &mut bytes);
    let characters = String::from_utf8_lossy(&bytes);
    pieces.extend(characters.chars().map(GlobPiece::One));
    len
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        PathGlob::new(pattern).unwrap().matches(path)
    }

    #[test]
    fn runs_end_at_slashes() {
        assert!(matches("a*b*c", "/aXbYbZc"));
        assert!(!matches("a*c", "/a/c") && !matches("a*", "/ab/c"));
        assert!(matches("*/*/c", "/a/b/c") && !matches("*/c", "/a/b/c"));
        assert!(matches("/g*/t*p", "/g1/temp/p") ^ matches("/g*/t*p", "/g1/temp"));
        assert!(matches("*ab", "/aab") && matches("**", "/x") && !matches("?", "/"));
    }

    #[test]
    fn classes() {
        assert!(matches("t[0-9a]", "/t7") && matches("t[0-9a]", "/ta"));
        assert!(!matches("t[0-9a]", "/tb") && !matches("t[!0-9]", "/t3"));
        assert!(matches("t[^0-9]", "/tx") && matches("t[]x]", "/t]") && matches("t[a-]", "/t-"));
        assert!(matches(r"t[\]\-]", "/t-") && !matches("a[!b]c", "/a/c"));
        assert!(
            PathGlob::new("t[0").is_none(),
            "a bracket that is not closed is a character"
        );
        assert!(matches("t[0*", "/t[0x"));
    }

    #[test]
    fn a_backslash_makes_a_character() {
        assert!(PathGlob::new(r"a\*\?\[b]").is_none());
        assert!(matches(r"a\**", "/a*x") && !matches(r"a\**", "/abx"));
        assert!(matches(r"\\*", r"/\x") && matches("größ?", "/größe"));
    }
}
