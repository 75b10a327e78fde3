//! Transient and permanent failures.

use super::*;
use crate::error::ErrorKind;

/// Fails `times` times with `reply`, then answers correctly.
fn later(times: usize, reply: Reply) -> impl Fn(&Request) -> Reply + Send + Sync + 'static {
    move |request| match request.number < times {
        true => reply.clone(),
        false => good(request),
    }
}

#[test]
fn failures_that_pass() {
    for reply in [
        Reply::none(),
        Reply::new("408 Request Timeout"),
        Reply::new("425 Too Early"),
        Reply::new("429 Too Many Requests").with("Retry-After", "0"),
        Reply::new("429 Too Many Requests").with("Retry-After", "Wed, 21 Oct 2015 07:28:00 GMT"),
        Reply::new("500 Internal Server Error"),
        Reply::new("502 Bad Gateway"),
        Reply::new("503 Slow Down").body(b"not the data"),
        Reply::new("504 Gateway Timeout"),
    ] {
        let (server, web) = web(later(3, reply.clone()));
        assert_eq!(
            get(&web, Part::First(4)).unwrap(),
            some(b"0123"),
            "{reply:?}"
        );
        assert_eq!(server.requests().len(), 4);
    }
}

#[test]
fn failures_that_do_not_pass() {
    let (server, web) = web(|_| Reply::new("503 Service Unavailable"));
    let e = get(&web, Part::First(4)).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Io);
    let text = "f: the server answered 503 Service Unavailable (failed after 6 attempts)";
    assert!(e.to_string().contains(text), "{e}");
    assert_eq!(server.requests().len(), 6);
    let (server, web) = super::web(|_| Reply::new("400 Bad Request"));
    let e = get(&web, Part::First(4)).unwrap_err().to_string();
    assert_eq!(e, server.url("f: the server answered 400 Bad Request"));
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn a_pause_beyond_the_time_limit_is_not_waited_for() {
    let (server, web) = hasty(|_| Reply::new("429 Too Many Requests").with("Retry-After", "20"));
    let e = get(&web, Part::First(4)).unwrap_err().to_string();
    assert!(
        e.contains("429 Too Many Requests (failed after 1 attempt)"),
        "{e}"
    );
    assert_eq!(server.requests().len(), 1);
}

#[test]
fn nobody_listens() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = free.local_addr().unwrap();
    drop(free);
    let web = connect(&format!("http://{address}/f"), access());
    let e = get(&web, Part::First(4)).unwrap_err().to_string();
    assert!(
        e.contains("cannot connect: Connection refused (failed after 6"),
        "{e}"
    );
}

#[test]
fn silent_servers_end_with_an_error() {
    for reply in [
        Reply::none().stalled(0),
        Reply::new("200 OK").body(DATA).stalled(0),
        Reply::new("200 OK").body(DATA).stalled(5),
    ] {
        let (_server, web) = hasty(move |_| reply.clone());
        let e = get(&web, Part::Whole(99)).unwrap_err();
        assert!(e.to_string().contains("no answer in time"), "{e}");
        assert_eq!(web.whole().unwrap_err().kind(), ErrorKind::Io);
    }
}

/// The time limit also holds for a body of unknown length that arrives byte by byte.
#[test]
fn slow_bodies_end_with_an_error() {
    let slow = |_: &Request| {
        let reply = Reply::new("200 OK").body_only(&[0; 500]);
        reply.slow(std::time::Duration::from_millis(20))
    };
    let (_server, web) = hasty(slow);
    let start = std::time::Instant::now();
    assert_eq!(web.whole().unwrap_err().kind(), ErrorKind::Io);
    assert!(start.elapsed() < std::time::Duration::from_secs(5));
    // A download that makes progress has no time limit.
    let large = |_: &Request| Reply::new("200 OK").body_only(&vec![0; 1 << 20]);
    let (_server, web) = hasty(large);
    assert_eq!(web.whole().unwrap().1, 1 << 20);
}

