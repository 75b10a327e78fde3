//! Writes values with heap data to the output.

use super::Job;
use crate::chunk::{Dataset, Writer};
use crate::error::Result;
use crate::format;
use crate::model::Values;
use crate::notes::Note;

impl Job {
    /// Stores the heap data of values, and returns their stored form. Strings of netCDF-4 files end at a zero
    /// byte: a note says so if anything but zeros follows one.
    ///
    /// # Errors
    /// Those of the writer.
    pub(super) fn put_heap(
        &self,
        set: Dataset<'_>,
        writer: &mut dyn Writer,
        values: &Values,
    ) -> Result<Vec<u8>> {
        let to = format::writing(writer.schema().kind)?;
        if !to.strings.zeros && is_cut(values) {
            set.env.notes.say(Note {
                object: set.reader.schema().var_path(self.pair.from),
                what: "strings are cut at the first zero byte: netCDF-4 strings end there"
                    .to_owned(),
                remedy: Some("use -k nczarr3 or -k zarr3 to keep them whole".to_owned()),
            });
        }
        if !to.strings.nil && has_nil(values) {
            let path = set.reader.schema().var_path(self.pair.from);
            set.env.notes.say(format::nil(&path, to));
        }
        writer.put_heap(self.pair.to, values)
    }
}

/// True if some strings are null.
fn has_nil(values: &Values) -> bool {
    matches!(values, Values::String(strings) if strings.iter().any(Option::is_none))
}

/// True if some strings go on after a zero byte.
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
