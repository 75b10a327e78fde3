//! Cancellation of a run by a signal.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::{Error, ErrorKind, Result};

/// The cancellation flag: the number of the signal that caused it, 0 for none.
#[derive(Debug, Clone, Default)]
pub struct Cancel(pub Arc<AtomicUsize>);

impl Cancel {
    /// Returns the signal that cancelled the run, if any.
    #[must_use]
    pub fn signal(&self) -> Option<usize> {
        match self.0.load(Ordering::Relaxed) {
            0 => None,
            signal => Some(signal),
        }
    }

    /// Checks for cancellation.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Cancelled`] after a signal.
    pub fn check(&self) -> Result<()> {
        match self.signal() {
            None => Ok(()),
            Some(n) => Err(Error::new(
                ErrorKind::Cancelled,
                format!("stopped by signal {n}"),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cancel_names_the_signal() {
        let cancel = Cancel::default();
        assert!(cancel.check().is_ok());
        cancel.0.store(15, Ordering::Relaxed);
        assert_eq!(cancel.check().unwrap_err().kind(), ErrorKind::Cancelled);
        assert_eq!(cancel.signal(), Some(15));
    }
}
