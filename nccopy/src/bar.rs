//! The progress bar of long copies.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use netcdf_core::env::Progress;

/// A copy that takes longer than this is long.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two looks.
const TICK: Duration = Duration::from_millis(100);

/// A bar on standard error that follows a copy; it goes away when it is dropped.
#[derive(Debug)]
pub struct Bar {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Bar {
    /// Starts to follow `progress`. Nothing is shown of a copy that is over soon.
    #[must_use]
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
            // A bar that failed is no reason for a copy to fail.
            let _ = thread.join();
        }
    }
}

fn show(progress: &Progress, stopped: &Receiver<()>) {
    if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let template = "{bar:32} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    loop {
        let (done, total) = progress.get();
        bar.set_length(total);
        bar.set_position(done);
        if stopped.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
            bar.finish_and_clear();
            return;
        }
    }
}
