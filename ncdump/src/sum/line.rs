//! A line of a list: `blake3:DIGEST  FILE` for a dataset, `blake3:DIGEST  FILE#/PATH` for a variable.
//!
//! In names, a backslash is written `\\`, and a `#` before a slash `\#`, so that the first unescaped `#/` begins the path. Bytes that are
//! not text, for example line ends, are written `\xHH`.

use std::fmt;

use netcdf_core::shown::{ShownAddress, is_control};
use netcdf_core::sum::Digest;

/// The prefix of each line.
const PREFIX: &[u8] = b"blake3:";
/// Hexadecimal digits of a digest.
const DIGITS: usize = 64;

/// A line of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SumLine {
    /// The digest.
    pub(super) digest: Digest,
    /// The name of the file.
    pub(super) file: Vec<u8>,
    /// The path of a variable; `None` for the dataset.
    pub(super) path: Option<Vec<u8>>,
}

impl SumLine {
    /// Parses a line without its end. Returns `None` for any other text.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let (digest, name) = line.strip_prefix(PREFIX)?.split_at_checked(DIGITS)?;
        let (file, path) = unescaped(name.strip_prefix(b"  ")?)?;
        Some(Self {
            digest: Digest::parse(digest)?,
            file: Some(file).filter(|file| !file.is_empty())?,
            path,
        })
    }

    /// Returns the name of the file or variable, as in the list.
    pub(super) fn name(&self) -> String {
        let path = self
            .path
            .as_deref()
            .map(|path| format!("#{}", escaped(path)));
        // A list of an older version may contain secrets.
        let file = match std::str::from_utf8(&self.file) {
            Ok(file) => escaped(ShownAddress::new(file).text().as_bytes()),
            Err(_) => escaped(&self.file),
        };
        format!("{file}{}", path.unwrap_or_default())
    }
}

impl fmt::Display for SumLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "blake3:{}  {}", self.digest, self.name())
    }
}

/// Returns a name with escapes.
pub(super) fn escaped(name: &[u8]) -> String {
    let mut out = String::with_capacity(name.len());
    let hex = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|b| format!("\\x{b:02x}"))
            .collect::<String>()
    };
    for part in name.utf8_chunks() {
        let mut chars = part.valid().chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\\' => out.push_str("\\\\"),
                '#' if chars.peek() == Some(&'/') => out.push_str("\\#"),
                c if is_control(c) => out.push_str(&hex(c.encode_utf8(&mut [0; 4]).as_bytes())),
                c => out.push(c),
            }
        }
        out.push_str(&hex(part.invalid()));
    }
    out
}

/// Returns the file name and the variable path without escapes, or `None` for unknown escapes.
fn unescaped(name: &[u8]) -> Option<(Vec<u8>, Option<Vec<u8>>)> {
    let (mut out, mut file) = (vec![], None);
    let mut rest = name;
    while let Some((&byte, behind)) = rest.split_first() {
        rest = behind;
        match byte {
            b'\\' => {
                let (byte, behind) = escape(behind)?;
                out.push(byte);
                rest = behind;
            }
            b'#' if file.is_none() && behind.first() == Some(&b'/') => {
                file = Some(std::mem::take(&mut out));
            }
            byte => out.push(byte),
        }
    }
    Some(match file {
        Some(file) => (file, Some(out)),
        None => (out, None),
    })
}

/// Returns the byte of an escape, and the text after the escape.
fn escape(name: &[u8]) -> Option<(u8, &[u8])> {
    match name.split_first()? {
        (&byte @ (b'\\' | b'#'), behind) => Some((byte, behind)),
        (b'x', behind) => {
            let (digits, behind) = behind.split_at_checked(2)?;
            let digits = std::str::from_utf8(digits).ok()?;
            Some((u8::from_str_radix(digits, 16).ok()?, behind))
        }
        (_, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(file: &[u8], path: Option<&[u8]>) -> SumLine {
        SumLine {
            digest: Digest::parse(&[b'a'; DIGITS]).unwrap(),
            file: file.to_vec(),
            path: path.map(<[u8]>::to_vec),
        }
    }

    #[test]
    fn names_of_all_sorts_come_back() {
        let names: [&[u8]; 12] = [
            b"a.nc",
            b"a#/b",
            b"a\\",
            b"\\#/",
            b"#",
            b"##//",
            b"a\nb\r",
            b"\xff\xfe#",
            b" a ",
            b"file://x#mode=zarr,file",
            "größe\u{202e}".as_bytes(),
            b"\\x41",
        ];
        for file in names {
            for path in names.map(|name| [b"/", name].concat()) {
                for line in [line(file, None), line(file, Some(&path))] {
                    let text = line.to_string();
                    assert!(!text.contains(is_control), "{text}");
                    assert_eq!(SumLine::parse(text.as_bytes()), Some(line), "{text}");
                }
            }
        }
    }

    #[test]
    fn usual_names_stay_as_they_are() {
        assert_eq!(
            line(b"d/t2m 1.nc", Some(b"/g/t#1")).name(),
            "d/t2m 1.nc#/g/t#1"
        );
        assert_eq!(line(b"C:\\d#/\n", None).name(), "C:\\\\d\\#/\\x0a");
    }

    #[test]
    fn what_is_no_line_is_refused() {
        let good = line(b"a.nc", None).to_string();
        assert!(SumLine::parse(good.as_bytes()).is_some());
        for wrong in [
            String::new(),
            good.replace("blake3:", ""),
            good.replace("aaaa  ", "aaa  "),
            good.replace("  a", " a"),
            good.replace("aa  ", "ag  "),
            good.replace("a.nc", ""),
            good.replace("a.nc", "\\q"),
            good.replace("a.nc", "a\\"),
            good.replace("a.nc", "\\xg0"),
            good.replace("a.nc", "#/v"),
        ] {
            assert_eq!(SumLine::parse(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
