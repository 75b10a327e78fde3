//! Parts of objects, from correct and faulty servers.

use std::io::Read;

use super::*;
use crate::error::ErrorKind;
use crate::io::remote::web::First;

#[test]
fn parts_of_a_good_server() {
    let (server, web) = web(good);
    assert_eq!(get(&web, Part::First(4)).unwrap(), some(b"0123"));
    assert_eq!(get(&web, Part::First(99)).unwrap(), some(DATA));
    assert_eq!(get(&web, Part::First(0)).unwrap(), some(b""));
    assert_eq!(get(&web, Part::Range(3..5)).unwrap(), some(b"34"));
    assert_eq!(get(&web, Part::Whole(20)).unwrap(), some(DATA));
    assert_eq!(get(&web, Part::Whole(19)).unwrap(), some(b""));
    let requests = server.requests();
    let ranges: Vec<_> = requests
        .iter()
        .map(|request| request.header("range"))
        .collect();
    let asked = ["bytes=0-3", "bytes=0-98", "bytes=0-0", "bytes=3-4"];
    assert_eq!(ranges[..4], asked.map(Some));
    assert_eq!(ranges[4..], [None, None]);
    for request in requests {
        assert_eq!(request.header("accept-encoding"), Some("identity"));
        let agent = request.header("user-agent").unwrap();
        assert!(agent.starts_with("netcdf-tools/"), "{agent}");
    }
}

#[test]
fn keys_are_below_the_base() {
    let server = Server::start(good);
    let web = connect(&server.url("s.zarr?v=1"), access());
    wait(web.get("a b/.zarray", Part::First(1), None)).unwrap();
    assert_eq!(server.requests()[0].target, "/s.zarr/a%20b/.zarray?v=1");
    assert_eq!(web.address("k"), server.url("s.zarr/k"));
    let e = wait(web.children("")).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Unsupported);
    let e = wait(web.walk("", &mut |_| Ok(()))).unwrap_err();
    assert!(e.to_string().contains("consolidated metadata"), "{e}");
}

#[test]
fn what_is_missing_empty_or_too_short() {
    let (_server, gone) = web(|request| Reply::new(["404 Not Found", "410 Gone"][request.number]));
    assert_eq!(get(&gone, Part::First(1)).unwrap(), None);
    assert_eq!(get(&gone, Part::Whole(1)).unwrap(), None);
    let empty = |got: Option<PartResponse>| got.map(|got| (got.bytes, got.total));
    let (_server, none) = web(|request| Reply::good(request, b"", TAG));
    assert_eq!(
        empty(get(&none, Part::First(8)).unwrap()),
        Some((vec![], 0))
    );
    assert_eq!(
        empty(get(&none, Part::Whole(8)).unwrap()),
        Some((vec![], 0))
    );
    let (_server, none) = web(|_| Reply::new("200 OK").body(b""));
    assert_eq!(
        empty(get(&none, Part::First(8)).unwrap()),
        Some((vec![], 0))
    );
    let (_server, short) = web(good);
    for range in [18..21, 20..21, 30..40] {
        let e = get(&short, Part::Range(range)).unwrap_err();
        assert_eq!(e.kind(), ErrorKind::Truncated, "{e}");
    }
}

#[test]
fn servers_without_ranges() {
    let (server, web) = web(|_| Reply::new("200 OK").with("ETag", TAG).body(DATA));
    let first = wait(web.first(4)).unwrap();
    assert_eq!(first, First::NoRanges { length: Some(20) });
    let e = get(&web, Part::Range(3..5)).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Unsupported);
    assert!(
        e.to_string()
            .starts_with(&server.url("f: the server does not support range requests")),
        "{e}"
    );
    let (mut file, len, version) = web.whole().unwrap();
    let mut bytes = vec![];
    file.read_to_end(&mut bytes).unwrap();
    assert_eq!(
        (&bytes[..], len, version),
        (DATA, 20, Some(Version(TAG.into())))
    );
    let (_server, web) = super::web(|_| Reply::new("200 OK").body_only(DATA));
    assert_eq!(
        wait(web.first(4)).unwrap(),
        First::NoRanges { length: None }
    );
    assert_eq!(web.whole().unwrap().1, 20);
    let (_server, web) = super::web(|_| Reply::new("404 Not Found"));
    assert_eq!(web.whole().unwrap_err().kind(), ErrorKind::NotFound);
    assert_eq!(wait(web.first(4)).unwrap(), First::Part(None));
}

#[test]
fn lengths_that_are_not_told() {
    let (_server, chunked) = web(|_| Reply::new("200 OK").with("ETag", TAG).body_only(DATA));
    assert_eq!(get(&chunked, Part::Whole(20)).unwrap(), some(DATA));
    let e = get(&chunked, Part::Whole(19)).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Limit, "{e}");
}

#[test]
fn other_bytes_than_were_asked_for() {
    let wrong = |sent: &'static str, body: &'static [u8]| {
        let reply = move |_: &Request| {
            let reply = Reply::new("206 Partial Content");
            match sent {
                "" => reply.body(body),
                _ => reply.with("Content-Range", sent).body(body),
            }
        };
        let (server, web) = web(reply);
        let e = get(&web, Part::Range(3..5)).unwrap_err();
        assert_eq!(server.requests().len(), 1);
        (e.kind(), e.to_string())
    };
    for (sent, body) in [
        ("", &b"34"[..]),
        ("bytes 2-3/20", b"23"),
        ("bytes 3-5/20", b"345"),
        ("bytes 3-3/20", b"3"),
        ("bytes 3-4/20", b"345"),
    ] {
        let (kind, text) = wrong(sent, body);
        assert_eq!(kind, ErrorKind::Corrupt, "{sent}");
        assert!(text.contains("outside the requested range"), "{text}");
    }
    let (kind, text) = wrong("bytes 3-4/*", b"34");
    assert_eq!(kind, ErrorKind::Unsupported);
    assert!(text.contains("does not report the file length"), "{text}");
}

#[test]
fn compressed_answers_are_refused() {
    let packed = |request: &Request| good(request).with("Content-Encoding", "gzip");
    let (_server, web) = web(packed);
    let e = get(&web, Part::Range(3..5)).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Unsupported);
    assert!(e.to_string().contains("(gzip)"), "{e}");
}

#[test]
fn versions() {
    let get = |web: &Web, version: &str| {
        let version = Version(version.to_owned());
        wait(web.get("", Part::First(4), Some(&version)))
    };
    let (server, web) = web(good);
    assert_eq!(get(&web, TAG).unwrap(), some(b"0123"));
    let e = get(&web, "\"two\"").unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Changed);
    assert!(
        e.to_string()
            .ends_with("f: the file changed while it was read"),
        "{e}"
    );
    assert_eq!(
        get(&web, "W/\"one\"").unwrap_err().kind(),
        ErrorKind::Changed
    );
    let requests = server.requests();
    let asked: Vec<_> = requests
        .iter()
        .map(|request| request.header("if-match"))
        .collect();
    assert_eq!(asked, [Some(TAG), Some("\"two\""), None]);

    let time = "Wed, 21 Oct 2015 07:28:00 GMT";
    let (_server, web) = super::web(move |_| {
        let reply = Reply::new("206 Partial Content").with("Last-Modified", time);
        reply.with("Content-Range", "bytes 0-3/20").body(b"0123")
    });
    let got = get(&web, time).unwrap().unwrap();
    assert_eq!(got.version, Some(Version(time.to_owned())));
    let e = get(&web, "Wed, 21 Oct 2015 07:28:01 GMT").unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Changed);
}
