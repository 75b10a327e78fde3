//! Key patterns. `*` matches any characters except `/`, `**` matches any characters, `?` matches one character except `/`, and a backslash
//! quotes the next character. A path component `**` also matches no component: `**/.zarray` includes the root's `.zarray`.

/// A pattern of keys.
#[derive(Debug)]
pub(super) struct KeyGlob(Vec<KeyPattern>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum KeyPattern {
    /// This character.
    One(char),
    /// `?`
    Any,
    /// `*`
    Run,
    /// `**`
    All,
    /// The next two elements, `**` and `/`, may match the empty text.
    Perhaps,
}

impl KeyGlob {
    /// Parses a pattern. Keys have no leading `/`, but users may write one.
    pub(super) fn new(text: &str) -> Self {
        let text = text.strip_prefix('/').unwrap_or(text);
        let mut pieces = vec![];
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            let piece = match c {
                '*' if rest.next_if_eq(&'*').is_some() => {
                    while rest.next_if_eq(&'*').is_some() {}
                    let starts = matches!(pieces.last(), None | Some(KeyPattern::One('/')));
                    if starts && rest.peek() == Some(&'/') {
                        pieces.push(KeyPattern::Perhaps);
                    }
                    KeyPattern::All
                }
                '*' => KeyPattern::Run,
                '?' => KeyPattern::Any,
                '\\' => KeyPattern::One(rest.next().unwrap_or('\\')),
                c => KeyPattern::One(c),
            };
            pieces.push(piece);
        }
        Self(pieces)
    }

    /// Checks whether the pattern matches a key. All alternatives are tracked at once, so the time is at most proportional to the product
    /// of pattern and key length.
    pub(super) fn matches(&self, key: &str) -> bool {
        let mut here = vec![false; self.0.len() + 1];
        self.reach(0, &mut here);
        for c in key.chars() {
            let mut next = vec![false; here.len()];
            let reached = here.iter().zip(&self.0).enumerate();
            for (n, (_, piece)) in reached.filter(|(_, (at, _))| **at) {
                match piece {
                    KeyPattern::One(one) if *one == c => self.reach(n + 1, &mut next),
                    KeyPattern::Any if c != '/' => self.reach(n + 1, &mut next),
                    KeyPattern::Run if c != '/' => self.reach(n, &mut next),
                    KeyPattern::All => self.reach(n, &mut next),
                    KeyPattern::One(_)
                    | KeyPattern::Any
                    | KeyPattern::Run
                    | KeyPattern::Perhaps => {}
                }
            }
            here = next;
        }
        here.last().copied().unwrap_or_default()
    }

    /// Marks a position in the pattern, and all positions that are reachable without a character.
    fn reach(&self, at: usize, reached: &mut [bool]) {
        match reached.get_mut(at) {
            Some(place) if !*place => *place = true,
            Some(_) | None => return,
        }
        match self.0.get(at) {
            Some(KeyPattern::Run | KeyPattern::All) => self.reach(at + 1, reached),
            Some(KeyPattern::Perhaps) => {
                self.reach(at + 1, reached);
                self.reach(at + 3, reached);
            }
            Some(KeyPattern::One(_) | KeyPattern::Any) | None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_keys() {
        for (pattern, yes, no) in [
            ("v/*", "v/0.0", "v/c/0"),
            ("*", ".zgroup", "v/.zarray"),
            ("**", "g/v/.zarray", ""),
            ("/v/?.0", "v/1.0", "v/10.0"),
            ("v?0", "v.0", "v/0"),
            ("**/.zarray", "g/h/v/.zarray", "g/h/v/x.zarray"),
            ("**/.zarray", ".zarray", "v.zarray"),
            ("g/**/0", "g/0", "g/v/10"),
            ("g/**/0", "g/a/b/0", "g0"),
            ("g/**", "g/a/b", "g"),
            ("a**b", "a/x/b", "a/x/c"),
            (r"a\*b", "a*b", "axb"),
            (r"a\\", r"a\", "a"),
            (r"a\", r"a\", "a"),
            ("*ö?", "xöß", "xöß/"),
            ("***/x", "a/b/x", "a/b/y"),
        ] {
            assert!(KeyGlob::new(pattern).matches(yes), "{pattern} {yes}");
            let wrong = pattern != "**" && KeyGlob::new(pattern).matches(no);
            assert!(!wrong, "{pattern} {no}");
        }
        assert!(KeyGlob::new("").matches("") && !KeyGlob::new("").matches("a"));
    }

    /// A matcher that tries alternatives in sequence would not finish.
    #[test]
    fn all_ways_are_tried_at_once() {
        let glob = KeyGlob::new(&"**a".repeat(200));
        assert!(!glob.matches(&("a".repeat(2000) + "b")));
        assert!(glob.matches(&"a".repeat(2000)));
    }
}
