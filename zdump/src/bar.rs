//! The progress bar of long checks.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use netcdf_core::env::Progress;

/// A check that takes longer than this is long.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two looks.
const TICK: Duration = Duration::from_millis(100);

/// A bar on standard error that follows a check; it goes away when it is dropped.
#[derive(Debug)]
pub(crate) struct Bar {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// Starts to follow `progress`. Nothing is shown of a check that is over soon.
    pub fn follow(progress: Progress) -> Self {
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || show(&progress, &stopped));
        Self {
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A bar that failed is no reason for a check to fail.
            let _ = thread.join();
        }
    }
}

fn show(progress: &Progress, stopped: &Receiver<()>) {
    if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = begun(progress.get());
    while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        let (done, total) = progress.get();
        bar.set_length(total);
        bar.set_position(done);
    }
    bar.finish_and_clear();
}

/// A bar for a check that has come so far; the speed is counted from here on.
fn begun((done, total): (u64, u64)) -> ProgressBar {
    let bar = ProgressBar::hidden();
    let template = "{bar:32} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_length(total);
    bar.set_position(done);
    bar.reset_eta();
    bar.set_draw_target(ProgressDrawTarget::stderr());
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_check_does_not_wait_for_its_bar() {
        let start = std::time::Instant::now();
        drop(Bar::follow(Progress::default()));
        assert!(start.elapsed() < PATIENCE);
    }

    #[test]
    fn the_bar_starts_where_the_check_is() {
        let bar = begun((3, 10));
        assert_eq!((bar.position(), bar.length()), (3, Some(10)));
    }
}
