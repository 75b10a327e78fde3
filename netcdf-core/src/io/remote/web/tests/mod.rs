//! Correct and faulty web servers, and the client's results.

mod credentials;
mod failures;
mod parts;
pub(in crate::io::remote) mod server;

use std::time::Duration;

use self::server::{Reply, Request, Server};
use super::{Web, WebAccess};
use crate::error::Result;
use crate::io::remote::settings::{self, ConnectionSettings, Secret};
use crate::io::remote::wait::wait;
use crate::io::remote::{Objects, Part, PartResponse, Version};

const DATA: &[u8] = b"0123456789abcdefghij";
const TAG: &str = "\"one\"";

fn access() -> WebAccess {
    WebAccess {
        line: by_proxy(""),
        timeout: Duration::from_secs(5),
        ..WebAccess::default()
    }
}

/// A proxy. An empty address means no proxy.
fn by_proxy(address: &str) -> ConnectionSettings {
    let address = Secret::new(address);
    let except = String::new();
    let proxy = Some(settings::Proxy { address, except });
    ConnectionSettings {
        proxy,
        ..ConnectionSettings::default()
    }
}

fn connect(url: &str, access: WebAccess) -> Web {
    let mut web = Web::connect(url, access).unwrap();
    web.pause = Duration::from_millis(2);
    web
}

/// A server that answers with `script`, and its client.
fn web(script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> (Server, Web) {
    let server = Server::start(script);
    let web = connect(&server.url("f"), access());
    (server, web)
}

/// Like [`web`], with short timeouts.
fn hasty(script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> (Server, Web) {
    let (server, mut web) = web(script);
    web.access.timeout = Duration::from_millis(400);
    (server, web)
}

fn good(request: &Request) -> Reply {
    Reply::good(request, DATA, TAG)
}

fn get(web: &Web, part: Part) -> Result<Option<PartResponse>> {
    wait(web.get("", part, None))
}

/// The answer for an existing file.
fn some(bytes: &[u8]) -> Option<PartResponse> {
    Some(PartResponse {
        bytes: bytes.to_vec(),
        total: DATA.len() as u64,
        version: Some(Version(TAG.to_owned())),
        modified: None,
    })
}
