//! Cost estimates for `--plan`.

use netcdf_core::copy::parts::Costs;
use netcdf_core::json::Json;
use netcdf_core::shown::number_agreement;

/// The estimated costs of a copy.
#[derive(Debug, Clone, Copy)]
pub(super) struct Estimate {
    pub costs: Costs,
    /// The maximum memory of a process in bytes.
    pub memory: u64,
}

impl Estimate {
    /// Returns the estimate as text, one line per cost.
    pub(super) fn text(&self) -> String {
        let Self { costs, memory } = self;
        let Costs {
            read,
            reads,
            written,
            writes,
            between,
            ..
        } = *costs;
        let mut text = format!(
            "about {} read in {reads:.0} chunks, {} stored in {writes:.0} chunks",
            size(read),
            size(written)
        );
        if between > 0.0 {
            text += &format!(", {} between two stages", size(between));
        }
        let text = number_agreement(text.into());
        format!(
            "{text}\nabout {} of CPU time, up to {} of memory for a process; --finish: about {}\n",
            time(costs.seconds),
            size(*memory as f64),
            time(costs.finish)
        )
    }

    /// Returns the estimate as a member of a plan.
    pub(super) fn json(&self) -> Json {
        let Self { costs, memory } = self;
        Json::object([
            ("read", whole(costs.read)),
            ("reads", whole(costs.reads)),
            ("written", whole(costs.written)),
            ("writes", whole(costs.writes)),
            ("between", whole(costs.between)),
            ("cpu_seconds", seconds(costs.seconds)),
            ("finish_seconds", seconds(costs.finish)),
            ("memory", Json::int(memory)),
        ])
    }
}

/// The maximum stored figure. Damaged files can have shapes of any size, and figures must fit into a row.
const MOST: f64 = 1e23;

/// Returns a number of bytes or chunks.
pub(super) fn whole(n: f64) -> Json {
    Json::Number(format!("{:.0}", n.min(MOST)))
}

/// Returns a time in seconds.
pub(super) fn seconds(s: f64) -> Json {
    Json::Number(format!("{:.3}", s.min(MOST)))
}

/// Returns a number of bytes with two or three digits.
fn size(bytes: f64) -> String {
    let mut n = bytes;
    for unit in ["B", "kB", "MB", "GB", "TB", "PB"] {
        if n < 999.5 {
            return match unit {
                "B" => format!("{n:.0} {unit}"),
                _ => format!("{} {unit}", digits(n)),
            };
        }
        n /= 1000.0;
    }
    format!("{} EB", digits(n))
}

/// Returns a time with three digits.
fn time(seconds: f64) -> String {
    match seconds {
        s if s < 100.0 => format!("{} s", digits(s)),
        s if s < 6000.0 => format!("{} min", digits(s / 60.0)),
        s => format!("{} h", digits(s / 3600.0)),
    }
}

fn digits(n: f64) -> String {
    match n {
        n if n < 9.95 => format!("{n:.1}"),
        n => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_are_short() {
        for (bytes, want) in [
            (0.0, "0 B"),
            (999.0, "999 B"),
            (1000.0, "1.0 kB"),
            (9949.0, "9.9 kB"),
            (9951.0, "10 kB"),
            (999_499.0, "999 kB"),
            (999_500.0, "1.0 MB"),
            (18e18, "18 EB"),
        ] {
            assert_eq!(size(bytes), want);
        }
        for (seconds, want) in [
            (0.0, "0.0 s"),
            (99.0, "99 s"),
            (120.0, "2.0 min"),
            (36_000.0, "10 h"),
        ] {
            assert_eq!(time(seconds), want);
        }
    }
}
