//! Requests and answers of HTTP/1.1 as bytes.

use std::io::{self, BufRead as _, BufReader, Read as _};
use std::net::TcpStream;

/// A request or an answer.
#[derive(Debug)]
pub(super) struct Message {
    /// All bytes of the message.
    pub bytes: Vec<u8>,
    /// The length of the head in bytes.
    head: usize,
    /// Whether the message is complete.
    pub whole: bool,
    /// Whether the end of the connection ends the message.
    to_end: bool,
}

/// The form of the body after the head.
#[derive(Debug, PartialEq, Eq)]
enum Body {
    Length(u64),
    Chunked,
    /// All bytes until the connection is closed.
    ToEnd,
}

impl Message {
    /// Reads a request; `None` if no further request follows.
    pub fn request(from: &mut BufReader<TcpStream>) -> Option<Self> {
        Self::read(from, |head| head.body().unwrap_or(Body::Length(0)))
    }

    /// Reads the answer to a request with this method; `None` if no part of the head arrives.
    pub fn answer(from: &mut BufReader<TcpStream>, method: &str) -> Option<Self> {
        Self::read(from, |head| match head.word(1).as_str() {
            "204" | "304" => Body::Length(0),
            _ if method == "HEAD" => Body::Length(0),
            _ => head.body().unwrap_or(Body::ToEnd),
        })
    }

    fn read(from: &mut BufReader<TcpStream>, body: impl Fn(&Self) -> Body) -> Option<Self> {
        let mut message = Self {
            bytes: vec![],
            head: 0,
            whole: false,
            to_end: false,
        };
        // After a read error, the bytes read so far remain.
        message.whole = message.fill(from, body).unwrap_or(false);
        (!message.bytes.is_empty()).then_some(message)
    }

    /// Reads the body. Returns whether the body is complete.
    fn fill(
        &mut self,
        from: &mut BufReader<TcpStream>,
        body: impl Fn(&Self) -> Body,
    ) -> io::Result<bool> {
        if !self.lines(from)? {
            return Ok(false);
        }
        self.head = self.bytes.len();
        match body(self) {
            Body::Length(length) => self.some(from, length),
            Body::Chunked => self.chunks(from),
            Body::ToEnd => {
                self.to_end = true;
                from.read_to_end(&mut self.bytes).map(|_| true)
            }
        }
    }

    /// Reads lines up to an empty line. Returns whether an empty line was found.
    fn lines(&mut self, from: &mut BufReader<TcpStream>) -> io::Result<bool> {
        loop {
            match from.read_until(b'\n', &mut self.bytes)? {
                0 => return Ok(false),
                1 | 2 => return Ok(true),
                _ => {}
            }
        }
    }

    /// Reads `count` bytes. Returns whether all bytes arrived.
    fn some(&mut self, from: &mut BufReader<TcpStream>, count: u64) -> io::Result<bool> {
        let got = from.take(count).read_to_end(&mut self.bytes)?;
        Ok(got as u64 == count)
    }

    fn chunks(&mut self, from: &mut BufReader<TcpStream>) -> io::Result<bool> {
        loop {
            let start = self.bytes.len();
            from.read_until(b'\n', &mut self.bytes)?;
            let line = String::from_utf8_lossy(&self.bytes[start..]);
            let size = line.split(';').next().unwrap_or_default().trim();
            match u64::from_str_radix(size, 16) {
                Err(_) => return Ok(false),
                Ok(0) => return self.lines(from),
                // Includes the end of line after the bytes.
                Ok(size) => {
                    if !self.some(from, size + 2)? {
                        return Ok(false);
                    }
                }
            }
        }
    }

    /// Returns the head and the body.
    pub fn parts(&self) -> (&[u8], &[u8]) {
        self.bytes.split_at(self.head)
    }

    /// Returns a word of the first line.
    fn word(&self, number: usize) -> String {
        let text = self.bytes.split(|b| *b == b'\n').next();
        let text = String::from_utf8_lossy(text.unwrap_or_default());
        let mut words = text.split_whitespace();
        words.nth(number).unwrap_or_default().to_owned()
    }

    /// Returns the method of a request.
    pub fn method(&self) -> String {
        self.word(0)
    }

    /// Returns whether the first line begins with a text.
    pub fn begins(&self, text: &str) -> bool {
        self.bytes.starts_with(text.as_bytes())
    }

    /// Removes a header by its lower-case name.
    pub fn remove(&mut self, name: &str) {
        let head = &self.bytes[..self.head];
        let is_it = |line: &&[u8]| {
            let line = String::from_utf8_lossy(line).to_ascii_lowercase();
            line.split(':').next() == Some(name)
        };
        let lines = head.split_inclusive(|b| *b == b'\n');
        let kept: Vec<&[u8]> = lines.filter(|line| !is_it(line)).collect();
        let kept = kept.concat();
        let body = self.bytes.split_off(self.head);
        self.head = kept.len();
        self.bytes = [kept, body].concat();
    }

    /// Returns the lower-case value of a header, by its lower-case name.
    pub fn header(&self, name: &str) -> Option<String> {
        let head = String::from_utf8_lossy(&self.bytes[..self.head]).to_ascii_lowercase();
        let mut fields = head.lines().filter_map(|line| line.split_once(':'));
        let found = fields.find(|(own, _)| *own == name);
        found.map(|(_, value)| value.trim().to_owned())
    }

    fn body(&self) -> Option<Body> {
        let coded = self.header("transfer-encoding");
        if coded.is_some_and(|coding| coding.ends_with("chunked")) {
            return Some(Body::Chunked);
        }
        let length = self.header("content-length")?;
        length.parse().ok().map(Body::Length)
    }

    /// Returns whether no further message follows on the connection.
    pub fn is_last(&self) -> bool {
        let closes = |value: String| value.contains("close");
        !self.whole || self.to_end || self.header("connection").is_some_and(closes)
    }

    /// Returns the head and half of the body, or half of the head without a body.
    pub fn half(&self) -> &[u8] {
        let body = self.bytes.len() - self.head;
        match body {
            0 => &self.bytes[..self.head / 2],
            body => &self.bytes[..self.head + body / 2],
        }
    }

    /// Returns whether an answer is interim, before the final answer.
    pub fn is_interim(&self) -> bool {
        self.word(1).starts_with('1')
    }
}
