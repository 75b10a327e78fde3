//! Writes bits as bytes, most significant bit first.

/// Appends bits to bytes.
pub(super) struct PutBits<'a> {
    output: &'a mut Vec<u8>,
    /// Pending bits of an incomplete byte, with the last bit in the lowest position.
    window: u64,
    /// The number of pending bits, fewer than 32 between calls.
    have: u32,
}

impl<'a> PutBits<'a> {
    pub(super) fn new(output: &'a mut Vec<u8>) -> Self {
        Self {
            output,
            window: 0,
            have: 0,
        }
    }

    /// Appends the lowest `n` (at most 32) bits of `value`. The upper bits of `value` are zero.
    #[inline]
    pub(super) fn put(&mut self, value: u32, n: u32) {
        self.window = self.window << n | u64::from(value);
        self.have += n;
        if self.have >= 32 {
            self.have -= 32;
            let [_, _, _, _, word @ ..] = (self.window >> self.have).to_be_bytes();
            self.output.extend_from_slice(&word);
        }
    }

    /// Appends `n` zeros, then a one.
    #[inline]
    pub(super) fn zeros(&mut self, mut n: u32) {
        while n > 31 {
            self.put(0, 31);
            n -= 31;
        }
        self.put(1, n + 1);
    }

    /// Fills the last byte with zeros.
    pub(super) fn finish(mut self) {
        let bytes = self.have.div_ceil(8);
        self.put(0, bytes * 8 - self.have);
        let rest = (self.window << (32 - self.have.min(32))).to_be_bytes();
        let rest = rest.iter().skip(4).take(self.have.div_ceil(8) as usize);
        self.output.extend(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::Bits;

    #[test]
    fn written_bits_read_back() {
        for many in 0..200 {
            let mut output = vec![];
            let mut bits = PutBits::new(&mut output);
            for n in 0..many {
                bits.put(n & 0x1FF, 9 + n % 20);
                bits.zeros(n % 70);
            }
            bits.finish();
            let mut found = Bits::new(&output);
            for n in 0..many {
                assert_eq!(found.take(9 + n % 20), u64::from(n & 0x1FF));
                assert_eq!(found.zeros(), Some(n % 70));
            }
            assert!(!found.is_over() && found.take(8) == 0);
        }
    }
}
