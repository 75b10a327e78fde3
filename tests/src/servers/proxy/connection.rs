//! One connection of a client.

use std::io::{self, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::Duration;

use super::message::Message;
use super::{Fault, Manner, Shared};

const UNAVAILABLE: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>";

const NOT_IMPLEMENTED: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<Error><Code>NotImplemented</Code><Message>A header you provided implies functionality that is not implemented.</Message></Error>";

const DENIED: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>";

/// A connection to the server.
struct Upstream {
    number: usize,
    stream: BufReader<TcpStream>,
}

impl Shared {
    /// Forwards the requests of a client until either side closes the connection.
    pub(super) fn serve(&self, client: TcpStream) -> io::Result<()> {
        let number = self.opened(&client)?;
        let mut upstream = None;
        let mut client = BufReader::new(client);
        while let Some(mut request) = Message::request(&mut client).filter(|r| r.whole) {
            if self.has(&Manner::NoRanges) {
                request.remove("range");
            }
            let goes_on = self.answer(&request, &mut client, &mut upstream);
            if request.is_last() || !goes_on.unwrap_or(false) {
                break;
            }
        }
        if let Some(upstream) = upstream {
            self.close(upstream.number);
        }
        self.close(number);
        Ok(())
    }

    /// Answers a request. Returns whether another request may follow. The request counts as in flight until just before the last bytes of
    /// the answer: a client with all bytes may send its next request before this thread continues.
    fn answer(
        &self,
        request: &Message,
        client: &mut BufReader<TcpStream>,
        upstream: &mut Option<Upstream>,
    ) -> io::Result<bool> {
        let fault = self.fault();
        let under_way = self.counts.begin(&request.method(), fault.is_some());
        self.counts.pass(&under_way);
        thread::sleep(Duration::from_micros(self.delay.load(Ordering::Relaxed)));
        match fault {
            Some(Fault::Stall) => {
                // Until the client or the proxy closes the connection.
                client.read_to_end(&mut vec![])?;
                return Ok(false);
            }
            Some(Fault::Unavailable) => {
                drop(under_way);
                client.get_mut().write_all(unavailable().as_bytes())?;
                return Ok(true);
            }
            Some(Fault::Drop) | None => {}
        }
        if self.refuses(request) {
            drop(under_way);
            client.get_mut().write_all(not_implemented().as_bytes())?;
            return Ok(true);
        }
        if self.denies(request) {
            drop(under_way);
            client.get_mut().write_all(denied().as_bytes())?;
            return Ok(true);
        }
        let answer = self.ask(request, client, upstream)?;
        drop(under_way);
        if self.loses(request) {
            return Ok(false);
        }
        if fault.is_some() {
            client.get_mut().write_all(answer.half())?;
            return Ok(false);
        }
        self.send(&answer, client.get_mut())?;
        Ok(!answer.is_last())
    }

    fn send(&self, answer: &Message, client: &mut TcpStream) -> io::Result<()> {
        let Some(pause) = self.pause() else {
            return client.write_all(&answer.bytes);
        };
        let (head, body) = answer.parts();
        client.write_all(head)?;
        for byte in body.chunks(1) {
            client.write_all(byte)?;
            thread::sleep(pause);
        }
        Ok(())
    }

    /// Queries the server.
    fn ask(
        &self,
        request: &Message,
        client: &mut BufReader<TcpStream>,
        upstream: &mut Option<Upstream>,
    ) -> io::Result<Message> {
        let server = match upstream {
            Some(server) => server,
            None => upstream.insert(self.connect()?),
        };
        server.stream.get_mut().write_all(&request.bytes)?;
        loop {
            let answer = Message::answer(&mut server.stream, &request.method());
            let answer = answer.ok_or(io::ErrorKind::UnexpectedEof)?;
            if !answer.is_interim() {
                return Ok(answer);
            }
            client.get_mut().write_all(&answer.bytes)?;
        }
    }

    fn connect(&self) -> io::Result<Upstream> {
        let stream = TcpStream::connect(self.server)?;
        Ok(Upstream {
            number: self.opened(&stream)?,
            stream: BufReader::new(stream),
        })
    }
}

/// Returns the answer to a temporarily refused request.
pub(super) fn unavailable() -> String {
    refusal("503 Slow Down", UNAVAILABLE)
}

/// Returns the answer to a conditional request, by a service without support for conditions.
pub(super) fn not_implemented() -> String {
    refusal("501 Not Implemented", NOT_IMPLEMENTED)
}

/// Returns the answer to a request without permission.
pub(super) fn denied() -> String {
    refusal("403 Forbidden", DENIED)
}

fn refusal(status: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/xml\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}
