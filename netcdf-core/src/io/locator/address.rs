//! Parses addresses of remote data.

use super::modes::{AskedFormat, Modes};
use crate::error::{Error, ErrorKind, Result};
use crate::io::address::{Address, Service, decoded};

/// The protocols of remote data.
const PROTOCOLS: [&str; 9] = [
    "http", "https", "s3", "gs3", "gs", "az", "azure", "abfs", "abfss",
];

/// Parses the text after `protocol://`, without the fragment. Returns `None` for other protocols. `said` is the fragment.
///
/// # Errors
/// [`ErrorKind::Argument`] without a host, bucket or container; [`ErrorKind::Unsupported`] for OPeNDAP servers.
pub(super) fn parse(
    protocol: &str,
    place: &str,
    modes: &Modes,
    said: &str,
) -> Result<Option<Address>> {
    if !PROTOCOLS.contains(&protocol) {
        return Ok(None);
    }
    let (host, path) = place.split_once('/').unwrap_or((place, ""));
    let host = host.split('?').next().unwrap_or_default();
    if host.is_empty() {
        return Err(Error::new(ErrorKind::Argument, "a URL without a host"));
    }
    let (service, key) = match protocol {
        "http" | "https" => of_host(protocol, host, path, place, modes)?,
        "s3" => match amazon(host, path) {
            Some(found) => found?,
            None => (s3(host, None, None), path),
        },
        "gs" | "gs3" => (google(host), path),
        _ => (azure(host), path),
    };
    let key = match (&service, protocol) {
        (Service::Web { .. }, _) => String::new(),
        (_, "http" | "https") => decoded(&clean(key)),
        _ => clean(key),
    };
    Ok(Some(Address {
        service,
        key,
        said: pairs(said),
    }))
}

/// Removes the query, and leading and trailing slashes of a key.
fn clean(key: &str) -> String {
    let key = key.split('?').next().unwrap_or_default();
    key.trim_matches('/').to_owned()
}

/// The pairs of a fragment, except `mode`.
fn pairs(fragment: &str) -> Vec<(String, String)> {
    let pairs = fragment.split('&').filter_map(|part| part.split_once('='));
    pairs
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .filter(|(name, _)| name != "mode")
        .collect()
}

/// Finds the service of an `http` or `https` address. Object stores are recognised by host, or by the word `s3`.
fn of_host<'a>(
    protocol: &str,
    host: &str,
    path: &'a str,
    place: &str,
    modes: &Modes,
) -> Result<(Service, &'a str)> {
    if let Some(found) = amazon(host, path) {
        return found;
    }
    let zarr = matches!(modes.asked(), AskedFormat::Zarr { .. });
    if host == "storage.googleapis.com" && (zarr || modes.has("gs3")) {
        let (bucket, key) = first_part(path)?;
        return Ok((google(bucket), key));
    }
    if let Some(account) = host.strip_suffix(".blob.core.windows.net").filter(|_| zarr) {
        let (container, key) = first_part(path)?;
        let (account, container) = (Some(account.to_owned()), container.to_owned());
        return Ok((Service::Azure { account, container }, key));
    }
    if modes.has("s3") {
        if host.contains('@') {
            let what = "credentials in the address of an object store";
            let e = Error::new(ErrorKind::Argument, what);
            return Err(
                e.with_remedy("use a profile, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
            );
        }
        let (bucket, key) = first_part(path)?;
        return Ok((s3(bucket, None, Some(format!("{protocol}://{host}"))), key));
    }
    refuse_opendap(path, modes)?;
    let url = format!("{protocol}://{place}");
    Ok((Service::Web { url }, ""))
}

/// Splits a path into bucket and key.
fn first_part(path: &str) -> Result<(&str, &str)> {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    match first.is_empty() {
        true => Err(Error::new(ErrorKind::Argument, "a URL without a bucket")),
        false => Ok((first, rest)),
    }
}

/// Parses an address of Amazon: `BUCKET.s3.REGION.amazonaws.com/KEY`, or `s3.REGION.amazonaws.com/BUCKET/KEY`. Both forms may lack the
/// region, or have a dash before it.
fn amazon<'a>(host: &str, path: &'a str) -> Option<Result<(Service, &'a str)>> {
    let rest = host.strip_suffix(".amazonaws.com")?;
    let region = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    for mark in ["s3.", "s3-"] {
        if let Some(name) = rest.strip_prefix(mark) {
            return Some(first_part(path).map(|(b, key)| (s3(b, region(name), None), key)));
        }
        if let Some((bucket, name)) = rest.rsplit_once(&format!(".{mark}")) {
            return Some(Ok((s3(bucket, region(name), None), path)));
        }
    }
    if rest == "s3" {
        return Some(first_part(path).map(|(b, key)| (s3(b, None, None), key)));
    }
    let bucket = rest.strip_suffix(".s3")?;
    Some(Ok((s3(bucket, None, None), path)))
}

fn s3(bucket: &str, region: Option<String>, endpoint: Option<String>) -> Service {
    let bucket = bucket.to_owned();
    Service::S3 {
        bucket,
        region,
        endpoint,
    }
}

fn google(bucket: &str) -> Service {
    let bucket = bucket.to_owned();
    Service::Google { bucket }
}

/// A container, or `CONTAINER@ACCOUNT.dfs.core.windows.net`.
fn azure(host: &str) -> Service {
    let (container, account) = match host.split_once('@') {
        Some((container, host)) => (container, host.split('.').next().map(str::to_owned)),
        None => (host, None),
    };
    let container = container.to_owned();
    Service::Azure { account, container }
}

