//! Opens remote inputs and outputs.

use std::sync::Arc;
use std::time::Duration;

use super::bucket::Bucket;
use super::connect::{self, TIMEOUT};
use super::download::Downloaded;
use super::settings::{self, NetrcLogin, SettingSources};
use super::source::{HEAD, RemoteObject};
use super::store::ObjectStore;
use super::wait::wait;
use super::web::{First, Web, WebAccess};
use super::writing::{BucketTarget, CLAIM, ObjectTarget};
use super::{Objects, Part, below};
use crate::error::{Error, ErrorKind, Result};
use crate::io::address::{Address, Service};
use crate::io::file::FileSource;
use crate::io::network::{Network, OutputRun};
use crate::io::source::Source;
use crate::io::store::{Hints, MARKERS, Store};
use crate::io::target::{StoreTarget, Target};
use crate::io::{Container, foreign_format};
use crate::notes::{Note, Notes};

/// Opens an object.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] for a missing object, and errors of connecting and reading.
pub(crate) fn source(
    address: &Address,
    notes: &Notes,
    network: &Arc<Network>,
) -> Result<Arc<dyn Source>> {
    if let Service::Web { url } = &address.service {
        return file(url, address, notes, network);
    }
    let bucket: Arc<dyn Objects> = Arc::new(bucket(address, network)?);
    match RemoteObject::open(bucket, &address.key)? {
        Some(object) => Ok(Arc::new(object)),
        None => Err(nothing(address, "no such object")),
    }
}

/// Opens all objects below the key of an address as a store, without a check of the contents.
///
/// # Errors
/// Returns errors of connecting.
pub(crate) fn store(
    address: &Address,
    hints: Hints,
    network: &Arc<Network>,
) -> Result<Arc<dyn Store>> {
    let objects = objects(address, network)?;
    Ok(Arc::new(ObjectStore::new(objects, &address.key, hints)))
}

/// Begins a file that becomes the object at an address.
///
/// # Errors
/// Returns [`ErrorKind::Unsupported`] for web servers, and errors of connecting.
pub(crate) fn target(address: &Address, run: &OutputRun) -> Result<Box<dyn Target>> {
    let bucket = writable(address, &run.network)?;
    Ok(Box::new(ObjectTarget::create(bucket, &address.key, run)?))
}

/// Begins a store below the key of an address. With `overwrite`, replaces an existing store.
///
/// # Errors
/// Returns [`ErrorKind::Exists`] for objects that are not replaced, [`ErrorKind::Unsupported`] for web servers, and errors of connecting.
pub(crate) fn store_target(
    address: &Address,
    overwrite: bool,
    run: &OutputRun,
) -> Result<Box<dyn StoreTarget>> {
    let bucket = writable(address, &run.network)?;
    let target = BucketTarget::create(bucket, &address.key, overwrite, run)?;
    Ok(Box::new(target))
}

/// Checks whether the object at an address exists. For a store, checks the root metadata.
///
/// # Errors
/// Returns errors of connecting and of the request.
pub(crate) fn exists(address: &Address, is_store: bool, network: &Arc<Network>) -> Result<bool> {
    let bucket = writable(address, network)?;
    wait(async {
        if !is_store {
            return Ok(bucket.length(&address.key).await?.is_some());
        }
        for name in MARKERS {
            let key = format!("{}{name}", below(&address.key));
            if bucket.length(&key).await?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    })
}

/// Connects to the bucket of an address for writing.
pub(super) fn writable(address: &Address, network: &Arc<Network>) -> Result<Bucket> {
    if let Service::Web { .. } = &address.service {
        let what = "web servers are read-only";
        let e = Error::new(ErrorKind::Unsupported, what).of(&address.short());
        return Err(e.with_remedy(
            "name an object store, as in s3://BUCKET/KEY; for one with another address, add #mode=nczarr,s3",
        ));
    }
    bucket(address, network)
}

/// Whether an address ends in `.zarr`, like addresses of stores.
fn is_zarr_name(path: &str) -> bool {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let name = path.trim_end_matches('/').rsplit('/').next();
    let ending = name.and_then(|name| name.rsplit_once('.'));
    ending.is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("zarr"))
}

/// Opens the object at an address, or the store below it. On a web server, and in a bucket without list permission, an address that ends in
/// `.zarr` is a store.
///
/// # Errors
/// Returns [`ErrorKind::NotFound`] if both are missing, and errors of connecting and reading.
pub(crate) fn any(
    address: &Address,
    hints: Hints,
    notes: &Notes,
    network: &Arc<Network>,
) -> Result<Container> {
    if let Service::Web { url } = &address.service {
        return match is_zarr_name(url) {
            true => store(address, hints, network).map(Container::Store),
            false => file(url, address, notes, network).map(Container::Source),
        };
    }
    let bucket = objects(address, network)?;
    let key = address.key.as_str();
    let prefix = below(key);
    // Query object and store concurrently.
    let object = async {
        match key {
            "" => Ok(None),
            key => bucket.get(key, Part::First(HEAD), None).await,
        }
    };
    let both = futures_util::future::join(object, bucket.children(&prefix));
    let (object, names) = wait(async { Ok(both.await) })?;
    if is_zarr_name(key) && names.is_err() && !matches!(object, Ok(Some(_))) {
        // Without list permission, a service also denies access to missing objects.
        return store(address, hints, network).map(Container::Store);
    }
    if let Some(first) = object? {
        let object = RemoteObject::new(Arc::clone(&bucket), key, first);
        return Ok(Container::Source(Arc::new(object)));
    }
    let names = names?;
    if !names.iter().any(|name| MARKERS.contains(&name.as_str())) {
        if names.iter().any(|name| name == CLAIM) {
            let what =
                "the Zarr store is incomplete: another run is writing it, or was interrupted";
            return Err(nothing(address, what));
        }
        if let Some(e) = foreign_format::icechunk(&names) {
            return Err(e.of(&address.short()));
        }
        let what = "no such object, and no Zarr store below the key";
        return Err(nothing(address, what));
    }
    let store = ObjectStore::new(bucket, key, hints);
    Ok(Container::Store(Arc::new(store)))
}

