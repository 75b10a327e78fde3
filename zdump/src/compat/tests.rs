use super::*;

fn asked(line: &str) -> std::result::Result<PrintOptions, String> {
    let args: Vec<_> = line.split(' ').map(OsString::from).collect();
    args::parse(&args)?.ok_or_else(|| "usage".to_owned())
}

#[test]
fn options_stand_together_and_anywhere() {
    let options = asked("x.file -hd -tint -x objdump -Xm -T 0").unwrap();
    let given = &options.given;
    assert!(given.metadata_only && given.debug && given.no_consolidated);
    assert!(given.ty.is_some() && given.action && !given.trace);
    assert_eq!(options.ty, args_type("int"));
    let url = asked(r"file://x\#mode=nczarr,file").unwrap();
    assert_eq!(url.store.to_str(), Some("file://x#mode=nczarr,file"));
    assert!(url.given.ty.is_none() && !url.given.action);
    assert_eq!(kind("g/.zmetadata", &options), KeyKind::Hidden);
    assert_eq!(kind("g/.zmetadata", &url), KeyKind::Metadata);
    assert_eq!(kind("g/v/c/0", &url), KeyKind::Chunk);
}

fn args_type(name: &str) -> format::ShownType {
    format::ShownType::named(name).unwrap()
}

#[test]
fn what_is_wrong_is_told() {
    for (line, want) in [
        ("-x clear x", "-x clear is refused"),
        ("-x none x", "unknown action"),
        ("-q x", "unknown option -q"),
        ("-t", "needs a value"),
        ("-t long x", "unknown type long"),
        ("-Xq x", "unknown -X argument"),
        ("-h", "no input file"),
        ("x y", "only one input file"),
        ("-F %s x", "-F \"%s\" is refused"),
        ("-v x", "usage"),
    ] {
        let said = asked(line).unwrap_err();
        assert!(said.contains(want), "{line}: {said}");
    }
}
