//! Shell quoting.

/// Quotes a shell word if necessary.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_./,:=@%+#".contains(&b) || b >= 0x80;
    match !word.is_empty() && !word.starts_with('#') && word.bytes().all(plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_quotes_where_a_shell_needs_them() {
        for plain in ["-d5", "a.nc", "x/y,z=1@é", "s3://b/k#mode=zarr,s3"] {
            assert_eq!(quoted(plain), plain);
        }
        for (word, want) in [
            ("", "''"),
            ("a b", "'a b'"),
            ("*,zstd,3", "'*,zstd,3'"),
            ("it's", r"'it'\''s'"),
            ("#a", "'#a'"),
            ("~a", "'~a'"),
            ("$x;y", "'$x;y'"),
        ] {
            assert_eq!(quoted(word), want);
        }
    }
}