fn said(address: &Address) -> SettingSources {
    SettingSources::of_process(&address.said)
}

fn objects(address: &Address, network: &Arc<Network>) -> Result<Arc<dyn Objects>> {
    Ok(match &address.service {
        Service::Web { url } => Arc::new(web(url, address, network)?),
        _ => Arc::new(bucket(address, network)?),
    })
}

fn bucket(address: &Address, network: &Arc<Network>) -> Result<Bucket> {
    connect::bucket(address, &said(address), network)
}

fn web(url: &str, address: &Address, network: &Arc<Network>) -> Result<Web> {
    Web::connect(url, access(url, &said(address), network)?)
}

/// The address of a file's directory. `None` if a query specifies the file.
fn folder(url: &str) -> Option<&str> {
    let (folder, _) = url.rsplit_once('/').filter(|_| !url.contains('?'))?;
    (!folder.ends_with('/')).then_some(folder)
}

/// Connects to the directory of a file, if the address has a directory.
fn beside(url: &str, address: &Address, network: &Arc<Network>) -> Result<Option<Arc<Web>>> {
    let folder = folder(url).map(|url| web(url, address, network));
    Ok(folder.transpose()?.map(Arc::new))
}

/// The access settings for a URL. A token is valid for any server, so it is only sent over https.
fn access(url: &str, said: &SettingSources, network: &Arc<Network>) -> Result<WebAccess> {
    let parsed = reqwest::Url::parse(url).ok();
    let host = parsed.as_ref().and_then(reqwest::Url::host_str);
    let port = parsed.as_ref().and_then(reqwest::Url::port);
    let found = settings::web(said, host.unwrap_or_default(), port)?;
    let safe = parsed.as_ref().is_some_and(|url| url.scheme() == "https");
    let shown = |(user, password): NetrcLogin| (user, password.show().to_owned());
    let bearer = found.bearer.filter(|_| safe);
    Ok(WebAccess {
        login: found.login.map(shown),
        bearer: bearer.map(|token| token.show().to_owned()),
        line: found.line,
        timeout: network
            .timeout
            .or(found.timeout.map(Duration::from_secs))
            .unwrap_or(TIMEOUT),
        network: Arc::clone(network),
    })
}

fn nothing(address: &Address, what: &'static str) -> Error {
    Error::new(ErrorKind::NotFound, what).of(&address.short())
}

/// Opens a file on a web server: by range requests if the server supports them, and otherwise as a copy in an unnamed temporary file.
fn file(
    url: &str,
    address: &Address,
    notes: &Notes,
    network: &Arc<Network>,
) -> Result<Arc<dyn Source>> {
    let server = web(url, address, network)?;
    match wait(server.first(HEAD))? {
        First::Part(Some(first)) => {
            let folder = beside(url, address, network)?;
            let folder = folder.map(|folder| folder as Arc<dyn Objects>);
            let object = RemoteObject::new(Arc::new(server), "", first);
            Ok(Arc::new(object.beside(folder)))
        }
        First::Part(None) => {
            let e = nothing(address, "the server has no such file");
            Err(e.with_remedy("for a Zarr store, add #mode=zarr to its address"))
        }
        First::NoRanges { .. } => {
            let (copy, length, _) = server.whole()?;
            notes.remark(Note {
                object: address.short(),
                what: format!(
                    "the server does not support range requests: all {length} bytes were downloaded"
                ),
                remedy: None,
            });
            let copy = FileSource::from_file(&server.address(""), copy)?;
            let folder = beside(url, address, network)?;
            Ok(Arc::new(Downloaded::new(copy, folder)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_sent_over_https_only() {
        let mut said = SettingSources::of_process(&[]);
        said.home = None;
        said.current = None;
        said.environment = Box::new(|name| (name == "BEARER_TOKEN").then(|| "t".to_owned()));
        let bearer = |url| access(url, &said, &Arc::default()).unwrap().bearer;
        assert_eq!(bearer("https://h:1/a.nc").as_deref(), Some("t"));
        assert_eq!(bearer("http://h/a.nc"), None);
    }

    #[test]
    fn names_of_stores() {
        for url in [
            "https://h/a/x.zarr",
            "https://h/x.ZARR/",
            "h/x.zarr?token=a/b.nc",
            "x.zarr",
        ] {
            assert!(is_zarr_name(url), "{url}");
        }
        for url in [
            "https://h/a.nc",
            "https://h/x.zarr/v",
            "https://h.zarr/x",
            "h/x.zarr.zip",
            "",
            "zarr",
        ] {
            assert!(!is_zarr_name(url), "{url}");
        }
    }

    #[test]
    fn files_are_in_folders() {
        for (url, want) in [
            ("https://h/a/b.nc", Some("https://h/a")),
            ("https://h/b.nc", Some("https://h")),
            ("https://h", None),
            ("https://h/get?file=b.nc", None),
        ] {
            assert_eq!(folder(url), want, "{url}");
        }
    }
}
