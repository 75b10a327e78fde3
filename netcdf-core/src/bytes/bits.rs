//! Reads bits, the most significant bit of each byte first.

/// A position in a sequence of bits. Bits past the end are zero; [`Bits::is_over`] detects reads past the end.
#[derive(Debug, Clone)]
pub struct Bits<'a> {
    data: &'a [u8],
    /// The index of the next byte to load; may be past the end.
    next: usize,
    /// The next bits, from the top.
    window: u64,
    /// The number of valid bits in the window, at most 63; lower bits may already be loaded.
    have: u32,
}

impl<'a> Bits<'a> {
    /// Reads the bits of `data`.
    #[must_use]
    pub fn new(data: &'a [u8]) -> Self {
        Self {
            data,
            next: 0,
            window: 0,
            have: 0,
        }
    }

    /// Checks whether more bits were read than exist.
    #[must_use]
    pub fn is_over(&self) -> bool {
        let read = (self.next as u64 * 8).saturating_sub(self.have.into());
        read > self.data.len() as u64 * 8
    }

    /// Returns the next `n` bits (at most 56) as a number.
    #[inline]
    pub fn take(&mut self, n: u32) -> u64 {
        if self.have < n {
            self.fill();
        }
        let value = (self.window >> 1) >> (63 - n.min(56));
        self.drop(n);
        value
    }

    /// Returns the next `n` bits (at most 64) as a number.
    #[inline]
    pub fn take_long(&mut self, n: u32) -> u64 {
        if n <= 56 {
            return self.take(n);
        }
        let high = self.take(n - 32);
        high << 32 | self.take(32)
    }

    /// Returns the number of zeros before the next one bit, and skips this bit; `None` if only zeros follow.
    #[inline]
    pub fn zeros(&mut self) -> Option<u32> {
        let mut before = 0_u32;
        loop {
            let zeros = self.window.leading_zeros();
            if zeros < self.have {
                self.drop(zeros + 1);
                return before.checked_add(zeros);
            }
            before = before.checked_add(self.have)?;
            self.drop(self.have);
            if self.next >= self.data.len() {
                return None;
            }
            self.fill();
        }
    }

    #[inline]
    fn drop(&mut self, n: u32) {
        self.window = self.window.checked_shl(n).unwrap_or_default();
        self.have = self.have.saturating_sub(n);
    }

    /// Loads bytes until at least 56 bits are available.
    #[inline]
    fn fill(&mut self) {
        let rest = self.data.get(self.next..).unwrap_or_default();
        if let Some(word) = rest.first_chunk() {
            self.window |= u64::from_be_bytes(*word) >> self.have;
            self.next += (63 - self.have as usize) >> 3;
            self.have |= 56;
        } else {
            self.fill_at_end();
        }
    }

    #[cold]
    fn fill_at_end(&mut self) {
        while self.have < 56 {
            let byte = self.data.get(self.next).copied().unwrap_or_default();
            self.window |= u64::from(byte) << (56 - self.have);
            self.next += 1;
            self.have += 8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_any_number_of_bits() {
        let data: Vec<u8> = (0..97_u32)
            .map(|n| u8::try_from(n * n % 251).unwrap())
            .collect();
        let all: Vec<u64> = (0..data.len() * 8)
            .map(|n| u64::from(data[n / 8] >> (7 - n % 8) & 1))
            .collect();
        for first in 0..=64 {
            let (mut bits, mut at, mut n) = (Bits::new(&data), 0, first);
            while at + (n as usize) <= all.len() {
                let want = all[at..at + n as usize]
                    .iter()
                    .fold(0, |v, bit| v << 1 | bit);
                assert_eq!(bits.take_long(n), want, "{n} bits at {at}");
                at += n as usize;
                n = (n + 13) % 65;
                assert!(!bits.is_over());
            }
            assert!(bits.take_long(64) & 1 == 0 && bits.is_over());
        }
    }

    #[test]
    fn counts_zeros() {
        let mut data = vec![0b0010_0000, 0b1000_0001];
        data.extend([0; 20]);
        data.push(0b0000_0100);
        let mut bits = Bits::new(&data);
        let mut zeros = || bits.zeros();
        assert_eq!([zeros(), zeros(), zeros()], [Some(2), Some(5), Some(6)]);
        assert_eq!([zeros(), zeros()], [Some(165), None]);
        assert_eq!(Bits::new(&[]).zeros(), None);
    }

    /// Counting up to 2^32 would take seconds.
    #[test]
    fn zeros_at_the_end_are_not_counted() {
        for len in 0..20 {
            let data = vec![0; len];
            let mut bits = Bits::new(&data);
            bits.take(3);
            assert_eq!((bits.zeros(), bits.zeros()), (None, None));
        }
    }
}
