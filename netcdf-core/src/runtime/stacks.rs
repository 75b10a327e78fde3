//! Stacks of workers.
//!
//! Plugins run on workers. Other programs run plugins on the main thread, whose stack size is the system's limit. So
//! workers get stacks of the same size. Only written pages of a stack use memory.

/// The minimum and maximum stack size in bytes. Main threads usually have the minimum.
const LEAST: u64 = 8 << 20;
const MOST: u64 = 64 << 20;
/// The divisor of limited memory that gives the share of stacks.
const SHARE: u64 = 4;

/// Returns the stack size of a worker in bytes.
pub(super) fn size() -> usize {
    bytes(limits::stack())
}

/// Returns the stack size of a worker for this limit.
fn bytes(limit: Option<u64>) -> usize {
    let bytes = limit.unwrap_or(MOST).clamp(LEAST, MOST);
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Returns the number of threads, at most `wanted`. Memory limits reduce the number.
pub(super) fn threads(wanted: usize, stack: usize) -> usize {
    fitting(wanted, stack, limits::memory())
}

fn fitting(wanted: usize, stack: usize, memory: Option<u64>) -> usize {
    let Some(memory) = memory else {
        return wanted;
    };
    let stack = u64::try_from(stack).unwrap_or(u64::MAX).max(1);
    let fit = usize::try_from(memory / SHARE / stack).unwrap_or(usize::MAX);
    wanted.min(fit.max(1))
}

#[cfg(unix)]
mod limits {
    use rustix::process::{Resource, getrlimit};

    /// Returns the stack size limit of main threads.
    pub(super) fn stack() -> Option<u64> {
        getrlimit(Resource::Stack).current
    }

    /// Returns the limit of the mapped bytes. The two limits include whole stacks.
    pub(super) fn memory() -> Option<u64> {
        let all = [Resource::As, Resource::Data];
        all.into_iter().filter_map(|r| getrlimit(r).current).min()
    }
}

#[cfg(not(unix))]
mod limits {
    /// Returns the minimum stack size of workers.
    pub(super) fn stack() -> Option<u64> {
        Some(super::LEAST)
    }

    /// Returns no limit on this system.
    pub(super) fn memory() -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_is_as_large_as_that_of_a_main_thread() {
        for (limit, mib) in [
            (Some(1 << 20), 8),
            (Some(8 << 20), 8),
            (Some(20 << 20), 20),
            (Some(1 << 40), 64),
            (None, 64),
        ] {
            assert_eq!(bytes(limit), mib << 20, "{limit:?}");
        }
    }

    #[test]
    fn stacks_take_a_part_of_limited_memory() {
        let of = |memory| fitting(32, 8 << 20, memory);
        assert_eq!(of(None), 32);
        assert_eq!(of(Some(1 << 30)), 32);
        assert_eq!(of(Some(512 << 20)), 16);
        assert_eq!(of(Some(40 << 20)), 1);
        assert_eq!(of(Some(0)), 1);
    }
}
