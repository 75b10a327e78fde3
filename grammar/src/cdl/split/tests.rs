use super::*;
use netcdf_core::io::memory::MemorySource;
use proptest::prelude::*;

/// Returns the pieces after the head in short form: kind, text and line.
fn pieces(text: &str) -> Vec<String> {
    let source = MemorySource::new("x.cdl", text.as_bytes().to_vec());
    let mut splitter = Splitter::new(&source);
    splitter.head().unwrap().unwrap();
    let mut found = vec![];
    loop {
        let piece = splitter.next_piece().unwrap();
        let kind = match &piece.kind {
            CdlPieceKind::Section(section) => {
                splitter.in_data(*section == GroupSection::Data);
                format!("section {}", section.name())
            }
            CdlPieceKind::GroupStart => {
                splitter.in_data(false);
                "group".to_owned()
            }
            CdlPieceKind::GroupEnd => "}".to_owned(),
            CdlPieceKind::Statement(s) => match s.end {
                StatementEnd::Semicolon => "statement".to_owned(),
                other => format!("statement {other:?}"),
            },
            CdlPieceKind::Data(list) => {
                let bytes = list.bytes.start as usize..list.bytes.end as usize;
                let end = match list.end {
                    StatementEnd::Semicolon => String::new(),
                    other => format!(" {other:?}"),
                };
                format!("data{end} {:?} at {} of", &text[bytes], list.start.line)
            }
            CdlPieceKind::End => return found,
        };
        let said = String::from_utf8_lossy(splitter.text()).into_owned();
        found.push(
            format!("{}: {kind} {said}", piece.start.line)
                .trim_end()
                .to_owned(),
        );
    }
}

#[test]
fn a_whole_dataset() {
    let text = "netcdf x { // c\n:a = 1 ;\ntypes:\n compound c { int a; } ; opaque(3) o ;\ndimensions: x = 3 ;\n\
                variables:\n int v(x) ; v:s = \"a;b\\\"}\", ';' ;\ndata:\n v = 1, /* ; */ 2 ;\n\n\
                group: g\\{ {\n variables: int w ; }\n:b = 2 ;\n}\n";
    assert_eq!(
        pieces(text),
        [
            "2: statement :a = 1",
            "3: section types",
            "4: statement Brace compound c { int a; }",
            "4: statement opaque(3) o",
            "5: section dimensions",
            "5: statement x = 3",
            "6: section variables",
            "7: statement int v(x)",
            "7: statement v:s = \"a;b\\\"}\", ';'",
            "8: section data",
            "9: data \" 1, /* ; */ 2 \" at 9 of v",
            "11: group g\\{",
            "12: section variables",
            "12: statement int w",
            "12: }",
            "13: statement :b = 2",
            "14: }",
        ]
    );
}

#[test]
fn syntax_that_hides_marks() {
    let list = " \"a;\\\";\", ';', '\\'', '\\073', a\\;b, /* ; = */ /g/e.x // ;=\n, 2 ";
    let text = format!("netcdf x {{ data: v ={list}; w = 1; }}");
    let found = pieces(&text);
    assert_eq!(found[1], format!("1: data {list:?} at 1 of v"));
    assert_eq!(found[2], "2: data \" 1\" at 2 of w");
}

#[test]
fn missing_semicolons() {
    let found = pieces("netcdf x { dimensions: a = 1\nvariables: int v\n}");
    assert_eq!(found[1], "1: statement Missing a = 1");
    assert_eq!(found[2], "2: section variables");
    assert_eq!(found[3], "2: statement Missing int v");
    assert_eq!(found[4], "3: }");
    let found = pieces("netcdf x { data: v = 1, 2\n  w\\=x = 3; }");
    assert_eq!(found[1], "1: data Missing \" 1, 2\\n  \" at 1 of v");
    assert_eq!(found[2], "2: data \" 3\" at 2 of w\\=x");
}

#[test]
fn unterminated_constructs() {
    let found = pieces("netcdf x { :a = \"b ; }\n");
    assert!(
        found[0].contains("Unfinished(String, Anchor { offset: 16, line: 1 })"),
        "{found:?}"
    );
    let found = pieces("netcdf x {\n /* b ; }\n");
    assert!(
        found[0].contains("Unfinished(Comment, Anchor { offset: 12, line: 2 })"),
        "{found:?}"
    );
    let found = pieces("netcdf x { data: v = \"b ; }\n");
    assert!(
        found[1].contains("Unfinished(String, Anchor { offset: 21, line: 1 })"),
        "{found:?}"
    );
}

#[test]
fn keywords_that_are_names() {
    let source = MemorySource::new(
        "x",
        b"netcdf x { data:units = 1; /g/data:a = 1; data: }".to_vec(),
    );
    let mut splitter = Splitter::new(&source);
    splitter.head().unwrap().unwrap();
    splitter.set_names(vec!["data"]);
    let kinds: Vec<_> = (0..3)
        .map(|_| splitter.next_piece().unwrap().kind)
        .collect();
    assert!(matches!(
        kinds[0],
        CdlPieceKind::Statement(Statement { colon: Some(4), .. })
    ));
    assert!(matches!(
        kinds[1],
        CdlPieceKind::Statement(Statement { colon: Some(7), .. })
    ));
    assert_eq!(kinds[2], CdlPieceKind::Section(GroupSection::Data));
}

#[test]
fn heads() {
    for (text, name) in [
        ("netcdf a b {", Some(" a b ")),
        ("\u{feff}NETCDF x{", Some(" x")),
        ("// c\nnetCDF{", Some("")),
        ("netcdfx {", None),
        ("Netcdf x {", None),
        ("netcdf x", None),
        ("", None),
    ] {
        let source = MemorySource::new("x", text.as_bytes().to_vec());
        let mut splitter = Splitter::new(&source);
        let found = splitter.head().unwrap().is_ok();
        let found = found.then(|| String::from_utf8_lossy(splitter.text()).into_owned());
        assert_eq!(found.as_deref(), name, "{text}");
    }
}

#[test]
fn lists_longer_than_the_window() {
    let mut list = String::new();
    for i in 0..60_000 {
        list.push_str(if i % 3 == 0 {
            "\"a;\\\"=b\", // c;\n"
        } else {
            "12345, 6, /* = */\n"
        });
    }
    let text = format!("netcdf x {{ data:\nv ={list};\nw = 1; }}");
    let found = pieces(&text);
    assert_eq!(found.len(), 4);
    assert_eq!(found[2], "60003: data \" 1\" at 60003 of w");
}

proptest! {
    /// Checks on random texts that the splitter reaches the end and counts lines correctly.
    #[test]
    fn always_comes_to_an_end(body in "[a-c:;={}\"'/*\\\\\n ,]{0,60}", data in any::<bool>()) {
        let text = format!("netcdf x {{{body}");
        let source = MemorySource::new("x", text.clone().into_bytes());
        let mut splitter = Splitter::new(&source);
        prop_assert!(splitter.head().unwrap().is_ok());
        splitter.in_data(data);
        let mut last = None;
        for _ in 0..200 {
            let piece = splitter.next_piece().unwrap();
            let before = &text.as_bytes()[..piece.start.offset as usize];
            let lines = before.iter().filter(|b| **b == b'\n').count() as u32;
            prop_assert_eq!(piece.start.line, 1 + lines);
            last = Some(piece.kind);
            if last == Some(CdlPieceKind::End) {
                break;
            }
        }
        prop_assert_eq!(last, Some(CdlPieceKind::End));
    }
}
