//! A server with the interface of S3.

use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use s3s::access::{S3Access, S3AccessContext};
use s3s::auth::SimpleAuth;
use s3s::service::{S3Service, S3ServiceBuilder};
use s3s::{S3Result, s3_error};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Mutex;
use tokio::task::{JoinHandle, JoinSet};

use super::objects::Objects;

/// The id of the only key that the server knows.
pub const ACCESS_KEY: &str = "reader";
/// The secret of the access key.
pub const SECRET_KEY: &str = "hush-this-is-secret";
/// The only bucket.
pub const BUCKET: &str = "bucket";

/// Threads of a server.
const THREADS: usize = 2;
/// The time limit for ending the threads of a server, and for its port to become free.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server on a local port, with its own threads. Its objects are files in a temporary directory: each new file is an object, and each new
/// object is a file. `objects.rs` describes the features of the server.
#[derive(Debug)]
pub struct S3 {
    /// The directory with the bucket, and the server's notes on objects.
    folder: TempDir,
    access: UnsignedAccess,
    /// Whether the server checks conditions of `PutObject`.
    conditions: bool,
    port: u16,
    running: Option<Server>,
}

/// Access rights without a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnsignedAccess {
    /// All requests need a signature.
    Denied,
    /// Unsigned requests may read.
    Read,
    /// Unsigned requests have all rights.
    Full,
}

/// The server while it runs.
#[derive(Debug)]
struct Server {
    runtime: Runtime,
    /// Accepts connections.
    accepts: JoinHandle<()>,
    connections: Arc<Mutex<JoinSet<()>>>,
}

impl S3 {
    /// Starts a server with an empty bucket. All requests need a signature.
    #[must_use]
    pub fn start() -> Self {
        Self::new(UnsignedAccess::Denied, true)
    }

    /// Like [`S3::start`], but unsigned requests may read. Requests with a wrong signature may not.
    #[must_use]
    pub fn start_public() -> Self {
        Self::new(UnsignedAccess::Read, true)
    }

    /// Like [`S3::start`], but unsigned requests have all rights.
    #[must_use]
    pub fn start_open() -> Self {
        Self::new(UnsignedAccess::Full, true)
    }

    /// Like [`S3::start`], but the server ignores conditions and overwrites existing objects.
    #[must_use]
    pub fn start_careless() -> Self {
        Self::new(UnsignedAccess::Denied, false)
    }

    fn new(access: UnsignedAccess, conditions: bool) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(folder.path().join(BUCKET)).expect("a folder in a temporary folder");
        let mut server = Self {
            folder,
            access,
            conditions,
            port: 0,
            running: None,
        };
        server.start_again();
        server
    }

    /// Returns the address, without a `/` at its end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the port, for a proxy.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns environment variables that direct programs to this server with its key.
    #[must_use]
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        Self::environment_at(&self.url())
    }

    /// Like [`S3::environment`], for the address of a proxy before this server.
    #[must_use]
    pub fn environment_at(url: &str) -> Vec<(&'static str, String)> {
        let own = str::to_owned;
        vec![
            ("AWS_ENDPOINT_URL", own(url)),
            ("AWS_ACCESS_KEY_ID", own(ACCESS_KEY)),
            ("AWS_SECRET_ACCESS_KEY", own(SECRET_KEY)),
            ("AWS_REGION", own("us-east-1")),
        ]
    }

    /// Returns the bucket's directory. An object's key is the relative path of its file.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder.path().join(BUCKET)
    }

    /// Creates a further bucket. Returns its directory.
    ///
    /// # Panics
    /// Panics if creating the directory fails.
    #[must_use]
    pub fn add_bucket(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        std::fs::create_dir(&folder).expect("a folder in a temporary folder");
        folder
    }

    /// Copies a file, or all files in a directory, to the bucket.
    ///
    /// # Panics
    /// Panics if copying fails.
    pub fn put(&self, key: &str, from: &Path) {
        copy(from, &self.folder().join(key)).unwrap_or_else(|e| panic!("{}: {e}", from.display()));
    }

    /// Stops the server like a kill: all connections are closed, and the port refuses new connections. Objects stay.
    pub fn stop(&mut self) {
        let Some(server) = self.running.take() else {
            return;
        };
        server.accepts.abort();
        server.runtime.block_on(async {
            // The task was aborted.
            let _ = server.accepts.await;
            let mut connections = server.connections.lock().await;
            connections.shutdown().await;
        });
        // Shut the runtime down last: tasks in flight can then no longer open files, and s3s-fs treats these files as missing keys.
        server.runtime.shutdown_timeout(PATIENCE);
    }

    /// Restarts the server at the same port.
    ///
    /// # Panics
    /// Panics if the server is running, or the port is not free.
    pub fn start_again(&mut self) {
        assert!(self.running.is_none(), "the server is running");
        let listener = listener(self.port);
        self.port = listener.local_addr().expect("an address").port();
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(THREADS).thread_name("s3");
        let runtime = builder.enable_all().build().expect("threads");
        let connections = Arc::default();
        let accepting = serve(listener, self.service(), Arc::clone(&connections));
        self.running = Some(Server {
            accepts: runtime.spawn(accepting),
            runtime,
            connections,
        });
    }

    fn service(&self) -> S3Service {
        let objects = Objects::new(self.folder.path().into(), self.conditions);
        let mut builder = S3ServiceBuilder::new(objects);
        builder.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        match self.access {
            UnsignedAccess::Denied => {}
            UnsignedAccess::Read => builder.set_access(Public { writes: false }),
            UnsignedAccess::Full => builder.set_access(Public { writes: true }),
        }
        builder.build()
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Listens at a port; 0 selects any port.
fn listener(port: u16) -> TcpListener {
    let start = Instant::now();
    loop {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => return listener,
            // While the port was free, an outgoing connection may have taken it.
            Err(e) => assert!(start.elapsed() < PATIENCE, "port {port}: {e}"),
        }
        std::thread::yield_now();
    }
}

async fn serve(listener: TcpListener, service: S3Service, connections: Arc<Mutex<JoinSet<()>>>) {
    listener.set_nonblocking(true).expect("a socket");
    let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            continue;
        };
        // The client may have closed the connection.
        let _ = stream.set_nodelay(true);
        let stream = TokioIo::new(stream);
        let connection = http1::Builder::new().serve_connection(stream, service.clone());
        // A closed connection ends with an error.
        connections
            .lock()
            .await
            .spawn(async { drop(connection.await) });
    }
}

/// Grants everyone read access, and optionally write access.
struct Public {
    writes: bool,
}

#[async_trait::async_trait]
impl S3Access for Public {
    async fn check(&self, asked: &mut S3AccessContext<'_>) -> S3Result<()> {
        let reads = ["GetObject", "HeadObject", "ListObjectsV2"];
        let reads = reads.contains(&asked.s3_op().name());
        match self.writes || reads || asked.credentials().is_some() {
            true => Ok(()),
            false => Err(s3_error!(AccessDenied)),
        }
    }
}

fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    if !from.is_dir() {
        std::fs::create_dir_all(to.parent().unwrap_or(to))?;
        return std::fs::copy(from, to).map(|_| ());
    }
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))?;
    }
    Ok(())
}
