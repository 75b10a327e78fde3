//! Size statistics: count, total, minimum, maximum, and a histogram by powers of two.

use netcdf_core::tool::table::right;

use crate::table::TextTable;

/// The number of bins: one for zero bytes, and one for each power of two.
const BINS: usize = 65;
/// The length of the longest bar in characters.
const WIDTH: u64 = 40;

/// Statistics of sizes in bytes.
#[derive(Debug, Clone)]
pub(crate) struct SizeStats {
    /// The count.
    pub count: u64,
    /// The total.
    pub bytes: u64,
    /// The smallest.
    pub least: Option<u64>,
    /// The largest.
    pub most: Option<u64>,
    /// The number of the array's elements in these chunks. `None` after an overflow.
    pub elements: Option<u64>,
    bins: [u64; BINS],
}

impl Default for SizeStats {
    fn default() -> Self {
        Self {
            count: 0,
            bytes: 0,
            least: None,
            most: None,
            elements: Some(0),
            bins: [0; BINS],
        }
    }
}

impl SizeStats {
    /// Adds a size.
    pub(crate) fn add(&mut self, bytes: u64) {
        self.count = self.count.saturating_add(1);
        self.bytes = self.bytes.saturating_add(bytes);
        self.least = Some(self.least.map_or(bytes, |least| least.min(bytes)));
        self.most = Some(self.most.map_or(bytes, |most| most.max(bytes)));
        let bin = bytes.checked_ilog2().map_or(0, |n| n as usize + 1);
        if let Some(bin) = self.bins.get_mut(bin) {
            *bin += 1;
        }
    }

    /// Adds the size of a chunk or shard with this many elements of its array.
    pub(crate) fn add_chunk(&mut self, bytes: u64, elements: Option<u64>) {
        self.add(bytes);
        let sum = self.elements.zip(elements);
        self.elements = sum.and_then(|(sum, more)| sum.checked_add(more));
    }

    /// Adds count and total of another statistic.
    pub(crate) fn join(&mut self, other: &Self) {
        self.count = self.count.saturating_add(other.count);
        self.bytes = self.bytes.saturating_add(other.bytes);
    }

    /// Returns the mean, rounded down.
    pub(crate) fn mean(&self) -> Option<u64> {
        self.bytes.checked_div(self.count)
    }

    /// Returns minimum, maximum and count of each bin, from the first to the last bin that is not empty.
    pub(crate) fn bins(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let any = |n: &u64| *n > 0;
        let first = self.bins.iter().position(any).unwrap_or(BINS);
        let last = self.bins.iter().rposition(any).unwrap_or_default();
        let bins = (0u32..).zip(self.bins);
        let between = bins.skip(first).take((last + 1).saturating_sub(first));
        between.map(|(n, count)| {
            let from = n.checked_sub(1).map_or(0, |n| 1 << n);
            let to = u64::MAX.checked_shr(64 - n).unwrap_or_default();
            (from, to, count)
        })
    }

    /// Returns the bins as bars.
    pub(crate) fn bars(&self, fancy: bool) -> Vec<String> {
        let most = self.bins.iter().copied().max().unwrap_or_default();
        let mut table = TextTable::default();
        for (from, _, count) in self.bins() {
            let range = match from {
                0 => "0 B".to_owned(),
                _ => format!("{} to {}", power(from.ilog2()), power(from.ilog2() + 1)),
            };
            let digits = most.to_string().len();
            table.row([
                range,
                right(&count.to_string(), digits),
                bar(count, most, fancy),
            ]);
        }
        table.lines()
    }
}

/// Formats a power of two in bytes.
fn power(exponent: u32) -> String {
    const UNITS: [&str; 7] = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let unit = usize::try_from(exponent / 10)
        .ok()
        .and_then(|n| UNITS.get(n));
    format!("{} {}", 1 << (exponent % 10), unit.unwrap_or(&""))
}

/// Returns a bar. Every number except zero has at least one mark.
fn bar(count: u64, most: u64, fancy: bool) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let parts = if fancy { 8 } else { 1 };
    let length = u128::from(count) * u128::from(WIDTH * parts);
    let length = length.div_ceil(u128::from(most.max(1)));
    let length = u64::try_from(length).unwrap_or_default();
    let whole = usize::try_from(length / parts).unwrap_or_default();
    let rest = usize::try_from(length % parts).unwrap_or_default();
    match fancy {
        true => "█".repeat(whole) + EIGHTHS.get(rest).unwrap_or(&""),
        false => "#".repeat(whole),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(all: &[u64]) -> SizeStats {
        let mut sizes = SizeStats::default();
        all.iter().for_each(|&n| sizes.add(n));
        sizes
    }

    #[test]
    fn sums_and_bins() {
        let some = sizes(&[4, 7, 8, 0, 40]);
        assert_eq!((some.count, some.bytes, some.mean()), (5, 59, Some(11)));
        assert_eq!((some.least, some.most), (Some(0), Some(40)));
        let bins: Vec<_> = sizes(&[4, 7, 8, 40]).bins().collect();
        assert_eq!(bins, [(4, 7, 2), (8, 15, 1), (16, 31, 0), (32, 63, 1)]);
        assert_eq!(sizes(&[0]).bins().collect::<Vec<_>>(), [(0, 0, 1)]);
        let largest: Vec<_> = sizes(&[u64::MAX]).bins().collect();
        assert_eq!(largest, [(1 << 63, u64::MAX, 1)]);
        assert_eq!(sizes(&[]).bins().count(), 0);
        assert_eq!(sizes(&[]).mean(), None);
    }

    #[test]
    fn bars_show_what_is_there() {
        assert_eq!(bar(40, 40, false).len(), 40);
        assert_eq!(bar(1, 1_000_000, false), "#");
        assert_eq!(bar(0, 10, true), "");
        assert_eq!(bar(1, 16, true), "██▌");
        let lines = sizes(&[1, 2, 3]).bars(false);
        let half = "#".repeat(20);
        assert_eq!(lines[0], format!("1 B to 2 B  1  {half}"));
        assert_eq!(lines[1], format!("2 B to 4 B  2  {half}{half}"));
        let large = sizes(&[40_000, 0]).bars(false).join("\n");
        assert!(large.starts_with("0 B ") && large.contains("\n32 KiB to 64 KiB  1  #"));
        assert_eq!(power(64), "16 EiB");
    }
}
