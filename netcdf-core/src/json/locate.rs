//! Locates a value in JSON text, so that a program can replace the value and keep all other bytes.

use std::ops::Range;

use super::{Json, Parser};
use crate::error::Result;

/// A step from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JsonStep {
    /// The member of an object. The last member wins if names repeat.
    Member(String),
    /// The item of a list.
    Item(usize),
}

impl JsonStep {
    /// Returns the step to a member.
    #[must_use]
    pub fn member(name: &str) -> Self {
        Self::Member(name.to_owned())
    }
}

impl Json {
    /// Returns the value at the end of a path.
    #[must_use]
    pub fn at(&self, path: &[JsonStep]) -> Option<&Self> {
        path.iter().try_fold(self, |json, step| match step {
            JsonStep::Member(name) => json.get(name),
            JsonStep::Item(n) => json.items()?.get(*n),
        })
    }

    /// Returns the byte range of the value at the end of a path in JSON text. `None` if the value does not exist.
    ///
    /// # Errors
    /// Returns the errors of [`Json::parse`].
    pub fn locate(text: &[u8], path: &[JsonStep]) -> Result<Option<Range<usize>>> {
        let mut parser = Parser { text, at: 0 };
        let found = parser.located(path, 0)?;
        parser.blanks();
        match parser.peek() {
            None => Ok(found),
            Some(_) => Err(parser.wrong("the end")),
        }
    }
}

impl Parser<'_> {
    fn located(&mut self, path: &[JsonStep], depth: usize) -> Result<Option<Range<usize>>> {
        self.blanks();
        let start = self.at;
        match (path.split_first(), self.peek()) {
            (Some((JsonStep::Member(name), rest)), Some(b'{')) => {
                self.located_member(name, rest, depth)
            }
            (Some((JsonStep::Item(n), rest)), Some(b'[')) => self.located_item(*n, rest, depth),
            (is_step, _) => {
                self.value(depth)?;
                Ok(is_step.is_none().then_some(start..self.at))
            }
        }
    }

    fn located_member(
        &mut self,
        name: &str,
        rest: &[JsonStep],
        depth: usize,
    ) -> Result<Option<Range<usize>>> {
        self.at += 1;
        let (mut found, mut is_first) = (None, true);
        while !self.take(b'}') {
            if !std::mem::take(&mut is_first) {
                self.comma(b'}')?;
            }
            self.blanks();
            let key = self.string()?;
            if !self.take(b':') {
                return Err(self.wrong("':'"));
            }
            match String::from_utf8_lossy(&key) == name {
                true => found = self.located(rest, depth + 1)?,
                false => drop(self.value(depth + 1)?),
            }
        }
        Ok(found)
    }

    fn located_item(
        &mut self,
        wanted: usize,
        rest: &[JsonStep],
        depth: usize,
    ) -> Result<Option<Range<usize>>> {
        self.at += 1;
        let (mut found, mut n) = (None, 0);
        while !self.take(b']') {
            if n > 0 {
                self.comma(b']')?;
            }
            match n == wanted {
                true => found = self.located(rest, depth + 1)?,
                false => drop(self.value(depth + 1)?),
            }
            n += 1;
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(steps: &[&str]) -> Vec<JsonStep> {
        let step = |step: &&str| match step.parse() {
            Ok(n) => JsonStep::Item(n),
            Err(_) => JsonStep::member(step),
        };
        steps.iter().map(step).collect()
    }

    #[test]
    fn values_are_located() {
        let text = br#" { "a\u0062" : [ 1, {"c": NaN , "c" : [2 ,33]} ] , "d":{} } "#;
        for (steps, want) in [
            (&["ab", "1", "c", "1"][..], Some("33")),
            (&["ab", "0"], Some("1")),
            (&["ab", "1", "c"], Some("[2 ,33]")),
            (&["d"], Some("{}")),
            (&["ab", "2"], None),
            (&["ab", "c"], None),
            (&["d", "x"], None),
            (&["ab", "0", "x"], None),
        ] {
            let found = Json::locate(text, &path(steps)).unwrap();
            let found = found.map(|range| std::str::from_utf8(&text[range]).unwrap());
            assert_eq!(found, want, "{steps:?}");
            let json = Json::parse(text).unwrap();
            assert_eq!(json.at(&path(steps)).is_some(), want.is_some(), "{steps:?}");
        }
        assert!(Json::locate(b"{\"a\": 1} x", &path(&["a"])).is_err());
        assert!(Json::locate(b"{\"a\" 1}", &path(&["a"])).is_err());
    }
}
