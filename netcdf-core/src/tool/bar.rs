//! The progress bar of long copies and checks.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::env::Progress;

/// Work that takes longer than this is long.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two looks.
const TICK: Duration = Duration::from_millis(100);

/// A bar on standard error that follows some work; it goes away when it is dropped.
#[derive(Debug)]
pub struct Bar {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// Starts to follow `progress` of the piece of work that has this place among so many (from 1). Nothing is shown of what is over
    /// soon.
    #[must_use]
    pub fn follow(progress: Progress, place: (usize, usize)) -> Self {
        let (stop, stopped) = channel();
        let thread = std::thread::spawn(move || show(&progress, place, &stopped));
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
            // A bar that failed is no reason for the work to fail.
            let _ = thread.join();
        }
    }
}

fn show(progress: &Progress, place: (usize, usize), stopped: &Receiver<()>) {
    if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = begun(progress.get(), place);
    while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        let (done, total) = progress.get();
        bar.set_length(total);
        bar.set_position(done);
    }
    bar.finish_and_clear();
}

/// A bar for work that has come so far; the speed is counted from here on.
fn begun((done, total): (u64, u64), (n, all): (usize, usize)) -> ProgressBar {
    let bar = ProgressBar::hidden();
    if all > 1 {
        bar.set_prefix(format!("{n} of {all} "));
    }
    let template = "{prefix}{bar:32} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
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
    fn short_work_does_not_wait_for_its_bar() {
        let start = std::time::Instant::now();
        drop(Bar::follow(Progress::default(), (1, 1)));
        assert!(start.elapsed() < PATIENCE);
    }

    #[test]
    fn the_bar_starts_where_the_work_is() {
        let bar = begun((3, 10), (2, 5));
        assert_eq!((bar.position(), bar.length()), (3, Some(10)));
        assert_eq!(bar.prefix(), "2 of 5 ");
    }
}
