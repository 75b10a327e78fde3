//! Large pages for the caller's memory.

/// The size of a large page in bytes, on processors with pages of 4 KiB.
const PAGE: usize = 2 << 20;

/// The least size of a list with large pages, in bytes: two large pages at any address.
const LEAST: usize = 2 * PAGE;

/// Asks the system for large pages in the part of a list that fills them. A read writes every byte of the list, and a new page of 4 KiB
/// costs as much as half of its decoding. NumPy does the same with its arrays. The content of the list stays as it is.
pub(super) fn advise<T>(list: &mut [T]) {
    let len = size_of_val(list);
    let start = list.as_mut_ptr().cast::<u8>();
    let skipped = start.align_offset(PAGE);
    let Some(rest) = len.checked_sub(skipped).filter(|_| len >= LEAST) else {
        return;
    };
    // SAFETY: the range lies in the list. The advice changes no content, and an error leaves everything as it is.
    unsafe {
        libc::madvise(
            start.wrapping_add(skipped).cast(),
            rest - rest % PAGE,
            libc::MADV_HUGEPAGE,
        )
    };
}
