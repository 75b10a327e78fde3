//! Progress lines in the log of a running part.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use netcdf_core::env::Progress;
use netcdf_core::json::Json;

use crate::parts::plan_directory::PlanDirectory;

/// Time between two lines.
pub(super) const EVERY: Duration = Duration::from_secs(30);

/// Adds lines to the log of a part at intervals until it is dropped.
pub(super) struct LogMeter {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl LogMeter {
    pub(super) fn start(
        folder: &PlanDirectory,
        part: u64,
        progress: &Progress,
        every: Duration,
    ) -> Self {
        let (stop, stopped) = channel();
        let (folder, progress) = (folder.clone(), progress.clone());
        let thread = std::thread::spawn(move || tell((&folder, part), &progress, &stopped, every));
        Self {
            stop: Some(stop),
            thread: Some(thread),
        }
    }
}

impl Drop for LogMeter {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // A missing log line must not fail the part.
            let _ = thread.join();
        }
    }
}

/// Logs the progress of the part, counted from this call: the process may have run other parts before.
fn tell(
    (folder, part): (&PlanDirectory, u64),
    progress: &Progress,
    stopped: &Receiver<()>,
    every: Duration,
) {
    let (before, expected) = progress.get();
    while stopped.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
        let (done, total) = progress.get();
        let sums = vec![
            ("bytes", Json::int(done - before.min(done))),
            ("of", Json::int(total - expected.min(total))),
        ];
        let _ = folder.log(part, "progress", sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_say_how_far_a_part_is() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("log")).unwrap();
        std::fs::write(home.path().join("plan.json"), "{}").unwrap();
        let folder = PlanDirectory::open(home.path()).unwrap();
        let progress = Progress::default();
        progress.expect(10);
        progress.advance(10);
        let meter = LogMeter::start(&folder, 3, &progress, Duration::from_millis(1));
        // Count only while the meter runs.
        while folder.last_logged(3).unwrap().is_none() {
            std::thread::yield_now();
        }
        progress.expect(100);
        progress.advance(40);
        let said = |name: &str| {
            folder
                .last_logged(3)
                .unwrap()
                .unwrap()
                .get(name)
                .unwrap()
                .as_u64()
        };
        while said("of") != Some(100) || said("bytes") != Some(40) {
            std::thread::yield_now();
        }
        drop(meter);
        let text = std::fs::read_to_string(home.path().join("log/3.jsonl")).unwrap();
        let first = text.lines().next().unwrap();
        assert!(first.contains(r#""bytes": 0, "of": 0"#), "{first}");
        assert!(
            first.contains(r#""event": "progress""#) && first.contains(r#""time": "#),
            "{first}"
        );
    }
}
