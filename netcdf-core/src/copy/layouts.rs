//! Layouts shared by jobs. A dataset may have 100,000 variables with few different shapes.

use std::collections::VecDeque;
use std::sync::Arc;

use super::CopyJob;
use crate::chunk::Layout;

/// Number of recent layouts to compare a new layout with.
const LAST: usize = 16;

/// The most recent distinct layouts.
#[derive(Default)]
pub(super) struct SharedLayouts(VecDeque<Arc<Layout>>);

impl SharedLayouts {
    /// Returns the job with shared layouts.
    pub(super) fn share(&mut self, job: CopyJob) -> CopyJob {
        CopyJob {
            from: self.shared(&job.from),
            to: self.shared(&job.to),
            ..job
        }
    }

    fn shared(&mut self, layout: &Arc<Layout>) -> Arc<Layout> {
        if let Some(known) = self.0.iter().find(|known| *known == layout) {
            return Arc::clone(known);
        }
        if self.0.len() >= LAST {
            self.0.pop_front();
        }
        self.0.push_back(Arc::clone(layout));
        Arc::clone(layout)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::layout::tests::layout;

    #[test]
    fn equal_layouts_are_one() {
        let mut all = SharedLayouts::default();
        let mut shared = |len: u64| all.shared(&Arc::new(layout(&[len], &[len])));
        let first = shared(1);
        assert!(Arc::ptr_eq(&first, &shared(1)));
        assert!(!Arc::ptr_eq(&first, &shared(2)));
        (3..3 + LAST as u64).for_each(|len| drop(shared(len)));
        assert!(!Arc::ptr_eq(&first, &shared(1)));
    }
}