/// Refuses OPeNDAP addresses of THREDDS and Hyrax, unless the fragment specifies a file.
fn refuse_opendap(path: &str, modes: &Modes) -> Result<()> {
    let opendap = |part: &str| matches!(part, "dodsC" | "opendap");
    if modes.has("bytes") || !path.split('/').any(opendap) {
        return Ok(());
    }
    let what = "datasets are not read over DAP";
    let e = Error::new(ErrorKind::Unsupported, what);
    Err(e.with_remedy(
        "use the address of the file itself (with THREDDS, `fileServer` in place of `dodsC`)",
    ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::Location;
    use super::*;

    fn address(text: &str) -> Address {
        let at = Location::new(Path::new(text)).unwrap();
        at.remote().unwrap().clone()
    }

    fn amazon(bucket: &str, region: &str) -> Service {
        s3(
            bucket,
            Some(region.to_owned()).filter(|r| !r.is_empty()),
            None,
        )
    }

    fn at(bucket: &str, endpoint: &str) -> Service {
        s3(bucket, None, Some(endpoint.to_owned()))
    }

    #[test]
    fn forms_of_object_stores() {
        let azure = |account: Option<&str>| Service::Azure {
            account: account.map(str::to_owned),
            container: "c".to_owned(),
        };
        for (text, service, key) in [
            ("s3://b/k/l.nc", amazon("b", ""), "k/l.nc"),
            ("s3://b", amazon("b", ""), ""),
            ("S3://b/k/#zarr", amazon("b", ""), "k"),
            ("s3://b.with.dots/k", amazon("b.with.dots", ""), "k"),
            (
                "s3://s3.us-west-1.amazonaws.com/datasetbucket",
                amazon("datasetbucket", "us-west-1"),
                "",
            ),
            (
                "s3://b.s3.eu-north-1.amazonaws.com/k",
                amazon("b", "eu-north-1"),
                "k",
            ),
            (
                "s3://datasetbucket/rootkey\\#mode=nczarr&awsprofile=unidata",
                amazon("datasetbucket", ""),
                "rootkey",
            ),
            (
                "https://s3.amazonaws.com/b/k#mode=nczarr,s3",
                amazon("b", ""),
                "k",
            ),
            (
                "https://s3.us-east-1.amazonaws.com/b/k/l#mode=zarr",
                amazon("b", "us-east-1"),
                "k/l",
            ),
            (
                "https://s3-eu-west-1.amazonaws.com/b/k",
                amazon("b", "eu-west-1"),
                "k",
            ),
            (
                "https://b.s3.us-east-1.amazonaws.com/k#mode=nczarr,s3",
                amazon("b", "us-east-1"),
                "k",
            ),
            ("https://b.s3.amazonaws.com/k", amazon("b", ""), "k"),
            ("https://b.s3.amazonaws.com/k%20l", amazon("b", ""), "k l"),
            ("s3://b/k%20l", amazon("b", ""), "k%20l"),
            ("https://b.c.s3.amazonaws.com/k", amazon("b.c", ""), "k"),
            (
                "http://127.0.0.1:9000/b/k#mode=nczarr,s3",
                at("b", "http://127.0.0.1:9000"),
                "k",
            ),
            (
                "https://play.min.io/b/k.nc#mode=bytes,s3",
                at("b", "https://play.min.io"),
                "k.nc",
            ),
            ("gs3://b/k#mode=zarr", google("b"), "k"),
            ("gs://b/k", google("b"), "k"),
            (
                "https://storage.googleapis.com/b/k#mode=nczarr,gs3",
                google("b"),
                "k",
            ),
            ("az://c/k", azure(None), "k"),
            (
                "abfs://c@acc.dfs.core.windows.net/k",
                azure(Some("acc")),
                "k",
            ),
            (
                "https://acc.blob.core.windows.net/c/k#mode=zarr",
                azure(Some("acc")),
                "k",
            ),
        ] {
            let found = address(text);
            assert_eq!(
                (found.service, found.key.as_str()),
                (service, key),
                "{text}"
            );
        }
    }

    #[test]
    fn other_hosts_are_web_servers() {
        for (text, url) in [
            ("https://host/a.nc", "https://host/a.nc"),
            (
                "http://host:81/a.nc?x=y#mode=bytes",
                "http://host:81/a.nc?x=y",
            ),
            (
                "http://127.0.0.1:9000/b/k#zarr",
                "http://127.0.0.1:9000/b/k",
            ),
            (
                "https://storage.googleapis.com/b/a.nc",
                "https://storage.googleapis.com/b/a.nc",
            ),
            ("https://host?f=a.nc", "https://host?f=a.nc"),
        ] {
            let found = address(text);
            assert_eq!(
                found.service,
                Service::Web {
                    url: url.to_owned()
                },
                "{text}"
            );
            assert_eq!(found.key, "");
        }
    }

    #[test]
    fn short_forms_have_no_secrets() {
        for (text, short) in [
            (
                "https://s3.us-east-1.amazonaws.com/b/k#mode=zarr",
                "s3://b/k",
            ),
            ("gs3://b", "gs://b"),
            ("az://c/k/", "az://c/k"),
            (
                "https://user:secret@host:81/a/b.nc?token=secret#bytes",
                "https://host:81/a/b.nc",
            ),
            ("https://host?f=a.nc", "https://host"),
        ] {
            assert_eq!(address(text).short(), short, "{text}");
        }
    }

    #[test]
    fn the_fragment_says_more() {
        let said = address("s3://b/k#mode=zarr&aws.Profile=unidata&AWS.REGION=us-west-2&log").said;
        let want = [("aws.profile", "unidata"), ("aws.region", "us-west-2")];
        assert!(said.iter().map(|(n, v)| (n.as_str(), v.as_str())).eq(want));
    }
}
