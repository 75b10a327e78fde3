//! An HTTP proxy that clients are configured to use. It forwards requests and connections to local servers, and records the requested
//! servers.

use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};

/// Maximum bytes of a request head.
const MOST: usize = 1 << 16;

/// The proxy, with its own port and thread.
#[derive(Debug)]
pub struct Forward {
    port: u16,
    passed: Passed,
    _runtime: Runtime,
}

/// The first lines of connections: method and server.
type Passed = Arc<Mutex<Vec<String>>>;

impl Forward {
    /// Starts a proxy without authentication.
    #[must_use]
    pub fn start() -> Self {
        Self::new(None)
    }

    /// Starts a proxy that requires this login: `Basic`, and user and password in base64.
    #[must_use]
    pub fn start_for(login: &'static str) -> Self {
        Self::new(Some(login))
    }

    fn new(login: Option<&'static str>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port of this machine");
        let port = listener.local_addr().expect("an address").port();
        let mut builder = Builder::new_multi_thread();
        let runtime = builder.worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a thread");
        let passed = Passed::default();
        runtime.spawn(serve(listener, login, Arc::clone(&passed)));
        Self {
            port,
            passed,
            _runtime: runtime,
        }
    }

    /// Returns the address, without the protocol.
    #[must_use]
    pub fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Returns the first lines of connections since the last call: `CONNECT host:port`, or `GET http://host:port`, sorted, without
    /// duplicates.
    #[must_use]
    pub fn passed(&self) -> Vec<String> {
        let mut passed = self.passed.lock().unwrap_or_else(PoisonError::into_inner);
        let mut passed = std::mem::take(&mut *passed);
        passed.sort_unstable();
        passed.dedup();
        passed
    }
}

async fn serve(listener: TcpListener, login: Option<&'static str>, passed: Passed) {
    listener.set_nonblocking(true).expect("a socket");
    let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
    while let Ok((client, _)) = listener.accept().await {
        tokio::spawn(pass(client, login, Arc::clone(&passed)));
    }
}

/// Forwards a connection until either side closes it.
async fn pass(mut client: TcpStream, login: Option<&str>, passed: Passed) -> io::Result<()> {
    let head = head(&mut client).await?;
    let text = String::from_utf8_lossy(&head).into_owned();
    let mut words = text.split(' ');
    let (method, target) = (words.next(), words.next());
    let (method, target) = method.zip(target).ok_or(io::ErrorKind::InvalidData)?;
    let server: Vec<&str> = target.splitn(4, '/').take(3).collect();
    let server = server.join("/");
    let lower = text.to_ascii_lowercase();
    let wanted = login.map(|login| format!("\r\nproxy-authorization: {login}\r\n"));
    if wanted.is_some_and(|wanted| !lower.contains(&wanted.to_ascii_lowercase())) {
        let answer = "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        return client.write_all(answer.as_bytes()).await;
    }
    let begun = format!("{method} {server}");
    passed
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(begun);
    let host = server.rsplit('/').next().unwrap_or_default();
    if !host.starts_with("127.0.0.1:") {
        return Ok(());
    }
    let mut upstream = TcpStream::connect(host).await?;
    match method {
        "CONNECT" => client.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?,
        // Servers understand addresses in proxy form.
        _ => upstream.write_all(&head).await?,
    }
    copy_bidirectional(&mut client, &mut upstream)
        .await
        .map(|_| ())
}

/// Reads up to the first empty line. Returns all bytes read.
async fn head(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = vec![];
    while !head.windows(4).any(|part| part == b"\r\n\r\n") {
        if client.read_buf(&mut head).await? == 0 || head.len() > MOST {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
    Ok(head)
}
