//! Reorders the dimensions of a box of elements, in blocks that fit processor caches.

/// Adjacent input elements per block: longer runs mean fewer memory page changes.
const HIGH: usize = 32;

/// A dimension of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct OutputDim {
    /// The dimension length.
    len: usize,
    /// The input stride, in elements.
    from: usize,
    /// The output stride, in elements.
    to: usize,
}

/// Copies all `size`-byte elements from `input` to `output`, which has the same length, in the order of `shape`. `steps` are the input
/// strides of the dimensions, in elements. The product of `shape` is the element count.
pub(super) fn permute(
    input: &[u8],
    (shape, steps): (&[usize], &[usize]),
    size: usize,
    output: &mut [u8],
) {
    let mut to = 1_usize;
    let mut dims: Vec<OutputDim> = vec![];
    for (&len, &from) in shape.iter().zip(steps).rev() {
        // Dimensions of length 1 do not affect the order.
        if len > 1 {
            dims.push(OutputDim { len, from, to });
            to = to.saturating_mul(len);
        }
    }
    // Remove the dimensions that are adjacent in the output and in the input. The remaining dimensions are sorted slowest first.
    let fast = dims.iter().position(|dim| dim.from == 1);
    let (Some(fast), Some(&last)) = (fast.filter(|&n| n > 0), dims.first()) else {
        return rows(input, dims, size, output);
    };
    let column = dims.remove(fast);
    dims.remove(0);
    dims.reverse();
    let plane = (last, column);
    match size {
        1 => planes::<1, 64>(input, (&dims, plane), output),
        2 => planes::<2, 32>(input, (&dims, plane), output),
        4 => planes::<4, 16>(input, (&dims, plane), output),
        8 => large::<8>(input, (&dims, plane), output),
        16 => large::<16>(input, (&dims, plane), output),
        _ => {
            dims.push(column);
            dims.push(last);
            elements(input, &dims, size, output);
        }
    }
}

/// Like [`permute`], if adjacent elements stay adjacent. `dims` has the fastest dimension first.
fn rows(input: &[u8], mut dims: Vec<OutputDim>, size: usize, output: &mut [u8]) {
    let len = match dims.first() {
        Some(first) => first.len,
        None => 1,
    };
    dims = dims.split_off(dims.len().min(1));
    dims.reverse();
    let bytes = len.saturating_mul(size);
    each(&dims, |from, to| {
        copy(input, output, (from * size, to * size), bytes);
    });
}

/// Copies elements one by one. `dims` has the slowest dimension first.
fn elements(input: &[u8], dims: &[OutputDim], size: usize, output: &mut [u8]) {
    each(dims, |from, to| {
        copy(input, output, (from * size, to * size), size);
    });
}

/// Copies bytes from one offset to another.
fn copy(input: &[u8], output: &mut [u8], (from, to): (usize, usize), bytes: usize) {
    let part = |at: usize| at..at.saturating_add(bytes);
    if let (Some(from), Some(to)) = (input.get(part(from)), output.get_mut(part(to))) {
        to.copy_from_slice(from);
    }
}

/// Calls `visit` with the input index and the output index of each element.
fn each(dims: &[OutputDim], mut visit: impl FnMut(usize, usize)) {
    let mut position = vec![0_usize; dims.len()];
    loop {
        let (from, to) = position
            .iter()
            .zip(dims)
            .fold((0, 0), |(from, to), (n, dim)| {
                (from + n * dim.from, to + n * dim.to)
            });
        visit(from, to);
        let moved = position.iter_mut().zip(dims).rev().any(|(n, dim)| {
            *n += 1;
            if *n < dim.len {
                return true;
            }
            *n = 0;
            false
        });
        if !moved {
            return;
        }
    }
}

