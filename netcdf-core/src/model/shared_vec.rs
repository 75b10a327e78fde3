//! A copy-on-write list.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A copy-on-write list. Clones share memory, and the first change of a clone copies the list.
///
/// A copy of a dataset with 100,000 variables needs the output's schema twice: in the plan and in the writer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedVec<T>(Arc<Vec<T>>);

impl<T> Default for SharedVec<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> From<Vec<T>> for SharedVec<T> {
    fn from(list: Vec<T>) -> Self {
        Self(Arc::new(list))
    }
}

impl<T> Deref for SharedVec<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Clone> DerefMut for SharedVec<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        Arc::make_mut(&mut self.0)
    }
}

impl<'a, T> IntoIterator for &'a SharedVec<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, T: Clone> IntoIterator for &'a mut SharedVec<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        Arc::make_mut(&mut self.0).iter_mut()
    }
}

impl<T: Clone> IntoIterator for SharedVec<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        Arc::unwrap_or_clone(self.0).into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_copies_the_list_once() {
        let mut list = SharedVec::from(vec![1, 2]);
        list.push(3);
        let mut other = list.clone();
        assert_eq!(list.as_ptr(), other.as_ptr());
        other.iter_mut().for_each(|n| *n += 1);
        assert_ne!(list.as_ptr(), other.as_ptr());
        assert_eq!((&**list, &**other), (&[1, 2, 3][..], &[2, 3, 4][..]));
        let copied = other.as_ptr();
        other[0] = 7;
        assert_eq!(other.as_ptr(), copied);
    }
}
