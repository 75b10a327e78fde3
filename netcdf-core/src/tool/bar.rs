//! The progress bar of a job, shared by all inputs.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::env::Progress;
use crate::io::dir::DirStore;
use crate::io::store::{Store as _, UNKNOWN};

/// Delay before the bar appears.
const PATIENCE: Duration = Duration::from_secs(1);
/// Interval between updates.
const TICK: Duration = Duration::from_millis(100);

/// A progress bar on standard error for a job of one or more inputs. Drop removes the bar.
#[derive(Debug, Default)]
pub struct Bar {
    line: BarLine,
    now: Arc<Mutex<JobProgress>>,
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The terminal line of a bar, if shown.
#[derive(Debug, Clone, Default)]
pub struct BarLine(Arc<Mutex<Option<ProgressBar>>>);

impl BarLine {
    /// Prints lines while the bar is hidden.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        let bar = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Removes the bar permanently.
    pub fn clear(&self) {
        let bar = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(bar) = &*bar {
            bar.finish_and_clear();
        }
    }

    fn set(&self, bar: ProgressBar) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(bar);
    }
}

/// The unit of a bar.
#[derive(Debug)]
enum Measured {
    /// Bytes of these inputs.
    Bytes(Vec<PathBuf>),
    /// A number of steps.
    Steps(usize),
}

impl Measured {
    fn template(&self) -> &'static str {
        match self {
            Self::Bytes(_) => {
                "{prefix}{bar:32} {bytes} of {total_bytes}, {bytes_per_sec}, {eta} left"
            }
            Self::Steps(_) => "{prefix}{bar:32} {eta} left",
        }
    }
}

/// The progress of a job.
#[derive(Debug, Default)]
struct JobProgress {
    /// The index of the current input, from 0.
    place: usize,
    progress: Progress,
}

impl Bar {
    /// Creates a bar for a job on these inputs, starting with the first. The bar appears only for long work, and only if `shown`.
    #[must_use]
    pub fn over(inputs: Vec<PathBuf>, shown: bool) -> Self {
        Self::measuring(Measured::Bytes(inputs), shown)
    }

    /// Creates a bar that counts short steps. The bar appears only for long work, and only if `shown`.
    #[must_use]
    pub fn counting(steps: usize, shown: bool) -> Self {
        Self::measuring(Measured::Steps(steps), shown)
    }

    fn measuring(measured: Measured, shown: bool) -> Self {
        let mut bar = Self::default();
        if !shown {
            return bar;
        }
        let (stop, stopped) = channel();
        let (line, now) = (bar.line.clone(), Arc::clone(&bar.now));
        bar.stop = Some(stop);
        bar.thread = Some(std::thread::spawn(move || {
            show(&measured, (&line, &now), &stopped);
        }));
        bar
    }

    /// Returns the terminal line of the bar.
    #[must_use]
    pub fn line(&self) -> BarLine {
        self.line.clone()
    }

    /// Continues with the input at index `place` (from 0) and its progress.
    pub fn begin(&self, place: usize, progress: Progress) {
        *self.now.lock().unwrap_or_else(PoisonError::into_inner) = JobProgress { place, progress };
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A failed bar must not make the job fail.
            let _ = thread.join();
        }
        self.line.clear();
    }
}

fn show(measured: &Measured, (line, now): (&BarLine, &Mutex<JobProgress>), stopped: &Receiver<()>) {
    if stopped.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
        return;
    }
    let sizes = match measured {
        Measured::Bytes(inputs) => sizes(inputs, stopped),
        Measured::Steps(steps) => Some(vec![1; *steps]),
    };
    let Some(sizes) = sizes else {
        return;
    };
    let bar = begun(
        at(&sizes, now),
        (&line_of(now, sizes.len()), measured.template()),
    );
    line.set(bar.clone());
    while stopped.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
        let (done, total) = at(&sizes, now);
        bar.set_prefix(line_of(now, sizes.len()));
        bar.set_length(total);
        bar.set_position(done);
    }
}

