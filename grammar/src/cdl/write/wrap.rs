//! Line breaks in lists: an item that would end after the limit goes to the next line.

/// The position of the next item of a list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrap {
    /// Current column in bytes.
    pub(super) column: usize,
    /// Maximum line length.
    limit: usize,
    /// Indentation of the group.
    pub(super) indent: usize,
}

/// Additional indentation of a continued line.
const CONTINUED: usize = 4;
/// Maximum length of an item that never causes a line break.
const SHORT: usize = 2;

impl Wrap {
    /// Returns the start of a line. Lines of lists end two bytes before `line_length`, to fit the text after the last item.
    pub(super) fn new(line_length: usize) -> Self {
        Self {
            column: 0,
            limit: line_length.saturating_sub(2),
            indent: 0,
        }
    }

    /// Returns the same line at another column, excluding the group's indentation.
    pub(super) fn at(self, column: usize) -> Self {
        Self {
            column: column.saturating_add(self.indent),
            ..self
        }
    }

    /// Returns the start of a continued line.
    pub(super) fn continued(self) -> Self {
        self.at(CONTINUED)
    }

    /// Counts an item of `len` bytes. Returns whether a line break must precede it.
    #[inline]
    pub(super) fn breaks(&mut self, len: usize) -> bool {
        let end = self.column.saturating_add(len);
        if end > self.limit && len > SHORT {
            self.column = CONTINUED.saturating_add(self.indent).saturating_add(len);
            return true;
        }
        self.column = end;
        false
    }

    /// Appends a line break and the indentation of a continued line.
    #[inline]
    pub(super) fn break_line(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\n    ");
        if self.indent > 0 {
            blanks(self.indent, out);
        }
    }

    /// Appends an item.
    pub(super) fn put(&mut self, item: &[u8], out: &mut Vec<u8>) {
        if self.breaks(item.len()) {
            self.break_line(out);
        }
        out.extend_from_slice(item);
    }

    /// Counts the end of a line.
    pub(super) fn end_line(&mut self) {
        self.column = self.indent;
    }
}

/// Appends `count` blanks.
pub(super) fn blanks(count: usize, out: &mut Vec<u8>) {
    out.resize(out.len().saturating_add(count), b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_go_up_to_the_limit() {
        let (mut wrap, mut out) = (Wrap::new(12), vec![]);
        wrap.put(b"12345, ", &mut out);
        wrap.put(b"1, ", &mut out);
        wrap.put(b"2, ", &mut out);
        assert_eq!(out, b"12345, 1, \n    2, ");
        assert_eq!(wrap.column, 7);
    }

    #[test]
    fn short_items_stay() {
        let (mut wrap, mut out) = (Wrap::new(10).at(8), vec![]);
        wrap.put(b"}}", &mut out);
        wrap.put(b"}", &mut out);
        assert_eq!((out.as_slice(), wrap.column), (&b"}}}"[..], 11));
    }

    #[test]
    fn groups_indent() {
        let mut wrap = Wrap::new(10);
        wrap.indent = 2;
        let mut out = vec![];
        wrap.at(2).put(b"12345", &mut out);
        assert_eq!(out, b"\n      12345");
    }
}
