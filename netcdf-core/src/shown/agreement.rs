//! Grammatical number in messages: "1 rounds" becomes "1 round".

use std::borrow::Cow;

/// Plural nouns of messages, each with its singular.
const NOUNS: [(&str, &str); 60] = [
    ("arrays", "array"),
    ("attempts", "attempt"),
    ("attributes", "attribute"),
    ("bits", "bit"),
    ("blocks", "block"),
    ("bytes", "byte"),
    ("characters", "character"),
    ("chunks", "chunk"),
    ("codes", "code"),
    ("copies", "copy"),
    ("datasets", "dataset"),
    ("days", "day"),
    ("differences", "difference"),
    ("digests", "digest"),
    ("digits", "digit"),
    ("dimensions", "dimension"),
    ("directories", "directory"),
    ("elements", "element"),
    ("entries", "entry"),
    ("errors", "error"),
    ("fields", "field"),
    ("files", "file"),
    ("filters", "filter"),
    ("functions", "function"),
    ("groups", "group"),
    ("indices", "index"),
    ("inputs", "input"),
    ("items", "item"),
    ("keys", "key"),
    ("lengths", "length"),
    ("levels", "level"),
    ("lines", "line"),
    ("members", "member"),
    ("messages", "message"),
    ("names", "name"),
    ("numbers", "number"),
    ("objects", "object"),
    ("others", "other"),
    ("pages", "page"),
    ("parameters", "parameter"),
    ("parts", "part"),
    ("passes", "pass"),
    ("pixels", "pixel"),
    ("processes", "process"),
    ("programs", "program"),
    ("records", "record"),
    ("redirects", "redirect"),
    ("requests", "request"),
    ("rounds", "round"),
    ("rows", "row"),
    ("seconds", "second"),
    ("shards", "shard"),
    ("sizes", "size"),
    ("streams", "stream"),
    ("strings", "string"),
    ("texts", "text"),
    ("threads", "thread"),
    ("types", "type"),
    ("values", "value"),
    ("variables", "variable"),
];

/// Words allowed between a number and its noun.
const BETWEEN: [&str; 10] = [
    "chunk ",
    "failed ",
    "hexadecimal ",
    "more ",
    "other ",
    "raw ",
    "significant ",
    "stored ",
    "unused ",
    "zero ",
];

/// Plural verbs after a noun, each with its singular.
const VERBS: [(&str, &str); 10] = [
    ("are", "is"),
    ("come", "comes"),
    ("differ", "differs"),
    ("do", "does"),
    ("fit", "fits"),
    ("have", "has"),
    ("hold", "holds"),
    ("keep", "keeps"),
    ("need", "needs"),
    ("were", "was"),
];

/// Returns the text with singular nouns after the number 1, and singular verbs after these nouns.
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

/// Appends the singular of the noun and the verb at the start of a text. Returns the text after them.
fn singular<'t>(text: &'t str, out: &mut String) -> &'t str {
    if let Some(many) = of_many(text) {
        out.push_str(many);
        return verb(text.strip_prefix(many).unwrap_or_default(), out);
    }
    let Some(behind) = noun(text, out) else {
        return text;
    };
    match behind.strip_prefix(" or ") {
        Some(second) => {
            out.push_str(" or ");
            noun(second, out).map_or(second, |behind| verb(behind, out))
        }
        None => verb(behind, out),
    }
}

/// Returns the prefix `of 3 parts` of a text. The verb after this prefix agrees with the number before it.
fn of_many(text: &str) -> Option<&str> {
    let behind = text.strip_prefix("of ")?;
    let behind = behind.trim_start_matches(|c: char| c.is_ascii_digit());
    let behind = behind.strip_prefix(' ')?;
    let noun = behind.split(|c: char| !c.is_ascii_alphabetic()).next()?;
    NOUNS.iter().find(|(many, _)| *many == noun)?;
    let length = text.len() - behind.len() + noun.len();
    text.get(..length).filter(|many| !many.starts_with("of 1 "))
}

/// Appends the singular of the noun at the start of a text, which may follow an adjective. Returns the text after the noun.
fn noun<'t>(text: &'t str, out: &mut String) -> Option<&'t str> {
    let between = BETWEEN.into_iter().find(|word| text.starts_with(word));
    let between = between.unwrap_or_default();
    let noun = text.strip_prefix(between).unwrap_or(text);
    let (one, behind) = replaced(noun, &NOUNS)?;
    out.push_str(between);
    out.push_str(one);
    Some(behind)
}

/// Appends the singular of the verb at the start of a text. Returns the text after the verb.
fn verb<'t>(text: &'t str, out: &mut String) -> &'t str {
    let verb = text.strip_prefix(' ');
    match verb.and_then(|verb| replaced(verb, &VERBS)) {
        Some((verb, behind)) => {
            out.push(' ');
            out.push_str(verb);
            behind
        }
        None => text,
    }
}

/// Returns the singular of the first word of a text, and the text after the word.
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
            ("1 failed attempts", "1 failed attempt"),
            ("1 of 1 parts are not done", "1 of 1 part is not done"),
            ("(1 values)", "(1 value)"),
            (
                "11 bytes, 0.1 seconds, -1 values",
                "11 bytes, 0.1 seconds, -1 values",
            ),
            ("file1 bytes, v_1 parts", "file1 bytes, v_1 parts"),
            ("byte 1 of 2 bytes", "byte 1 of 2 bytes"),
            ("1 bytesize", "1 bytesize"),
            ("1 of 3 parts are not done", "1 of 3 parts is not done"),
            ("1 of 11 parts, 1 files", "1 of 11 parts, 1 file"),
            (
                "1 of 1 stored chunks or shards cannot be decoded",
                "1 of 1 stored chunk or shard cannot be decoded",
            ),
            (
                "1 chunk sizes for 1 dimensions",
                "1 chunk size for 1 dimension",
            ),
            ("1 of the files", "1 of the files"),
            ("1 raw bytes are", "1 raw byte is"),
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