/// Returns the size of each input in bytes, 0 if unknown. Returns `None` if the job ends first.
fn sizes(inputs: &[PathBuf], stopped: &Receiver<()>) -> Option<Vec<u64>> {
    let mut sizes = vec![];
    for input in inputs {
        sizes.push(size(input));
        if stopped.try_recv() != Err(std::sync::mpsc::TryRecvError::Empty) {
            return None;
        }
    }
    Some(sizes)
}

fn size(input: &Path) -> u64 {
    match std::fs::metadata(input) {
        Ok(meta) if meta.is_dir() => {
            let mut sum = 0_u64;
            let walked = DirStore::open(input).and_then(|store| {
                store.walk("", &mut |_, size| {
                    sum = sum.saturating_add(if size == UNKNOWN { 0 } else { size });
                    Ok(())
                })
            });
            walked.map_or(0, |()| sum)
        }
        Ok(meta) => meta.len(),
        Err(_) => 0,
    }
}

/// Returns the finished and the total bytes. Finished inputs count in full; the current input counts in proportion to its progress. An
/// input of unknown size, or a single input, counts by its progress.
fn at(sizes: &[u64], now: &Mutex<JobProgress>) -> (u64, u64) {
    let now = now.lock().unwrap_or_else(PoisonError::into_inner);
    let (done, total) = now.progress.get();
    let sum = |sizes: &[u64]| sizes.iter().copied().fold(0, u64::saturating_add);
    if sizes.len() <= 1 {
        return (done, total);
    }
    let before = sum(sizes.get(..now.place).unwrap_or(sizes));
    let size = sizes.get(now.place).copied().unwrap_or(0);
    let part = match total {
        0 => 0,
        total => u128::from(size) * u128::from(done.min(total)) / u128::from(total),
    };
    let part = u64::try_from(part).unwrap_or(size);
    (before.saturating_add(part), sum(sizes))
}

/// Returns `2 of 5 `, or an empty text for a single input.
fn line_of(now: &Mutex<JobProgress>, all: usize) -> String {
    let place = now.lock().unwrap_or_else(PoisonError::into_inner).place;
    match all > 1 {
        true => format!("{} of {all} ", (place + 1).min(all)),
        false => String::new(),
    }
}

/// Creates a bar at this progress; the speed is measured from now on.
fn begun((done, total): (u64, u64), (prefix, template): (&str, &str)) -> ProgressBar {
    let bar = ProgressBar::hidden();
    bar.set_prefix(prefix.to_owned());
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
        drop(Bar::over(vec![PathBuf::from("a")], true));
        assert!(start.elapsed() < PATIENCE);
    }

    #[test]
    fn the_bar_starts_where_the_work_is() {
        let template = Measured::Steps(5).template();
        let bar = begun((3, 10), ("2 of 5 ", template));
        assert_eq!((bar.position(), bar.length()), (3, Some(10)));
        assert_eq!(bar.prefix(), "2 of 5 ");
    }

    #[test]
    fn all_inputs_are_one_job() {
        let now = Mutex::new(JobProgress::default());
        let sizes = [100, 0, 50];
        assert_eq!(at(&sizes, &now), (0, 150));
        let progress = Progress::default();
        progress.expect(1000);
        progress.advance(500);
        for (place, done) in [(0, 50), (1, 100), (2, 125), (3, 150)] {
            let progress = progress.clone();
            *now.lock().unwrap() = JobProgress { place, progress };
            assert_eq!(at(&sizes, &now), (done, 150));
        }
        assert_eq!(line_of(&now, 3), "3 of 3 ");
        assert_eq!(
            at(&[7], &now),
            (500, 1000),
            "a single input counts its own bytes"
        );
        assert_eq!(line_of(&now, 1), "");
    }
}
