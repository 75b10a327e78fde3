//! Scripts for Slurm.

use super::facts::Facts;
use super::fill;

/// Maximum tasks of a job array: Slurm's default `MaxArraySize` is 1001, and task numbers must be smaller.
const TASKS: u64 = 1000;

/// Returns a shell script that submits the jobs.
pub(super) fn script(facts: &Facts) -> String {
    let most = facts.stages.iter().map(|stage| stage.end - stage.start);
    let each = parts_of_a_task(most.max().unwrap_or(1));
    let mut values = facts.of_shell();
    values.extend([
        ("EACH", each.to_string()),
        ("MINUTES", facts.minutes(each).to_string()),
        ("FINISH", facts.minutes_of_finish().to_string()),
    ]);
    fill(include_str!("slurm.sh"), &values)
}

/// Returns the number of parts per task, for at most [`TASKS`] tasks. The last task may run fewer parts.
fn parts_of_a_task(parts: u64) -> u64 {
    parts.div_ceil(TASKS).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_are_few_enough() {
        for (parts, wanted) in [
            (1, (1, 1)),
            (7, (7, 1)),
            (1000, (1000, 1)),
            (1001, (501, 2)),
            (2000, (1000, 2)),
            (2001, (667, 3)),
            (1_000_000, (1000, 1000)),
        ] {
            let each = parts_of_a_task(parts);
            // The same count as in the script.
            let tasks = parts.div_ceil(each);
            assert_eq!((tasks, each), wanted, "{parts}");
        }
    }

    #[test]
    fn the_numbers_are_at_the_top() {
        let text = script(&Facts::example("/a b/it's", 2500));
        let wanted = [
            r"DIR='/a b/it'\''s'",
            "STAGES='0-2499'",
            "PARTS_PER_TASK=3",
            "MEM=768M",
            "TIME=20",
        ];
        for line in wanted {
            assert!(text.lines().any(|one| one == line), "{line}\n{text}");
        }
    }
}
