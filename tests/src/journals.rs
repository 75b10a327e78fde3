//! Journals of unfinished changes, valid and hostile (`docs/update.md`).

use netcdf_core::sum::Digest;

/// The length of a trailer in bytes.
const TRAILER: u64 = 64;

/// A journal, with numbers that can contradict each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Journal {
    /// The version in the trailer.
    pub version: u8,
    /// The first byte of the signature.
    pub signature: u8,
    /// The offset of the signature.
    pub at: u64,
    /// The number of ranges in the trailer; `None` for the true number.
    pub count: Option<u32>,
    /// The length of the journal in the trailer; `None` for the true length.
    pub len: Option<u64>,
    /// The old length of the file.
    pub old_len: u64,
    /// The new length of the file.
    pub new_len: u64,
    /// Offset, stored length (`None` for the true length), old bytes and new bytes of each range.
    pub ranges: Vec<JournalRange>,
}

/// A range of a journal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalRange {
    /// The offset in the file.
    pub offset: u64,
    /// The length in the journal; `None` for the number of old bytes.
    pub len: Option<u64>,
    /// The old bytes.
    pub old: Vec<u8>,
    /// The new bytes.
    pub new: Vec<u8>,
}

impl JournalRange {
    /// Returns the range of a file that changes to other bytes: each byte is inverted, except the first byte of the file.
    #[must_use]
    pub fn inverted(file: &[u8], range: std::ops::Range<usize>) -> Self {
        let old = file[range.clone()].to_vec();
        let keep = |n: usize, byte: u8| if range.start + n == 0 { byte } else { !byte };
        Self {
            offset: range.start as u64,
            len: None,
            new: old
                .iter()
                .enumerate()
                .map(|(n, byte)| keep(n, *byte))
                .collect(),
            old,
        }
    }
}

impl Journal {
    /// Returns the journal of a change that has not begun, without new data.
    #[must_use]
    pub fn of(file: &[u8], ranges: Vec<JournalRange>) -> Self {
        Self {
            version: 1,
            signature: file[0],
            at: 0,
            count: None,
            len: None,
            old_len: file.len() as u64,
            new_len: file.len() as u64,
            ranges,
        }
    }

    /// Returns the bytes of the journal, with a valid checksum.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let mut out = vec![];
        for range in &self.ranges {
            out.extend(range.offset.to_le_bytes());
            let len = range.len.unwrap_or(range.old.len() as u64);
            out.extend(len.to_le_bytes());
            for bytes in [&range.old, &range.new] {
                let inside = self.at.checked_sub(range.offset);
                let invert = |(n, byte): (u64, &u8)| if Some(n) == inside { !byte } else { *byte };
                out.extend((0..).zip(bytes).map(invert));
            }
        }
        let len = self.len.unwrap_or(out.len() as u64 + TRAILER);
        let count = self.count.unwrap_or(self.ranges.len() as u32);
        out.extend(b"NCUPDATE");
        out.extend([self.version, self.signature, 0, 0]);
        out.extend(count.to_le_bytes());
        for number in [self.at, len, self.old_len, self.new_len] {
            out.extend(number.to_le_bytes());
        }
        let digest = Digest::of_bytes(&out);
        out.extend(&digest.bytes()[..16]);
        out
    }
}
