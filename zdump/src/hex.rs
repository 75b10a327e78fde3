//! Bytes in hexadecimal digits, and in the form of `hexdump -C`: offset, hexadecimal digits, characters. Repeated lines become a `*`.

use std::fmt::Write as _;

use netcdf_core::error::Result;

use crate::out::CommandOut;

/// Bytes in a line.
pub(crate) const LINE: usize = 16;

/// The state between two blocks of bytes.
#[derive(Debug, Default)]
pub(crate) struct Dump {
    offset: u64,
    last: Option<Vec<u8>>,
    starred: bool,
}

impl Dump {
    /// Prints the next bytes. All blocks except the last must be whole lines.
    ///
    /// # Errors
    /// Returns write errors.
    pub(crate) fn add(&mut self, bytes: &[u8], out: &mut CommandOut<'_>) -> Result<()> {
        bytes.chunks(LINE).try_for_each(|line| {
            let text = self.next(line);
            text.map_or(Ok(()), |text| out.line(&text))
        })
    }

    /// Returns the text of the next line, or `None` for a repeated line.
    fn next(&mut self, line: &[u8]) -> Option<String> {
        let offset = self.offset;
        self.offset = offset.saturating_add(line.len() as u64);
        if line.len() == LINE && self.last.as_deref() == Some(line) {
            let first = !std::mem::replace(&mut self.starred, true);
            return first.then(|| "*".to_owned());
        }
        self.starred = false;
        self.last = Some(line.to_vec());
        let (digits, text) = self::line(offset, line);
        Some(format!("{digits}  |{text}|"))
    }

    /// Prints the end offset, if there were any bytes.
    ///
    /// # Errors
    /// Returns write errors.
    pub(crate) fn end(self, out: &mut CommandOut<'_>) -> Result<()> {
        match self.offset {
            0 => Ok(()),
            offset => out.line(&format!("{offset:08x}")),
        }
    }
}

/// Returns the offset and hexadecimal digits of a line, and its characters.
pub(crate) fn line(offset: u64, line: &[u8]) -> (String, String) {
    let (left, right) = line.split_at_checked(LINE / 2).unwrap_or((line, &[]));
    let digits = format!("{}  {}", spaced(left, " "), spaced(right, " "));
    let shown = |&byte: &u8| match byte {
        b' '..=b'~' => char::from(byte),
        _ => '.',
    };
    let text = line.iter().map(shown).collect();
    (format!("{offset:08x}  {digits:<48}"), text)
}

/// Returns hexadecimal digits without separators.
pub(crate) fn digits(bytes: &[u8]) -> String {
    spaced(bytes, "")
}

fn spaced(bytes: &[u8], between: &str) -> String {
    let mut text = String::with_capacity(bytes.len().saturating_mul(3));
    for byte in bytes {
        if !text.is_empty() {
            text.push_str(between);
        }
        // Writing to a string does not fail.
        _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text of `hexdump -C`.
    #[test]
    fn lines_are_those_of_hexdump() {
        let bytes = [&b"{\"zarr_format\": 2}\n"[..], &[0; 61], b"\xff\x7fend"].concat();
        let mut dump = Dump::default();
        let lines = bytes.chunks(LINE).filter_map(|line| dump.next(line));
        let text = lines.collect::<Vec<_>>().join("\n");
        let want = "\
00000000  7b 22 7a 61 72 72 5f 66  6f 72 6d 61 74 22 3a 20  |{\"zarr_format\": |
00000010  32 7d 0a 00 00 00 00 00  00 00 00 00 00 00 00 00  |2}..............|
00000020  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|
*
00000050  ff 7f 65 6e 64                                    |..end|";
        assert_eq!(text, want);
        assert_eq!(dump.offset, 85);
        assert_eq!(digits(&[0, 0xab]), "00ab");
    }
}
