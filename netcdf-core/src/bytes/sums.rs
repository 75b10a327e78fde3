//! Checksums of metadata.

/// Computes Bob Jenkins' `lookup3` (`hashlittle`) with the initial value 0, the checksum of HDF5 metadata ("Disk Format: Level 0A" and
/// later).
#[must_use]
pub fn lookup3(bytes: &[u8]) -> u32 {
    lookup3_from(0, bytes)
}

/// Computes [`lookup3`] with another initial value.
#[must_use]
pub fn lookup3_from(initial: u32, bytes: &[u8]) -> u32 {
    let len = u32::try_from(bytes.len() & 0xffff_ffff).unwrap_or(0);
    let start = 0xdead_beef_u32.wrapping_add(len).wrapping_add(initial);
    let mut state = [start; 3];
    let mut rest = bytes;
    // The last block, which may be complete, is mixed differently.
    while let Some((block, tail)) = rest.split_first_chunk().filter(|(_, t)| !t.is_empty()) {
        add(&mut state, block);
        mix(&mut state);
        rest = tail;
    }
    if rest.is_empty() {
        return state[2];
    }
    let mut block = [0; 12];
    if let Some(start) = block.get_mut(..rest.len()) {
        start.copy_from_slice(rest);
    }
    add(&mut state, &block);
    last(state)
}

/// Adds a block, as three little-endian words.
fn add([a, b, c]: &mut [u32; 3], block: &[u8; 12]) {
    if let [x, y, z] = block.as_chunks().0 {
        *a = a.wrapping_add(u32::from_le_bytes(*x));
        *b = b.wrapping_add(u32::from_le_bytes(*y));
        *c = c.wrapping_add(u32::from_le_bytes(*z));
    }
}

fn mix(state: &mut [u32; 3]) {
    let [mut a, mut b, mut c] = *state;
    a = a.wrapping_sub(c) ^ c.rotate_left(4);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(6);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(8);
    b = b.wrapping_add(a);
    a = a.wrapping_sub(c) ^ c.rotate_left(16);
    c = c.wrapping_add(b);
    b = b.wrapping_sub(a) ^ a.rotate_left(19);
    a = a.wrapping_add(c);
    c = c.wrapping_sub(b) ^ b.rotate_left(4);
    b = b.wrapping_add(a);
    *state = [a, b, c];
}

fn last([mut a, mut b, mut c]: [u32; 3]) -> u32 {
    c = (c ^ b).wrapping_sub(b.rotate_left(14));
    a = (a ^ c).wrapping_sub(c.rotate_left(11));
    b = (b ^ a).wrapping_sub(a.rotate_left(25));
    c = (c ^ b).wrapping_sub(b.rotate_left(16));
    a = (a ^ c).wrapping_sub(c.rotate_left(4));
    b = (b ^ a).wrapping_sub(a.rotate_left(14));
    (c ^ b).wrapping_sub(b.rotate_left(24))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // The values are from the self-test in the description of lookup3.
        assert_eq!(lookup3(b""), 0xdead_beef);
        assert_eq!(lookup3(b"Four score and seven years ago"), 0x1777_0551);
    }
}