/// Like [`permute`], plane by plane, for elements of `N` bytes. The two dimensions of a plane are adjacent in the output and in the input.
fn planes<const N: usize, const WIDE: usize>(
    input: &[u8],
    (outer, (last, column)): (&[OutputDim], (OutputDim, OutputDim)),
    output: &mut [u8],
) {
    let (input, _) = input.as_chunks::<N>();
    let (output, _) = output.as_chunks_mut::<N>();
    let mut block = [[[0_u8; N]; WIDE]; HIGH];
    each(outer, |from, to| {
        for c in (0..column.len).step_by(HIGH) {
            for l in (0..last.len).step_by(WIDE) {
                let (high, wide) = (HIGH.min(column.len - c), WIDE.min(last.len - l));
                for n in 0..wide {
                    let at = from + c + (l + n) * last.from;
                    let row = input.get(at..at + high).unwrap_or_default();
                    for (line, element) in block.iter_mut().zip(row) {
                        if let Some(slot) = line.get_mut(n) {
                            *slot = *element;
                        }
                    }
                }
                for (n, line) in block.iter().take(high).enumerate() {
                    let at = to + (c + n) * column.to + l;
                    put(output.get_mut(at..at + wide).unwrap_or_default(), line);
                }
            }
        }
    });
}

/// Like [`planes`], for elements so large that few fit a cache line. Single copies are faster for them.
fn large<const N: usize>(
    input: &[u8],
    (outer, (last, column)): (&[OutputDim], (OutputDim, OutputDim)),
    output: &mut [u8],
) {
    let (input, _) = input.as_chunks::<N>();
    let (output, _) = output.as_chunks_mut::<N>();
    each(outer, |from, to| {
        for l in (0..last.len).step_by(HIGH) {
            let wide = HIGH.min(last.len - l);
            for c in 0..column.len {
                let at = to + c * column.to + l;
                let row = output.get_mut(at..at + wide).unwrap_or_default();
                let first = input.get(from + c + l * last.from..).unwrap_or_default();
                let elements = first.iter().step_by(last.from.max(1));
                row.iter_mut()
                    .zip(elements)
                    .for_each(|(to, element)| *to = *element);
            }
        }
    });
}

/// Copies a row of a block, or the part that fits.
fn put<const N: usize, const WIDE: usize>(to: &mut [[u8; N]], line: &[[u8; N]; WIDE]) {
    match to.first_chunk_mut::<WIDE>() {
        Some(to) => *to = *line,
        None => to
            .iter_mut()
            .zip(line)
            .for_each(|(to, element)| *to = *element),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies element by element, as the definition does.
    fn plain(input: &[u8], shape: &[usize], steps: &[usize], size: usize) -> Vec<u8> {
        let count: usize = shape.iter().product();
        let mut out = vec![];
        for mut n in 0..count {
            let mut at = 0;
            for (len, step) in shape.iter().zip(steps).rev() {
                at += n % len * step;
                n /= len;
            }
            out.extend_from_slice(&input[at * size..][..size]);
        }
        out
    }

    #[test]
    fn blocks_match_single_elements() {
        for shape in [
            &[40, 33][..],
            &[3, 17, 20],
            &[2, 3, 5, 7],
            &[16, 16],
            &[1, 37, 1, 18],
            &[5],
            &[1, 1],
            &[],
        ] {
            let rank = shape.len();
            let mut steps = vec![1; rank];
            for n in (1..rank).rev() {
                steps[n - 1] = steps[n] * shape[n];
            }
            let mut order: Vec<usize> = (0..rank).collect();
            for turn in 0..rank.max(1) * 2 {
                if turn == rank {
                    order.reverse();
                }
                let of = |all: &[usize]| -> Vec<usize> { order.iter().map(|&n| all[n]).collect() };
                let (made, from) = (of(shape), of(&steps));
                for size in [1, 2, 3, 4, 8, 16, 24] {
                    let count: usize = shape.iter().product();
                    let input: Vec<u8> =
                        (0..count * size).map(|n| (n * 7 + n / 251) as u8).collect();
                    let mut out = vec![0; input.len()];
                    permute(&input, (&made, &from), size, &mut out);
                    let want = plain(&input, &made, &from, size);
                    assert!(out == want, "{shape:?} {order:?} {size}");
                }
                if rank > 0 {
                    order.rotate_left(1);
                }
            }
        }
    }
}
