//! Failures below HTTP: of names, connections and certificates.

use std::error::Error as StdError;
use std::io;

use super::tries::Fault;
use crate::error::{Error, ErrorKind, plain};

/// What a failed request means. All but the choice of whom to trust may be better next time.
pub(super) fn fault(e: &reqwest::Error) -> Fault {
    if let Some(tls) = tls(e) {
        return Fault::Final(untrusted(tls));
    }
    let cause = innermost(e);
    if e.is_timeout() {
        return Fault::passing("no answer in time");
    }
    let what = match e.is_connect() {
        true => "cannot connect",
        false => "the connection broke off",
    };
    Fault::passing(format!("{what}: {cause}"))
}

fn untrusted(e: &rustls::Error) -> Error {
    let error = Error::new(ErrorKind::Io, format!("no safe connection: {e}"));
    match e {
        rustls::Error::InvalidCertificate(_) => error
            .with_remedy("if the server is yours, name a file with its authority's certificate"),
        _ => error,
    }
}

/// The error and its causes. Causes have no addresses, which may show secrets.
fn causes<'a>(e: &'a reqwest::Error) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(e.source(), |&e| e.source())
}

fn tls(e: &reqwest::Error) -> Option<&rustls::Error> {
    causes(e).find_map(|cause| {
        let within = cause
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        let within = within.and_then(|e| e.downcast_ref());
        within.or_else(|| cause.downcast_ref())
    })
}

/// The message of the first cause.
pub(super) fn innermost(e: &reqwest::Error) -> String {
    match causes(e).last() {
        Some(cause) => match cause.downcast_ref::<io::Error>() {
            Some(system) => plain(system),
            None => cause.to_string(),
        },
        None => "an unknown failure".to_owned(),
    }
}
