//! Tests of the proxy before a small server.

use std::io::{Read as _, Write as _};
use std::sync::mpsc::{Receiver, channel};

use super::*;

const LONG: &str = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabcdef";
const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nb\r\n0123456789\n\r\n0\r\nTail: 1\r\n\r\n";
const HEAD: &str = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n";
const NOTHING: &str = "HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n";
const TO_END: &str = "HTTP/1.1 200 OK\r\n\r\nall the rest";

/// The time limit of a test.
const PATIENCE: Duration = Duration::from_secs(10);

const GET: &str = "GET /a HTTP/1.1\r\nhOsT:  x\r\n\r\n";

/// Starts a server with fixed answers, one per complete request, and a fixed number of requests per connection. The receiver gets the
/// requests.
fn server(connections: &[&[(&'static str, &'static str)]]) -> (u16, Receiver<String>) {
    let connections: Vec<_> = connections.iter().map(|c| c.to_vec()).collect();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let (told, requests) = channel();
    thread::spawn(move || {
        for turns in connections {
            let (mut stream, _) = listener.accept().unwrap();
            for (request, answer) in turns {
                let mut got = vec![0; request.len()];
                stream.read_exact(&mut got).unwrap();
                told.send(String::from_utf8(got).unwrap()).unwrap();
                stream.write_all(answer.as_bytes()).unwrap();
            }
        }
    });
    (port, requests)
}

/// Connects with a read timeout: a proxy that does not answer fails the test instead of blocking it.
fn connect(proxy: &Proxy) -> TcpStream {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, proxy.port)).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Sends a request and expects this answer.
fn exchange(stream: &mut TcpStream, request: &str, answer: &str) {
    stream.write_all(request.as_bytes()).unwrap();
    let mut got = vec![0; answer.len()];
    stream.read_exact(&mut got).unwrap();
    assert_eq!(String::from_utf8_lossy(&got), answer);
}

/// Returns all bytes until the connection is closed.
fn rest(stream: &mut TcpStream) -> String {
    let mut got = vec![];
    stream.read_to_end(&mut got).unwrap();
    String::from_utf8(got).unwrap()
}

#[test]
fn bytes_pass_through_on_one_connection() {
    let put = "PUT /a HTTP/1.1\r\nContent-Length: 4\r\n\r\nbody";
    let parts = "POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n";
    let turns = [
        (GET, LONG),
        (put, CHUNKED),
        (parts, NOTHING),
        ("HEAD / HTTP/1.1\r\n\r\n", HEAD),
        (GET, TO_END),
    ];
    let (port, requests) = server(&[&turns]);
    let proxy = Proxy::start(port);
    let mut stream = connect(&proxy);
    for (request, answer) in turns {
        exchange(&mut stream, request, answer);
    }
    assert_eq!(rest(&mut stream), "");
    let seen: Vec<String> = requests.iter().collect();
    assert_eq!(seen, turns.map(|(request, _)| request));
    let traffic = proxy.traffic();
    let methods = [("GET", 2), ("HEAD", 1), ("POST", 1), ("PUT", 1)];
    let methods = methods.map(|(method, count)| (method.to_owned(), count));
    assert_eq!(traffic.methods, methods.into());
    assert_eq!((traffic.at_once, traffic.rounds, traffic.faults), (1, 5, 0));
}

#[test]
fn faults_happen_to_the_requests_that_were_said() {
    let (port, requests) = server(&[&[(GET, LONG), (GET, LONG)], &[(GET, LONG)]]);
    let proxy = Proxy::start(port);
    let mut stream = connect(&proxy);
    proxy.next(Fault::Unavailable, 2);
    for _ in 0..2 {
        exchange(&mut stream, GET, &connection::unavailable());
    }
    proxy.every(Fault::Drop, 2);
    exchange(&mut stream, GET, LONG);
    stream.write_all(GET.as_bytes()).unwrap();
    assert_eq!(rest(&mut stream), LONG.strip_suffix("def").unwrap());
    let mut stream = connect(&proxy);
    exchange(&mut stream, GET, LONG);
    assert_eq!(requests.iter().count(), 3);
    assert_eq!(proxy.traffic().faults, 3);
    proxy.every(Fault::Drop, 0);
    proxy.next(Fault::Stall, 1);
    stream.write_all(GET.as_bytes()).unwrap();
    proxy.wait_for(6);
    drop(proxy);
    assert_eq!(rest(&mut stream), "");
}

#[test]
fn held_requests_are_under_way_at_once() {
    let turns: &[_] = &[(GET, LONG)];
    let (port, requests) = server(&[turns, turns, turns]);
    let proxy = Proxy::start(port);
    proxy.hold_from(2);
    let mut streams = [(); 3].map(|()| connect(&proxy));
    exchange(&mut streams[0], GET, LONG);
    for stream in &mut streams[1..] {
        stream.write_all(GET.as_bytes()).unwrap();
    }
    proxy.wait_for(3);
    assert_eq!(requests.try_iter().count(), 1);
    proxy.release();
    for stream in &mut streams[1..] {
        exchange(stream, "", LONG);
    }
    let traffic = proxy.traffic();
    assert_eq!((traffic.at_once, traffic.rounds), (2, 2));
    proxy.reset();
    assert_eq!(proxy.traffic(), Traffic::default());
}

#[test]
fn a_server_that_is_gone_closes_connections() {
    let (port, requests) = server(&[&[(GET, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")]]);
    let proxy = Proxy::start(port);
    let mut stream = connect(&proxy);
    stream.write_all(GET.as_bytes()).unwrap();
    assert!(rest(&mut stream).ends_with("\r\n\r\nabc"));
    assert_eq!(requests.iter().count(), 1);
    let mut stream = connect(&proxy);
    stream.write_all(GET.as_bytes()).unwrap();
    assert_eq!(rest(&mut stream), "");
}

#[test]
fn servers_may_be_made_to_know_less() {
    let ranged = "GET /a HTTP/1.1\r\nrAnge: bytes=1-2\r\nHost: x\r\n\r\n";
    let whole = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
    let (port, requests) = server(&[&[(whole, LONG), (GET, LONG)]]);
    let proxy = Proxy::start(port);
    proxy.instead(Manner::NoRanges);
    proxy.instead(Manner::NoConditions);
    let mut stream = connect(&proxy);
    exchange(&mut stream, ranged, LONG);
    let put = "PUT /a HTTP/1.1\r\nIf-None-Match: *\r\nContent-Length: 1\r\n\r\nx";
    exchange(&mut stream, put, &connection::not_implemented());
    proxy.instead(Manner::Lose("GET /a ", 1));
    stream.write_all(GET.as_bytes()).unwrap();
    assert_eq!(rest(&mut stream), "");
    assert_eq!(requests.iter().collect::<Vec<_>>(), [whole, GET]);
}
