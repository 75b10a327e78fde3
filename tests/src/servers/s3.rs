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
/// The secret that belongs to it.
pub const SECRET_KEY: &str = "hush-this-is-secret";
/// The only bucket.
pub const BUCKET: &str = "bucket";

/// Threads of a server.
const THREADS: usize = 2;
/// The time in which the threads of a server have to end, or its port has to be free again.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server on a port of this machine, with threads of its own. Its objects are files in a temporary folder: a file that is put there is
/// an object, and the other way round. See `objects.rs` for what the server can do.
#[derive(Debug)]
pub struct S3 {
    /// It has a folder for the bucket, and beside it what the server notes about objects.
    folder: TempDir,
    access: Who,
    /// Whether it looks at conditions of what is put.
    conditions: bool,
    port: u16,
    running: Option<Server>,
}

/// Who may do what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    /// All requests need a signature.
    Signed,
    /// Requests without one may read.
    Readers,
    /// They may do everything.
    Everyone,
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
    /// A server with an empty bucket; all requests need a signature.
    #[must_use]
    pub fn start() -> Self {
        Self::new(Who::Signed, true)
    }

    /// The same, but requests without a signature may read; those with a wrong one still may not.
    #[must_use]
    pub fn start_public() -> Self {
        Self::new(Who::Readers, true)
    }

    /// The same, but requests without a signature may do everything.
    #[must_use]
    pub fn start_open() -> Self {
        Self::new(Who::Everyone, true)
    }

    /// A server as [`S3::start`] that stores objects without looking whether they exist, whatever a request says.
    #[must_use]
    pub fn start_careless() -> Self {
        Self::new(Who::Signed, false)
    }

    fn new(access: Who, conditions: bool) -> Self {
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

    /// The address, without a `/` at its end.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The port, for a proxy.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Variables that lead programs to this server and give them its key.
    #[must_use]
    pub fn environment(&self) -> Vec<(&'static str, String)> {
        Self::environment_at(&self.url())
    }

    /// The same for the address of a proxy before this server.
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

    /// The folder of the bucket: the file of an object has the object's key as its path from there.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder.path().join(BUCKET)
    }

    /// Makes another bucket; its folder.
    ///
    /// # Panics
    /// If that fails.
    #[must_use]
    pub fn add_bucket(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        std::fs::create_dir(&folder).expect("a folder in a temporary folder");
        folder
    }

    /// Copies a file, or all files of a folder, to the bucket.
    ///
    /// # Panics
    /// If that fails.
    pub fn put(&self, key: &str, from: &Path) {
        copy(from, &self.folder().join(key)).unwrap_or_else(|e| panic!("{}: {e}", from.display()));
    }

    /// Ends the server as if it were killed: all its connections are closed, and its port refuses new ones. Objects stay.
    pub fn stop(&mut self) {
        let Some(server) = self.running.take() else {
            return;
        };
        server.accepts.abort();
        server.runtime.block_on(async {
            // It was aborted.
            let _ = server.accepts.await;
            let mut connections = server.connections.lock().await;
            connections.shutdown().await;
        });
        // Only now: what is under way when a runtime ends cannot open files any more, and to s3s-fs those are missing keys.
        server.runtime.shutdown_timeout(PATIENCE);
    }

    /// Starts it at the same port.
    ///
    /// # Panics
    /// If it is running, or if the port is not free.
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
            Who::Signed => {}
            Who::Readers => builder.set_access(Public { writes: false }),
            Who::Everyone => builder.set_access(Public { writes: true }),
        }
        builder.build()
    }
}

impl Drop for S3 {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Waits at a port; 0 is any.
fn listener(port: u16) -> TcpListener {
    let start = Instant::now();
    loop {
        match TcpListener::bind((Ipv4Addr::LOCALHOST, port)) {
            Ok(listener) => return listener,
            // Where it was free for a moment, a connection to elsewhere may have got it.
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
        // The client may have gone away.
        let _ = stream.set_nodelay(true);
        let stream = TokioIo::new(stream);
        let connection = http1::Builder::new().serve_connection(stream, service.clone());
        // It ends with an error if the client goes away.
        connections
            .lock()
            .await
            .spawn(async { drop(connection.await) });
    }
}

/// Lets everyone read, and perhaps write.
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
