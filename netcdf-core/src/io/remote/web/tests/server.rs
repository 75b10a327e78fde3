//! A local web server for tests, which can also answer incorrectly.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// A received request.
#[derive(Debug, Clone)]
pub(in crate::io::remote) struct Request {
    /// The number of earlier requests.
    pub number: usize,
    /// Path and query.
    pub target: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// The value of a header. The name is in lower case.
    pub(in crate::io::remote) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    /// The requested range, which must have an end.
    pub(in crate::io::remote) fn range(&self) -> Option<Range<usize>> {
        let (first, last) = self
            .header("range")?
            .strip_prefix("bytes=")?
            .split_once('-')?;
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        Some(first..last + 1)
    }
}

/// The answer to a request.
#[derive(Debug, Clone)]
pub(in crate::io::remote) struct Reply {
    head: String,
    body: Vec<u8>,
    /// The number of bytes of the body to send.
    sent: usize,
    /// Whether the server then waits until it stops, instead of closing the connection.
    stalls: bool,
    /// Sends the body byte by byte, with this pause before each byte.
    pause: Option<Duration>,
}

impl Reply {
    /// An answer without a body. `status` is a number and a reason.
    pub(in crate::io::remote) fn new(status: &str) -> Self {
        Self {
            head: format!("HTTP/1.1 {status}\r\nConnection: close\r\n"),
            body: vec![],
            sent: usize::MAX,
            stalls: false,
            pause: None,
        }
    }

    /// Closes the connection without an answer.
    pub(in crate::io::remote) fn none() -> Self {
        let mut reply = Self::new("");
        reply.head.clear();
        reply
    }

    /// Adds a header.
    pub(in crate::io::remote) fn with(mut self, name: &str, value: &str) -> Self {
        self.head += &format!("{name}: {value}\r\n");
        self
    }

    /// Adds a body and its length.
    pub(in crate::io::remote) fn body(self, bytes: &[u8]) -> Self {
        let length = bytes.len().to_string();
        self.with("Content-Length", &length).body_only(bytes)
    }

    /// Adds a body without its length.
    pub(in crate::io::remote) fn body_only(mut self, bytes: &[u8]) -> Self {
        self.body = bytes.to_vec();
        self
    }

    /// Closes the connection after `sent` bytes of the body.
    pub(in crate::io::remote) fn cut(mut self, sent: usize) -> Self {
        self.sent = sent;
        self
    }

    /// Stops sending after `sent` bytes of the body.
    pub(in crate::io::remote) fn stalled(mut self, sent: usize) -> Self {
        self.stalls = true;
        self.cut(sent)
    }

    /// Sends the body byte by byte, with a pause before each byte.
    pub(in crate::io::remote) fn slow(mut self, pause: Duration) -> Self {
        self.pause = Some(pause);
        self
    }

    /// The correct answer for an object with the bytes `data` and the entity tag `tag`.
    pub(in crate::io::remote) fn good(request: &Request, data: &[u8], tag: &str) -> Self {
        let total = data.len();
        if request
            .header("if-match")
            .is_some_and(|wanted| wanted != tag)
        {
            return Self::new("412 Precondition Failed").body(b"");
        }
        match request.range() {
            None => Self::new("200 OK").with("ETag", tag).body(data),
            Some(range) if range.start >= total => Self::new("416 Range Not Satisfiable")
                .with("Content-Range", &format!("bytes */{total}"))
                .body(b""),
            Some(range) => {
                let end = range.end.min(total);
                let sent = format!("bytes {}-{}/{total}", range.start, end - 1);
                let reply = Self::new("206 Partial Content").with("ETag", tag);
                reply
                    .with("Content-Range", &sent)
                    .body(&data[range.start..end])
            }
        }
    }

    fn send(&self, to: &mut TcpStream, stop: &AtomicBool) -> std::io::Result<()> {
        if !self.head.is_empty() {
            to.write_all(self.head.as_bytes())?;
            to.write_all(b"\r\n")?;
        }
        let body = &self.body[..self.sent.min(self.body.len())];
        match self.pause {
            None => to.write_all(body)?,
            Some(pause) => {
                for byte in body {
                    thread::sleep(pause);
                    to.write_all(&[*byte])?;
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                }
            }
        }
        to.flush()?;
        while self.stalls && !stop.load(Ordering::Relaxed) {
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }
}

/// A server. Drop stops it.
#[derive(Debug)]
pub(in crate::io::remote) struct Server {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
    stop: Arc<AtomicBool>,
}

impl Server {
    /// Starts a server that answers with `script`.
    pub(in crate::io::remote) fn start(
        script: impl Fn(&Request) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let server = Self {
            port: listener.local_addr().unwrap().port(),
            requests: Arc::default(),
            stop: Arc::default(),
        };
        let (requests, stop) = (Arc::clone(&server.requests), Arc::clone(&server.stop));
        let script = Arc::new(script);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                if stop.load(Ordering::Relaxed) {
                    return;
                }
                let (requests, stop) = (Arc::clone(&requests), Arc::clone(&stop));
                let script = Arc::clone(&script);
                thread::spawn(move || answer(stream, &*script, &requests, &stop));
            }
        });
        server
    }

    /// The address of a path, which has no leading `/`.
    pub(in crate::io::remote) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// The address of a path with another host name for this machine. Clients must treat the two as different servers.
    pub(in crate::io::remote) fn other_url(&self, path: &str) -> String {
        format!("http://localhost:{}/{path}", self.port)
    }

    /// The received requests.
    pub(in crate::io::remote) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

fn answer(
    mut stream: TcpStream,
    script: &(impl Fn(&Request) -> Reply + ?Sized),
    requests: &Mutex<Vec<Request>>,
    stop: &AtomicBool,
) {
    let Some(mut request) = read(&stream) else {
        return;
    };
    let request = {
        let mut requests = requests.lock().unwrap();
        request.number = requests.len();
        requests.push(request.clone());
        request
    };
    // The client may have closed the connection.
    let _ = script(&request).send(&mut stream, stop);
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut lines = BufReader::new(stream).lines().map_while(Result::ok);
    let target = lines.next()?.split(' ').nth(1)?.to_owned();
    let headers = lines
        .take_while(|line| !line.is_empty())
        .filter_map(|line| {
            let (name, value) = line.split_once(':')?;
            Some((name.to_ascii_lowercase(), value.trim().to_owned()))
        });
    Some(Request {
        number: 0,
        target,
        headers: headers.collect(),
    })
}
