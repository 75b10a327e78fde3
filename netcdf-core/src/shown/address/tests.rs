//! Addresses and messages without secrets.

use super::*;

#[test]
fn secrets_are_removed() {
    for (text, want) in [
        (
            "http://u:p@h:80/a.nc?sig=S#mode=bytes",
            "http://h:80/a.nc#mode=bytes",
        ),
        ("HTTP://u@h", "HTTP://h"),
        ("https://u:p@[::1]:80/a", "https://[::1]:80/a"),
        ("http://u:p@x@h/a@b", "http://h/a@b"),
        ("http://u:p/x@h/a", "http://h/a"),
        ("http://u:p?x@h/a?b", "http://h/a"),
        ("http://u:p#x@h/a", "http://h/a"),
        ("http://u:p", "http://…"),
        ("s3://k:s@b/k?v=1", "s3://b/k"),
        ("az://u:p@c/k", "az://c/k"),
        ("http://h?x#y=z", "http://h"),
        (
            "http://h/a\\#mode=zarr\\&token=S",
            "http://h/a\\#mode=zarr\\",
        ),
        ("http://h/a?s=x#y#mode=bytes", "http://h/a"),
        ("http://h/a#mode=bytes?sig=S", "http://h/a"),
        (
            "http://h/a#HTTP.CREDENTIALS.PASSWORD=S&zarr",
            "http://h/a#zarr",
        ),
        ("[log]http://u:p@h/a", "[log]http://h/a"),
        ("[credentials=me:sekret]http://h/a", "http://h/a"),
        ("[log][HTTP.PASSWORD=x://y]dap4://h/a", "[log]dap4://h/a"),
        ("[log=S][show=fetch][mode=S]http://h/a", "http://h/a"),
        ("[a]b]http://h/a", "http://h/a"),
        ("file://a@b/c?d#zarr", "file://a@b/c#zarr"),
        ("file://u:p@h/x", "file://h/x"),
        ("file://u:p/x@h/a?b", "file://h/a"),
        ("file:/u:p@h/x", "file:/h/x"),
        ("file:///u:p@h/x", "file:///h/x"),
        ("file:/a/b?c", "file:/a/b"),
        ("http:/u:p@h/x", "http:/h/x"),
        ("HTTP:/u@h/x", "HTTP:/h/x"),
        ("http:u:p@h", "http:h"),
        ("http:///u:p@h/x", "http:///h/x"),
        ("http:\\\\u:p@h/x", "http:\\\\h/x"),
        ("http:/h/x?sig=S#mode=bytes&a=S", "http:/h/x#mode=bytes"),
        ("https:/u:p/x@h/a", "https:/h/a"),
        ("https:u:p", "https:…"),
        ("s3:u:p@b", "s3:b"),
        ("s3:b/k?sig=S", "s3:b/k"),
        ("az:u:p@c/k", "az:c/k"),
        ("[log][x=S]s3:u:p@b", "[log]s3:b"),
        ("webdav:u:p@h/x", "webdav:h/x"),
        ("x+y:/u:p@h", "x+y:/h"),
        ("a/s3:u:p@b", "a/s3:b"),
        ("a.nc:u:p@b", "a.nc:b"),
        ("http://h/https://u:p@g/x", "http://h/https://g/x"),
        ("http://h/a://u:p@g/az://b@c/d", "http://h/a://g/az://b@c/d"),
    ] {
        let shown = ShownAddress::new(text);
        assert_eq!((shown.text(), shown.has_secret()), (want, true), "{text}");
        assert_eq!(ShownAddress::new(want).text(), want);
    }
}

#[test]
fn other_names_stay() {
    for text in [
        "a.nc",
        "a?b@c:d",
        "http://h/a@b",
        "http://h:8080/a#mode=nczarr,s3&aws.profile=me",
        "abfs://c@account.dfs.core.windows.net/k",
        "s3://b/k",
        "https://[::1]/a",
        "file:///a/b#mode=zarr,zip",
        "[log][dap4]http://h/a",
        "[a=b]c.nc",
        "[a]b:c",
        "file:a?b",
        "file:/a/b:c@d",
        "file:///a:b/c@d",
        "az:c@account/k",
        "s3:b/k",
        "me:password@h",
        "v:a:b@c",
        "2000:01:02@c",
        "foo:a@b?c",
        "foo:a:b/c@d",
        "a b: c:d @e",
    ] {
        let shown = ShownAddress::new(text);
        assert_eq!((shown.text(), shown.has_secret()), (text, false));
        assert_eq!(ShownAddress::path(Path::new(text)), Path::new(text));
    }
}

#[test]
fn addresses_in_a_message_have_no_secrets() {
    for (text, want) in [
        ("'http://u:p@h/a?s=S' again?", "'http://h/a' again?"),
        ("url (http://h/a?s=S): no", "url (http://h/a): no"),
        ("no [credentials=me:S]http://h/a: 404", "no http://h/a: 404"),
        ("see [1] [log]http://h/a", "see [1] [log]http://h/a"),
        ("see [a b](http://h/a?s=S)", "see [a b](http://h/a)"),
        (
            "s3://u:p@b/k and http://h/?s=S, too",
            "s3://b/k and http://h/, too",
        ),
        ("://?x http://?y", "://?x http://"),
        ("é://u:p@h é", "é://u:p@h é"),
        ("no address? no @", "no address? no @"),
        ("x: http:/u:p@h/a: no", "x: http:/h/a: no"),
        ("'s3:u:p@b' and s3:b?s=S.", "'s3:b' and s3:b."),
        ("--o=[log]file://u:p@h", "--o=[log]file://h"),
        ("a.nc: v: 12:30 @x", "a.nc: v: 12:30 @x"),
        ("http: refused, file: a@b", "http: refused, file: a@b"),
        ("aa:bb:http://u:p@h", "aa:bb:http://h"),
    ] {
        assert_eq!(without_secrets(text), want, "{text}");
    }
}

/// Checks that the time does not grow with the square of the length.
#[test]
fn long_messages_take_little_time() {
    let parts = [
        "(aa:",
        "aa:",
        "s3:",
        "(s3:",
        "://",
        "a:@",
        "[a]s3:",
        "@",
        "aa:b:",
        "http://a/",
    ];
    for part in parts {
        let text = part.repeat(5_000);
        assert!(!without_secrets(&text).contains('z'));
        assert!(without_secrets(&format!("{text}zz@")).len() <= text.len() + 3);
        assert!(ShownAddress::new(&text).text().len() <= text.len());
    }
}