#[test]
fn a_silent_connection_is_given_up_for_another() {
    let server = Server::start(|request| match request.number {
        0 => good(request).stalled(5),
        _ => good(request),
    });
    let quick = WebAccess {
        timeout: Duration::from_millis(200),
        ..access()
    };
    let mut web = connect(&server.url("f"), quick);
    web.access.timeout = Duration::from_secs(5);
    assert_eq!(get(&web, Part::Range(2..12)).unwrap(), some(&DATA[2..12]));
}

/// The ranges of all requests until an answer that breaks off is complete.
fn ranges(tag: &'static str, part: Part) -> Vec<Option<std::ops::Range<usize>>> {
    let server = Server::start(move |request| {
        let reply = Reply::good(request, DATA, tag);
        match request.number {
            0 => reply.cut(5),
            _ => reply,
        }
    });
    let web = connect(&server.url("f"), access());
    let at = |n: u64| usize::try_from(n).unwrap();
    let expected = match part.clone() {
        Part::First(n) => &DATA[..at(n.min(20))],
        Part::Range(range) => &DATA[at(range.start)..at(range.end)],
        Part::Whole(_) => DATA,
    };
    let got = get(&web, part).unwrap().unwrap();
    assert_eq!((&got.bytes[..], got.total), (expected, 20));
    server.requests().iter().map(Request::range).collect()
}

#[test]
fn answers_that_break_off_are_continued_if_that_is_safe() {
    assert_eq!(ranges(TAG, Part::First(8)), [Some(0..8), Some(5..8)]);
    assert_eq!(ranges(TAG, Part::First(99)), [Some(0..99), Some(5..20)]);
    assert_eq!(ranges(TAG, Part::Range(2..12)), [Some(2..12), Some(7..12)]);
    assert_eq!(ranges(TAG, Part::Whole(99)), [None, Some(5..20)]);
    assert_eq!(
        ranges("W/\"x\"", Part::Range(2..12)),
        [Some(2..12), Some(2..12)]
    );
    assert_eq!(ranges("W/\"x\"", Part::Whole(99)), [None, None]);
}

#[test]
fn no_answer_is_put_together_from_two_versions() {
    let (server, web) = web(|request| match request.number {
        0 => good(request).cut(5),
        _ => Reply::good(request, DATA, "\"two\""),
    });
    let e = get(&web, Part::First(10)).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Changed);
    assert_eq!(server.requests()[1].header("if-match"), Some(TAG));
}

#[test]
fn downloads_that_break_off_start_again() {
    let (server, web) = web(|request| {
        let reply = Reply::new("200 OK").body(DATA);
        match request.number {
            0 => reply.cut(5),
            _ => reply,
        }
    });
    assert_eq!(web.whole().unwrap().1, 20);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn redirects() {
    let (server, web) = web(|request| match request.target.as_str() {
        "/f" => Reply::new("302 Found")
            .with("Location", "g/h?x=1")
            .body(b"moved"),
        "/g/h?x=1" => Reply::new("308 Permanent Redirect").with("Location", "/i"),
        _ => good(request),
    });
    assert_eq!(get(&web, Part::Range(3..5)).unwrap(), some(b"34"));
    let last = &server.requests()[2];
    assert_eq!(
        (last.target.as_str(), last.header("range")),
        ("/i", Some("bytes=3-4"))
    );
    let (server, web) = super::web(|_| Reply::new("302 Found").with("Location", "/f"));
    let e = get(&web, Part::First(4)).unwrap_err().to_string();
    assert!(e.ends_with("more than 10 redirects"), "{e}");
    assert_eq!(server.requests().len(), 11);
    let (_server, web) = super::web(|_| Reply::new("302 Found"));
    let e = get(&web, Part::First(4)).unwrap_err().to_string();
    assert!(e.ends_with("302 Found"), "{e}");
}
