//! Numbers and nouns that agree: "1 round", where a message has "1 rounds".

use std::borrow::Cow;

/// Plural nouns of messages, each with its singular.
const NOUNS: [(&str, &str); 43] = [
    ("arrays", "array"),
    ("attempts", "attempt"),
    ("attributes", "attribute"),
    ("bits", "bit"),
    ("blocks", "block"),
    ("bytes", "byte"),
    ("characters", "character"),
    ("chunks", "chunk"),
    ("copies", "copy"),
    ("datasets", "dataset"),
    ("differences", "difference"),
    ("digits", "digit"),
    ("dimensions", "dimension"),
    ("directories", "directory"),
    ("elements", "element"),
    ("entries", "entry"),
    ("files", "file"),
    ("filters", "filter"),
    ("groups", "group"),
    ("inputs", "input"),
    ("keys", "key"),
    ("lengths", "length"),
    ("members", "member"),
    ("messages", "message"),
    ("names", "name"),
    ("numbers", "number"),
    ("objects", "object"),
    ("others", "other"),
    ("parameters", "parameter"),
    ("parts", "part"),
    ("pieces", "piece"),
    ("processes", "process"),
    ("records", "record"),
    ("requests", "request"),
    ("rounds", "round"),
    ("seconds", "second"),
    ("shards", "shard"),
    ("sizes", "size"),
    ("threads", "thread"),
    ("tries", "try"),
    ("types", "type"),
    ("values", "value"),
    ("variables", "variable"),
];

/// Words that may stand between a number and its noun.
const BETWEEN: [&str; 3] = ["failed ", "more ", "zero "];

/// Plural verbs behind a noun, each with its singular.
const VERBS: [(&str, &str); 6] = [
    ("are", "is"),
    ("differ", "differs"),
    ("fit", "fits"),
    ("have", "has"),
    ("need", "needs"),
    ("were", "was"),
];

/// The text with singular nouns behind the number 1, and singular verbs behind these nouns.
#[must_use]
pub fn number_agreement(text: Cow<'static, str>) -> Cow<'static, str> {
    if !text.contains("1 ") {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some((before, behind)) = rest.split_once("1 ") {
        out.push_str(before);
        let is_number = out.is_empty() || out.ends_with([' ', '(', '\n']);
        out.push_str("1 ");
        rest = match is_number {
            true => singular(behind, &mut out),
            false => behind,
        };
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Appends the singular of the noun and the verb at the beginning of a text; returns the text behind them.
fn singular<'t>(text: &'t str, out: &mut String) -> &'t str {
    let between = BETWEEN.into_iter().find(|word| text.starts_with(word));
    let between = between.unwrap_or_default();
    let noun = text.strip_prefix(between).unwrap_or(text);
    let Some((one, behind)) = replaced(noun, &NOUNS) else {
        return text;
    };
    out.push_str(between);
    out.push_str(one);
    let verb = behind
        .strip_prefix(' ')
        .and_then(|verb| replaced(verb, &VERBS));
    match verb {
        Some((verb, behind)) => {
            out.push(' ');
            out.push_str(verb);
            behind
        }
        None => behind,
    }
}

/// The singular of the word at the beginning of a text, and the text behind the word.
fn replaced<'t>(text: &'t str, words: &[(&str, &'static str)]) -> Option<(&'static str, &'t str)> {
    let end = text.find(|c: char| !c.is_ascii_alphabetic());
    let (word, behind) = text.split_at_checked(end.unwrap_or(text.len()))?;
    let found = words.iter().find(|(many, _)| *many == word);
    found.map(|&(_, one)| (one, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nouns_and_verbs_follow_the_number() {
        for (text, expected) in [
            ("1 requests in 1 rounds", "1 request in 1 round"),
            ("its 1 chunks have 1 bytes", "its 1 chunk has 1 byte"),
            ("1 failed tries", "1 failed try"),
            ("1 of 1 parts are not done", "1 of 1 part is not done"),
            ("(1 values)", "(1 value)"),
            (
                "11 bytes, 0.1 seconds, -1 values",
                "11 bytes, 0.1 seconds, -1 values",
            ),
            ("file1 bytes, v_1 parts", "file1 bytes, v_1 parts"),
            ("byte 1 of 2 bytes", "byte 1 of 2 bytes"),
            ("1 bytesize", "1 bytesize"),
            ("1 ", "1 "),
        ] {
            assert_eq!(number_agreement(text.into()), expected);
        }
    }

    #[test]
    fn words_are_sorted() {
        assert!(NOUNS.is_sorted() && VERBS.is_sorted());
    }
}
