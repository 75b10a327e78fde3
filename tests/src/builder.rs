//! Binary structures field by field, for malformed files: each field can be labelled and changed.

use std::collections::BTreeMap;

/// Bytes under construction; numbers are big-endian.
#[derive(Debug, Clone, Default)]
pub struct Builder {
    bytes: Vec<u8>,
    labels: BTreeMap<&'static str, usize>,
}

impl Builder {
    /// Labels the current position.
    #[must_use]
    pub fn label(mut self, label: &'static str) -> Self {
        let old = self.labels.insert(label, self.bytes.len());
        assert_eq!(old, None, "label {label} is given twice");
        self
    }

    /// Adds unchanged bytes.
    #[must_use]
    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Adds a 32-bit number.
    #[must_use]
    pub fn be32(self, number: u32) -> Self {
        self.raw(&number.to_be_bytes())
    }

    /// Adds a 64-bit number.
    #[must_use]
    pub fn be64(self, number: u64) -> Self {
        self.raw(&number.to_be_bytes())
    }

    /// Adds NULs up to the next multiple of four.
    #[must_use]
    pub fn pad(mut self) -> Self {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
        self
    }

    /// Overwrites the bytes from a label on.
    #[must_use]
    pub fn patch(mut self, label: &str, bytes: &[u8]) -> Self {
        let at = self.at(label);
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Puts a 32-bit number at a label.
    #[must_use]
    pub fn patch32(self, label: &str, number: u32) -> Self {
        self.patch(label, &number.to_be_bytes())
    }

    /// Puts a 64-bit number at a label.
    #[must_use]
    pub fn patch64(self, label: &str, number: u64) -> Self {
        self.patch(label, &number.to_be_bytes())
    }

    /// Removes everything from a label on.
    #[must_use]
    pub fn cut(mut self, label: &str) -> Self {
        let at = self.at(label);
        self.bytes.truncate(at);
        self
    }

    /// Returns the byte offset of a label.
    ///
    /// # Panics
    /// Panics if the label does not exist.
    #[must_use]
    pub fn at(&self, label: &str) -> usize {
        *self
            .labels
            .get(label)
            .unwrap_or_else(|| panic!("no label {label}"))
    }

    /// Returns the bytes.
    #[must_use]
    pub fn build(self) -> Vec<u8> {
        self.bytes
    }
}

/// Builds the header of a classic file, with the widths of the version.
#[derive(Debug, Clone)]
pub struct Classic {
    version: u8,
    out: Builder,
}

impl Classic {
    /// Adds the magic number of a version (1, 2 or 5), labelled `magic`, and a number of records, labelled `records`.
    #[must_use]
    pub fn new(version: u8, records: u64) -> Self {
        let out = Builder::default()
            .label("magic")
            .raw(&[b'C', b'D', b'F', version]);
        Self { version, out }.label("records").count(records)
    }

    /// Labels the current position.
    #[must_use]
    pub fn label(mut self, label: &'static str) -> Self {
        self.out = self.out.label(label);
        self
    }

    /// Adds a number with the version's width: 64 bits in CDF-5, otherwise 32.
    ///
    /// # Panics
    /// Panics if the number exceeds 32 bits.
    #[must_use]
    pub fn count(mut self, number: u64) -> Self {
        self.out = match self.version {
            5 => self.out.be64(number),
            _ => self.out.be32(number.try_into().expect("32 bits hold it")),
        };
        self
    }

    /// Adds a number of 32 bits: tags and types.
    #[must_use]
    pub fn be32(mut self, number: u32) -> Self {
        self.out = self.out.be32(number);
        self
    }

    /// Adds the tag and length of a list.
    #[must_use]
    pub fn list(self, tag: u32, length: u64) -> Self {
        self.be32(tag).count(length)
    }

    /// Adds an empty list.
    #[must_use]
    pub fn absent(self) -> Self {
        self.list(0, 0)
    }

    /// Adds a name with its length and padding.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        self = self.count(name.len() as u64);
        self.out = self.out.raw(name.as_bytes()).pad();
        self
    }

    /// Adds a byte offset: 32 bits in CDF-1, otherwise 64.
    ///
    /// # Panics
    /// Panics if the offset exceeds 32 bits.
    #[must_use]
    pub fn begin(mut self, offset: u64) -> Self {
        self.out = match self.version {
            1 => self.out.be32(offset.try_into().expect("32 bits hold it")),
            _ => self.out.be64(offset),
        };
        self
    }

    /// Adds unchanged bytes.
    #[must_use]
    pub fn raw(mut self, bytes: &[u8]) -> Self {
        self.out = self.out.raw(bytes);
        self
    }

    /// Returns the finished bytes with the labels.
    #[must_use]
    pub fn done(self) -> Builder {
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_changed_where_their_labels_are() {
        let built = Classic::new(1, 3)
            .label("dims")
            .list(10, 1)
            .name("xyzzy")
            .label("end")
            .done();
        assert_eq!((built.at("dims"), built.at("end")), (8, 28));
        let bytes = built.patch32("dims", 12).cut("end").build();
        assert_eq!(
            bytes,
            b"CDF\x01\0\0\0\x03\0\0\0\x0c\0\0\0\x01\0\0\0\x05xyzzy\0\0\0"
        );
    }

    #[test]
    fn widths_are_those_of_the_version() {
        let bytes = |version| Classic::new(version, 1).begin(2).done().build().len();
        assert_eq!([bytes(1), bytes(2), bytes(5)], [12, 16, 20]);
    }
}
