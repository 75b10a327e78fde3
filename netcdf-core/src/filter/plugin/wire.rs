//! Messages between a tool and its helper: 64-bit numbers, and byte strings preceded by their length, little-endian.

/// A message being written.
#[derive(Default)]
pub(super) struct MessageWriter(pub Vec<u8>);

impl MessageWriter {
    pub(super) fn number(&mut self, n: u64) -> &mut Self {
        self.0.extend_from_slice(&n.to_le_bytes());
        self
    }

    pub(super) fn truth(&mut self, is: bool) -> &mut Self {
        self.number(is.into())
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(super) fn numbers(&mut self, numbers: &[u32]) -> &mut Self {
        self.number(numbers.len() as u64);
        for &n in numbers {
            self.number(n.into());
        }
        self
    }
}

/// The unread bytes of a message. Reading past the end returns `None`.
pub(super) struct MessageReader<'a>(pub &'a [u8]);

impl<'a> MessageReader<'a> {
    pub(super) fn number(&mut self) -> Option<u64> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*number))
    }

    pub(super) fn small(&mut self) -> Option<u32> {
        self.number()?.try_into().ok()
    }

    pub(super) fn truth(&mut self) -> Option<bool> {
        Some(self.number()? != 0)
    }

    pub(super) fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.number()?.try_into().ok()?;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    pub(super) fn text(&mut self) -> Option<String> {
        Some(String::from_utf8_lossy(self.bytes()?).into_owned())
    }

    pub(super) fn numbers(&mut self) -> Option<Vec<u32>> {
        let count = self.number()?;
        // Each number takes 8 bytes, so the unread bytes limit the count.
        if count > self.0.len() as u64 / 8 {
            return None;
        }
        (0..count).map(|_| self.small()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_round_trip() {
        let mut out = MessageWriter::default();
        out.number(7)
            .truth(true)
            .bytes(b"abc")
            .numbers(&[1, u32::MAX]);
        let mut read = MessageReader(&out.0);
        assert_eq!((read.number(), read.truth()), (Some(7), Some(true)));
        assert_eq!(read.text().as_deref(), Some("abc"));
        assert_eq!(read.numbers(), Some(vec![1, u32::MAX]));
        assert_eq!(read.number(), None);
        for cut in 0..out.0.len() {
            let mut read = MessageReader(&out.0[..cut]);
            let all = (read.number(), read.truth(), read.bytes(), read.numbers());
            assert!(all.3.is_none(), "{cut}");
        }
        assert_eq!(MessageReader(&[255; 16]).numbers(), None);
        assert_eq!(MessageReader(&[255; 16]).bytes(), None);
    }
}
