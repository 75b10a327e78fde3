use super::*;
use proptest::prelude::*;

fn message<T>(result: Result<T>) -> String {
    match result {
        Ok(_) => "fine".to_owned(),
        Err(e) => format!("{}: {}", e.at, e.message),
    }
}

fn text<'t>(word: StatementWord<'t>) -> &'t str {
    word.text
}

#[test]
fn dimension_lists() {
    let found = dimensions(" a = 4 , b\\ c=UNLIMITED, // c\n d = 1e6, unlimitedx = 0x10").unwrap();
    let found: Vec<_> = found
        .iter()
        .map(|d| (d.name.text, d.size.map(text)))
        .collect();
    let expected = [
        ("a", Some("4")),
        ("b\\ c", None),
        ("d", Some("1e6")),
        ("unlimitedx", Some("0x10")),
    ];
    assert_eq!(found, expected);
}

#[test]
fn all_kinds_of_types() {
    let found = types(
        "ubyte enum e { a = 1, b\\=c = -2 } opaque ( 3 ) o /g/t(*) v structure s { int x, y(2,3); e z ; }",
    );
    let found = found.unwrap();
    let names: Vec<_> = found.iter().map(|t| t.name.text).collect();
    assert_eq!(names, ["e", "o", "v", "s"]);
    let TypeBody::Enum { base, members } = &found[0].body else {
        panic!()
    };
    assert_eq!(
        (base.text, members[1].0.text, members[1].1.text),
        ("ubyte", "b\\=c", "-2")
    );
    assert!(matches!(
        found[1].body,
        TypeBody::Opaque(StatementWord { text: "3", .. })
    ));
    assert!(matches!(
        found[2].body,
        TypeBody::Vlen(StatementWord { text: "/g/t", .. })
    ));
    let TypeBody::Compound(fields) = &found[3].body else {
        panic!()
    };
    let fields: Vec<_> = fields
        .iter()
        .map(|f| (f.ty.text, f.name.text, f.dims.len()))
        .collect();
    assert_eq!(fields, [("int", "x", 0), ("int", "y", 2), ("e", "z", 0)]);
}

#[test]
fn keywords_end_where_words_end() {
    let found = types("enumx(*) enumy opaquex(*) z").unwrap();
    assert_eq!(found.len(), 2);
    assert_eq!(
        message(types("compoundx a { int b; }")),
        "10: expected `(` or `enum`, found `a`"
    );
}

#[test]
fn variable_lists() {
    let found = variables("float a, b(x, /g/y), \u{e9}\\(\\)(t)").unwrap();
    assert_eq!(found.ty.text, "float");
    let names: Vec<_> = found.names.iter().map(|(n, d)| (n.text, d.len())).collect();
    assert_eq!(names, [("a", 0), ("b", 2), ("\u{e9}\\(\\)", 1)]);
    assert_eq!(
        found.names[1].1[1],
        StatementWord {
            text: "/g/y",
            at: 14
        }
    );
}

#[test]
fn attributes() {
    for (written, prefix, name) in [
        (":a =", vec![], "a"),
        (" v : a\n=", vec!["v"], "a"),
        ("string /g/v:a\\=b=", vec!["string", "/g/v"], "a\\=b"),
        ("v\\::b /* c */ =", vec!["v\\:"], "b"),
    ] {
        let found = attribute(written).unwrap();
        let words: Vec<_> = found.prefix.iter().map(|w| w.text).collect();
        assert_eq!((words, found.name.text), (prefix, name), "{written}");
    }
}

#[test]
fn messages_name_expected_text() {
    for (found, expected) in [
        (
            message(dimensions("a = 4 b = 5")),
            "6: expected `,` or `;`, found `b`",
        ),
        (
            message(dimensions("a = \"x\"")),
            "4: expected `UNLIMITED` or a number, found a string",
        ),
        (message(dimensions("a 4")), "2: expected `=`, found `4`"),
        (message(dimensions("")), "0: expected a name, found `;`"),
        (
            message(variables("int a/b")),
            "5: expected `(`, `,` or `;`, found `/`",
        ),
        (
            message(variables("int v(a")),
            "7: expected `)` or `,`, found `;`",
        ),
        (message(variables("int")), "3: expected a name, found `;`"),
        (
            message(types("int enum e { a }")),
            "15: expected `=`, found `}`",
        ),
        (
            message(types("opaque(x) o")),
            "7: expected `*` or a number, found `x`",
        ),
        (
            message(types("compound c { }")),
            "13: expected a name, found `}`",
        ),
        (message(attribute("v:a b =")), "4: expected `=`, found `b`"),
        (
            message(attribute("a b c:d =")),
            "4: expected `:`, found `c`",
        ),
        (message(group("g h")), "2: expected `;`, found `h`"),
    ] {
        assert_eq!(found, expected);
    }
}

/// Returns whether the grammar accepts a text as a list of values.
fn is_list(text: &str) -> bool {
    CdlParser::parse(Rule::list, text).is_ok()
}

/// Returns whether the lexer accepts a text as constants separated by commas.
fn lexes(text: &str) -> bool {
    crate::cdl::lower::items(text.as_bytes(), 0).is_ok()
}

#[test]
fn the_lexer_of_constants_follows_the_grammar() {
    for text in [
        "",
        "1, 2",
        "-1.5e3f, .5, 5.",
        "1ub, 2su, 3ll, 4llu",
        "0x1f, 0X2s",
        "'a', '\\n', '\\012', '\\x0a', '\\''",
        "\"a\\\"b\", \"\"",
        "NaN, -Infinity, Inff, FloatInf",
        "_, NIL",
        "name, /g/e.x, a\\ b",
        "{1, {2}, {}}, {}",
        "NaNs, Infinity1",
        "1 /* c */, // d\n2",
        "1,",
        ",1",
        "1 2",
        "{1",
        "1}",
        "12abc",
        "'ab'",
        "\"a",
        "1.5.5",
        "-",
        "*",
        "1f",
        "1d",
        "-x",
    ] {
        assert_eq!(is_list(text), lexes(text), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Checks that the fast attribute parser and the grammar agree.
    #[test]
    fn plain_attributes_agree_with_the_grammar(text in "[ab_1.\\-+@: \\\\/=]{0,10}=") {
        if let Some(found) = plain_attribute(&text) {
            prop_assert_eq!(Ok(found), any_attribute(&text));
        }
        if let Some(found) = plain_name(&text, 0) {
            prop_assert_eq!(Ok(found), first_word(Rule::data, &text));
        }
    }

    #[test]
    fn lists_agree_with_the_grammar(text in "(1|2\\.5f?|'a'|\"b\"|_|x|\\{|\\}|, |,| |0x1|-3b){0,8}") {
        prop_assert_eq!(is_list(&text), lexes(&text));
    }

    #[test]
    fn never_panics(text in "[a-c:;={}(),*\"'/\\\\\n é1]{0,30}") {
        let _ = (dimensions(&text).is_ok(), types(&text).is_ok(), variables(&text).is_ok());
        let _ = (attribute(&text).is_ok(), group(&text).is_ok(), data(&text).is_ok());
    }
}
