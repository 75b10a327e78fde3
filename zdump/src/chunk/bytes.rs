//! Bytes in hexadecimal digits.

use netcdf_core::error::Result;
use netcdf_core::json::Json;

use crate::out::Out;

/// Bytes of a line of text.
const LINE: usize = 16;
/// Bytes of a line of JSON.
const RECORD: usize = 4096;

/// Prints bytes: offset, hexadecimal digits, characters.
///
/// # Errors
/// Errors of writing.
pub(super) fn print(out: &mut Out<'_>, stage: usize, bytes: &[u8]) -> Result<()> {
    if out.json {
        let mut at = 0;
        return bytes.chunks(RECORD).try_for_each(|part| {
            let digits = digits(part, "");
            let offset = ("offset", Json::int(at));
            at += part.len();
            let stage = ("stage", Json::int(stage));
            out.record("bytes", [stage, offset, ("hex", Json::text(&digits))])
        });
    }
    for (n, part) in bytes.chunks(LINE).enumerate() {
        let (left, right) = part.split_at_checked(LINE / 2).unwrap_or((part, &[]));
        let digits = format!("{}  {}", digits(left, " "), digits(right, " "));
        let shown = |b: &u8| match b {
            b' '..=b'~' => char::from(*b),
            _ => '.',
        };
        let text: String = part.iter().map(shown).collect();
        let at = n.saturating_mul(LINE);
        out.line(&format!("  {at:08x}  {digits:<48}  {text}"))?;
    }
    Ok(())
}

fn digits(bytes: &[u8], between: &str) -> String {
    let digits: Vec<_> = bytes.iter().map(|b| format!("{b:02x}")).collect();
    digits.join(between)
}
