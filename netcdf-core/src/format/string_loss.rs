//! Notes for lossy string conversion: text truncated at NUL, NIL strings.

use super::nil;
use super::table::writing;
use crate::error::Result;
use crate::model::{Kind, Values};
use crate::notes::{Note, Notes};

/// Notes strings that a dataset of a kind truncates at a zero byte, and NIL strings that become empty.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`](crate::ErrorKind::Unsupported) for read-only kinds.
pub fn tell_of_strings(
    values: &Values,
    kind: Kind,
    notes: &Notes,
    path: impl Fn() -> String,
) -> Result<()> {
    let to = writing(kind)?;
    if !to.strings.zeros && is_cut(values) {
        notes.say(Note {
            object: path(),
            what: "truncated: netCDF-4 strings end at the first zero byte".to_owned(),
            remedy: Some("use -k nczarr3 or -k zarr3 to keep them whole".to_owned()),
        });
    }
    if !to.strings.nil && has_nil(values) {
        notes.say(nil(&path(), to.name));
    }
    Ok(())
}

/// Checks whether any string is NIL.
fn has_nil(values: &Values) -> bool {
    matches!(values, Values::String(strings) if strings.iter().any(Option::is_none))
}

/// Checks whether any string continues after a zero byte.
fn is_cut(values: &Values) -> bool {
    let Values::String(strings) = values else {
        return false;
    };
    let ends = |text: &[u8]| text.iter().skip_while(|&&b| b != 0).any(|&b| b != 0);
    strings.iter().flatten().any(|text| ends(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_behind_a_zero_byte_is_missed() {
        let strings = |text: &[u8]| Values::String(vec![None, Some(text.into())]);
        assert!(is_cut(&strings(b"a\0b")) && is_cut(&strings(b"\0b")));
        assert!(!is_cut(&strings(b"ab\0\0")) && !is_cut(&strings(b"")));
        assert!(!is_cut(&Values::Char(b"a\0b".to_vec())));
        assert!(has_nil(&strings(b"a")));
        assert!(!has_nil(&Values::String(vec![Some(b""[..].into())])));
    }
}
