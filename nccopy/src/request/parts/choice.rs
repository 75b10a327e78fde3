//! The parts that a run makes.

use std::ops::RangeInclusive;
use std::str::FromStr;

use netcdf_core::error::{Error, ErrorKind, Result};

/// Environment variables that number the tasks of a job, of Slurm and of Kubernetes.
const TASKS: [&str; 2] = ["SLURM_ARRAY_TASK_ID", "JOB_COMPLETION_INDEX"];

/// The parts that `--part` names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartChoice {
    /// One part, or several consecutive parts.
    Range(RangeInclusive<u64>),
    /// The part with the task number of this process.
    Auto,
}

impl FromStr for PartChoice {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let wrong =
            || "expected the number of a part, from 0 on, two as in 3-5, or auto".to_owned();
        let number = |text: &str| text.parse().map_err(|_| wrong());
        match text.split_once('-') {
            None if text == "auto" => Ok(Self::Auto),
            None => number(text).map(|n| Self::Range(n..=n)),
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last)?);
                match first <= last {
                    true => Ok(Self::Range(first..=last)),
                    false => Err(wrong()),
                }
            }
        }
    }
}

impl PartChoice {
    /// Returns the numbers of the selected parts, out of `parts`. `variable` looks up an environment variable.
    ///
    /// # Errors
    /// Returns [`ErrorKind::Argument`] for part numbers out of range, and if no variable has a task number.
    pub fn numbers(
        &self,
        parts: u64,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<RangeInclusive<u64>> {
        let numbers = match self {
            Self::Range(numbers) => numbers.clone(),
            Self::Auto => {
                let task = task(variable)?;
                task..=task
            }
        };
        if *numbers.end() < parts {
            return Ok(numbers);
        }
        let what = format!(
            "there is no part {}: the parts are numbered from 0 to {}",
            numbers.end(),
            parts.saturating_sub(1)
        );
        Err(Error::new(ErrorKind::Argument, what))
    }
}

/// Returns the task number of this process.
fn task(variable: impl Fn(&str) -> Option<String>) -> Result<u64> {
    let found = TASKS.iter().find_map(|name| Some((name, variable(name)?)));
    let Some((name, text)) = found else {
        let what = format!("--part auto: neither {} nor {} is set", TASKS[0], TASKS[1]);
        let e = Error::new(ErrorKind::Argument, what);
        return Err(e.with_remedy("give the number of the part"));
    };
    text.parse().map_err(|_| {
        let what = format!("--part auto: {name} is not a number: {text}");
        Error::new(ErrorKind::Argument, what)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_chosen_by_number_or_task() {
        let choice = |text: &str| text.parse::<PartChoice>();
        let none = |_: &str| None;
        assert_eq!(choice("3").unwrap().numbers(4, none).unwrap(), 3..=3);
        assert_eq!(choice("0-2").unwrap().numbers(4, none).unwrap(), 0..=2);
        for wrong in ["", "x", "-1", "3-1", "1-", "1-2-3", "Auto"] {
            assert!(choice(wrong).is_err(), "{wrong}");
        }
        let e = choice("2-4").unwrap().numbers(4, none).unwrap_err();
        assert!(e.to_string().contains("from 0 to 3"), "{e}");
        let auto = choice("auto").unwrap();
        let slurm = |name: &str| (name == TASKS[0]).then(|| "2".to_owned());
        let kubernetes = |name: &str| (name == TASKS[1]).then(|| "1".to_owned());
        assert_eq!(auto.numbers(4, slurm).unwrap(), 2..=2);
        assert_eq!(auto.numbers(4, kubernetes).unwrap(), 1..=1);
        assert!(auto.numbers(4, none).is_err());
        assert!(auto.numbers(4, |_| Some("x".to_owned())).is_err());
    }
}
