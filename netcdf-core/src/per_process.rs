//! Values that belong to one process: threads do not exist in a forked child.

use std::mem::ManuallyDrop;
use std::sync::OnceLock;

/// A value that is created on first use, and again in a forked child. The child never uses or drops the value of its parent, because
/// threads of the parent may have held its locks.
#[derive(Debug)]
pub(crate) struct PerProcess<T> {
    own: OnceLock<OwnedValue<T>>,
    /// The value of a child of the owner.
    child: OnceLock<Box<PerProcess<T>>>,
}

#[derive(Debug)]
struct OwnedValue<T> {
    owner: u32,
    value: ManuallyDrop<T>,
}

impl<T> Default for PerProcess<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> PerProcess<T> {
    /// Returns an empty cell.
    pub(crate) const fn new() -> Self {
        Self {
            own: OnceLock::new(),
            child: OnceLock::new(),
        }
    }

    /// Returns a cell with the value of this process.
    #[cfg(any(test, feature = "remote"))]
    pub(crate) fn of(value: T) -> Self {
        let own = OwnedValue {
            owner: std::process::id(),
            value: ManuallyDrop::new(value),
        };
        Self {
            own: OnceLock::from(own),
            child: OnceLock::new(),
        }
    }

    /// Returns the value of this process.
    pub(crate) fn get_or_init(&self, new: impl Fn() -> T) -> &T {
        self.of_process(std::process::id(), &new)
    }

    fn of_process(&self, process: u32, new: &dyn Fn() -> T) -> &T {
        let own = self.own.get_or_init(|| OwnedValue {
            owner: process,
            value: ManuallyDrop::new(new()),
        });
        match own.owner == process {
            true => &own.value,
            false => {
                let child = self.child.get_or_init(Box::default);
                child.of_process(process, new)
            }
        }
    }
}

impl<T> Drop for PerProcess<T> {
    fn drop(&mut self) {
        let own = self.own.take();
        if let Some(own) = own.filter(|own| own.owner == std::process::id()) {
            drop(ManuallyDrop::into_inner(own.value));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn each_process_has_its_value() {
        let cell = PerProcess::new();
        assert_eq!(*cell.of_process(1, &|| 'a'), 'a');
        assert_eq!(*cell.of_process(1, &|| 'b'), 'a');
        assert_eq!(*cell.of_process(2, &|| 'c'), 'c');
        assert_eq!(*cell.of_process(3, &|| 'd'), 'd');
        assert_eq!(*cell.of_process(3, &|| 'e'), 'd');
    }

    #[test]
    fn only_own_values_are_dropped() {
        assert_eq!(*PerProcess::of('a').get_or_init(|| 'b'), 'a');
        let value = Arc::new(());
        let cell = PerProcess::new();
        let _ = cell.of_process(std::process::id(), &|| Arc::clone(&value));
        drop(cell);
        assert_eq!(Arc::strong_count(&value), 1);
        let cell = PerProcess::new();
        let _ = cell.of_process(std::process::id() ^ 1, &|| Arc::clone(&value));
        drop(cell);
        assert_eq!(Arc::strong_count(&value), 2);
    }
}
